"""`signoff-bot policy set` with @names: what they become, and that a name in doubt stores nothing."""

import json
from dataclasses import replace
from typing import Any

import pytest

from sandbox.model import Usergroup
from sandbox.scopes import DEFAULT
from sandbox.seed import ANA, BEN, BOT_USER, CHIDI, DANA, DEPLOYS, GONE, GUEST, ONCALL, REPORTS
from sandbox.server import Sandbox
from store.open import open_store
from store.types import Installation
from tests.cli.shell import Shell

SET = ("policy", "set", "prod", "--approvers")
LOOKS = ["auth.test", "usergroups.list", "users.list"]


async def stored(shell: Shell) -> dict[str, Any]:
    said = await shell.run("policy", "show", "prod", "--json")
    assert said.code == 0, said
    found: dict[str, Any] = json.loads(said.out)
    return found


def rename(slack: Sandbox, user: str, **what: str) -> None:
    slack.workspace.users[user] = replace(slack.workspace.users[user], **what)


def called(slack: Sandbox) -> list[str]:
    return [call.method for call in slack.calls]


async def test_names_of_groups_and_people_are_stored_as_ids(configured: Shell, slack: Sandbox) -> None:
    said = await configured.run(
        *SET,
        f"@oncall-leads,@Ana Ruiz,{BEN}",
        "--to",
        "C07DEPLOYS1,@DANA",
        "--escalate",
        "after=1h,@chidi,@oncall-leads",
    )

    assert said.code == 0, said
    assert f"approvers  {ANA}, {BEN}, group {ONCALL}" in said.lines
    assert said.lines[-4:] == [
        f"@oncall-leads is group {ONCALL} (On-call leads)",
        f"@Ana Ruiz is {ANA} (Ana Ruiz)",
        f"@DANA is {DANA} (Dana Whitfield)",
        f"@chidi is {CHIDI} (Chidi Eze)",
    ]
    found = await stored(configured)
    approvers = found["approvers"]
    assert (approvers["users"], approvers["groups"]) == ([ANA, BEN], [ONCALL])
    assert (found["channels"], found["users"]) == (["C07DEPLOYS1"], [DANA])
    assert found["escalation"] == [{"after": 3600, "users": [CHIDI], "groups": [ONCALL]}]
    assert called(slack) == LOOKS


async def test_a_name_and_its_id_are_one_approver(configured: Shell) -> None:
    words = await configured.refused(*SET, f"@ana,{ANA}", "--quorum", "2")

    assert "--quorum: 2 of 1 approvers never come together" in words


async def test_ids_alone_never_ask_slack(configured: Shell, slack: Sandbox) -> None:
    said = await configured.run(*SET, f"{ONCALL},{ANA}", "--to", BEN)

    assert (said.code, called(slack)) == (0, [])


async def test_without_a_token_it_says_what_to_set(shell: Shell) -> None:
    words = await shell.refused(*SET, "@oncall-leads")

    assert words.startswith(
        "names with @ and # are looked up in Slack: set SLACK_BOT_TOKEN as for `signoff-bot serve`, or"
    )
    assert "write the id, which needs no Slack" in words
    assert list(shell.folder.iterdir()) == []


async def test_an_unknown_name_is_refused_with_the_nearest_three(configured: Shell, slack: Sandbox) -> None:
    for place, name in enumerate(("oncall-lead", "oncall-leader", "oncall-ladies")):
        made = Usergroup(id=f"S07NEAR{place}", handle=name, name=name.title(), users=())
        slack.workspace.usergroups[made.id] = made
    words = await configured.refused(*SET, "@oncall-leed")
    far = await configured.refused(*SET, "@zzzzzzzz")

    assert words == (
        "--approvers: nobody and no user group is called '@oncall-leed'; nearest: "
        "@oncall-lead, group S07NEAR0 (Oncall-Lead), @oncall-leads, group S07ONCALL01 (On-call leads), "
        "@oncall-leader, group S07NEAR1 (Oncall-Leader)\n"
    )
    assert "nobody and no user group is called '@zzzzzzzz'; write an id (copy it in Slack" in far
    assert list(configured.folder.iterdir()) == []


@pytest.mark.parametrize("user", [GONE, BOT_USER])
async def test_the_deactivated_and_bots_go_by_no_name(configured: Shell, slack: Sandbox, user: str) -> None:
    words = await configured.refused(*SET, f"@{slack.workspace.users[user].name}")

    assert "nobody and no user group is called" in words
    assert user not in words


async def test_a_disabled_group_goes_by_no_name(configured: Shell, slack: Sandbox) -> None:
    slack.workspace.usergroups[ONCALL] = replace(slack.workspace.usergroups[ONCALL], disabled=True)

    assert "nobody and no user group is called" in await configured.refused(*SET, "@oncall-leads")


async def test_a_name_of_a_group_and_of_a_person_is_ambiguous(configured: Shell, slack: Sandbox) -> None:
    rename(slack, DANA, real_name="Oncall-Leads")
    words = await configured.refused(*SET, f"{ANA},@oncall-leads")

    assert words == (
        "--approvers: '@oncall-leads' is ambiguous: group S07ONCALL01 (On-call leads), "
        f"{DANA} (Oncall-Leads); write the id that you mean\n"
    )
    assert list(configured.folder.iterdir()) == []


async def test_one_persons_real_name_and_anothers_display_name_are_ambiguous(configured: Shell, slack: Sandbox) -> None:
    for user in (DANA, CHIDI, GUEST):
        rename(slack, user, real_name="ANA")
    words = await configured.refused(*SET, "@ana")

    assert f"'@ana' is ambiguous: {ANA} (Ana Ruiz), {CHIDI} (ANA), {DANA} (ANA) and 1 more; write the id" in words


async def test_a_groups_handle_is_exact(configured: Shell) -> None:
    words = await configured.refused(*SET, "@Oncall-Leads")

    assert "nobody and no user group is called '@Oncall-Leads'; nearest: @oncall-leads, group S07ONCALL01" in words


async def test_a_name_steers_no_terminal(configured: Shell, slack: Sandbox) -> None:
    rename(slack, DANA, real_name="ana\x1b[2Jbc\u202e")
    words = await configured.refused(*SET, "@anaxbc")

    assert "\x1b" not in words
    assert "\u202e" not in words
    assert DANA in words


async def test_cards_go_to_no_group(configured: Shell) -> None:
    words = await configured.refused(*SET, ANA, "--to", "@oncall-leads")

    assert "--to: '@oncall-leads' is a user group; cards go to channels (#name, C…) and people (@name, U…)" in words


async def test_names_of_channels_are_stored_as_ids(configured: Shell, slack: Sandbox) -> None:
    said = await configured.run(*SET, ANA, "--to", f"#deploys,{BEN},#Reports")

    assert said.code == 0, said
    assert said.lines[-2:] == [
        f"#deploys is channel {DEPLOYS} (#deploys)",
        f"#Reports is channel {REPORTS} (#reports)",
    ]
    found = await stored(configured)
    assert (found["channels"], found["users"]) == ([DEPLOYS, REPORTS], [BEN])
    assert called(slack) == ["auth.test", "conversations.list"]


async def test_a_channel_without_the_app_is_named_with_what_to_do(configured: Shell) -> None:
    said = await configured.run(*SET, ANA, "--to", "#random")

    assert said.code == 0, said
    assert said.lines[-1] == "The app is not in #random yet: write /invite @Signoff there, or its cards fail"


@pytest.mark.parametrize("name", ["#leads", "#old-project", "#ana"])
async def test_a_channel_that_the_app_does_not_see_goes_by_no_name(configured: Shell, name: str) -> None:
    words = await configured.refused(*SET, ANA, "--to", name)

    assert f"--to: no channel that the app sees is called {name!r}" in words
    assert list(configured.folder.iterdir()) == []


async def test_a_missing_scope_is_named_with_what_to_do(configured: Shell) -> None:
    async with Sandbox(scopes=DEFAULT - {"groups:read"}) as slack:
        configured.environment["SLACK_API_URL"] = slack.api_url
        words = await configured.refused(*SET, ANA, "--to", "#deploys")

    assert words.startswith(
        "Slack: conversations.list takes the scope groups:read. Update the app's manifest and reinstall the app, or"
    )


async def test_slack_is_waited_for_once_when_it_asks_for_it(configured: Shell, slack: Sandbox) -> None:
    slack.faults.add("users.list", status=429, retry_after=1, times=1)
    once = await configured.run(*SET, "@ana")
    for method in ("usergroups.list", "users.list"):
        slack.faults.add(method, status=429, retry_after=1, times=1)
    twice = await configured.run(*SET, "@ben")

    assert (once.code, twice.code) == (0, 1)
    assert "Slack asks to wait 1 s" in once.err
    assert "Slack is asked too often just now (users.list): try again in a minute, or write the id" in twice.err
    assert (await stored(configured))["revision"] == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            {"method": "users.list", "error": "missing_scope"},
            "users.list says missing_scope. Check SLACK_BOT_TOKEN, or",
        ),
        ({"method": "usergroups.list", "down": True}, "Slack does not answer usergroups.list"),
        ({"method": "auth.test", "error": "invalid_auth"}, "auth.test says invalid_auth. Check SLACK_BOT_TOKEN"),
    ],
)
async def test_where_slack_tells_nothing_nothing_is_stored(
    configured: Shell, slack: Sandbox, fault: dict[str, object], words: str
) -> None:
    slack.faults.add(**fault)

    assert words in await configured.refused(*SET, "@ana")
    assert list(configured.folder.iterdir()) == []


async def test_a_plan_without_groups_has_people(configured: Shell, slack: Sandbox) -> None:
    slack.faults.add("usergroups.list", error="plan_upgrade_required")
    said = await configured.run(*SET, "@ana")

    assert f"approvers  {ANA}" in said.lines


async def test_names_of_another_workspace_are_not_stored(configured: Shell) -> None:
    assert (await configured.run(*SET, ANA)).code == 0
    store = await open_store(configured.database)
    await store.bind_installation(
        installation=Installation(
            tenant="default",
            team_id="T0ELSEWHERE",
            enterprise_id=None,
            app_id=None,
            bot_user_id="U0BOT",
            bot_id=None,
            team_name="Elsewhere",
            team_url=None,
            bound_at=await store.now(),
        )
    )
    await store.close()
    words = await configured.refused(*SET, "@ben")

    assert "belongs to Slack workspace T0ELSEWHERE, not to T07ACME00" in words
    assert (await stored(configured))["revision"] == 1
