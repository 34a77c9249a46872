"""`signoff-bot keys`: what is printed where, what is refused, and what a key may do afterwards."""

import re
import stat
from datetime import UTC, datetime, timedelta

import pytest

from bot.keys import authenticate
from store.open import open_store
from store.types import Scope

TOKEN = re.compile(r"so_[0-9A-Za-z]{22}_[0-9A-Za-z_-]{43}\n")


async def found(shell, token):
    """The key of a token, as the service would find it."""
    store = await open_store(shell.database)
    try:
        return await authenticate(keys=store, token=token, now=await store.now())
    finally:
        await store.close()


async def test_a_new_key_stands_alone_on_standard_output(shell) -> None:
    said = await shell.run("keys", "create", "--scopes", "ask,read", "--name", "demo", "--any-approvers")

    assert said.code == 0
    assert TOKEN.fullmatch(said.out)
    key = await found(shell, said.out.strip())
    assert (key.name, key.scopes, key.any_approvers) == ("demo", {Scope.ASK, Scope.READ}, True)
    assert (key.owner, key.expires_at) == (None, None)


async def test_the_file_that_a_key_makes_is_nobody_elses_to_read(shell) -> None:
    await shell.key()

    assert stat.S_IMODE((shell.folder / "signoff.db").stat().st_mode) == 0o600


async def test_the_first_key_makes_the_file_and_says_where_and_the_next_one_says_nothing(shell) -> None:
    first = await shell.run("keys", "create", "--scopes", "ask,read", "--name", "one")
    second = await shell.run("keys", "create", "--scopes", "ask,read", "--name", "two")

    assert (first.code, first.err) == (0, f"made {shell.folder / 'signoff.db'}\n")
    assert (second.code, second.err) == (0, "")


@pytest.mark.parametrize(
    "command", [("keys", "list"), ("keys", "revoke", "x"), ("pending",), ("show", "ABCDE"), ("wake", "ABCDE")]
)
async def test_in_another_directory_nothing_else_makes_a_file(shell, command) -> None:
    words = await shell.refused(*command)

    assert words.startswith(f"{shell.folder / 'signoff.db'} is not there yet. `signoff-bot serve` makes it")
    assert list(shell.folder.iterdir()) == []


async def test_the_key_that_an_empty_list_proposes_is_one_that_may_ask(shell) -> None:
    await shell.key("one")
    (line,) = (await shell.run("keys", "list", "--tenant", "other")).lines

    command = line.partition("`signoff-bot ")[2].partition("`")[0]
    key = await found(shell, (await shell.run(*command.split())).out.strip())
    assert key.any_approvers


async def test_the_secret_stands_nowhere_in_the_database(shell) -> None:
    token = await shell.key()

    written = b"".join(path.read_bytes() for path in shell.folder.iterdir())
    assert token.encode() not in written
    assert token.rpartition("_")[2].encode() not in written


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scopes", "ask,fly"), "--scopes: fly is no scope; choose of ask, read, decide, work, admin"),
        (("--scopes", " , "), "--scopes: nothing is no scope"),
        (("--scopes", "ask,decide"), "could approve its own asks; say --both"),
        (("--scopes", "ask", "--expires", "soon"), "--expires: 'soon' is no span; write 90d, 12h or 30m"),
        (("--scopes", "ask", "--expires", "0d"), "--expires: '0d' is no span"),
        (("--scopes", "ask", "--expires", "999999d"), "--expires: at most 3650d"),
        (("--scopes", "ask", "--owner", "ana"), "--owner: 'ana' is no Slack user id (U…)"),
        (("--scopes", "ask", "--name", " "), "--name: 1 to 80 printable characters"),
        (("--scopes", "ask", "--name", "a\x1b[31m"), "--name: 1 to 80 printable characters"),
        (("--scopes", "ask", "--name", "x" * 81), "--name: 1 to 80 printable characters"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
async def test_a_key_that_makes_no_sense_is_refused_and_not_stored(shell, arguments, words) -> None:
    named = () if "--name" in arguments else ("--name", "ci-bot")

    assert words in await shell.refused("keys", "create", *arguments, *named)
    assert list(shell.folder.iterdir()) == []


@pytest.mark.parametrize("arguments", [("--name", "ci-bot"), ("--scopes", "ask"), ("--scopes", "ask", "--nmae", "x")])
async def test_a_command_that_is_not_whole_is_a_usage_error(shell, arguments) -> None:
    said = await shell.run("keys", "create", *arguments)

    assert said.code == 2
    assert said.out == ""
    assert "Usage:" in said.err


async def test_both_scopes_are_given_where_both_are_meant(shell) -> None:
    key = await found(shell, await shell.key("pair", "--both", scopes="ask,decide"))

    assert key.scopes == {Scope.ASK, Scope.DECIDE}


async def test_a_key_with_an_end_ends_and_the_list_says_so(shell) -> None:
    key = await found(shell, await shell.key("short", "--expires", "12h"))
    assert timedelta(hours=11) < key.expires_at - datetime.now(UTC) <= timedelta(hours=12)

    listed = (await shell.run("keys", "list")).lines
    assert [line.split()[:3] for line in listed] == [["short", "ask,read", "until"]]


async def test_a_name_is_taken_until_its_key_is_revoked(shell) -> None:
    first = await shell.key("deploy-bot")
    words = await shell.refused("keys", "create", "--scopes", "ask", "--name", "deploy-bot")
    assert "there is a key named 'deploy-bot' already; revoke it first" in words

    revoked = await shell.run("keys", "revoke", "deploy-bot")
    second = await shell.key("deploy-bot")

    assert revoked.out == "deploy-bot is revoked.\n"
    assert await found(shell, first) is None
    assert (await found(shell, second)).name == "deploy-bot"
    assert sorted(line.split()[2] for line in (await shell.run("keys", "list")).lines) == ["for", "revoked"]


async def test_a_key_that_is_not_there_cannot_be_revoked(shell) -> None:
    await shell.key()

    assert "there is no live key named 'ghost'" in await shell.refused("keys", "revoke", "ghost")


async def test_the_list_shows_owners_and_what_a_key_may_and_no_secret(shell) -> None:
    token = await shell.key("deploy-bot", "--any-approvers", "--owner", "U07ANA4K2QX")

    (line,) = (await shell.run("keys", "list")).lines
    assert line.split() == ["deploy-bot", "ask,read", "for", "ever", "any-approvers", "owner", "U07ANA4K2QX"]
    assert token[3:25] not in line
    assert (await shell.run("keys", "list", "--tenant", "other")).lines[0].startswith("No keys.")
