"""Everybody and every channel that Slack lists, in pages, as far as we read them."""

from dataclasses import replace

import pytest

from bot.slack.client import SlackClient, open_session
from bot.slack.directory import SlackDirectory
from bot.slack.roster import Roster, TooMany
from sandbox.model import Channel
from sandbox.seed import (
    ANA,
    BEN,
    BOT_USER,
    CHIDI,
    DANA,
    DEPLOYS,
    GENERAL,
    GUEST,
    LEADS,
    NOBOT,
    ONCALL,
    REPORTS,
    SHARED,
    TEAM_ID,
)
from sandbox.server import Sandbox
from tests.clock import FakeClock


async def never(seconds: float) -> None:
    raise AssertionError(f"waited {seconds} s")


async def read(slack: Sandbox, *, page: int, pages: int) -> list[str]:
    async with open_session() as session:
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        roster = Roster(client, pause=never, page=page, pages=pages)
        assert await roster.team() == TEAM_ID
        return [each.id for each in [*await roster.groups(TEAM_ID), *await roster.people(TEAM_ID)]]


async def test_people_are_read_page_by_page_to_the_last() -> None:
    async with Sandbox() as slack:
        assert await read(slack, page=2, pages=4) == [ONCALL, ANA, BEN, CHIDI, DANA, GUEST]
        assert [call.args["limit"] for call in slack.calls if call.method == "users.list"] == ["2"] * 4


async def test_where_there_are_more_pages_than_we_read_nobody_is_known() -> None:
    async with Sandbox() as slack:
        with pytest.raises(TooMany):
            await read(slack, page=2, pages=3)


async def test_an_organisations_token_names_the_workspace() -> None:
    async with Sandbox(enterprise="org") as slack:
        assert ONCALL in await read(slack, page=1000, pages=1)


async def test_who_has_only_a_user_name_goes_by_it() -> None:
    async with Sandbox() as slack:
        slack.workspace.users[ANA] = replace(slack.workspace.users[ANA], real_name="")
        assert ANA in await read(slack, page=1000, pages=1)


async def test_channels_are_those_that_the_app_sees_page_by_page() -> None:
    async with Sandbox() as slack, open_session() as session:
        slack.workspace.channels[LEADS].members.add(BOT_USER)
        hidden = Channel(id="G07HIDDEN01", name="hidden", kind="private", members={ANA})
        slack.workspace.channels[hidden.id] = hidden
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        found = await Roster(client, pause=None, page=2).channels(TEAM_ID)

    assert {each.id: each.is_open for each in found} == {
        DEPLOYS: True, REPORTS: True, GENERAL: True, NOBOT: False, LEADS: True, SHARED: True
    }  # fmt: skip
    assert len([call for call in slack.calls if call.method == "conversations.list"]) == 3


async def test_members_of_a_group_are_read_with_an_organisations_token() -> None:
    async with Sandbox(enterprise="org") as slack, open_session() as session:
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        directory = SlackDirectory(client=client, clock=FakeClock(), team=TEAM_ID)
        assert await directory.members(tenant="default", group=ONCALL) == {BEN, CHIDI}
        await directory.close()
