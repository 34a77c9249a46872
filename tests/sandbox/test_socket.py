"""Socket Mode, through Slack's own client where it behaves, through a bare websocket where a test needs to misbehave."""

import asyncio
import json
from contextlib import asynccontextmanager

import aiohttp
import pytest
from kit import actions, button, input_block, modal, plain
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import seed
from sandbox.entries import Impossible


@pytest.fixture
def ana(slack):
    return slack.person(seed.ANA)


@asynccontextmanager
async def official(slack, payload=None):
    """Slack's client, acknowledging everything with `payload`; yields what it received."""
    got = []

    async def listen(client, request):
        got.append(request)
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id, payload=payload))

    web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    client = SocketModeClient(app_token=slack.app_token, web_client=web, ping_interval=30)
    client.socket_mode_request_listeners.append(listen)
    try:
        await client.connect()
        await slack.wait_for(lambda _: len(slack.sockets) > 0)
        yield got
    finally:
        await client.close()


async def ticket(slack):
    web = AsyncWebClient(token=slack.app_token, base_url=slack.api_url)
    return (await web.apps_connections_open(app_token=slack.app_token))["url"]


@asynccontextmanager
async def bare(slack):
    async with aiohttp.ClientSession() as http, http.ws_connect(await ticket(slack)) as ws:
        hello = await ws.receive_json()
        assert hello["type"] == "hello"
        yield ws


async def test_slacks_client_receives_clicks_instead_of_the_url(slack, web, app, ana):
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=[actions(button(value="v"))]))["ts"]
    async with official(slack) as got:
        outcome = await ana.click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, outcome.status, outcome.delivery.via) == (True, 200, "socket")
    assert (got[0].type, got[0].payload["actions"][0]["value"], got[0].accepts_response_payload) == (
        "interactive",
        "v",
        False,
    )
    assert app.got == []


async def test_a_command_may_be_answered_in_the_ack(slack, ana):
    async with official(slack, {"text": "list"}) as got:
        await ana.command(seed.DEPLOYS, "/pending", "mine")
    assert (got[0].type, got[0].payload["text"], got[0].accepts_response_payload) == ("slash_commands", "mine", True)
    assert [m.text for m in ana.ephemerals(seed.DEPLOYS)] == ["list"]


async def test_a_submission_may_be_answered_in_the_ack(slack, web, ana):
    async with official(slack, {"response_action": "errors", "errors": {"t": "No."}}):
        trigger = (await ana.command(seed.DEPLOYS, "/pending")).payload["trigger_id"]
        await web.views_open(trigger_id=trigger, view=modal(input_block(block_id="t"), submit=plain()))
        outcome = await ana.submit(state={"t": {"text": "x"}})
    assert outcome.errors == {"t": "No."}


async def test_a_payload_that_nobody_wanted_is_ignored(slack, web, ana):
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=[actions(button())]))["ts"]
    async with official(slack, {"text": "surprise"}):
        outcome = await ana.click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, outcome.body) == (True, "")


async def test_a_ticket_opens_one_socket(slack):
    url = await ticket(slack)
    async with aiohttp.ClientSession() as http:
        async with http.ws_connect(url) as ws:
            hello = await ws.receive_json()
            assert (hello["type"], hello["num_connections"], hello["connection_info"]) == (
                "hello",
                1,
                {"app_id": seed.APP_ID},
            )
        for bad in (url, url.split("?")[0]):
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await http.ws_connect(bad)


async def test_the_eleventh_socket_is_turned_away(slack):
    async with aiohttp.ClientSession() as http:
        held = [await http.ws_connect(await ticket(slack)) for _ in range(10)]
        assert [(await ws.receive_json())["type"] for ws in held] == ["hello"] * 10
        ws = await http.ws_connect(await ticket(slack))
        assert (await ws.receive_json())["reason"] == "too_many_websockets"
        assert (await ws.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_pings_are_answered(slack):
    async with aiohttp.ClientSession() as http, http.ws_connect(await ticket(slack), autoping=False) as ws:
        await ws.receive_json()
        await ws.ping(b"sdk-ping-pong:1")
        answer = await ws.receive()
        assert (answer.type, answer.data) == (aiohttp.WSMsgType.PONG, b"sdk-ping-pong:1")


async def test_sockets_take_turns(slack, ana):
    async with bare(slack) as one, bare(slack) as two:
        for ws in (one, two, one):
            command = asyncio.create_task(ana.command(seed.DEPLOYS, "/pending"))
            envelope = await ws.receive_json()
            await ws.send_json({"envelope_id": envelope["envelope_id"]})
            assert (await command).ok


async def test_an_interaction_without_ack_is_a_warning_and_is_not_repeated(slack, ana):
    async with bare(slack) as ws:
        outcome = await ana.command(seed.DEPLOYS, "/pending")
        assert (outcome.ok, outcome.delivery.failure) == (False, "operation_timeout")
        await ws.receive_json()
        with pytest.raises(TimeoutError):
            await ws.receive(timeout=0.6)


async def test_an_event_without_ack_comes_again_on_any_socket(slack, ana):
    async with bare(slack) as one, bare(slack) as two:
        opening = asyncio.create_task(ana.open_home())
        first = await one.receive_json()
        assert (first["type"], first["retry_attempt"], first["retry_reason"], first["accepts_response_payload"]) == (
            "events_api",
            0,
            "",
            False,
        )
        again = await two.receive_json()
        assert (again["retry_attempt"], again["retry_reason"], again["payload"]) == (1, "timeout", first["payload"])
        await two.send_json({"envelope_id": again["envelope_id"]})
        assert not (await opening).ok
        await slack.wait_for(lambda _: slack.deliveries and slack.deliveries[-1].ok)


async def test_noise_from_the_app_does_no_harm(slack, ana):
    async with bare(slack) as ws:
        for noise in ("{bad", "[]", "5", json.dumps({"envelope_id": "unknown"}), json.dumps({"envelope_id": []})):
            await ws.send_str(noise)
        command = asyncio.create_task(ana.command(seed.DEPLOYS, "/pending"))
        envelope = await ws.receive_json()
        await ws.send_json({"envelope_id": envelope["envelope_id"], "payload": {"text": "fine"}})
        assert (await command).ok


async def test_a_socket_that_breaks_fails_what_waits_on_it(slack, ana):
    async with bare(slack) as ws:
        command = asyncio.create_task(ana.command(seed.DEPLOYS, "/pending"))
        await ws.receive_json()
        slack.sockets.drop()
        assert (await command).delivery.failure == "dispatch_failed"


async def test_slacks_client_comes_back_after_a_disconnect(slack, ana):
    async with official(slack) as got:
        await slack.sockets.disconnect("refresh_requested")
        await slack.wait_for(lambda _: len(slack.sockets) == 1, timeout=20)
        assert (await ana.command(seed.DEPLOYS, "/pending")).ok
    assert len(got) == 1


async def test_a_warning_comes_before_the_end_and_closes_nothing(slack, ana):
    async with bare(slack) as ws:
        await slack.sockets.disconnect("warning")
        assert (await ws.receive_json())["reason"] == "warning"
        command = asyncio.create_task(ana.command(seed.DEPLOYS, "/pending"))
        envelope = await ws.receive_json()
        await ws.send_json({"envelope_id": envelope["envelope_id"]})
        assert (await command).ok


async def test_sockets_can_be_disturbed_over_http(slack):
    async with aiohttp.ClientSession() as http, bare(slack) as ws:
        for how, status in (("nonsense", 400), ("link_disabled", 200)):
            async with http.post(f"{slack.url}/sandbox/faults", json={"socket": how}) as answer:
                assert answer.status == status
        assert (await ws.receive_json())["reason"] == "link_disabled"
        assert (await ws.receive()).type is aiohttp.WSMsgType.CLOSE


async def test_without_a_socket_deliveries_go_to_the_url_again(slack, app, ana):
    async with bare(slack):
        pass
    await slack.wait_for(lambda _: len(slack.sockets) == 0)
    assert (await ana.command(seed.DEPLOYS, "/pending")).ok
    assert len(app.got) == 1


async def test_the_bot_token_opens_no_socket(slack):
    web = AsyncWebClient(base_url=slack.api_url)
    with pytest.raises(Exception, match="not_allowed_token_type"):
        await web.apps_connections_open(app_token=slack.bot_token)
    with pytest.raises(Impossible):
        slack.person(seed.BOT_USER)
