"""Scopes, rates, lists, deletion, metadata, attachments, and what an administrator changes."""

import aiohttp
import pytest
from kit import actions, button, home, section
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import scopes, seed
from sandbox.entries import Impossible
from sandbox.rates import TIERS
from sandbox.server import Sandbox
from sandbox.webapi.content import ATTACHMENT_BYTES, METADATA_BYTES
from sandbox.webapi.methods import METHODS


async def refusal(call):
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response


def client(slack):
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[])


def error(answer):
    return answer["error"]


# -- scopes -------------------------------------------------------------------------------------------------------
NEEDED = {
    "chat.postMessage": ("chat:write", {"channel": seed.DEPLOYS, "text": "x"}),
    "chat.postEphemeral": ("chat:write", {"channel": seed.DEPLOYS, "user": seed.ANA, "text": "x"}),
    "chat.delete": ("chat:write", {"channel": seed.DEPLOYS, "ts": "1.1"}),
    "conversations.open": ("im:write", {"users": seed.ANA}),
    "conversations.info": ("channels:read", {"channel": seed.DEPLOYS}),
    "conversations.members": ("channels:read", {"channel": seed.DEPLOYS}),
    "conversations.list": ("channels:read", {}),
    "users.info": ("users:read", {"user": seed.ANA}),
    "users.list": ("users:read", {}),
    "usergroups.list": ("usergroups:read", {}),
    "usergroups.users.list": ("usergroups:read", {"usergroup": seed.ONCALL}),
}


@pytest.mark.parametrize("method", NEEDED)
async def test_a_call_without_its_scope_says_what_is_needed_and_what_is_there(method):
    needed, args = NEEDED[method]
    async with Sandbox(scopes=["commands", "im:history"]) as slack:
        answer = await refusal(client(slack).api_call(method, params=args))
    assert (answer["error"], answer["needed"], answer["provided"]) == ("missing_scope", needed, "commands,im:history")


async def test_some_methods_need_no_scope():
    async with Sandbox(scopes=[]) as slack:
        web = client(slack)
        assert (await web.auth_test())["ok"]
        assert (await web.views_publish(user_id=seed.ANA, view=home()))["ok"]


async def test_each_kind_of_channel_has_its_own_scope():
    async with Sandbox(scopes=["channels:read", "chat:write", "im:write"]) as slack:
        web = client(slack)
        assert (await web.conversations_info(channel=seed.DEPLOYS))["ok"]
        dm = (await web.conversations_open(users=seed.ANA))["channel"]["id"]
        assert (await refusal(web.conversations_info(channel=dm)))["needed"] == "im:read"
        assert (await refusal(web.conversations_list(types="public_channel,private_channel")))[
            "needed"
        ] == "groups:read"


async def test_answers_name_the_scopes_of_the_token(web):
    answer = await web.chat_postMessage(channel=seed.DEPLOYS, text="x")
    assert answer.headers["X-OAuth-Scopes"].split(",") == sorted(scopes.DEFAULT)
    assert answer.headers["X-Accepted-OAuth-Scopes"] == "chat:write"


async def test_public_channels_are_open_to_who_has_the_scope_for_it():
    async with Sandbox(scopes=[*scopes.DEFAULT, "chat:write.public"]) as slack:
        web = client(slack)
        assert (await web.chat_postMessage(channel=seed.NOBOT, text="x"))["ok"]
        assert error(await refusal(web.chat_postMessage(channel=seed.LEADS, text="x"))) == "channel_not_found"


# -- rates --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("method", "args"),
    [("users.list", {}), ("chat.update", {"channel": "C", "ts": "1.1", "text": "x"}), ("users.info", {"user": "U"})],
)
async def test_a_method_called_more_often_than_its_tier_is_refused_until_the_minute_is_over(clock, method, args):
    async with Sandbox(clock=clock, strict_rate=True) as slack:
        web = client(slack)
        most = TIERS[METHODS[method].tier]
        headers = {"Authorization": f"Bearer {slack.bot_token}"}
        async with aiohttp.ClientSession(headers=headers) as http:
            for _ in range(most):
                async with http.get(slack.api_url + method, params=args) as answer:
                    assert answer.status == 200
        clock.advance(20.5)
        answer = await refusal(web.api_call(method, params=args))
        assert (answer.status_code, answer["error"], answer.headers["Retry-After"]) == (429, "ratelimited", "40")
        assert (await web.auth_test())["ok"]
        clock.advance(39.5)
        assert error(await refusal(web.users_info(user="U"))) == "user_not_found"


async def test_without_strict_rate_nobody_counts(web):
    for _ in range(TIERS["2"] + 5):
        assert (await web.users_list())["ok"]


# -- lists --------------------------------------------------------------------------------------------------------
async def every(page, name):
    found, cursor = [], ""
    while True:
        answer = await page(limit=2, cursor=cursor)
        found += answer[name]
        cursor = answer["response_metadata"]["next_cursor"]
        if not cursor:
            return found


async def test_lists_come_in_pages(web):
    people = await every(web.users_list, "members")
    assert [person["id"] for person in people] == [user for user in seed.users() if user != seed.EVE]
    assert [person["id"] for person in people if person["deleted"]] == [seed.GONE]
    places = await every(web.conversations_list, "channels")
    assert [place["id"] for place in places] == [c.id for c in seed.channels().values() if c.kind == "channel"]


async def test_channels_are_listed_by_kind_and_only_as_far_as_the_bot_sees(web, slack):
    dm = (await web.conversations_open(users=seed.ANA))["channel"]["id"]
    listed = await web.conversations_list(types="private_channel,im", exclude_archived=True)
    assert [place["id"] for place in listed["channels"]] == [dm]
    slack.workspace.join(seed.LEADS, seed.BOT_USER)
    listed = await web.conversations_list(types="private_channel")
    assert [place["id"] for place in listed["channels"]] == [seed.LEADS]
    open_ones = (await web.conversations_list(exclude_archived=True))["channels"]
    assert seed.OLD not in [place["id"] for place in open_ones]
    assert error(await refusal(web.conversations_list(types="secret_channel"))) == "invalid_types"


async def test_members_of_a_channel(web, slack):
    assert set((await web.conversations_members(channel=seed.SHARED))["members"]) == {
        seed.ANA,
        seed.BEN,
        seed.EVE,
        seed.BOT_USER,
    }
    assert error(await refusal(web.conversations_members(channel=seed.LEADS))) == "channel_not_found"
    slack.workspace.deactivate(seed.BEN)
    assert seed.BEN not in (await web.conversations_members(channel=seed.SHARED))["members"]


@pytest.mark.parametrize(("args", "says"), [({"limit": 1001}, "invalid_limit"), ({"cursor": "x"}, "invalid_cursor")])
async def test_a_page_that_does_not_exist_is_refused(web, args, says):
    assert error(await refusal(web.users_list(**args))) == says
    assert error(await refusal(web.conversations_list(**args))) == says


# -- messages -----------------------------------------------------------------------------------------------------
async def test_the_bot_deletes_its_own_messages_and_no_other(web, slack):
    mine = await web.chat_postMessage(channel=seed.DEPLOYS, text="x")
    answer = await web.chat_delete(channel=seed.DEPLOYS, ts=mine["ts"])
    assert (answer["channel"], answer["ts"], slack.workspace.messages(seed.DEPLOYS)) == (seed.DEPLOYS, mine["ts"], [])
    theirs = slack.person(seed.ANA).say(seed.DEPLOYS, "hello")
    private = await web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="psst")
    for ts, says in (
        (theirs.ts, "cant_delete_message"),
        (mine["ts"], "message_not_found"),
        (private["message_ts"], "message_not_found"),
    ):
        assert error(await refusal(web.chat_delete(channel=seed.DEPLOYS, ts=ts))) == says


async def test_metadata_has_a_size(web):
    def metadata(size):
        return {"event_type": "e", "event_payload": {"x": "y" * size}}

    assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="x", metadata=metadata(METADATA_BYTES - 100)))["ok"]
    answer = await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x", metadata=metadata(METADATA_BYTES)))
    assert answer["error"] == "metadata_too_large"


async def test_attachments_are_counted_weighed_and_their_blocks_checked(web, slack):
    async def post(attachments):
        return await web.chat_postMessage(channel=seed.DEPLOYS, text="x", attachments=attachments)

    assert (await post([{"text": "x"}] * 100))["ok"]
    assert error(await refusal(post([{"text": "x"}] * 101))) == "too_many_attachments"
    heavy = [{"text": "x" * ATTACHMENT_BYTES}]
    assert error(await refusal(post(heavy))) == "attachment_payload_limit_exceeded"
    answer = await refusal(post([{"text": "x"}, {"blocks": [section(text=None)]}]))
    assert answer["errors"] == ["must provide an object [json-pointer:/attachments/1/blocks/0/text]"]


async def test_markdown_text_has_a_size(web):
    assert (await web.chat_postMessage(channel=seed.DEPLOYS, markdown_text="x" * 12_000))["ok"]
    answer = await refusal(web.chat_postMessage(channel=seed.DEPLOYS, markdown_text="x" * 12_001))
    assert answer["error"] == "msg_too_long"


# -- tokens and administrators ------------------------------------------------------------------------------------
async def test_a_revoked_token_opens_nothing_until_it_is_restored(web, slack):
    slack.faults.revoke()
    for call in (web.auth_test, web.users_list):
        assert error(await refusal(call())) == "token_revoked"
    assert (await web.apps_connections_open(app_token=slack.app_token))["ok"]
    slack.faults.restore()
    assert (await web.auth_test())["ok"]
    slack.faults.revoke("app")
    assert error(await refusal(web.apps_connections_open(app_token=slack.app_token))) == "token_revoked"


async def test_a_deactivated_person_is_gone_everywhere_but_in_lists(web, slack):
    slack.workspace.deactivate(seed.BEN)
    assert (await web.users_info(user=seed.BEN))["user"]["deleted"] is True
    assert error(await refusal(web.conversations_open(users=seed.BEN))) == "user_disabled"
    note = web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.BEN, text="x")
    assert error(await refusal(note)) == "user_not_in_channel"
    assert (await web.chat_postMessage(channel=seed.BEN, text="x"))["ok"]
    with pytest.raises(Impossible):
        slack.person(seed.BEN)
    slack.workspace.reactivate(seed.BEN)
    assert slack.person(seed.BEN).id == seed.BEN


async def test_without_a_home_tab_nothing_can_be_published(web, slack):
    slack.workspace.home_enabled = False
    assert error(await refusal(web.views_publish(user_id=seed.ANA, view=home()))) == "not_enabled"


async def test_an_administrator_changes_the_workspace_over_http(web, slack):
    async def do(**body):
        async with aiohttp.ClientSession() as http, http.post(f"{slack.url}/sandbox/workspace", json=body) as answer:
            return answer.status

    async def post():
        return error(await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x")))

    assert await do(do="archive", channel=seed.DEPLOYS) == 200
    assert await post() == "is_archived"
    assert await do(do="unarchive", channel=seed.DEPLOYS) == 200
    assert await do(do="leave", channel=seed.DEPLOYS, user=seed.BOT_USER) == 200
    assert await post() == "not_in_channel"
    assert await do(do="join", channel=seed.DEPLOYS, user=seed.BOT_USER) == 200
    assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=[actions(button())]))["ok"]
    assert await do(do="deactivate", user=seed.BEN) == 200
    assert slack.workspace.users[seed.BEN].deleted
    assert await do(do="reactivate", user=seed.BEN) == 200
    for wrong in ({"do": "party"}, {"do": "archive", "channel": "C"}, {"do": "leave", "channel": seed.DEPLOYS}):
        assert await do(**wrong) == 400
