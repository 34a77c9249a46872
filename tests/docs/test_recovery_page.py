"""docs/recovery.md, followed: its code is hosted by the command that it names, started by its curl, killed, and answered."""

import asyncio
import json
import shlex
import sys
from contextlib import asynccontextmanager

import aiohttp
import pytest

from blocks import ids
from bot.console import Wanted, create_key
from bot.hosted import LEASE
from signoff.runtime import Limits
from store.runs import RunErrorCode
from tests.docs.guide import Reader, approve, deny, ended, sample
from tests.docs.page import blocks, curl, page, quoted, section, tables, unknown_options
from tests.e2e.house import ANA, DEPLOYS, place

PAGE = page("recovery.md")
FIRST = section(PAGE, "A first run")
HOST, SHELL, CURLS = blocks(FIRST, "sh")
START, TOLD = [f"curl{command}" for command in CURLS.split("curl")[1:]]
(STOP,) = blocks(section(PAGE, "How a run ends"), "sh")


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}", SIGNOFF_RUN_LEASE=2) as found:
        yield found


@pytest.fixture
async def person(here, tmp_path):
    """Who follows the page, with a key as the demo prints it."""
    wanted = Wanted(
        tenant="default",
        name="my-program",
        scopes="ask,read,work",
        any_approvers=True,
        expires=None,
        owner=None,
        both=False,
    )
    key = await create_key(here.house.store, wanted)
    (tmp_path / "flows.py").write_text(blocks(FIRST, "python")[0], "utf-8")
    return Reader(folder=tmp_path, exported={"SIGNOFF_URL": str(here.house.url), "SIGNOFF_KEY": key})


@asynccontextmanager
async def hosted(person, command=HOST):
    """A command of the page, such as a worker; killed at the end, as the page does it."""
    program, *arguments = shlex.split(command)
    assert program == "signoff"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "signoff.cli",
        *arguments,
        cwd=person.folder,
        env=person.environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def sent(command, person, **replaced):
    for old, new in replaced.items():
        command = command.replace(old, new)
    request = curl(command, person.exported)
    async with (
        aiohttp.ClientSession() as session,
        session.request(request.method, request.url, headers=request.headers, data=request.data) as reply,
    ):
        assert reply.status in {200, 201}, await reply.text()
        return json.loads(await reply.text())


async def test_a_run_whose_worker_is_killed_asks_once_and_releases_once(here, person) -> None:
    async with hosted(person):
        waiting = await person.start(sample(FIRST, "so.start_run("), name="start.py")
        card = await here.card(DEPLOYS)
    async with hosted(person) as again:
        await approve(here, DEPLOYS)
        printed = await ended(waiting)
        line = await asyncio.wait_for(again.stdout.readline(), 30)

    assert line == b"Here your program releases 1.4.2\n"
    assert printed == "{'outcome': 'released', 'version': '1.4.2'}\n"
    assert len(here.cards(DEPLOYS)) == 1
    await here.shows(card, "Done")
    # However it is started, it is the same run.
    async with hosted(person, SHELL) as shell:
        out, _ = await asyncio.wait_for(shell.communicate(), 30)
    assert json.loads(out) == {"outcome": "released", "version": "1.4.2"}
    assert (await sent(START, person))["outcome"] == json.loads(out)


async def test_a_no_is_an_answer(here, person) -> None:
    async with hosted(person):
        await sent(START, person)
        await deny(here, DEPLOYS, "Freeze until Monday.")
        run = await sent(TOLD, person)

    assert run["outcome"] == {"outcome": "revise", "why": "Freeze until Monday."}


async def test_a_run_that_is_stopped_withdraws_its_card(here, person) -> None:
    async with hosted(person):
        await sent(START, person)
        card = await here.card(DEPLOYS)
        async with hosted(person, STOP) as stopping:
            out, _ = await asyncio.wait_for(stopping.communicate(), 30)
        run = await sent(TOLD, person)

    assert out.decode().startswith("release-1 is ")
    assert (run["status"], run["error"]["code"]) == ("failed", "RUN_STOPPED")
    await here.shows(card, "Withdrawn")


async def test_questions_are_answered_in_the_words_of_the_page(here, person) -> None:
    (code,) = blocks(section(PAGE, "What the code has"), "python")
    (person.folder / "flows.py").write_text(code, "utf-8")
    async with hosted(person):
        await sent(START, person, release="report", version="week")
        card = await here.card(DEPLOYS)
        ana = here.slack.person(ANA)
        ana.fill(DEPLOYS, card.ts, ids.VALUE, ["0", "1"])
        assert (await ana.click(DEPLOYS, card.ts, ids.SUBMIT)).ok
        run = await sent(TOLD, person, release="report")

    assert run["outcome"] == {"regions": ["Europe", "Japan"]}


def test_the_ends_are_those_that_there_are() -> None:
    (rows,) = tables(section(PAGE, "How a run ends"))
    said = [quoted(row[0])[0] for row in rows]

    assert said[0] == "completed"
    assert set(said[1:]) == {code.value for code in RunErrorCode}


def test_the_numbers_and_the_commands_are_those_of_the_code() -> None:
    assert LEASE.total_seconds() == 60
    assert "up to a minute" in PAGE
    assert Limits().grace == 10
    assert "for ten seconds" in PAGE
    assert Limits().retry_for == 30
    assert "away for more than 30 seconds" in PAGE
    for words in quoted(PAGE):
        if words.startswith("signoff-bot "):
            assert unknown_options(shlex.split(words)) == set(), words
