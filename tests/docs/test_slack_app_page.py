"""docs/slack-app.md against the manifest, the settings and what is said when something is wrong; the doctor is asked."""

import ast
import re
import shlex

import yaml

from bot.manifest import render, template
from bot.settings import Settings
from bot.slack.client import _BY_WORD
from sandbox.server import Sandbox
from sandbox.socket import LIMIT
from tests.docs.page import TOP, blocks, page, quoted, section, tables, unknown_options
from tests.e2e.process import command, serving

PAGE = page("slack-app.md")


def source() -> str:
    """All texts of the service, as they are said."""
    found = []
    for folder in ("bot", "blocks", "store"):
        for path in (TOP / folder).rglob("*.py"):
            tree = ast.walk(ast.parse(path.read_text("utf-8")))
            found += [node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(found)


def test_every_scope_is_explained_and_no_other() -> None:
    (rows,) = tables(section(PAGE, "What it may do, and why"))
    manifest = yaml.safe_load(template())

    assert sorted(name for row in rows for name in quoted(row[0])) == manifest["oauth_config"]["scopes"]["bot"]
    assert all(row[1] and row[2] for row in rows)


def test_the_scopes_that_may_be_left_out_are_the_last_three() -> None:
    names = [quoted(row[0])[0] for row in tables(section(PAGE, "What it may do, and why"))[0]]

    assert names[-3:] == ["channels:read", "groups:read", "users:read.email"]


def test_every_command_is_one_with_options_that_it_knows_and_every_setting_is_read() -> None:
    lines = [shlex.split(line) for block in blocks(PAGE, "sh") for line in block.splitlines()]
    ours = [words for words in lines if words[0] == "signoff-bot"]
    named = set(re.findall(r"\b(?:SLACK|SIGNOFF)_[A-Z_]+", PAGE))

    assert len(ours) == 4
    for words in ours:
        assert unknown_options(words) == set(), words
    assert named <= {field.alias for field in Settings.model_fields.values()}
    assert f"up to {({10: 'ten'})[LIMIT]} sockets" in PAGE
    assert "slack/events" in render(url="https://signoff.acme.com", socket_mode=False)


def test_what_is_quoted_is_what_the_service_or_slack_says() -> None:
    said = source()
    start, later = tables(section(PAGE, "When something goes wrong"))
    names = {"serve", "doctor", "/slack/events", "/pending", "/invite @Signoff"}
    quotes = {words for row in [*start, *later] for words in quoted(row[0])} - names

    for words in quotes:
        parts = [part.strip() for part in re.split(rf"…|\(\w+\)|signoff\.db|{'|'.join(_BY_WORD)}", words)]
        assert all(part in said for part in parts), words
    for words in re.findall(r"\*(We could not[^*@]+|You cannot[^*]+|guests cannot|people of [^*]+)", PAGE):
        assert words.strip() in said, words


async def test_the_doctor_of_a_new_app_says_what_the_page_shows(tmp_path) -> None:
    async with Sandbox() as slack:
        database = f"sqlite:///{tmp_path / 'signoff.db'}"
        async with serving(slack, database, SLACK_APP_TOKEN=slack.app_token):
            code, out, _ = await command(slack, database, "doctor", SLACK_APP_TOKEN=slack.app_token)

    assert (code, out) == (1, blocks(PAGE, "text")[0])
