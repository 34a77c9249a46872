"""docs/webhooks.md, followed: its receiver runs what its ask gets approved; what it says of retries and addresses holds."""

import asyncio
import json
import re
import shlex
from contextlib import asynccontextmanager
from datetime import timedelta

import aiohttp
import pytest

from bot.clock import SystemClock
from bot.resume import backoff
from bot.resume.guard import AddressGuard
from bot.resume.signing import read_secret, sign
from bot.settings import Settings
from signoff import Signoff, webhook
from tests.docs.guide import approve, deny, ended, reader, sample
from tests.docs.page import blocks, curl, page, quoted, section, tables, unknown_options
from tests.docs.test_receiver import free_port, listens
from tests.e2e.house import DEPLOYS, place

PAGE = page("webhooks.md")
RECEIVER, ASK = blocks(section(PAGE, "A receiver"), "python")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"


@pytest.fixture
async def here():
    allowed = {"SIGNOFF_WEBHOOK_SECRET": f"{OTHER},{SECRET}", "SIGNOFF_WEBHOOK_ALLOW": "127.0.0.0/8"}
    async with place("memory://", **allowed) as found:
        yield found


@pytest.fixture
def person(here, tmp_path):
    return reader(here, tmp_path)


@asynccontextmanager
async def receiving(person):
    """The receiver of the page, on a port that is free; its process and the port."""
    port = free_port()
    code = RECEIVER.replace("9000", str(port))
    process = await person.start(code, name="receiver.py", SIGNOFF_WEBHOOK_SECRET=SECRET)
    try:
        await listens(port, process)
        yield process, port
    finally:
        process.kill()
        await process.communicate()


async def ask(person, port) -> None:
    out = await ended(await person.start(ASK.replace("9000", str(port)), name="ask.py"))
    assert re.fullmatch(r"asked [0-9A-Z]{5}\n", out)


async def line(process) -> str:
    return (await asyncio.wait_for(process.stdout.readline(), 30)).decode()


async def test_what_was_approved_is_run_by_the_receiver(here, person) -> None:
    async with receiving(person) as (process, port):
        await ask(person, port)
        card = await approve(here, DEPLOYS)

        assert f"`{(await line(process)).strip()}`" in section(PAGE, "A receiver")
        await here.shows(card, "Done")


async def test_what_was_denied_is_not_run(here, person) -> None:
    async with receiving(person) as (process, port):
        await ask(person, port)
        await deny(here, DEPLOYS, "Freeze until Monday.")

        assert re.fullmatch(r"deploy-821 Denied by @ana: Freeze until Monday\.\n", await line(process))


async def test_answers_are_told_too(here, person) -> None:
    async with receiving(person) as (process, port):
        asked = await here.ask_question(resume={"webhook": f"http://127.0.0.1:{port}/"}, run_id="report-821")
        with Signoff(url=str(here.house.url), key=here.token) as so:
            await asyncio.to_thread(so.withdraw, asked["id"])

        assert await line(process) == "report-821 withdrawn None\n"


@pytest.mark.parametrize(("secret", "age", "status"), [(SECRET, 0, 204), (OTHER, 0, 401), (SECRET, 301, 401)])
async def test_a_stranger_is_answered_401(here, person, secret, age, status) -> None:
    body = json.dumps({
        "type": "interaction.resolved", "timestamp": "2026-11-30T14:02:11.512Z",
        "data": {"id": "apr_1", "kind": "approval", "run_id": "r", "operation_id": "o", "state": "approved"},
    }).encode()  # fmt: skip
    signed = sign([read_secret(secret)], id="msg_1", at=SystemClock().now() - timedelta(seconds=age), body=body)
    async with (
        receiving(person) as (_, port),
        aiohttp.ClientSession() as session,
        session.post(f"http://127.0.0.1:{port}/", data=body, headers=signed) as reply,
    ):
        assert reply.status == status


async def test_every_attempt_is_listed(here, person) -> None:
    (listing,) = [block for block in blocks(section(PAGE, "What was sent"), "sh") if "curl" in block]
    async with receiving(person) as (process, port):
        await ask(person, port)
        await approve(here, DEPLOYS)
        await line(process)
        (asked,) = (await here.api("GET", "/v1/interactions?run_id=deploy-821")).json["items"]
        request = curl(listing, {**person.exported, "ID": asked["id"]})
        async with aiohttp.ClientSession() as session, session.get(request.url, headers=request.headers) as reply:
            attempts = (await reply.json())["items"]

    assert [attempt["attempt"] for attempt in attempts] == [1]


def test_the_schedule_is_that_of_the_service() -> None:
    said = sample_of_schedule()

    assert [each.total_seconds() for each in backoff.WEBHOOK] == said
    assert timedelta(hours=24) == backoff.LONGEST
    assert webhook.TOLERANCE == 5 * 60


def sample_of_schedule() -> list[float]:
    """`5 seconds, 5 and 30 minutes, 2, 5 and 24 hours`, as seconds."""
    units = {"seconds": 1, "minutes": 60, "hours": 3600}
    (row,) = [row for row in tables(section(PAGE, "What is sent again"))[0] if "come again" in row[1]]
    found, waiting = [], []
    for word in re.findall(r"\d+|seconds|minutes|hours", row[1].partition("come again:")[2]):
        if word in units:
            found += [number * units[word] for number in waiting]
            waiting = []
        else:
            waiting.append(int(word))
    return found


def test_every_address_that_is_called_refused_is_refused() -> None:
    guard = AddressGuard()
    rows = tables(section(PAGE, "Where they may go"))[0]
    addresses = [words for row in rows for words in quoted(row[1])]

    assert len(addresses) > 12
    for address in addresses:
        url = address if "://" in address else f"https://{address}/"
        assert guard.problem(url) is not None, url
    assert guard.problem("https://hooks.acme.com/") is None


def test_the_fields_of_an_event_are_those_that_there_are() -> None:
    _, rows = tables(section(PAGE, "What it checks"))
    names = [name for row in rows for name in quoted(row[0])]
    data = next(quoted(row[1]) for row in rows if row[0] == "`data`")

    assert set(names) == set(webhook.Event.__struct_fields__)
    assert set(data) == set(webhook.Resolved.__struct_fields__)
    assert webhook.Event.RESOLVED in PAGE


def test_the_commands_and_settings_are_those_that_there_are() -> None:
    lines = [shlex.split(line) for block in blocks(PAGE, "sh") for line in block.splitlines()]
    for words in lines:
        if words[0] == "signoff-bot":
            assert unknown_options(words) == set(), words
    named = set(re.findall(r"\bSIGNOFF_WEBHOOK_\w+", PAGE))
    assert named <= {field.alias for field in Settings.model_fields.values()}
    assert sample(PAGE, "verify_webhook") == RECEIVER
