"""The Web API, through Slack's own client where it can say it, through bare HTTP where it cannot."""

import json

import aiohttp
import pytest
from kit import actions, button, home, mrkdwn, multi, plain, section
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import seed
from sandbox.model import Usergroup
from sandbox.server import Sandbox


async def refusal(call):
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response


async def raw(slack, method, *, token=None, verb="POST", **how):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession() as http,
        http.request(verb, slack.api_url + method, headers=headers, **how) as answer,
    ):
        return answer.status, await answer.json(content_type=None)


async def test_auth_test_names_the_bot_and_its_team(web):
    answer = await web.auth_test()
    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == (seed.BOT_USER, seed.BOT_ID, seed.TEAM_ID)


@pytest.mark.parametrize(
    ("token", "error"), [("", "not_authed"), ("xoxb-other", "invalid_auth"), (seed.APP_TOKEN, "not_allowed_token_type")]
)
async def test_a_wrong_token_is_refused(slack, token, error):
    assert (await raw(slack, "auth.test", token=token))[1] == {"ok": False, "error": error}


async def test_a_token_is_taken_from_a_form_field_but_not_from_the_query(slack):
    assert (await raw(slack, "auth.test", data={"token": slack.bot_token}))[1]["ok"]
    assert (await raw(slack, "auth.test", params={"token": slack.bot_token}))[1]["error"] == "not_authed"


async def test_arguments_come_by_query_form_and_json(slack):
    args = {"user": seed.ANA}
    for how in ({"verb": "GET", "params": args}, {"params": args}, {"data": args}):
        assert (await raw(slack, "users.info", token=slack.bot_token, **how))[1]["user"]["name"] == "ana"


@pytest.mark.parametrize(
    ("body", "mime", "error"),
    [
        (b"{bad", "application/json", "invalid_json"),
        (b"[]", "application/json", "json_not_object"),
        (b"\xff\xfe{", "application/json", "invalid_json"),
        (b"x", "text/plain", "invalid_post_type"),
    ],
)
async def test_a_body_that_slack_cannot_read_is_refused(slack, body, mime, error):
    headers = {"Content-Type": mime, "Authorization": f"Bearer {slack.bot_token}"}
    async with (
        aiohttp.ClientSession() as http,
        http.post(slack.api_url + "auth.test", data=body, headers=headers) as sent,
    ):
        assert (await sent.json())["error"] == error


async def test_an_unknown_method_is_refused(slack):
    assert (await raw(slack, "chat.meMessage", token=slack.bot_token))[1] == {
        "ok": False,
        "error": "unknown_method",
        "req_method": "chat.meMessage",
    }


async def test_bad_blocks_are_refused_in_the_shape_of_chat(web):
    answer = await refusal(
        web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=[section(text=mrkdwn("x" * 3001))])
    )
    text = "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"
    assert answer["error"] == "invalid_blocks"
    assert answer["errors"] == [text]
    assert answer["response_metadata"]["messages"] == [f"[ERROR] {text}"]


@pytest.mark.parametrize("blocks", ["{bad", '{"type": "divider"}', "5"])
async def test_blocks_that_are_no_list_are_refused(web, blocks):
    assert (await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=blocks)))[
        "error"
    ] == "invalid_blocks_format"


@pytest.mark.parametrize(
    ("channel", "error"),
    [
        ("C07UNKNOWN0", "channel_not_found"),
        ("deploys", "channel_not_found"),
        (seed.LEADS, "channel_not_found"),
        (seed.NOBOT, "not_in_channel"),
        (seed.OLD, "is_archived"),
        ("U07NOBODY00", "channel_not_found"),
    ],
)
async def test_a_channel_that_the_bot_cannot_post_to(web, channel, error):
    assert (await refusal(web.chat_postMessage(channel=channel, text="x")))["error"] == error


async def test_a_message_without_anything_is_refused(web):
    assert (await refusal(web.api_call("chat.postMessage", json={"channel": seed.DEPLOYS, "text": " "})))[
        "error"
    ] == "no_text"
    assert (await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x", markdown_text="y")))[
        "error"
    ] == "markdown_text_conflict"


async def test_too_much_text_in_all_blocks_is_refused_at_13201_characters(web):
    def card(last):
        return [*[section(text=plain("x" * 3000)) for _ in range(4)], section(text=plain("x" * last))]

    assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=card(1200)))["ok"]
    assert (await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=card(1201))))[
        "error"
    ] == "msg_blocks_too_long"


async def test_a_text_over_40000_is_cut_with_a_warning(web, slack):
    answer = await web.chat_postMessage(channel=seed.DEPLOYS, text="x" * 40_001)
    assert answer["response_metadata"]["warnings"] == ["message_truncated"]
    assert len(slack.workspace.message(seed.DEPLOYS, answer["ts"]).text) == 40_000


async def test_posting_to_a_person_opens_the_dm(web, slack):
    answer = await web.chat_postMessage(channel=seed.ANA, text="hi")
    assert answer["channel"] == slack.person(seed.ANA).dm
    assert answer["channel"].startswith("D")
    assert (await web.chat_postMessage(channel=seed.GONE, text="hi"))["ok"]


async def test_what_comes_back_has_ids_defaults_and_escaped_texts(web):
    answer = await web.chat_postMessage(
        channel=seed.DEPLOYS, text="t", blocks=[actions({"type": "button", "text": plain("A & B")})]
    )
    block = answer["message"]["blocks"][0]
    assert block["block_id"]
    assert block["elements"][0]["action_id"]
    assert block["elements"][0]["text"] == {"type": "plain_text", "text": "A &amp; B", "emoji": True}


async def test_metadata_must_have_its_two_fields(web):
    for bad in ({"event_type": "x", "event_payload": []}, {"event_payload": {}}, {"event_type": "x", "id": "1"}):
        assert (await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x", metadata=bad)))[
            "error"
        ] == "invalid_metadata_format"
    answer = await web.chat_postMessage(
        channel=seed.DEPLOYS, text="x", metadata={"event_type": "e", "event_payload": {"id": "1"}}
    )
    assert answer["message"]["metadata"]["event_payload"] == {"id": "1"}


async def test_a_reply_to_nothing_is_refused(web):
    assert (await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x", thread_ts="1.000001")))[
        "error"
    ] == "cannot_reply_to_message"


async def test_update_replaces_text_and_removes_blocks_that_are_not_sent_again(web, slack):
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=[section()]))["ts"]
    answer = await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="y")
    message = slack.workspace.message(seed.DEPLOYS, ts)
    assert (message.text, message.blocks, message.edited) == ("y", [], True)
    assert answer["message"]["edited"]["user"] == seed.BOT_ID


async def test_a_card_that_was_posted_can_be_too_long_to_be_updated(web):
    blocks = [section(text=plain("&" * 3000))]
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=[section(text=plain("&" * 2000))]))["ts"]
    answer = await refusal(
        web.chat_update(channel=seed.DEPLOYS, ts=ts, text="x", blocks=[section(text=plain("&" * 601))])
    )
    assert answer["errors"] == ["must be less than 3001 characters [json-pointer:/blocks/0/text/text]"]
    assert (await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=blocks)))[
        "error"
    ] == "msg_blocks_too_long"


async def test_update_refuses_what_is_not_the_bots_to_edit(web, slack):
    theirs = slack.person(seed.ANA).say(seed.DEPLOYS, "hello")
    private = (await web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="psst"))["message_ts"]
    mine = (await web.chat_postMessage(channel=seed.ANA, text="hi"))["ts"]
    for channel, ts, error in (
        (seed.DEPLOYS, theirs.ts, "cant_update_message"),
        (seed.DEPLOYS, private, "message_not_found"),
        (seed.DEPLOYS, "1.000001", "message_not_found"),
        (seed.ANA, mine, "channel_not_found"),
    ):
        assert (await refusal(web.chat_update(channel=channel, ts=ts, text="y")))["error"] == error


async def test_update_refuses_long_texts_and_archived_channels(web, slack):
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="x"))["ts"]
    assert (await refusal(web.chat_update(channel=seed.DEPLOYS, ts=ts, text="x" * 4001)))["error"] == "msg_too_long"
    slack.workspace.channels[seed.DEPLOYS].archived = True
    assert (await refusal(web.chat_update(channel=seed.DEPLOYS, ts=ts, text="y")))["error"] == "is_inactive"


async def test_an_ephemeral_is_seen_by_one_person_who_is_in_the_channel(web, slack):
    await web.chat_postEphemeral(channel=seed.GENERAL, user=seed.GUEST, text="psst")
    assert [m.text for m in slack.person(seed.GUEST).ephemerals(seed.GENERAL)] == ["psst"]
    assert slack.person(seed.ANA).messages(seed.GENERAL) == []
    assert (await refusal(web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.GUEST, text="psst")))[
        "error"
    ] == "user_not_in_channel"
    assert (await refusal(web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="x" * 4001)))[
        "error"
    ] == "msg_too_long"


async def test_a_permalink_leads_to_the_sandbox(web, slack):
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="x"))["ts"]
    answer = await web.chat_getPermalink(channel=seed.DEPLOYS, message_ts=ts)
    assert answer["permalink"] == f"{slack.url}/archives/{seed.DEPLOYS}/p{ts.replace('.', '')}"
    assert (await refusal(web.chat_getPermalink(channel=seed.DEPLOYS, message_ts="1.1")))[
        "error"
    ] == "message_not_found"


async def test_conversations_open_and_info(web):
    opened = await web.conversations_open(users=seed.BEN)
    assert (await web.conversations_open(users=[seed.BEN]))["already_open"]
    info = await web.conversations_info(channel=opened["channel"]["id"])
    assert (info["channel"]["is_im"], info["channel"]["user"]) == (True, seed.BEN)
    assert (await web.conversations_info(channel=seed.NOBOT))["channel"]["is_member"] is False
    assert (await refusal(web.conversations_info(channel=seed.LEADS)))["error"] == "channel_not_found"


@pytest.mark.parametrize(
    ("users", "error"),
    [
        (seed.GONE, "user_disabled"),
        ("U07NOBODY00", "user_not_found"),
        ("", "users_list_not_supplied"),
        (seed.BOT_USER, "cannot_dm_bot"),
    ],
)
async def test_conversations_open_refuses(web, users, error):
    assert (await refusal(web.conversations_open(users=users)))["error"] == error


async def test_users_and_usergroups(web):
    assert (await web.users_info(user=seed.DANA))["user"]["tz_offset"] == -18000
    gone = (await web.users_info(user=seed.GONE))["user"]
    assert (gone["deleted"], "tz" in gone) == (True, False)
    assert (await web.usergroups_users_list(usergroup=seed.ONCALL))["users"] == [seed.BEN, seed.CHIDI]
    assert (await refusal(web.users_info(user="U07NOBODY00")))["error"] == "user_not_found"
    assert (await refusal(web.usergroups_users_list(usergroup="S07NONE")))["error"] == "no_such_subteam"


async def test_user_groups_are_listed_with_what_was_asked_for(web, slack):
    slack.workspace.usergroups["S07OLD00002"] = Usergroup(
        id="S07OLD00002", handle="old", name="Old", users=(), disabled=True
    )
    (plain,) = (await web.usergroups_list())["usergroups"]
    assert (plain["id"], plain["handle"], plain["name"]) == (seed.ONCALL, "oncall-leads", "On-call leads")
    assert (plain["is_usergroup"], plain["date_delete"], plain["deleted_by"]) == (True, 0, None)
    assert not {"users", "user_count"} & set(plain)
    (whole,) = (await web.usergroups_list(include_users=True, include_count=True))["usergroups"]
    assert (whole["users"], whole["user_count"]) == ([seed.BEN, seed.CHIDI], "2")
    _, disabled = (await web.usergroups_list(include_disabled=True))["usergroups"]
    assert (disabled["handle"], disabled["date_delete"] > 0, disabled["deleted_by"]) == ("old", True, seed.ANA)


async def test_blocks_validate_needs_no_token_and_exactly_one_thing(slack):
    assert (await raw(slack, "blocks.validate", json={"blocks": json.dumps([section()])}))[1] == {"ok": True}
    for args in ({}, {"blocks": "[]", "view": "{}"}):
        answer = (await raw(slack, "blocks.validate", json=args))[1]
        assert answer["error"] == "invalid_arguments"
        assert answer["response_metadata"]["messages"] == ["must provide exactly one of `blocks`, `view`, or `message`"]
    assert (await raw(slack, "blocks.validate", json={"blocks": "{bad"}))[1]["error"] == "invalid_arguments"
    assert (await raw(slack, "blocks.validate", json={"blocks": "[" + " " * 100_000}))[1][
        "error"
    ] == "invalid_arguments"


async def test_blocks_validate_lists_what_is_wrong(slack):
    bad = section(text={"type": "invalid", "text": "x"})
    answer = (await raw(slack, "blocks.validate", data={"blocks": json.dumps([bad])}))[1]
    item = {"code": "failed_constraint", "message": "unsupported type: invalid", "pointer": "/0/text/type"}
    assert answer == {
        "ok": False,
        "error": "invalid_blocks",
        "errors": [{**item, "constraint": {"type": "enum", "expected": ["plain_text", "mrkdwn"]}}],
    }
    inside = (await raw(slack, "blocks.validate", data={"message": json.dumps({"blocks": [bad]})}))[1]
    assert (inside["error"], inside["errors"][0]["pointer"]) == ("invalid_message", "/blocks/0/text/type")
    view = (await raw(slack, "blocks.validate", data={"view": json.dumps(home({"type": "header"}))}))[1]
    assert (view["error"], view["errors"][0]["code"]) == ("invalid_view", "missing_field")


async def test_every_call_is_kept_without_its_token(web, slack):
    await web.chat_postMessage(channel=seed.DEPLOYS, text="x", blocks=[actions(multi(), button())])
    call = slack.calls[-1]
    assert (call.method, call.ok, call.args["channel"], "token" in call.args) == (
        "chat.postMessage",
        True,
        seed.DEPLOYS,
        False,
    )


async def test_posting_is_paced_where_asked(clock):
    async with Sandbox(clock=clock, strict_rate=True) as slack:
        web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[])
        await web.chat_postMessage(channel=seed.DEPLOYS, text="1")
        answer = await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="2"))
        assert (answer.status_code, answer["error"], answer.headers["Retry-After"]) == (429, "ratelimited", "1")
        assert (await web.chat_postMessage(channel=seed.REPORTS, text="3"))["ok"]
        clock.advance(1.0)
        assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="4"))["ok"]
