"""docs/start.md, followed: the demo is started as a process, its lines are exported, the samples ask, and Ana clicks."""

import asyncio
import re
import shlex
from contextlib import asynccontextmanager

import aiohttp
import pytest

from blocks import ids
from tests.cli.shell import Shell
from tests.docs.guide import Reader, ended, headings, sample
from tests.docs.page import TOP, blocks, page, unknown_options
from tests.e2e.house import ANA, DEPLOYS, REPORTS

PAGE = page("start.md")
EXPORT = re.compile(r"\s+export (SIGNOFF_\w+)=(\S+)\n")


@asynccontextmanager
async def demo(folder):
    """The address of its page, and what it says to export."""
    process = await Shell(folder=folder).start("demo", "--port", "0", "--bot-port", "0", "--no-examples")
    address, exported = "", {}
    try:
        async with asyncio.timeout(60):
            while len(exported) < 3:
                line = (await process.stdout.readline()).decode()
                assert line, (await process.stderr.read()).decode()
                if "Open" in line:
                    address = line.split()[-1].partition("/?")[0]
                if found := EXPORT.fullmatch(line):
                    exported[found[1]] = found[2]
        yield address, exported
    finally:
        process.terminate()
        await asyncio.wait_for(process.communicate(), 30)


@pytest.fixture
async def started(tmp_path):
    async with demo(tmp_path) as (address, exported), aiohttp.ClientSession(address) as session:
        yield session, Reader(folder=tmp_path, exported=exported)


async def until(session, look):
    """What `look` finds, looked for anew at every change that Ana would see."""
    async with asyncio.timeout(30), session.get(f"/sandbox/stream?as={ANA}") as stream:
        await stream.content.readline()  # connected: whatever changes from here on is told
        while not (found := await look()):
            await stream.content.readline()
    return found


async def card(session, channel):
    """The newest card there, once there is one, as the page draws it for Ana."""

    async def cards():
        async with session.get(f"/sandbox/channel/{channel}?as={ANA}") as answer:
            return [one for one in (await answer.json())["messages"] if one["blocks"][0]["type"] == "header"]

    return (await until(session, cards))[-1]


async def form(session):
    """Once a form is open."""

    async def modal():
        async with session.get(f"/sandbox/state?as={ANA}") as answer:
            return (await answer.json())["modal"]

    return await until(session, modal)


async def act(session, channel, message, action, **more):
    body = {"as": ANA, "surface": "message", "channel": channel, "ts": message["ts"], "action_id": action, **more}
    async with session.post("/sandbox/act", json=body) as answer:
        assert await answer.json() == {"ok": True}


async def test_the_first_program_goes_on_after_a_click_and_does_it_once(started) -> None:
    session, reader = started
    first = sample(PAGE, "hello-1")
    assert len(first.strip().splitlines()) == 4  # a line to import, and three

    waiting = await reader.start(first, name="first.py")
    await act(session, DEPLOYS, await card(session, DEPLOYS), ids.APPROVE)
    assert await ended(waiting) == "Here your program deploys\n"
    again = await ended(await reader.start(first, name="first.py"), code=1)

    shown = blocks(PAGE, "text")[0].strip()
    assert re.sub(r" on \S+,", " on laptop,", again) == shown


async def test_a_run_of_another_name_asks_anew_and_a_no_ends_it_with_its_words(started) -> None:
    session, reader = started
    waiting = await reader.start(sample(PAGE, "hello-1").replace("hello-1", "hello-2"), name="first.py")
    await act(session, DEPLOYS, await card(session, DEPLOYS), ids.DENY_REASON)
    await form(session)
    filled = {"as": ANA, "state": {ids.REASON_BLOCK: {ids.TEXT: "Freeze until Monday."}}}
    async with session.post("/sandbox/submit", json=filled) as answer:
        assert await answer.json() == {"ok": True}

    assert re.fullmatch(r"signoff\.errors\.Denied: Denied by @ana: Freeze until Monday\.", await ended(waiting, code=1))


async def test_the_question_prints_what_was_chosen(started) -> None:
    session, reader = started
    waiting = await reader.start(sample(PAGE, "hello-2"), name="second.py")
    state = {ids.question_block(0): {ids.VALUE: ["0", "1"]}}
    await act(session, REPORTS, await card(session, REPORTS), ids.SUBMIT, state=state)

    assert await ended(waiting) == "('Europe', 'Japan')\n"


def test_the_commands_are_those_that_there_are() -> None:
    commands = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    (other,) = re.findall(r"`\.venv/bin/(signoff-bot [^`]+)`", PAGE)

    assert "pip install ./sdk" in commands
    assert (TOP / "sdk" / "pyproject.toml").is_file()
    assert "make demo" in commands
    assert "\ndemo:" in (TOP / "Makefile").read_text("utf-8")
    assert unknown_options(shlex.split(other)) == set()
    assert len(headings(PAGE, 2)) == 5
