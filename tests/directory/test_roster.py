"""Everybody that Slack lists, in pages, as far as we read them."""

from dataclasses import replace

import pytest

from bot.slack.client import SlackClient, open_session
from bot.slack.roster import Roster, TooMany
from sandbox.seed import ANA, BEN, CHIDI, DANA, GUEST, ONCALL, TEAM_ID
from sandbox.server import Sandbox


async def never(seconds: float) -> None:
    raise AssertionError(f"waited {seconds} s")


async def read(slack: Sandbox, *, page: int, pages: int) -> list[str]:
    async with open_session() as session:
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        roster = Roster(client, pause=never, page=page, pages=pages)
        assert await roster.team() == TEAM_ID
        return [each.id for each in await roster.read(TEAM_ID)]


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
