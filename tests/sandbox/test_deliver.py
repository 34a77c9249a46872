"""What reaches the app over HTTP, and what people see when it does not answer."""

import asyncio
import json

import pytest
from aiohttp import web as http
from kit import actions, boxes, button, input_block, multi, option, overflow, plain, radio, section, select, text_input
from slack_sdk.signature import SignatureVerifier

from sandbox import seed
from sandbox.deliver import sign
from sandbox.entries import Impossible


async def post(web, *blocks, channel=seed.DEPLOYS):
    return (await web.chat_postMessage(channel=channel, text="t", blocks=list(blocks)))["ts"]


class At:
    """The clock that Slack's verifier asks."""

    def __init__(self, clock):
        self._clock = clock

    def now(self):
        return self._clock.now()


def test_the_signature_is_slacks_own_documented_one():
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar"
        b"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
        b"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    wanted = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    assert sign("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", body) == wanted


async def test_slacks_verifier_accepts_what_is_delivered(slack, web, app, clock):
    await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending", "a b&c=ü")
    got = app.got[0]
    assert SignatureVerifier(slack.signing_secret, At(clock)).is_valid_request(got.raw, got.headers)
    assert not SignatureVerifier("another", At(clock)).is_valid_request(got.raw, got.headers)


async def test_a_click_tells_who_clicked_what_where(slack, web, app):
    ts = await post(web, section(), actions(button(value="v1", style="primary"), block_id="act"))
    assert (await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")).ok
    sent = app.got[0].payload
    assert sent["type"] == "block_actions"
    assert sent["user"] == {"id": seed.ANA, "username": "ana", "name": "ana", "team_id": seed.TEAM_ID}
    assert sent["container"] == {"type": "message", "message_ts": ts, "channel_id": seed.DEPLOYS, "is_ephemeral": False}
    assert sent["channel"] == {"id": seed.DEPLOYS, "name": "deploys"}
    assert sent["message"]["ts"] == ts
    action = sent["actions"][0]
    assert (action["value"], action["style"], action["block_id"], action["type"]) == ("v1", "primary", "act", "button")
    assert sent["response_url"].startswith(f"{slack.url}/respond/")


async def test_a_click_in_an_ephemeral_carries_no_message(slack, web, app):
    ts = (await web.chat_postEphemeral(channel=seed.DEPLOYS, user=seed.ANA, text="t", blocks=[actions(button())]))[
        "message_ts"
    ]
    await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    sent = app.got[0].payload
    assert sent["container"]["is_ephemeral"] is True
    assert "message" not in sent
    with pytest.raises(Impossible):
        await slack.person(seed.BEN).click(seed.DEPLOYS, ts, "go")


async def test_channels_have_slacks_names_in_dms(slack, web, app):
    answer = await web.chat_postMessage(channel=seed.ANA, text="t", blocks=[actions(button())])
    await slack.person(seed.ANA).click(answer["channel"], answer["ts"], "go")
    assert app.got[0].payload["channel"]["name"] == "directmessage"


async def test_the_state_of_a_message_has_every_stateful_element(slack, web, app):
    ts = await post(
        web,
        input_block(multi(initial_options=[option("0")]), block_id="m"),
        input_block(boxes(), block_id="b"),
        input_block(radio(), block_id="r"),
        input_block(text_input(initial_value="start"), block_id="t"),
        section(accessory=select(), block_id="s"),
        actions(button(), block_id="act"),
    )
    await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    assert app.got[0].payload["state"]["values"] == {
        "m": {"picks": {"type": "multi_static_select", "selected_options": []}},
        "b": {"boxes": {"type": "checkboxes", "selected_options": []}},
        "r": {"radio": {"type": "radio_buttons", "selected_option": None}},
        "t": {"text": {"type": "plain_text_input", "value": None}},
        "s": {"pick": {"type": "static_select", "selected_option": None}},
    }


async def test_what_was_filled_in_travels_with_the_next_click(slack, web, app):
    ts = await post(web, input_block(multi(), block_id="m"), input_block(text_input(), block_id="t"), actions(button()))
    ana = slack.person(seed.ANA)
    ana.fill(seed.DEPLOYS, ts, "picks", ["2", "0"])
    await ana.click(seed.DEPLOYS, ts, "go", state={"t": {"text": "a <b>"}})
    values = app.got[0].payload["state"]["values"]
    assert [chosen["value"] for chosen in values["m"]["picks"]["selected_options"]] == ["2", "0"]
    assert values["m"]["picks"]["selected_options"][0]["text"] == {
        "type": "plain_text",
        "text": "Option 2",
        "emoji": True,
    }
    assert values["t"]["text"]["value"] == "a <b>"


async def test_two_people_do_not_share_what_they_filled_in(slack, web, app):
    ts = await post(web, input_block(text_input(), block_id="t"), actions(button()))
    slack.person(seed.ANA).fill(seed.DEPLOYS, ts, "text", "hers")
    await slack.person(seed.BEN).click(seed.DEPLOYS, ts, "go")
    assert app.got[0].payload["state"]["values"]["t"]["text"]["value"] is None


async def test_a_whole_state_with_defaults_reports_only_what_was_touched(slack, web, app):
    ts = await post(
        web,
        input_block(multi(initial_options=[option("0")]), block_id="m"),
        input_block(radio(), block_id="r"),
        actions(button()),
    )
    await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go", state={"m": {"picks": ["0"]}, "r": {"radio": "1"}})
    values = app.got[0].payload["state"]["values"]
    assert values["m"]["picks"]["selected_options"] == []
    assert values["r"]["radio"]["selected_option"]["value"] == "1"


async def test_typing_survives_a_repaint_that_keeps_the_ids(slack, web, app):
    ts = await post(
        web, input_block(text_input(), block_id="t"), input_block(select(), block_id="s"), actions(button())
    )
    ana = slack.person(seed.ANA)
    ana.fill(seed.DEPLOYS, ts, "text", "mine")
    ana.fill(seed.DEPLOYS, ts, "pick", "1")
    blocks = [
        input_block(text_input(), block_id="t"),
        input_block(select(options=[option("9")]), block_id="s"),
        actions(button()),
    ]
    await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="t", blocks=blocks)
    await ana.click(seed.DEPLOYS, ts, "go")
    values = app.got[0].payload["state"]["values"]
    assert values["t"]["text"]["value"] == "mine"
    assert values["s"]["pick"]["selected_option"] is None


async def test_selects_menus_and_boxes_report_their_choice(slack, web, app):
    ts = await post(web, actions(select(placeholder=plain("Choose")), multi(), overflow(), boxes(), radio()))
    ana = slack.person(seed.ANA)
    for action_id, value in (
        ("pick", "1"),
        ("picks", ["0", "1"]),
        ("more", "1"),
        ("boxes", ["2"]),
        ("radio", "0"),
        ("picks", []),
    ):
        assert (await ana.click(seed.DEPLOYS, ts, action_id, value=value)).ok
    said = [got.payload["actions"][0] for got in app.got]
    assert (said[0]["selected_option"]["value"], said[0]["placeholder"]["text"]) == ("1", "Choose")
    assert [chosen["value"] for chosen in said[1]["selected_options"]] == ["0", "1"]
    assert said[2]["selected_option"]["value"] == "1"
    assert (said[3]["selected_options"][0]["value"], said[4]["selected_option"]["value"]) == ("2", "0")
    assert said[5]["selected_options"] == []
    assert (
        app.got[4].payload["state"]["values"][said[1]["block_id"]]["picks"]["selected_options"]
        == said[1]["selected_options"]
    )


async def test_nobody_can_choose_what_is_not_on_offer_unless_forged(slack, web, app):
    ts = await post(web, actions(select(), button(value="v")))
    ana = slack.person(seed.ANA)
    for action_id, value in (("pick", "9"), ("go", "other"), ("nothing", None)):
        with pytest.raises(Impossible):
            await ana.click(seed.DEPLOYS, ts, action_id, value=value)
    assert app.got == []
    assert (await ana.click(seed.DEPLOYS, ts, "go", value="other", forge=True)).ok
    assert (await ana.click(seed.DEPLOYS, ts, "pick", value="9", forge=True)).ok
    assert (await ana.click(seed.DEPLOYS, ts, "nothing", value="x", forge=True)).ok
    said = [got.payload["actions"][0] for got in app.got]
    assert (said[0]["value"], said[1]["selected_option"]["value"], said[2]["value"]) == ("other", "9", "x")


async def test_a_slow_client_clicks_what_was_repainted_away(slack, web, app):
    ts = await post(web, actions(button(value="old")))
    await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="t", blocks=[section()])
    ana = slack.person(seed.ANA)
    with pytest.raises(Impossible):
        await ana.click(seed.DEPLOYS, ts, "go")
    assert (await ana.click(seed.DEPLOYS, ts, "go", stale=True)).ok
    slack.workspace.delete(slack.workspace.message(seed.DEPLOYS, ts))
    assert (await ana.click(seed.DEPLOYS, ts, "go", stale=True)).ok
    assert app.got[0].payload["actions"][0]["value"] == "old"
    assert "message" not in app.got[1].payload
    assert app.got[1].payload["container"]["message_ts"] == ts


async def test_who_cannot_see_a_channel_cannot_click_in_it(slack, web):
    dm = await web.chat_postMessage(channel=seed.ANA, text="t", blocks=[actions(button())])
    with pytest.raises(Impossible):
        await slack.person(seed.BEN).click(dm["channel"], dm["ts"], "go")
    with pytest.raises(Impossible):
        slack.person(seed.GONE)


async def test_an_app_that_does_not_answer_in_time_makes_a_warning(slack, web, app):
    never = asyncio.Event()

    async def hang(_):
        await never.wait()

    app.answer = hang
    ts = await post(web, actions(button()))
    ana = slack.person(seed.ANA)
    outcome = await ana.click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, outcome.status, outcome.delivery.failure) == (False, None, "operation_timeout")
    assert [notice.text for notice in ana.notices] == [outcome.warning]
    assert outcome.elapsed >= 0.5
    assert len(app.got) == 1


@pytest.mark.parametrize("status", [201, 302, 404, 500])
async def test_anything_but_200_makes_a_warning_and_is_not_repeated(slack, web, app, status):
    app.replies("no", status=status)
    outcome = await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")
    assert (outcome.ok, outcome.status) == (False, status)
    assert len(app.got) == 1


async def test_without_an_app_people_are_told(slack):
    slack.bot_url = None
    outcome = await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")
    assert outcome.warning == "No app is connected to this workspace."
    slack.bot_url = "http://127.0.0.1:9/slack/events"
    assert (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).delivery.failure == "dispatch_failed"


async def test_a_slash_command_has_slacks_fields(slack, app):
    await slack.person(seed.BEN).command(seed.DEPLOYS, "/pending", "payload size")
    sent = app.got[0].payload
    assert (sent["command"], sent["text"], sent["channel_name"], sent["user_name"]) == (
        "/pending",
        "payload size",
        "deploys",
        "ben",
    )
    assert {
        "token",
        "team_id",
        "team_domain",
        "response_url",
        "trigger_id",
        "api_app_id",
        "is_enterprise_install",
    } <= set(sent)


async def test_the_answer_to_a_command_is_private_unless_it_says_otherwise(slack, app):
    ben = slack.person(seed.BEN)
    app.replies("just text")
    await ben.command(seed.DEPLOYS, "/pending")
    app.replies({"text": "for all", "response_type": "in_channel"})
    await ben.command(seed.DEPLOYS, "/pending")
    app.replies("")
    await ben.command(seed.DEPLOYS, "/pending")
    assert [m.text for m in ben.ephemerals(seed.DEPLOYS)] == ["just text"]
    assert [m.text for m in slack.workspace.messages(seed.DEPLOYS)] == ["for all"]


async def test_a_bad_answer_to_a_command_is_shown_as_such(slack, app):
    app.replies({"text": "x", "blocks": [actions(button("a"), button("a"))]})
    outcome = await slack.person(seed.BEN).command(seed.DEPLOYS, "/pending")
    assert outcome.warning == '/pending failed with the error "invalid_command_response"'
    assert (
        await slack.person(seed.BEN).command(seed.DEPLOYS, "/unknown")
    ).warning == "/unknown is not a valid command."


async def test_events_come_again_until_they_are_acknowledged(slack, app):
    async def second_time(got):
        return http.Response(status=200 if "X-Slack-Retry-Num" in got.headers else 503)

    app.answer = second_time
    assert not (await slack.person(seed.ANA).open_home()).ok
    await slack.wait_for(lambda _: len(slack.deliveries) == 2)
    assert app.got[1].headers["X-Slack-Retry-Num"] == "1"
    assert app.got[1].headers["X-Slack-Retry-Reason"] == "http_error"
    assert app.got[0].raw == app.got[1].raw
    assert json.loads(app.got[0].raw)["event"]["type"] == "app_home_opened"


async def test_an_app_can_ask_not_to_be_sent_an_event_again(slack, app):
    async def once(got):
        return http.Response(
            status=503, headers={"X-Slack-No-Retry": "1"} if "X-Slack-Retry-Num" in got.headers else {}
        )

    app.answer = once
    await slack.person(seed.ANA).open_home()
    await slack.wait_for(lambda _: len(slack.deliveries) == 2)
    assert slack.deliveries[-1].failure == "no_retry"


async def test_a_message_of_a_person_is_no_secret(slack):
    slack.person(seed.ANA).say(seed.GENERAL, "hello")
    assert [m.text for m in slack.person(seed.GUEST).messages(seed.GENERAL)] == ["hello"]
