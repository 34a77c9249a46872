"""docs/sandbox.md against the sandbox: every option, id, method, address and fault; every command and the example are run."""

import asyncio
import json
import re
import sys
from contextlib import asynccontextmanager

import aiohttp
import pytest

from sandbox import __main__ as entrance
from sandbox import admin, core, faults, rates, scopes, seed, socket, triggers, weather
from sandbox.control import Control
from sandbox.server import Sandbox
from sandbox.webapi.methods import METHODS
from tests.docs.page import TOP, blocks, clean_environment, curl, page, quoted, section, tables

PAGE = page("sandbox.md")
ADDRESS = "http://127.0.0.1:8301"


def test_every_option_of_the_command_is_described_with_its_default() -> None:
    (rows,) = tables(section(PAGE, "Start it"))
    said = {name: row for row in rows for name in quoted(row[0])}
    options = vars(entrance.parse([]))

    assert set(said) == {f"--{name.replace('_', '-')}" for name in options}
    assert said["--port"][2] == str(options["port"])
    assert said["--host"][2] == options["host"]
    assert quoted(said["--command"][2]) == Sandbox().workspace.commands


def test_the_secrets_and_the_ids_are_those_that_it_starts_with() -> None:
    secrets, _ = tables(section(PAGE, "Point your app at it"))
    (ids,) = tables(section(PAGE, "Who and what is in it"))

    assert [quoted(row[1])[0] for row in secrets[1:]] == [seed.BOT_TOKEN, seed.APP_TOKEN, seed.SIGNING_SECRET]
    assert {name for row in ids for name in quoted(row[0])} == {*seed.users(), *seed.channels(), *seed.usergroups()}


def test_every_method_is_named_and_no_other() -> None:
    listed = section(PAGE, "What it can do").strip().partition("\n")[0]

    assert set(quoted(listed)) - {"unknown_method"} == set(METHODS)
    assert core.Settings().ack_seconds == triggers.LIFE == 3


def test_scopes_and_tiers_are_those_that_it_holds_to() -> None:
    text = section(PAGE, "What it refuses")
    (line,) = [line for line in text.splitlines() if line.startswith("A token has these scopes")]
    listed = line.partition(". With ")[0]

    assert set(quoted(listed)) == scopes.DEFAULT
    assert "1 for tier 1, then 20, 50 and 100; 300 messages" in text
    assert [rates.TIERS[name] for name in ("1", "2", "3", "4", "messages")] == [1, 20, 50, 100, 300]


async def test_every_address_of_the_control_api_is_described_and_no_other() -> None:
    async with Sandbox() as slack:
        control = Control(slack.hands, slack._modals, slack.sockets)
        there = {f"{route.method} {route.path}" for route in control.routes()}
    (rows,) = tables(section(PAGE, "Act from outside"))

    assert {name.partition("?")[0] for row in rows for name in quoted(row[0])} == there


def test_every_order_of_an_administrator_is_described_with_what_it_needs() -> None:
    (rows,) = tables(section(PAGE, "Administer"))
    said = {name: set(quoted(row[1])) for row in rows for name in quoted(row[0])}

    assert said == {name: set(order.names) for name, order in admin.ORDERS.items()}
    assert set(admin.POSTING) <= {name for row in rows for name in quoted(row[2])}


def test_every_error_that_is_named_is_one_that_it_gives() -> None:
    source = "".join(path.read_text("utf-8") for path in (TOP / "sandbox").rglob("*.py"))
    named = [name for name in quoted(section(PAGE, "What it refuses")) if re.fullmatch(r"[a-z]+(_[a-z]+)+", name)]

    assert len(named) > 40
    assert [name for name in named if name not in source] == []


def test_every_fault_is_described_and_no_other() -> None:
    text = section(PAGE, "Misbehave")
    calls, deliveries = tables(text)

    assert [quoted(row[0])[0] for row in calls] == list(faults._TYPES)
    assert [quoted(row[0])[0] for row in deliveries] == list(weather._TYPES)
    assert set(socket.REASONS) <= set(re.findall(r"\"(\w+)\"", text.rpartition("Socket Mode:")[2]))


def curls(block):
    return re.split(r"\n(?=curl )", block.strip())


async def sent(session, line, address):
    """The answer to one `curl` of the page, at this address in place of the page's."""
    given = curl(line, {})
    assert given.url.startswith(ADDRESS)
    url = address + given.url.removeprefix(ADDRESS)
    async with session.request(given.method, url, data=given.data, headers=given.headers) as reply:
        assert reply.status == 200, line
        return json.loads(await reply.text())


@asynccontextmanager
async def started(command, tmp_path):
    """`python -m sandbox`, as the page starts it, on a free port; its address."""
    words = command.split()
    assert words[:5] == ["python", "-m", "sandbox", "--port", "8301"]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words[1:4],
        "0",
        *words[5:],
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
        assert re.fullmatch(r"Sandbox Slack on http://127\.0\.0\.1:\d+\n", line)
        yield line.split()[-1]
    finally:
        process.terminate()
        assert await process.wait() == 0


@pytest.fixture
async def running(tmp_path):
    async with started(blocks(section(PAGE, "Start it"), "sh")[0], tmp_path) as address:
        yield address


@asynccontextmanager
async def first_app(tmp_path, exports, address):
    """The page's app, started as the page says, once it holds its socket."""
    *settings, run = exports.strip().splitlines()
    assert run == "python coffee.py"
    given = dict(line.removeprefix("export ").split("=", 1) for line in settings)
    given["SLACK_API_URL"] = given["SLACK_API_URL"].replace(ADDRESS, address)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "coffee.py",
        cwd=tmp_path,
        env=clean_environment(tmp_path) | given | {"PYTHONUNBUFFERED": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(30):
            while "is running" not in (line := (await process.stdout.readline()).decode()):
                assert line, "the app ended"
        yield
    finally:
        process.terminate()
        await process.wait()


async def until(session, look):
    """Look again at every change that the sandbox tells of, until there is something."""
    async with asyncio.timeout(10), session.get("/sandbox/stream?as=U07ANA4K2QX") as stream:
        await stream.content.readline()  # connected: whatever changes from here on is told
        while not (found := await look()):
            await stream.content.readline()
    return found


async def test_the_first_app_does_what_the_page_says(tmp_path) -> None:
    text = section(PAGE, "A first app")
    (code,) = blocks(text, "python")
    start, exports, talk = blocks(text, "sh")
    (tmp_path / "coffee.py").write_text(code, "utf-8")
    command, submit, read = curls(talk)
    ana, ben = "U07ANA4K2QX", "U07BEN9D1MT"
    async with (
        started(start, tmp_path) as address,
        first_app(tmp_path, exports, address),
        aiohttp.ClientSession(address) as session,
    ):

        async def modal():
            async with session.get(f"/sandbox/state?as={ana}") as answer:
                return (await answer.json())["modal"]

        async def card():
            return (await sent(session, read, address))["messages"]

        assert await sent(session, command, address) == {"ok": True}
        assert (await until(session, modal))[0]["title"]["text"] == "Coffee"
        assert await sent(session, submit, address) == {"ok": True}
        (posted,) = await until(session, card)
        assert posted["text"] == "ana would like: Espresso"
        click = {"as": ben, "surface": "message", "channel": "C07GENERAL3", "ts": posted["ts"], "action_id": "done"}
        async with session.post("/sandbox/act", json=click) as answer:
            assert await answer.json() == {"ok": True}

        async def served():
            return [one for one in await card() if one["text"] == "Served by ben"]

        assert (await until(session, served))[0]["blocks"] == []


async def test_every_curl_of_the_page_is_answered(running) -> None:
    others = [section(PAGE, name) for name in ("What it refuses", "Act from outside", "Administer", "Misbehave")]
    lines = [line for text in others for block in blocks(text, "sh") for line in curls(block)]
    async with aiohttp.ClientSession() as session:
        answers = [await sent(session, line, running) for line in lines]

    assert len(answers) == 13
    assert answers[0]["error"] == "invalid_blocks"
    assert answers[1]["team"]["name"] == "Acme"
    assert [message["text"] for message in answers[4]["messages"]] == ["Hello"]
    assert answers[5:] == [{"ok": True}] * 8


async def test_the_example_prints_what_the_page_says(tmp_path) -> None:
    (code,) = blocks(section(PAGE, "In a test"), "python")
    (expected,) = blocks(PAGE, "text")
    (tmp_path / "example.py").write_text(code, "utf-8")

    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "error",
        "example.py",
        cwd=tmp_path,
        env=clean_environment(tmp_path),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)

    assert (process.returncode, err.decode()) == (0, "")
    assert out.decode() == expected
