"""response_urls."""

import aiohttp
import pytest
from kit import actions, button, header, plain, section
from slack_sdk.webhook.async_client import AsyncWebhookClient

from sandbox import seed


@pytest.fixture
def ana(slack):
    return slack.person(seed.ANA)


async def clicked(web, ana, *, private=False):
    """(ts, response_url) of a click on a message."""
    post = web.chat_postEphemeral if private else web.chat_postMessage
    more = {"user": seed.ANA} if private else {}
    answer = await post(channel=seed.DEPLOYS, text="card", blocks=[actions(button())], **more)
    ts = answer["message_ts" if private else "ts"]
    return ts, (await ana.click(seed.DEPLOYS, ts, "go")).payload["response_url"]


async def test_slacks_webhook_client_gets_ok(web, ana):
    _, url = await clicked(web, ana)
    answer = await AsyncWebhookClient(url).send(text="note")
    assert (answer.status_code, answer.body) == (200, "ok")


async def test_the_default_is_a_private_note_beside_the_card(slack, web, ana):
    ts, url = await clicked(web, ana)
    await AsyncWebhookClient(url).send(text="note", replace_original=False)
    assert [m.text for m in ana.ephemerals(seed.DEPLOYS)] == ["note"]
    assert slack.workspace.message(seed.DEPLOYS, ts).text == "card"


async def test_in_channel_is_seen_by_all(slack, web, ana):
    _, url = await clicked(web, ana)
    await AsyncWebhookClient(url).send(text="note", response_type="in_channel")
    assert slack.workspace.messages(seed.DEPLOYS)[-1].text == "note"


@pytest.mark.parametrize("private", [False, True])
async def test_the_original_can_be_replaced_and_deleted(slack, web, ana, private):
    ts, url = await clicked(web, ana, private=private)
    await AsyncWebhookClient(url).send(text="new", replace_original=True, response_type="in_channel")
    message = slack.workspace.message(seed.DEPLOYS, ts)
    assert (message.text, message.blocks, message.ephemeral_to) == ("new", [], seed.ANA if private else None)
    assert (await AsyncWebhookClient(url).send(delete_original=True)).status_code == 200
    assert message.deleted
    assert (await AsyncWebhookClient(url).send(delete_original=True)).status_code == 404


async def test_after_a_command_there_is_no_original(slack, ana):
    url = (await ana.command(seed.DEPLOYS, "/pending")).payload["response_url"]
    for text in ("one", "two"):
        await AsyncWebhookClient(url).send(text=text, replace_original=True)
    assert [m.text for m in ana.ephemerals(seed.DEPLOYS)] == ["one", "two"]


async def test_it_works_where_the_bot_is_no_member(slack, ana):
    url = (await ana.command(seed.NOBOT, "/pending")).payload["response_url"]
    assert (await AsyncWebhookClient(url).send(text="note")).body == "ok"


async def test_five_uses_and_no_sixth(web, ana):
    _, url = await clicked(web, ana)
    answers = [await AsyncWebhookClient(url).send(text="note") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [404]
    assert answers[-1].body == "used_url"


async def test_thirty_minutes_and_no_longer(web, ana, clock):
    _, url = await clicked(web, ana)
    clock.advance(1800)
    assert (await AsyncWebhookClient(url).send(text="note")).status_code == 200
    clock.advance(0.001)
    answer = await AsyncWebhookClient(url).send(text="note")
    assert (answer.status_code, answer.body) == (404, "expired_url")


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"text": "x", "blocks": [section(text=plain(""))]}, "invalid_blocks"),
        ({"text": "x", "blocks": "{bad"}, "invalid_blocks"),
        ({"text": ""}, "no_text"),
        ({"text": 5}, "invalid_payload"),
        ([], "invalid_payload"),
    ],
)
async def test_a_bad_body_is_400_and_one_bare_word(web, ana, body, text):
    _, url = await clicked(web, ana)
    async with aiohttp.ClientSession() as http, http.post(url, json=body) as answer:
        assert (answer.status, await answer.text()) == (400, text)


async def test_the_total_of_a_message_does_not_count_here(web, ana):
    _, url = await clicked(web, ana)
    blocks = [header(), *[section(text=plain("x" * 3000)) for _ in range(5)]]
    assert (await AsyncWebhookClient(url).send(text="t", blocks=blocks)).body == "ok"


async def test_an_address_that_was_never_made(slack):
    assert (await AsyncWebhookClient(f"{slack.url}/respond/none").send(text="x")).status_code == 404
