"""docs/operations.md against the code: commands, log events, metrics and numbers; backups and secrets are tried."""

import asyncio
import re
import shlex
import sqlite3

import pytest
from click.testing import CliRunner

from bot.api.metrics import Metrics
from bot.cli import main
from bot.resume.signing import read_secret
from bot.settings import Settings
from bot.slack.client import _BY_WORD
from sandbox.server import Sandbox
from sandbox.socket import LIMIT
from store.sql.postgres import _POOL_SIZE
from store.types import DEFAULT_CLAIM_WINDOW, PATIENCE, SHORT_CODE
from tests.cli.shell import Shell
from tests.docs.page import TOP, blocks, page, quoted, section, tables, unknown_options
from tests.e2e.house import DEPLOY, at
from tests.e2e.process import call

PAGE = page("operations.md")
KNOWN_ELSEWHERE = {"curl", "pg_dump", "pg_restore", "python3", "umask", "export"}


def lines() -> list[list[str]]:
    return [shlex.split(line) for block in blocks(PAGE, "sh") for line in block.splitlines()]


def test_every_command_of_ours_is_one_with_options_that_it_knows() -> None:
    ours = [words for words in lines() if words[0] == "signoff-bot"]
    inline = [found.split() for found in quoted(PAGE) if found.startswith("signoff-bot ")]

    for words in [*ours, *inline]:
        assert unknown_options(words) == set(), words
    assert {words[0] for words in lines()} == KNOWN_ELSEWHERE | {"signoff-bot"}


def test_every_setting_that_is_named_is_read() -> None:
    named = set(re.findall(r"\b(?:SLACK|SIGNOFF)_[A-Z_]+|DATABASE_URL\b", PAGE))

    assert named <= {field.alias for field in Settings.model_fields.values()}


def test_every_event_that_deserves_an_alarm_is_logged_under_this_name() -> None:
    rows = tables(section(PAGE, "Metrics"))[0]
    code = "".join(path.read_text("utf-8") for path in (TOP / "bot").rglob("*.py"))
    logged = set(re.findall(r"log\.(?:warning|error|exception)\(\s*\"(\w+)\"", code))

    assert {name for row in rows for name in quoted(row[0])} <= logged
    assert 'log.error("request_failed", incident=token,' in code


def test_the_metrics_have_these_names() -> None:
    named = set(re.findall(r"signoff_\w+", section(PAGE, "Metrics")))
    there = {sample.name for family in Metrics().registry.collect() for sample in family.samples}
    there |= {family.name for family in Metrics().registry.collect()}

    assert {name.removesuffix("_total") for name in named} <= there


def test_the_words_of_slack_are_those_that_the_painter_knows() -> None:
    (rows,) = tables(section(PAGE, "When a card does not appear"))

    assert {word for row in rows for word in quoted(row[0])} <= set(_BY_WORD)


def test_the_numbers_are_those_of_the_code() -> None:
    assert PATIENCE.total_seconds() == 15 * 60
    assert "after 15 minutes for runs that ask" in PAGE
    assert DEFAULT_CLAIM_WINDOW.total_seconds() == 24 * 3600
    assert "More than 24 hours after the decision" in PAGE
    assert LIMIT == 10
    assert "Slack allows ten of an app" in PAGE
    assert f"count on {2 * _POOL_SIZE + 2} connections each" in PAGE
    assert SHORT_CODE == 5
    assert "the last five characters of the id" in PAGE


async def shell_runs(script: str, folder) -> str:
    process = await asyncio.create_subprocess_exec(
        "bash", "-euc", script, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


async def test_the_backup_of_sqlite_is_whole_private_and_serves_after_a_restore(slack, tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with at(slack, database) as here:
        asked = await here.ask(channels=["C07DEPLOYS1"])
        await shell_runs(blocks(section(PAGE, "Backups"), "sh")[0], tmp_path)
        await here.ask(run_id="later")
        token = here.token

    backup = tmp_path / "signoff-backup.db"
    assert backup.stat().st_mode & 0o077 == 0
    for name in ("signoff.db-wal", "signoff.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    backup.rename(tmp_path / "signoff.db")
    async with at(slack, database) as here:
        again = await call("POST", f"{here.house.url}/v1/approvals", token, DEPLOY)
        found = await here.api("GET", "/v1/interactions", token=token)

    assert (again.status, again.json["id"]) == (200, asked["id"])
    assert [item["id"] for item in found.json["items"]] == [asked["id"]]


def test_a_backup_holds_no_token(tmp_path) -> None:
    said = CliRunner().invoke(
        main,
        ["keys", "create", "--scopes", "ask", "--name", "x"],
        env={"DATABASE_URL": f"sqlite:///{tmp_path / 'signoff.db'}"},
    )
    assert said.exit_code == 0
    with sqlite3.connect(tmp_path / "signoff.db") as connection:
        dumped = "\n".join(connection.iterdump())
    connection.close()

    assert said.stdout.strip() not in dumped
    assert "CREATE TABLE keys" in dumped


async def test_the_webhook_secret_that_is_made_is_one(tmp_path) -> None:
    (command,) = [block for block in blocks(section(PAGE, "Changing secrets"), "sh") if "whsec_" in block]

    made = (await shell_runs(command, tmp_path)).strip()

    assert len(read_secret(made)) == 32


async def test_the_commands_for_keys_do_what_they_say(tmp_path) -> None:
    (script,) = [block for block in blocks(section(PAGE, "Changing secrets"), "sh") if "keys create" in block]
    shell = Shell(folder=tmp_path)
    await shell.key("deploy-bot")

    said = [await shell.run(*line.split()[1:]) for line in script.splitlines()]

    assert [each.code for each in said] == [0, 0, 0]
    assert said[2].out == "deploy-bot is revoked.\n"


async def test_while_two_signing_secrets_are_set_both_count(slack, tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with at(slack, database, SLACK_SIGNING_SECRET=f"new,{slack.signing_secret}") as here:
        clicked = await here.slack.person("U07ANA4K2QX").command("C07DEPLOYS1", "/pending")

    assert clicked.ok


async def test_the_example_of_policies_does_what_it_says(tmp_path) -> None:
    guide = section(PAGE, "Who may approve what")
    shell = Shell(folder=tmp_path)
    written = [line for block in blocks(guide, "sh") for line in block.splitlines()]
    said = [await shell.run(*shlex.split(line)[1:]) for line in written]

    assert [each.code for each in said] == [0] * 8, said
    assert said[0].lines[0] == "prod is set: revision 1."
    assert "decided by 2 approvals or 1 denial, never by who asked, a denial needs a reason" in said[3].lines
    assert "keys       deploy-bot" in said[3].lines
    assert said[7].out.startswith("default is removed: revision 2.")


def test_the_guide_names_every_option_of_a_policy() -> None:
    command = main.commands["policy"].commands["set"]
    options = {name for each in command.params for name in each.opts if name.startswith("--")}
    guide = section(PAGE, "Who may approve what") + section(PAGE, "Reminders and escalation")

    assert {name for name in options if name not in guide} == {"--tenant"}


async def test_stop_and_go_do_what_the_page_says(tmp_path) -> None:
    shell = Shell(folder=tmp_path)
    await shell.key()
    (script,) = blocks(section(PAGE, "Stop and go"), "sh")
    said = [await shell.run(*shlex.split(line)[1:]) for line in script.splitlines()]

    assert [each.code for each in said] == [0, 0, 0], said
    assert said[1].out.rstrip().endswith(": zone 2 is down")
    assert said[2].out == "Goes on: deploy.*.\n"
