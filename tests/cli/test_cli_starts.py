"""Starts that cannot work say what is missing; unexpected trouble is one sentence, with exit code 1."""

import asyncio
import json
import signal
import socket

import pytest

from bot.demo import OPERATOR, WELCOME
from sandbox.server import Sandbox
from tests.cli.shell import Shell

WEBHOOK = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.mark.parametrize("command", ["serve", "work"])
async def test_everything_that_is_missing_is_named_at_once(shell, command) -> None:
    words = await shell.refused(command)

    assert "SLACK_BOT_TOKEN is missing: install the app" in words
    assert "SLACK_SIGNING_SECRET is missing: copy it from Basic Information, or set SLACK_APP_TOKEN" in words
    assert list(shell.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("PORT", "many", "PORT: Input should be a valid integer"),
        ("PORT", "70000", "PORT: Input should be less than or equal to 65535"),
        ("SLACK_BOT_TOKEN", "xapp-1-A-1-x", "SLACK_BOT_TOKEN is an app-level token"),
        ("SLACK_APP_TOKEN", "xoxb-1", "SLACK_APP_TOKEN must be an app-level token (xapp-…)"),
        ("SLACK_API_URL", "slack.com/api", "SLACK_API_URL: must be an http(s) address"),
        ("SIGNOFF_OPERATORS", "U07ANA4K2QX,ana", "SIGNOFF_OPERATORS: 'ana' is no Slack user id"),
        ("SIGNOFF_WEBHOOK_SECRET", f"{WEBHOOK},whsec_abc", "SIGNOFF_WEBHOOK_SECRET: a webhook secret is whsec_ and"),
        ("SIGNOFF_WEBHOOK_ALLOW", "10.0.0.1/8", "SIGNOFF_WEBHOOK_ALLOW: 10.0.0.1/8 has host bits set"),
        ("SIGNOFF_LOG_LEVEL", "loud", "SIGNOFF_LOG_LEVEL: must be DEBUG, INFO, WARNING or ERROR"),
        ("SIGNOFF_APP", "nowhere.runs", "--app nowhere.runs: there is no module nowhere"),
        ("DATABASE_URL", "mysql://root@127.0.0.1/x", "DATABASE_URL: write sqlite:///file.db"),
        ("DATABASE_URL", "signoff.db", "DATABASE_URL: write sqlite:///file.db"),
        ("DATABASE_URL", "sqlite://signoff.db", "DATABASE_URL: a SQLite address is sqlite:///relative/file.db"),
        ("DATABASE_URL", "sqlite:////nowhere/at/all.db", "/nowhere/at/all.db"),
    ],
)
async def test_what_is_malformed_is_named(configured, name, value, words) -> None:
    said = await configured.refused("serve", **{name: value})

    assert words in said
    assert "whsec_abc" not in said


async def test_an_empty_variable_is_one_that_is_not_set(configured) -> None:
    empty = dict.fromkeys(["HOST", "DATABASE_URL", "SIGNOFF_APP", "SIGNOFF_LOG_LEVEL", "SIGNOFF_WEBHOOK_ALLOW"], "")
    process = await configured.start("serve", **empty)

    assert (await event(process, "ready"))["url"].startswith("http://127.0.0.1:")
    assert await ended(process) == 0
    assert (configured.folder / "signoff.db").exists()


async def test_a_token_that_slack_refuses_is_named(configured) -> None:
    words = await configured.refused("serve", SLACK_BOT_TOKEN="xoxb-another")

    assert "SLACK_BOT_TOKEN: Slack refuses this token (invalid_auth)" in words


async def test_a_slack_that_never_answered_is_named(configured) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody answers there, and nobody else can
        words = await configured.refused("serve", SLACK_API_URL=f"http://127.0.0.1:{taken.getsockname()[1]}/api/")

    assert "Slack does not answer" in words
    assert "this database does not know the workspace yet" in words


async def test_a_port_that_is_taken_is_named(configured) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = await configured.run("serve", PORT=str(port))

    assert said.code == 1
    assert "Traceback" not in said.err
    assert said.err.splitlines()[-1].startswith("Error: Could not bind on address")
    assert str(port) in said.err
    assert "Set HOST and PORT to an address that is free." in said.err


@pytest.mark.parametrize("command", [("pending",), ("keys", "list"), ("show", "ABCDE"), ("migrate",)])
async def test_a_file_that_is_no_database_is_one_sentence(shell, command) -> None:
    (shell.folder / "signoff.db").write_text("garbage " * 1000)

    assert "file is not a database" in await shell.refused(*command)


@pytest.mark.parametrize("command", [("pending",), ("serve",), ("migrate",)])
async def test_a_postgres_that_is_not_there_is_one_sentence_without_its_password(configured, command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        words = await configured.refused(*command, DATABASE_URL=f"postgresql://ana:hunter2@{address}/signoff")

    assert address in words
    assert "does not answer" in words
    assert "hunter2" not in words


async def test_migrate_says_whether_there_was_anything_to_do(shell) -> None:
    said = [(await shell.run("migrate")).out for _ in range(2)]

    assert said == ["Migrated: the schema is current.\n", "Nothing to do: the schema is current.\n"]


async def test_an_empty_postgres_is_called_empty_until_it_is_migrated(shell, bare_postgres_url) -> None:
    words = await shell.refused("pending", DATABASE_URL=bare_postgres_url)
    said = [(await shell.run("migrate", DATABASE_URL=bare_postgres_url)).out for _ in range(2)]

    assert words == "the database is empty: run `signoff-bot migrate`\n"
    assert said == ["Migrated: the schema is current.\n", "Nothing to do: the schema is current.\n"]
    assert (await shell.run("pending", DATABASE_URL=bare_postgres_url)).out == "Nothing waits.\n"


async def test_a_database_in_memory_is_no_place_for_a_key(shell) -> None:
    words = await shell.refused("keys", "create", "--scopes", "ask", "--name", "x", DATABASE_URL="memory://")

    assert "lives and ends with one process" in words


async def test_work_on_sqlite_says_that_serve_does_it_and_idles(configured: Shell) -> None:
    process = await configured.start("work")

    said = await event(process, "work_idles")

    assert "`serve` does this work" in said["why"]
    assert not (configured.folder / "signoff.db").exists()
    assert await ended(process) == 0


async def test_help_names_every_command_and_the_version_is_told(shell) -> None:
    said = await shell.run("--help")
    version = await shell.run("--version")

    assert said.code == 0
    named = {line.split()[0] for line in said.out.partition("Commands:")[2].strip().splitlines()}
    assert named == {
        "demo", "doctor", "go", "keys", "manifest", "migrate", "pending", "policy", "runs", "schema", "serve", "settle", "show",
        "stop", "stops", "wake", "work",
    }  # fmt: skip
    assert version.out.startswith("signoff-bot, version ")


async def test_an_unknown_command_is_a_usage_error(shell) -> None:
    said = await shell.run("aprove")

    assert (said.code, said.out) == (2, "")
    assert "No such command 'aprove'" in said.err


async def event(process: asyncio.subprocess.Process, name: str) -> dict[str, str]:
    """The first line of the log with this event."""
    async with asyncio.timeout(30):
        async for line in process.stderr:
            found = json.loads(line) if line.startswith(b"{") else {}
            if found.get("event") == name:
                return found
    raise AssertionError(f"it ended without {name}")


async def ended(process: asyncio.subprocess.Process) -> int:
    process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(process.communicate(), 30)
    return process.returncode


def test_the_operator_of_the_demo_is_the_person_whom_its_welcome_names() -> None:
    found = Sandbox().workspace.users[OPERATOR]

    assert f"as {found.name.title()}" in WELCOME
