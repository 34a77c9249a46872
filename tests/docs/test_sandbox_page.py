"""docs/sandbox.md against the sandbox: every option, id, method, address and fault; every command and the example are run."""

import asyncio
import json
import re
import sys

import aiohttp
import pytest

from sandbox import __main__ as entrance
from sandbox import core, faults, rates, scopes, seed, socket, triggers, weather
from sandbox.control import Control
from sandbox.server import Sandbox
from sandbox.webapi.methods import METHODS
from tests.docs.page import blocks, clean_environment, curl, page, quoted, section, tables

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
    (secrets,) = tables(section(PAGE, "Point your app at it"))
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


def test_every_fault_is_described_and_no_other() -> None:
    text = section(PAGE, "Misbehave")
    calls, deliveries = tables(text)

    assert [quoted(row[0])[0] for row in calls] == list(faults._TYPES)
    assert [quoted(row[0])[0] for row in deliveries] == list(weather._TYPES)
    assert set(socket.REASONS) <= set(re.findall(r"\"(\w+)\"", text.rpartition("Socket Mode:")[2]))


@pytest.fixture
async def running(tmp_path):
    """`python -m sandbox`, as the page starts it, on a free port; its address."""
    words = blocks(section(PAGE, "Start it"), "sh")[0].split()
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


async def test_every_curl_of_the_page_is_answered(running) -> None:
    lines = [line for block in blocks(PAGE, "sh")[1:] for line in re.split(r"\n(?=curl )", block.strip())]
    answers = []
    async with aiohttp.ClientSession() as session:
        for line in lines:
            given = curl(line, {})
            assert given.url.startswith(ADDRESS)
            url = running + given.url.removeprefix(ADDRESS)
            async with session.request(given.method, url, data=given.data, headers=given.headers) as reply:
                assert reply.status == 200, line
                answers.append(json.loads(await reply.text()))

    assert len(answers) == 11
    assert answers[0]["error"] == "invalid_blocks"
    assert answers[1]["team"]["name"] == "Acme"
    assert [message["text"] for message in answers[4]["messages"]] == ["Hello"]
    assert answers[5:] == [{"ok": True}] * 6


async def test_the_example_prints_what_the_page_says(tmp_path) -> None:
    (code,) = blocks(PAGE, "python")
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
