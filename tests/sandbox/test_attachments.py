"""Blocks in attachments: completed, checked, clicked, repainted."""

import pytest
from kit import actions, button, input_block, plain, section, select
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from sandbox import seed


@pytest.fixture
def ana(slack):
    return slack.person(seed.ANA)


async def refusal(call):
    with pytest.raises(SlackApiError) as caught:
        await call
    return caught.value.response


async def post(web, *attachments, **more):
    return (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", attachments=list(attachments), **more))["ts"]


async def test_slack_counts_attachments_and_names_their_blocks(web):
    answer = await web.chat_postMessage(
        channel=seed.DEPLOYS, text="t", attachments=[{"color": "#36a64f", "blocks": [section()]}, {"text": "x"}]
    )
    first, second = answer["message"]["attachments"]
    assert (first["id"], second["id"], first["color"]) == (1, 2, "36a64f")
    assert (first["fallback"], bool(first["blocks"][0]["block_id"])) == ("[no preview available]", True)


async def test_a_click_names_the_attachment(web, app, ana):
    ts = await post(web, {"text": "x"}, {"blocks": [actions(button(), block_id="b")]}, blocks=[actions(button("own"))])
    await ana.click(seed.DEPLOYS, ts, "go")
    assert app.got[-1].payload["container"] == {
        "type": "message_attachment",
        "message_ts": ts,
        "attachment_id": 2,
        "channel_id": seed.DEPLOYS,
        "is_ephemeral": False,
        "is_app_unfurl": False,
    }
    assert app.got[-1].payload["message"]["attachments"][1]["blocks"][0]["block_id"] == "b"
    await ana.click(seed.DEPLOYS, ts, "own")
    assert app.got[-1].payload["container"]["type"] == "message"


async def test_the_state_holds_blocks_and_attachments_together(web, app, ana):
    ts = await post(web, {"blocks": [actions(select(), block_id="in")]}, blocks=[input_block(block_id="own")])
    ana.fill(seed.DEPLOYS, ts, "text", "typed")
    await ana.click(seed.DEPLOYS, ts, "pick", value="1")
    values = app.got[-1].payload["state"]["values"]
    assert (values["own"]["text"]["value"], values["in"]["pick"]["selected_option"]["value"]) == ("typed", "1")


async def test_an_external_select_in_an_attachment_asks_as_ever(web, app, ana):
    search = {"type": "external_select", "action_id": "search", "min_query_length": 0}
    ts = await post(web, {"blocks": [actions(search)]})
    app.replies({"options": [{"text": plain("One"), "value": "1"}]})
    assert len((await ana.options("search", channel=seed.DEPLOYS, ts=ts)).options) == 1
    assert app.got[-1].payload["container"]["attachment_id"] == 1


async def test_an_update_keeps_attachments_unless_it_names_them(web, slack):
    ts = await post(web, {"blocks": [section()]})
    await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="new")
    assert len(slack.workspace.message(seed.DEPLOYS, ts).attachments) == 1
    await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="new", attachments=[])
    assert slack.workspace.message(seed.DEPLOYS, ts).attachments == []


async def test_a_slow_client_clicks_in_an_attachment_that_is_gone(web, app, ana):
    ts = await post(web, {"blocks": [actions(button())]})
    await web.chat_update(channel=seed.DEPLOYS, ts=ts, text="closed", attachments=[])
    assert (await ana.click(seed.DEPLOYS, ts, "go", stale=True)).ok
    assert app.got[-1].payload["container"]["attachment_id"] == 1


@pytest.mark.parametrize("method", ["postMessage", "postEphemeral", "update"])
async def test_bad_blocks_in_an_attachment_are_refused_in_the_word_of_the_method(web, method):
    ts = await post(web, {"text": "x"})
    args = {"channel": seed.DEPLOYS, "text": "t", "attachments": [{"blocks": [section(text=None)]}]}
    more = {"update": {"ts": ts}, "postEphemeral": {"user": seed.ANA}}.get(method, {})
    answer = await refusal(web.api_call(f"chat.{method}", json=args | more))
    assert answer["error"] == ("invalid_blocks" if method == "postMessage" else "invalid_attachments")
    assert answer["errors"] == ["must provide an object [json-pointer:/attachments/0/blocks/0/text]"]


async def test_one_block_id_twice_in_a_message_is_refused_wherever_it_stands(web):
    twice = [{"blocks": [section(block_id="a")]}, {"blocks": [section(block_id="b"), section(block_id="a")]}]
    answer = await refusal(web.chat_postMessage(channel=seed.DEPLOYS, text="t", attachments=twice))
    assert answer["errors"] == ['`block_id` "a" already exists [json-pointer:/attachments/1/blocks/1/block_id]']
    own = web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=[section(block_id="a")], attachments=twice[:1])
    assert (await refusal(own))["error"] == "invalid_blocks"


async def test_texts_of_attachments_count_in_the_total_of_the_message(web):
    long = [section(text=plain("x" * 3000)) for _ in range(4)]
    assert await post(web, {"blocks": [section(text=plain("x" * 1200))]}, blocks=long)
    over = web.chat_postMessage(
        channel=seed.DEPLOYS, text="t", blocks=long, attachments=[{"blocks": [section(text=plain("x" * 1201))]}]
    )
    assert (await refusal(over))["error"] == "msg_blocks_too_long"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([{"blocks": [section()]}], "ok"),
        ([{"text": "x"}], "ok"),
        ([{"blocks": [{"type": "no"}]}], "invalid_attachments"),
        ("{bad", "invalid_attachments"),
        (["x"], "invalid_attachments"),
        ([{"text": "x"}] * 101, "too_many_attachments"),
    ],
)
async def test_a_response_url_takes_attachments(web, slack, ana, given, says):
    ts = await post(web, {"blocks": [actions(button())]})
    url = (await ana.click(seed.DEPLOYS, ts, "go")).payload["response_url"]
    answer = await AsyncWebhookClient(url).send_dict({"attachments": given, "replace_original": True})
    assert answer.body == says
    message = slack.workspace.message(seed.DEPLOYS, ts)
    assert (message.attachments[0]["id"], message.edited) == (1, says == "ok")
