"""`signoff-bot policy`: what is stored, what is said of it, and what keys have to do with it."""

import json

import pytest

from store.open import open_store
from tests.cli.shell import Said, Shell

PROD = ("policy", "set", "prod", "--approvers", "U07ANA,S07ONCALL")
WHOLE = (
    *PROD,
    *("--quorum", "2", "--denials", "2", "--tools", "deploy.*,db.migrate", "--to", "C07DEPLOYS1,U07BEN"),
    *("--max-expires", "4h", "--on-expiry", "deny", "--no-requester", "--require-reason"),
    *("--remind-after", "30m", "--remind-most", "2", "--hours", "09:00-18:00", "--zone", "Europe/Berlin"),
    *("--days", "mon-fri", "--escalate", "after=2h,U07CEO", "--escalate", "after=1h,S07LEADS,U07BEN"),
    *("--extension", "90m"),
)


async def ok(shell: Shell, *words: str) -> Said:
    said = await shell.run(*words)
    assert said.code == 0, said
    return said


async def test_a_policy_is_set_and_worded_for_people(shell: Shell) -> None:
    said = await ok(shell, *WHOLE)

    assert said.lines == [
        "prod is set: revision 1.",
        "for        deploy.*, db.migrate",
        "approvers  U07ANA, group S07ONCALL",
        "decided by 2 approvals or 2 denials, never by who asked, a denial needs a reason",
        "cards to   C07DEPLOYS1, U07BEN",
        "waits      at most 4h, then denied",
        "reminders  after 30m, at most 2, each gap twice the one before; 09:00-18:00 Europe/Berlin, mon-fri",
        "then also  after 1h: U07BEN, group S07LEADS",
        "then also  after 2h: U07CEO",
        "more time  1h 30m, once",
    ]
    assert said.err == f"made {shell.folder / 'signoff.db'}\n"
    shown = (await ok(shell, "policy", "show", "prod")).lines
    assert shown[1:] == said.lines[1:]
    assert shown[0].startswith("prod  revision 1, set 2")
    assert shown[0].endswith(" (command line)")


async def test_the_same_again_is_unchanged_and_other_content_is_a_revision(shell: Shell) -> None:
    await ok(shell, *PROD)
    again = await ok(shell, *PROD)
    other = await ok(shell, *PROD, "--quorum", "2")

    assert again.lines[0] == "prod is unchanged (revision 1)."
    assert other.lines[0] == "prod is set: revision 2."
    assert "decided by 2 approvals or 1 denial, never by who asked" in other.lines
    first = await ok(shell, "policy", "show", "prod", "--revision", "1")
    assert "decided by 1 approval or 1 denial, never by who asked" in first.lines
    assert "there is no revision 3 of 'prod'" in await shell.refused("policy", "show", "prod", "--revision", "3")


async def test_what_is_left_out_has_its_default_whatever_it_was_before(shell: Shell) -> None:
    await ok(shell, *WHOLE)
    said = await ok(shell, *PROD)

    assert said.lines == [
        "prod is set: revision 2.",
        "for        every tool, and confirmations",
        "approvers  U07ANA, group S07ONCALL",
        "decided by 1 approval or 1 denial, never by who asked",
        "cards to   wherever the ask says",
        "waits      as long as the ask says, then expired",
        "more time  nobody gives any",
    ]


async def test_a_removed_policy_is_in_its_history_and_nowhere_else(shell: Shell) -> None:
    await ok(shell, *PROD)
    await ok(shell, "policy", "set", "dev", "--approvers", "U07ANA")
    listed = (await ok(shell, "policy", "list")).lines
    await shell.key("deploy-bot", "--policy", "prod,dev")
    removed = await ok(shell, "policy", "remove", "prod")

    assert [line.split()[:2] for line in listed] == [["dev", "1"], ["prod", "1"]]
    assert removed.out == (
        "prod is removed: revision 2. What was asked under it goes on. "
        "Keys that are bound to it ask in vain now: deploy-bot.\n"
    )
    assert [line.split()[0] for line in (await ok(shell, "policy", "list")).lines] == ["dev"]
    for command in (("show", "prod"), ("remove", "prod"), ("history", "ghost")):
        assert "there is no policy" in await shell.refused("policy", *command)
    history = (await ok(shell, "policy", "history", "prod")).lines
    heads = [line for line in history if not line.startswith(" ")]
    assert [head.split(" by ")[0].split()[:4] for head in heads] == [
        ["prod", "revision", "2,", "removed"],
        ["prod", "revision", "1,", "set"],
    ]
    assert (await ok(shell, *PROD)).lines[0] == "prod is set: revision 3."


async def test_as_json_a_policy_is_whole_and_in_the_names_of_the_api(shell: Shell) -> None:
    await ok(shell, *WHOLE)
    found = json.loads((await ok(shell, "policy", "show", "prod", "--json")).out)

    assert found.pop("set_at")
    by = found.pop("set_by")
    assert (by["kind"], by["id"][:3]) == ("operator", "os:")
    assert found == {
        "name": "prod",
        "revision": 1,
        "removed": False,
        "tools": ["deploy.*", "db.migrate"],
        "approvers": {
            "users": ["U07ANA"],
            "groups": ["S07ONCALL"],
            "keys": [],
            "quorum": 2,
            "denials": 2,
            "allow_requester": False,
            "require_reason": True,
        },
        "channels": ["C07DEPLOYS1"],
        "users": ["U07BEN"],
        "max_expires": 14400,
        "on_expiry": "deny",
        "reminders": {
            "after": 1800,
            "most": 2,
            "hours": {"start": "09:00", "end": "18:00", "zone": "Europe/Berlin", "days": [0, 1, 2, 3, 4]},
        },
        "escalation": [
            {"after": 3600, "users": ["U07BEN"], "groups": ["S07LEADS"]},
            {"after": 7200, "users": ["U07CEO"], "groups": []},
        ],
        "extension": 5400,
        "edit": False,
    }


async def test_what_makes_no_sense_is_refused_before_a_file_is_made(shell: Shell) -> None:
    words = await shell.refused("policy", "set", "prod", "--approvers", "oncall")

    assert "--approvers: 'oncall' is no id; write @name, U… or S…, or key:NAME" in words
    assert list(shell.folder.iterdir()) == []


async def test_a_key_among_the_approvers_has_to_be_one_that_may_decide(shell: Shell) -> None:
    await shell.key("asker")
    command = ("policy", "set", "auto", "--approvers", "key:judge")
    unknown = await shell.refused(*command)
    unable = await shell.refused("policy", "set", "auto", "--approvers", "key:asker")
    await shell.key("judge", scopes="decide")

    assert (
        "there is no live key 'judge' that may decide; `signoff-bot keys create --scopes decide --name judge`"
        in unknown
    )
    assert "there is no live key 'asker' that may decide" in unable
    assert "approvers  key judge" in (await ok(shell, *command)).lines


async def test_a_key_is_bound_to_policies_that_are_there(shell: Shell) -> None:
    await ok(shell, *PROD)
    create = ("keys", "create", "--scopes", "ask,read", "--name", "deploy-bot")
    missing = await shell.refused(*create, "--policy", "prod,dev")
    both = await shell.refused(*create, "--policy", "prod", "--any-approvers")
    await shell.key("deploy-bot", "--policy", "prod, prod")

    assert "--policy: there is no policy 'dev'" in missing
    assert "--any-approvers: asks of a key with --policy always come under one" in both
    (line,) = (await ok(shell, "keys", "list")).lines
    assert line.split() == ["deploy-bot", "ask,read", "for", "ever", "policy", "prod"]
    assert "keys       deploy-bot" in (await ok(shell, "policy", "show", "prod")).lines
    store = await open_store(shell.database)
    (key,) = await store.list_keys(tenant="default")
    await store.close()
    assert key.policies == ("prod",)


async def test_policies_of_another_tenant_are_not_seen(shell: Shell) -> None:
    await ok(shell, *PROD)

    assert (await ok(shell, "policy", "list", "--tenant", "other")).lines[0].startswith("No policies.")
    assert "there is no policy 'prod'" in await shell.refused("policy", "show", "prod", "--tenant", "other")


@pytest.mark.parametrize(
    "arguments", [("prod",), ("--approvers", "U07ANA"), ("prod", "--approvers", "U07ANA", "--quorum", "0")]
)
async def test_a_command_that_is_not_whole_is_a_usage_error(shell: Shell, arguments: tuple[str, ...]) -> None:
    said = await shell.run("policy", "set", *arguments)

    assert (said.code, said.out) == (2, "")
    assert "Usage:" in said.err
