"""Hosting as a user starts it: `python -m signoff.runtime module:runtime`, and what it says where it cannot."""

import asyncio
import os
import sys

import pytest

from signoff.runtime.serve import http_call
from signoff.settings import Settings
from tests.sdk.runtime.stage import TOP, worker

SHOP = """
from signoff import Runtime

runtime = Runtime()


@runtime.code("greet")
async def greet(input, access):
    if input == "badly":
        raise ValueError("no \\x00 way \\ud800")
    return {"hello": input}
"""


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


@pytest.fixture
async def garbling():
    """The address of a server that says that it packs its answers, and does not."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def said(*arguments: str, folder, **environment: str) -> tuple[int, str]:
    """Exit code and standard error of a start that does not last."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIGNOFF_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "signoff.runtime", *arguments),
        cwd=folder,
        env={**kept, "PYTHONPATH": str(TOP / "sdk"), **environment},
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await asyncio.wait_for(process.communicate(), 30)
    return process.returncode or 0, err.decode()


async def test_a_module_in_this_folder_is_hosted_until_it_is_told_to_end(here, shop) -> None:
    await here.start("greet", "run", input="Ana")

    async with worker(
        here.place.house.url, here.worker_token, "signoff.runtime", "shop:runtime", folder=shop
    ) as hosting:
        run = await here.finished("run")
        assert await hosting.terminate() == 0

    assert run["outcome"] == {"hello": "Ana"}


async def test_an_error_of_any_text_is_handed_in(here, shop) -> None:
    await here.start("greet", "run", input="badly")

    async with worker(here.place.house.url, here.worker_token, "signoff.runtime", "shop", folder=shop):
        run = await here.finished("run")

    assert run["error"]["message"] == "ValueError: no \\0 way \\ud800"


async def test_a_key_that_may_not_work_ends_it_with_what_is_missing(here, shop) -> None:
    code, err = await said("shop", folder=shop, SIGNOFF_URL=here.place.house.url, SIGNOFF_KEY=here.place.token)

    assert code == 1
    assert "work" in err
    assert "Traceback" not in err


async def test_an_answer_that_cannot_be_decoded_is_no_answer(garbling) -> None:
    async with http_call(Settings(url=garbling, key="k")) as call:
        with pytest.raises(OSError, match="decompress"):
            await call("POST", "/v1/work/lease", b"{}")


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (("shop",), {}, "There is no key. Set SIGNOFF_KEY"),
        (("nowhere",), {"SIGNOFF_KEY": "k"}, "there is no module nowhere"),
        ((), {}, "usage: python -m signoff.runtime MODULE:RUNTIME"),
    ],
)
async def test_a_start_that_lacks_something_says_what(shop, arguments, environment, words) -> None:
    code, err = await said(*arguments, folder=shop, **environment)

    assert code == 1
    assert words in err
    assert "Traceback" not in err
