"""Where and when the app may write: a table of places, and of what they answer to a message, a reply, a note, an edit."""

from dataclasses import replace

import aiohttp
import pytest
from kit import input_block, modal, plain, section
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import scopes, seed
from sandbox.entries import Impossible
from sandbox.model import Message
from sandbox.server import Sandbox

OTHER_BOT = "U07OTHERBOT"


async def said(call):
    """The error of a call, "ok" without one."""
    try:
        await call
    except SlackApiError as refused:
        return refused.response["error"]
    return "ok"


def client(slack):
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[])


async def order(slack, **body):
    async with aiohttp.ClientSession() as http, http.post(f"{slack.url}/sandbox/workspace", json=body) as answer:
        return answer.status, await answer.json()


# A channel's posting, and what becomes of (a message, a reply, a private note).
PLACES = {
    "everyone": ("ok", "ok", "ok"),
    "admins": ("restricted_action",) * 3,
    "read_only": ("restricted_action_read_only_channel",) * 3,
    "thread_only": ("restricted_action_thread_only_channel", "ok", "restricted_action_thread_only_channel"),
    "no_threads": ("ok", "restricted_action_non_threadable_channel", "ok"),
}


@pytest.mark.parametrize("posting", PLACES)
async def test_a_restricted_channel_says_why(web, slack, posting):
    root = (await web.chat_postMessage(channel=seed.DEPLOYS, text="root"))["ts"]
    assert await order(slack, do="restrict", channel=seed.DEPLOYS, posting=posting) == (200, {"ok": True})
    got = (
        await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x")),
        await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts=root)),
        await said(web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="x")),
    )
    assert got == PLACES[posting]
    assert await said(web.chat_update(channel=seed.DEPLOYS, ts=root, text="edited")) == "ok"


async def test_a_locked_thread_takes_no_reply_until_it_is_opened_again(web, slack):
    root = (await web.chat_postMessage(channel=seed.DEPLOYS, text="root"))["ts"]
    for do, expected in (("lock", "restricted_action_thread_locked"), ("unlock", "ok")):
        assert (await order(slack, do=do, channel=seed.DEPLOYS, ts=root))[0] == 200
        assert await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts=root)) == expected
    assert (await order(slack, do="lock", channel=seed.DEPLOYS, ts="1.1"))[0] == 400


@pytest.mark.parametrize(
    ("parent", "expected"),
    [
        ("a message", "ok"),
        ("a reply", "ok"),
        ("nothing", "cannot_reply_to_message"),
        ("a note", "cannot_reply_to_message"),
    ],
)
async def test_what_can_be_replied_to(web, slack, parent, expected):
    root = (await web.chat_postMessage(channel=seed.DEPLOYS, text="root"))["ts"]
    reply = (await web.chat_postMessage(channel=seed.DEPLOYS, text="reply", thread_ts=root))["ts"]
    note = (await web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="note"))["message_ts"]
    ts = {"a message": root, "a reply": reply, "a note": note, "nothing": "1.000001"}[parent]
    for call in (
        web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts=ts),
        web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="x", thread_ts=ts),
    ):
        assert await said(call) == expected
    if expected == "ok":
        assert slack.workspace.messages(seed.DEPLOYS)[-1].thread_ts == root


async def test_a_deleted_message_heads_its_thread_as_long_as_there_are_replies(web, slack):
    root = (await web.chat_postMessage(channel=seed.DEPLOYS, text="root"))["ts"]
    reply = (await web.chat_postMessage(channel=seed.DEPLOYS, text="reply", thread_ts=root))["ts"]
    await web.chat_delete(channel=seed.DEPLOYS, ts=root)
    assert await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts=root)) == "ok"
    for message in slack.workspace.messages(seed.DEPLOYS):
        slack.workspace.delete(message)
    assert await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts=root)) == "cannot_reply_to_message"
    assert (
        await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts=reply)) == "cannot_reply_to_message"
    )


async def test_a_reply_belongs_to_its_own_channel(web):
    root = (await web.chat_postMessage(channel=seed.DEPLOYS, text="root"))["ts"]
    assert await said(web.chat_postMessage(channel=seed.REPORTS, text="x", thread_ts=root)) == "cannot_reply_to_message"


async def test_without_its_messages_tab_the_app_writes_no_direct_message(web, slack):
    assert (await order(slack, do="messages_tab", enabled=False))[0] == 200
    for call in (
        web.chat_postMessage(channel=seed.ANA, text="x"),
        web.chat_postEphemeral(channel=slack.workspace.open_dm(seed.ANA).id, user=seed.ANA, text="x"),
    ):
        assert await said(call) == "messages_tab_disabled"
    assert await said(web.chat_postMessage(channel=seed.DEPLOYS, text="x")) == "ok"


async def test_bots_have_no_dms_with_each_other(web, slack):
    slack.workspace.users[OTHER_BOT] = replace(slack.workspace.users[seed.BOT_USER], id=OTHER_BOT, name="other")
    for bot in (seed.BOT_USER, OTHER_BOT):
        assert await said(web.chat_postMessage(channel=bot, text="x")) == "cannot_dm_bot"
        assert await said(web.conversations_open(users=bot)) == "cannot_dm_bot"


async def test_many_at_once_are_too_many(web):
    people = [seed.ANA, seed.BEN, seed.CHIDI]
    assert await said(web.conversations_open(users=people)) == "invalid_user_combination"
    assert await said(web.conversations_open(users=people * 3)) == "too_many_users"


async def test_the_message_of_another_bot_is_not_ours_to_edit_or_delete(web, slack, clock):
    slack.workspace.users[OTHER_BOT] = replace(slack.workspace.users[seed.BOT_USER], id=OTHER_BOT)
    slack.workspace.add(
        Message(channel=seed.DEPLOYS, ts="5.000001", user=OTHER_BOT, text="theirs", blocks=[], at=clock.now())
    )
    assert await said(web.chat_update(channel=seed.DEPLOYS, ts="5.000001", text="x")) == "cant_update_message"
    assert await said(web.chat_delete(channel=seed.DEPLOYS, ts="5.000001")) == "cant_delete_message"


async def test_an_edit_window_closes(web, slack, clock):
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="x"))["ts"]
    assert (await order(slack, do="edit_window", seconds=60))[0] == 200
    clock.advance(60)
    assert await said(web.chat_update(channel=seed.DEPLOYS, ts=ts, text="y")) == "ok"
    clock.advance(0.5)
    assert await said(web.chat_update(channel=seed.DEPLOYS, ts=ts, text="z")) == "edit_window_closed"
    assert (await order(slack, do="edit_window", seconds=None))[0] == 200
    assert await said(web.chat_update(channel=seed.DEPLOYS, ts=ts, text="z")) == "ok"


@pytest.mark.parametrize(
    "wrong",
    [
        {"do": "restrict", "channel": seed.DEPLOYS, "posting": "party"},
        {"do": "restrict", "channel": seed.DEPLOYS},
        {"do": "restrict", "channel": "C", "posting": "admins"},
        {"do": "edit_window", "seconds": "60"},
        {"do": "edit_window", "seconds": True},
        {"do": "home_tab", "enabled": "no"},
        {"do": "deactivate", "user": ["U"]},
        {"do": ["archive"]},
    ],
)
async def test_an_order_that_makes_no_sense_is_400_with_the_reason(slack, wrong):
    status, body = await order(slack, **wrong)
    assert (status, body["ok"], bool(body["error"])) == (400, False, True)


@pytest.mark.parametrize(("channel", "expected"), [(seed.LEADS, "channel_not_found"), (seed.NOBOT, "not_in_channel")])
async def test_a_private_channel_is_hidden_and_a_public_one_closed_to_who_is_no_member(web, slack, channel, expected):
    theirs = slack.workspace.post(channel, seed.ANA, "hello")
    assert await said(web.chat_postMessage(channel=channel, text="x")) == expected
    assert await said(web.chat_postEphemeral(channel=channel, user=seed.ANA, text="x")) == expected
    edited = {"channel_not_found": "channel_not_found", "not_in_channel": "cant_update_message"}[expected]
    assert await said(web.chat_update(channel=channel, ts=theirs.ts, text="x")) == edited
    slack.workspace.join(channel, seed.BOT_USER)
    assert await said(web.chat_postMessage(channel=channel, text="x")) == "ok"


# -- scopes of what is sent ---------------------------------------------------------------------------------------
VIDEO = {
    "type": "video",
    "alt_text": "x",
    "title": plain(),
    "thumbnail_url": "https://a.example/x.png",
    "video_url": "https://a.example/v",
}
FILE = modal(input_block({"type": "file_input", "action_id": "f"}), submit=plain())


async def test_a_video_needs_a_scope_wherever_it_stands(web):
    for args, at in (
        ({"blocks": [section(), VIDEO]}, "/blocks/1"),
        ({"attachments": [{"blocks": [VIDEO]}]}, "/attachments/0/blocks/0"),
    ):
        with pytest.raises(SlackApiError) as caught:
            await web.chat_postMessage(channel=seed.DEPLOYS, text="x", **args)
        sentence = f"Video validation failed: Bot scopes missing: [links.embed:write] [json-pointer:{at}]"
        assert (caught.value.response["error"], caught.value.response["errors"]) == ("invalid_blocks", [sentence])
    async with Sandbox(scopes=[*scopes.DEFAULT, "links.embed:write"]) as slack:
        assert await said(client(slack).chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=[VIDEO])) == "ok"


async def test_a_file_input_needs_a_scope_and_its_refusal_costs_no_trigger(app):
    for given, expected in ((scopes.DEFAULT, "invalid_arguments"), ([*scopes.DEFAULT, "files:read"], "ok")):
        async with Sandbox(bot_url=app.url, scopes=given) as slack:
            ana = slack.person(seed.ANA)
            await ana.command(seed.DEPLOYS, "/pending")
            trigger = app.got[-1].payload["trigger_id"]
            assert await said(client(slack).views_open(trigger_id=trigger, view=FILE)) == expected
            if expected != "ok":
                assert await said(client(slack).views_open(trigger_id=trigger, view=modal())) == "ok"


async def test_an_answer_to_a_submission_needs_the_scopes_as_well(web, slack, app):
    ana = slack.person(seed.ANA)
    await ana.command(seed.DEPLOYS, "/pending")
    await web.views_open(trigger_id=app.got[-1].payload["trigger_id"], view=modal(submit=plain()))
    app.replies({"response_action": "update", "view": FILE})
    assert "trouble" in (await ana.submit()).warning


async def test_without_the_scope_for_them_there_are_no_slash_commands(app):
    async with Sandbox(bot_url=app.url, scopes=["chat:write"]) as slack:
        outcome = await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")
    assert (outcome.warning, app.got) == ("/pending is not a valid command.", [])


async def test_files_are_taken_by_number_and_kind(app):
    element = {"type": "file_input", "action_id": "f", "max_files": 1, "filetypes": ["pdf"]}
    async with Sandbox(bot_url=app.url, scopes=[*scopes.DEFAULT, "files:read"]) as slack:
        ana = slack.person(seed.ANA)
        await ana.command(seed.DEPLOYS, "/pending")
        view = modal(input_block(element, block_id="b"), submit=plain())
        await client(slack).views_open(trigger_id=app.got[-1].payload["trigger_id"], view=view)
        for wrong in (["a.pdf", "b.pdf"], ["a.exe"], [5]):
            with pytest.raises(Impossible):
                await ana.submit(state={"b": {"f": wrong}})
        assert (await ana.submit(state={"b": {"f": ["a.PDF"]}})).ok
    assert app.got[-1].payload["view"]["state"]["values"]["b"]["f"]["files"][0]["mimetype"] == "application/pdf"


# -- how a call is made -------------------------------------------------------------------------------------------
async def test_a_json_body_says_nothing_to_methods_that_take_none(slack):
    headers = {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession(headers=headers) as http:
        async with http.post(f"{slack.api_url}users.info", json={"user": seed.ANA}) as answer:
            said_of_user = await answer.json()
        body = {"channel": seed.DEPLOYS, "text": "x"}
        async with http.post(f"{slack.api_url}chat.postMessage", json=body) as answer:
            assert (await answer.json())["ok"]
    assert said_of_user["response_metadata"]["messages"] == ["[ERROR] missing required field: user"]


async def test_a_socket_is_asked_for_by_post(slack):
    headers = {"Authorization": f"Bearer {slack.app_token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as http,
        http.get(f"{slack.api_url}apps.connections.open") as answer,
    ):
        assert (await answer.json())["error"] == "insecure_request"


async def test_a_deactivated_bot_has_no_account(web, slack):
    slack.workspace.deactivate(seed.BOT_USER)
    assert await said(web.auth_test()) == "account_inactive"


async def test_texts_come_back_escaped(web):
    answer = await web.chat_postMessage(channel=seed.DEPLOYS, text="a & b < c <@U07ANA4K2QX> &amp;")
    assert answer["message"]["text"] == "a &amp; b &lt; c <@U07ANA4K2QX> &amp;"
