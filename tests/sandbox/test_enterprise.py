"""Enterprise organisations, and people of other workspaces (Slack Connect)."""

import pytest
from kit import actions, button, input_block, modal, plain, section
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import enterprise, seed
from sandbox.entries import Impossible
from sandbox.server import Sandbox

GROUP = {"id": enterprise.ID, "name": enterprise.NAME}


async def refusal(call):
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response["error"]


def client(slack):
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[])


@pytest.fixture
async def org(app, clock):
    async with Sandbox(bot_url=app.url, clock=clock, ack_seconds=0.5, enterprise="org") as running:
        yield running


async def click(slack, app, channel=seed.DEPLOYS, who=seed.ANA):
    web = client(slack)
    ts = (await web.chat_postMessage(channel=channel, text="t", blocks=[actions(button())]))["ts"]
    assert (await slack.person(who).click(channel, ts, "go")).ok
    return app.got[-1].payload


async def test_an_organisation_tells_no_team(org, app):
    clicked = await click(org, app)
    assert (clicked["team"], clicked["enterprise"], clicked["is_enterprise_install"]) == (None, GROUP, True)
    assert clicked["user"]["team_id"] == seed.TEAM_ID


async def test_a_workspace_of_an_organisation_tells_both(app, clock):
    async with Sandbox(bot_url=app.url, clock=clock, enterprise="workspace") as slack:
        clicked = await click(slack, app)
        assert (await client(slack).users_list())["ok"]
    assert clicked["team"] == {
        "id": seed.TEAM_ID,
        "domain": "acme",
        "enterprise_id": enterprise.ID,
        "enterprise_name": enterprise.NAME,
    }
    assert (clicked["enterprise"], clicked["is_enterprise_install"]) == (GROUP, False)


async def test_commands_and_events_of_an_organisation(org, app):
    ana = org.person(seed.ANA)
    await ana.command(seed.DEPLOYS, "/pending")
    sent = app.got[-1].payload
    assert (sent["enterprise_id"], sent["enterprise_name"], sent["is_enterprise_install"]) == (
        enterprise.ID,
        enterprise.NAME,
        "true",
    )
    await ana.open_home()
    sent = app.got[-1].payload
    assert (sent["enterprise_id"], sent["team_id"]) == (enterprise.ID, seed.TEAM_ID)
    (one,) = sent["authorizations"]
    assert (one["enterprise_id"], one["team_id"], one["is_enterprise_install"]) == (enterprise.ID, None, True)


async def test_views_and_look_ups_of_an_organisation(org, app):
    web, ana = client(org), org.person(seed.ANA)
    await ana.command(seed.DEPLOYS, "/pending")
    search = {"type": "external_select", "action_id": "search", "min_query_length": 0}
    view = modal(section(), input_block(search, optional=True), submit=plain())
    opened = await web.views_open(trigger_id=app.got[-1].payload["trigger_id"], view=view)
    assert opened["view"]["app_installed_team_id"] == enterprise.ID
    await ana.options("search")
    assert app.got[-1].payload["user"]["team_id"] == enterprise.ID
    await ana.submit()
    sent = app.got[-1].payload
    assert (sent["team"], sent["view"]["app_installed_team_id"]) == (None, enterprise.ID)


async def test_a_token_of_an_organisation_says_for_which_workspace_it_asks(org):
    web = client(org)
    for call in (web.users_list, web.conversations_list, web.usergroups_list):
        assert await refusal(call()) == "missing_argument"
        assert await refusal(call(team_id="T07OTHER00")) == "team_access_not_granted"
        assert (await call(team_id=seed.TEAM_ID))["ok"]
    assert await refusal(web.usergroups_users_list(usergroup=seed.ONCALL)) == "missing_argument"
    assert await refusal(web.chat_postMessage(channel="#deploys", text="x")) == "team_not_found"
    who = await web.auth_test()
    assert (who["enterprise_id"], who["is_enterprise_install"]) == (enterprise.ID, True)
    assert (await web.users_info(user=seed.ANA))["user"]["enterprise_user"]["enterprise_id"] == enterprise.ID


# -- Slack Connect ------------------------------------------------------------------------------------------------
async def test_somebody_of_another_workspace_clicks_in_a_shared_channel(slack, app):
    clicked = await click(slack, app, seed.SHARED, seed.EVE)
    assert clicked["user"]["team_id"] == clicked["team"]["id"] == seed.OTHER_TEAM
    await client(slack).views_open(trigger_id=clicked["trigger_id"], view=modal(input_block(), submit=plain()))
    view = slack.person(seed.EVE).modal
    await slack.person(seed.EVE).submit(state={view.blocks[0]["block_id"]: {"text": "x"}})
    sent = app.got[-1].payload["view"]
    assert (sent["team_id"], sent["app_installed_team_id"]) == (seed.OTHER_TEAM, seed.TEAM_ID)


async def test_what_the_app_is_told_of_people_and_channels_of_others(web, slack):
    eve = (await web.users_info(user=seed.EVE))["user"]
    assert (eve["team_id"], eve["is_stranger"]) == (seed.OTHER_TEAM, False)
    slack.workspace.leave(seed.SHARED, seed.EVE)
    assert (await web.users_info(user=seed.EVE))["user"]["is_stranger"] is True
    assert "is_stranger" not in (await web.users_info(user=seed.ANA))["user"]
    shared = (await web.conversations_info(channel=seed.SHARED))["channel"]
    assert (shared["is_ext_shared"], shared["shared_team_ids"]) == (True, [seed.TEAM_ID, seed.OTHER_TEAM])
    assert (await web.conversations_info(channel=seed.DEPLOYS))["channel"]["is_ext_shared"] is False


async def test_commands_and_home_are_for_the_workspace_of_the_app(slack, app):
    eve = slack.person(seed.EVE)
    outcome = await eve.command(seed.SHARED, "/pending")
    assert (outcome.ok, outcome.warning, app.got) == (False, "/pending is not a valid command.", [])
    with pytest.raises(Impossible):
        await eve.open_home()
