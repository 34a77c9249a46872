"""The receiver of webhooks in docs/api.md, as a process: it hears the service, and nobody who cannot sign."""

import asyncio
import json
import socket
import sys
from datetime import timedelta

import aiohttp
import pytest

from blocks import ids
from bot.clock import SystemClock
from bot.resume.signing import read_secret, sign
from tests.docs.page import blocks, clean_environment, page, section
from tests.e2e.house import ANA, DEPLOYS, place

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"
TEXT = section(page("api.md"), "Being told")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def listens(port: int, process: asyncio.subprocess.Process) -> None:
    """Until somebody takes connections there; a process that ends instead fails the test."""
    async with asyncio.timeout(30):
        while True:
            assert process.returncode is None
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0)
                continue
            writer.close()
            await writer.wait_closed()
            return


@pytest.fixture
async def receiver(tmp_path):
    """The process, and its address as the page names it."""
    (script,) = blocks(TEXT, "python")
    port = free_port()
    assert "http://127.0.0.1:9000/" in TEXT
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        script.replace("9000", str(port)),
        env={**clean_environment(tmp_path), "SIGNOFF_WEBHOOK_SECRET": SECRET},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await listens(port, process)
        yield process, f"http://127.0.0.1:{port}/"
    finally:
        process.kill()
        await process.wait()


async def test_it_hears_what_the_service_tells(receiver) -> None:
    process, address = receiver
    allowed = {"SIGNOFF_WEBHOOK_SECRET": f"{OTHER},{SECRET}", "SIGNOFF_WEBHOOK_ALLOW": "127.0.0.0/8"}
    async with place("memory://", **allowed) as here:
        asked = await here.ask(resume={"webhook": address})
        card = await here.card(DEPLOYS)
        assert (await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)).ok

        heard = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))

    assert (heard["data"]["id"], heard["data"]["state"]) == (asked["id"], "approved")


@pytest.mark.parametrize(
    ("secret", "age", "changed", "status"),
    [
        (SECRET, 0, b"", 204),
        (OTHER, 0, b"", 401),
        (SECRET, 301, b"", 401),
        (SECRET, 0, b" ", 401),
        (None, 0, b"", 401),
    ],
    ids=["genuine", "another secret", "too old", "another body", "unsigned"],
)
async def test_it_refuses_what_is_not_signed_for_this_body_and_now(receiver, secret, age, changed, status) -> None:
    _, address = receiver
    at = SystemClock().now() - timedelta(seconds=age)
    body = b'{"data": {}}'
    signed = {} if secret is None else sign([read_secret(secret)], id="msg_1", at=at, body=body)

    async with (
        aiohttp.ClientSession() as session,
        session.post(address, data=body + changed, headers=signed) as reply,
    ):
        assert reply.status == status
