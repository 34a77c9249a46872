"""Names looked up in a sandbox: what is exact, what is near, what Slack is asked for and how often, and what it refuses."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.listed import LacksScope, Matches, TooMany, Unanswered
from bot.slack.client import SlackClient, open_session
from bot.slack.directory_names import FRESH, MISSED, SlackNames
from sandbox.model import Channel, Usergroup
from sandbox.scopes import DEFAULT
from sandbox.seed import ANA, BOT_USER, DEPLOYS, EVE, GONE, LEADS, NOBOT, OLD, ONCALL, TEAM_ID
from sandbox.server import Sandbox
from tests.clock import FakeClock


@asynccontextmanager
async def opened(slack: Sandbox, clock: FakeClock | None = None, **more: Any) -> AsyncIterator[SlackNames]:
    async with open_session() as session:
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        names = SlackNames(client=client, clock=clock or FakeClock(), tenant="default", team=TEAM_ID, **more)
        yield names
        await names.close()


@pytest.fixture
async def slack() -> AsyncIterator[Sandbox]:
    async with Sandbox() as found:
        yield found


async def find(names: SlackNames, text: str) -> Any:
    return await names.find(tenant="default", text=text)


async def ids(names: SlackNames, text: str) -> list[str]:
    matches = await find(names, text)
    assert isinstance(matches, Matches), matches
    return [each.listed.id for each in matches.found]


def asked(slack: Sandbox) -> list[str]:
    return [call.method for call in slack.calls]


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("#deploys", DEPLOYS),
        ("#DEPLOYS", DEPLOYS),
        ("deploys", DEPLOYS),
        (DEPLOYS, DEPLOYS),
        ("@ana", ANA),
        ("@Ana Ruiz", ANA),
        ("  ana ", ANA),
        ("ANA@acme.example", ANA),
        (ANA, ANA),
        ("@oncall-leads", ONCALL),
        ("oncall-leads", ONCALL),
        (ONCALL, ONCALL),
        ("#random", NOBOT),
    ],
)
async def test_what_one_alone_goes_by_is_exact(slack: Sandbox, text: str, id: str) -> None:
    async with opened(slack) as names:
        found = await find(names, text)

    assert found.is_exact
    assert [each.listed.id for each in found.found] == [id]


@pytest.mark.parametrize(
    "text",
    [
        *("#leads", "#old-project", LEADS, OLD),
        *("@gone", "gone@acme.example", GONE, "@signoff", BOT_USER),
        *("eve@northwind.example", "@deploys", "#ana", "C07NOSUCH99", "U07NOSUCH99", "S07NOSUCH99"),
        *("#", "@", " ", "@@", "#@ana"),
    ],
)
async def test_what_the_app_does_not_see_and_who_decides_nothing_go_by_no_name(slack: Sandbox, text: str) -> None:
    async with opened(slack) as names:
        found = await find(names, text)

    assert isinstance(found, Matches)
    assert not found.is_exact
    assert not {LEADS, OLD, GONE, BOT_USER, EVE} & {each.listed.id for each in found.found}


async def test_a_name_of_two_is_never_exact(slack: Sandbox) -> None:
    slack.workspace.channels["C07TWICE001"] = Channel(id="C07TWICE001", name="ana", kind="channel", members={ANA})
    async with opened(slack) as names:
        both = await find(names, "ana")
        marked = await find(names, "#ana")

    assert (both.is_exact, {each.listed.id for each in both.found}) == (False, {"C07TWICE001", ANA})
    assert (marked.is_exact, [each.listed.id for each in marked.found]) == (True, ["C07TWICE001"])


async def test_what_nobody_goes_by_brings_the_nearest_three(slack: Sandbox) -> None:
    for place, name in enumerate(("deploys-eu", "deploys-us", "api-deploys", "deplorable")):
        made = Channel(id=f"C07NEAR000{place}", name=name, kind="channel", members={BOT_USER})
        slack.workspace.channels[made.id] = made
    async with opened(slack) as names:
        assert await ids(names, "#deplys") == [DEPLOYS, "C07NEAR0000", "C07NEAR0001"]
        assert (await ids(names, "#deploy"))[:3] == [DEPLOYS, "C07NEAR0000", "C07NEAR0001"]
        assert (await ids(names, "@anna"))[0] == ANA
        assert (await ids(names, "anna@acme.example"))[0] == ANA
        assert await ids(names, "@zzzzzzzz") == []


async def test_accents_and_compositions_are_the_same_name_to_people(slack: Sandbox) -> None:
    slack.workspace.users[ANA] = replace(slack.workspace.users[ANA], real_name="Añá Ruíz")
    async with opened(slack) as names:
        composed = await find(names, "@An\u0303a\u0301 Rui\u0301z")
        bare = await find(names, "@Ana Ruiz")

    assert composed.is_exact
    assert (bare.is_exact, bare.found[0].listed.id) == (False, ANA)


async def test_a_hostile_name_is_looked_for_and_found_nowhere(slack: Sandbox) -> None:
    async with opened(slack) as names:
        for text in ("\u202e#syolped", "\x1b[2J", "a" * 200, "\u0301" * 200, "<!channel>", "%s{0}", "\ud800", "🂡" * 50):
            found = await find(names, text)
            assert isinstance(found, Matches)
            assert not found.is_exact


async def test_lists_are_asked_for_once_in_ten_minutes(slack: Sandbox) -> None:
    clock = FakeClock()
    async with opened(slack, clock) as names:
        for text in ("#deploys", "@ana", "reports", "@oncall-leads"):
            await ids(names, text)
        lists = ["conversations.list", "usergroups.list", "users.list"]
        assert sorted(asked(slack)) == lists
        clock.advance(FRESH + timedelta(seconds=1))
        await ids(names, "deploys")
        assert sorted(asked(slack)) == sorted(lists * 2)


async def test_what_is_new_is_found_a_minute_later(slack: Sandbox) -> None:
    clock = FakeClock()
    async with opened(slack, clock) as names:
        assert not (await find(names, "#fresh")).is_exact
        slack.workspace.channels["C07FRESH001"] = Channel(
            id="C07FRESH001", name="fresh", kind="channel", members={BOT_USER}
        )
        assert not (await find(names, "#fresh")).is_exact
        clock.advance(MISSED + timedelta(seconds=1))
        assert (await find(names, "#fresh")).is_exact
        assert asked(slack) == ["conversations.list"] * 2


async def test_only_what_is_named_is_asked_for(slack: Sandbox) -> None:
    async with opened(slack) as names:
        await ids(names, "#deploys")
        await ids(names, "#deploys")
        assert asked(slack) == ["conversations.list"]
        for _ in range(2):
            await ids(names, "ana@acme.example")
            await ids(names, ANA)
    assert asked(slack)[1:] == ["users.lookupByEmail", "users.info"]


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("#deploys", "channels:read"),
        ("#deploys", "groups:read"),
        ("@oncall-leads", "usergroups:read"),
        ("@ana", "users:read"),
        ("ana@acme.example", "users:read.email"),
    ],
)
async def test_a_scope_that_is_missing_is_named(text: str, scope: str) -> None:
    async with Sandbox(scopes=DEFAULT - {scope}) as slack, opened(slack) as names:
        assert await find(names, text) == LacksScope(scope=scope)
        assert await find(names, text) == LacksScope(scope=scope)
        assert len(slack.calls) <= 2


async def test_a_scope_is_missing_to_what_takes_it_alone() -> None:
    async with Sandbox(scopes=DEFAULT - {"usergroups:read", "users:read.email"}) as slack, opened(slack) as names:
        assert (await find(names, "#deploys")).is_exact


async def test_a_slack_that_is_down_is_left_alone_for_a_while(slack: Sandbox) -> None:
    clock = FakeClock()
    async with opened(slack, clock) as names:
        slack.faults.add("conversations.list", status=500)
        assert isinstance(await find(names, "#deploys"), Unanswered)
        assert isinstance(await find(names, "#deploys"), Unanswered)
        assert asked(slack) == ["conversations.list"]
        slack.faults.clear()
        clock.advance(timedelta(seconds=6))
        assert (await find(names, "#deploys")).is_exact


async def test_slack_says_how_long_it_is_to_be_left_alone(slack: Sandbox) -> None:
    clock = FakeClock()
    async with opened(slack, clock) as names:
        slack.faults.add("users.list", status=429, retry_after=40, times=1)
        first = await find(names, "@ana")
        clock.advance(timedelta(seconds=10))
        second = await find(names, "@ana")
        clock.advance(timedelta(seconds=31))
        third = await find(names, "@ana")

    assert isinstance(first, Unanswered)
    assert isinstance(second, Unanswered)
    assert (first.seconds, second.seconds) == (40, 30)
    assert third.is_exact


async def test_lists_are_read_within_the_tiers_of_slack() -> None:
    async with Sandbox(strict_rate=True) as slack, opened(slack, page=1, pages=20) as names:
        assert (await find(names, "deploys")).is_exact


async def test_where_more_are_there_than_are_read_nobody_is_known_by_name_but_by_address(slack: Sandbox) -> None:
    async with opened(slack, page=2, pages=2) as names:
        assert await find(names, "@ana") == TooMany(what="people")
        assert await find(names, "#deploys") == TooMany(what="channels")
        assert (await find(names, "ana@acme.example")).is_exact
        assert (await find(names, ANA)).is_exact
        assert (await find(names, DEPLOYS)).is_exact


async def test_what_takes_too_long_is_there_for_a_later_one(slack: Sandbox) -> None:
    async with opened(slack, within=0.05) as names:
        slack.faults.add("conversations.list", delay=0.3, times=1)
        assert isinstance(await find(names, "#deploys"), Unanswered)
        async with asyncio.timeout(10):
            while isinstance(await find(names, "#deploys"), Unanswered):
                pass
        assert (await find(names, "#deploys")).is_exact
    assert asked(slack) == ["conversations.list"]


async def test_another_tenants_key_sees_nobody(slack: Sandbox) -> None:
    async with opened(slack) as names:
        assert await names.find(tenant="other", text=ANA) == Matches()
        assert await names.channels(tenant="other", ids=[DEPLOYS]) == {}
    assert slack.calls == []


async def test_an_organisations_token_says_for_which_workspace_it_asks() -> None:
    async with Sandbox(enterprise="org") as slack, opened(slack) as names:
        for text in ("#deploys", "@ana", "@oncall-leads", "ana@acme.example", ANA, DEPLOYS, ONCALL):
            assert (await find(names, text)).is_exact, text


async def test_channels_are_told_with_whether_the_app_is_in_them(slack: Sandbox) -> None:
    async with opened(slack) as names:
        found = await names.channels(tenant="default", ids=[DEPLOYS, NOBOT, LEADS])

    assert isinstance(found, dict)
    assert {id: each.is_open for id, each in found.items()} == {DEPLOYS: True, NOBOT: False}


async def test_a_plan_without_groups_has_none(slack: Sandbox) -> None:
    slack.faults.add("usergroups.list", error="plan_upgrade_required")
    async with opened(slack) as names:
        assert (await find(names, "@ana")).is_exact


async def test_a_group_is_not_confused_with_one_that_differs_in_case(slack: Sandbox) -> None:
    other = Usergroup(id="S07OTHER001", handle="leads", name="Leads", users=())
    slack.workspace.usergroups[other.id] = other
    async with opened(slack) as names:
        found = await find(names, "@LEADS")

    assert (found.is_exact, found.found[0].listed.id) == (False, other.id)
