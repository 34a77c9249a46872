"""Every switch, by HTTP and in code, and what it does to a real client: slack_sdk's, or an app of slack_bolt."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web as http
from kit import actions, button
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import seed
from sandbox.server import Sandbox

HOW = ["in code", "by HTTP"]


async def switch(slack: Sandbox, how: str, fault: dict) -> None:
    """Turn a fault on, either way."""
    if how == "by HTTP":
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{slack.url}/sandbox/faults", json=fault) as answer,
        ):
            assert answer.status == 200, await answer.text()
    elif "delivery" in fault:
        slack.weather.add(**fault)
    elif "revoked" in fault:
        slack.faults.revoke(fault["revoked"])
    elif fault.get("socket") == "drop":
        slack.sockets.drop()
    elif "socket" in fault:
        await slack.sockets.disconnect(fault["socket"])
    else:
        slack.faults.add(**fault)


async def clear(slack: Sandbox, how: str) -> None:
    if how == "by HTTP":
        async with aiohttp.ClientSession() as session, session.delete(f"{slack.url}/sandbox/faults") as answer:
            assert answer.status == 200
    else:
        slack.faults.clear()
        slack.weather.clear()


# -- calls --------------------------------------------------------------------------------------------------------
# A fault, what slack_sdk raises, a word of it, and whether the message is there all the same.
CALLS = {
    "429": ({"status": 429, "retry_after": 9}, SlackApiError, "ratelimited", False),
    "500": ({"status": 500}, SlackClientError, "500", False),
    "503": ({"status": 503}, SlackClientError, "503", False),
    "html with 200": ({"html": True}, SlackClientError, "status: 200", False),
    "html with 502": ({"html": True, "status": 502}, SlackClientError, "status: 502", False),
    "an error": ({"error": "fatal_error"}, SlackApiError, "fatal_error", False),
    "token_revoked": ({"revoked": "bot"}, SlackApiError, "token_revoked", False),
    "a lost answer": ({"drop_reply": True}, aiohttp.ClientError, "", True),
    "down": ({"down": True}, aiohttp.ClientError, "", False),
    "late": ({"delay": 30}, TimeoutError, "", False),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", CALLS)
async def test_a_spoilt_call_is_seen_by_slacks_client_and_ends(slack, name, how) -> None:
    fault, raised, word, there = CALLS[name]
    web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[], timeout=1)
    if "revoked" not in fault:
        fault = {**fault, "method": "chat.*"}
    await switch(slack, how, fault)
    with pytest.raises(raised) as caught:
        await web.chat_postMessage(channel=seed.DEPLOYS, text="x")
    assert word in str(caught.value)
    assert [message.text for message in slack.workspace.messages(seed.DEPLOYS)] == ["x"] * there
    await clear(slack, how)
    assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="y"))["ok"]


@pytest.mark.parametrize("how", HOW)
async def test_slacks_client_waits_as_a_429_says_and_gets_through(slack, how) -> None:
    handler = AsyncRateLimitErrorRetryHandler(max_retry_count=2)
    web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[handler])
    await switch(slack, how, {"method": "chat.postMessage", "status": 429, "retry_after": 0, "times": 2})
    assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="x"))["ok"]
    assert [(call.status, call.acted) for call in slack.calls] == [(429, False), (429, False), (200, True)]


@pytest.mark.parametrize("how", HOW)
async def test_a_fault_counts_down_and_the_first_that_matches_is_used(slack, web, how) -> None:
    await switch(slack, how, {"method": "auth.*", "error": "internal_error", "times": 1})
    await switch(slack, how, {"method": "*", "error": "fatal_error", "times": 1})
    seen = []
    for _ in range(3):
        try:
            await web.auth_test()
        except SlackApiError as refused:
            seen.append(refused.response["error"])
    assert seen == ["internal_error", "fatal_error"]


# -- deliveries ---------------------------------------------------------------------------------------------------
class Bolt:
    """An app of slack_bolt that keeps what it was told to do."""

    def __init__(self, slack: Sandbox) -> None:
        self.acted: list[str] = []
        self.news = asyncio.Event()
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
        self._app = AsyncApp(client=client, signing_secret=slack.signing_secret)
        self._app.action("first")(self._on_action)
        self._app.action("second")(self._on_action)
        self._app.command("/pending")(self._on_command)
        self._app.event("app_home_opened")(self._on_event)

    async def _on_action(self, ack, body) -> None:
        self._keep(body["actions"][0]["action_id"])
        await ack()

    async def _on_command(self, ack) -> None:
        self._keep("command")
        await ack("done")

    async def _on_event(self) -> None:
        self._keep("event")

    def _keep(self, what: str) -> None:
        self.acted.append(what)
        self.news.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        runner = http.AppRunner(self._app.web_app("/slack/events"), shutdown_timeout=0.1)
        await runner.setup()
        await http.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
        finally:
            await runner.cleanup()


@pytest.fixture
async def house() -> AsyncIterator[tuple[Sandbox, Bolt, str]]:
    """A sandbox on the real clock (slack_bolt checks signatures by it), an app, and a card of two buttons."""
    async with Sandbox(ack_seconds=1.0, retry_delays=(0.0, 0.0, 0.0)) as slack:
        bolt = Bolt(slack)
        async with bolt.running() as url:
            slack.bot_url = url
            web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
            blocks = [actions(button("first"), button("second"))]
            card = await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=blocks)
            assert (await slack.person(seed.ANA).click(seed.DEPLOYS, card["ts"], "first")).ok
            bolt.acted.clear()
            bolt.news.clear()
            yield slack, bolt, card["ts"]


@pytest.mark.parametrize("how", HOW)
async def test_a_late_click_is_a_warning_and_arrives_all_the_same(house, how) -> None:
    slack, bolt, ts = house
    await switch(slack, how, {"delivery": "block_actions", "late": 1.3, "times": 1})
    outcome = await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "first")
    assert ("operation_timeout" in outcome.warning, bolt.acted) == (True, [])
    await asyncio.wait_for(bolt.news.wait(), 5)
    assert bolt.acted == ["first"]


@pytest.mark.parametrize("how", HOW)
async def test_a_dropped_click_is_a_warning_and_nothing_more(house, how) -> None:
    slack, bolt, ts = house
    await switch(slack, how, {"delivery": "block_actions", "drop": True, "times": 1})
    assert not (await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "first")).ok
    assert (await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "second")).ok
    assert bolt.acted == ["second"]


@pytest.mark.parametrize("how", HOW)
async def test_a_duplicated_click_and_a_duplicated_command_are_handled_twice(house, how) -> None:
    slack, bolt, ts = house
    await switch(slack, how, {"delivery": "*", "duplicate": True, "times": 2})
    before = len(slack.deliveries)
    assert (await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "first")).ok
    assert (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).ok
    await slack.wait_for(lambda _: len(slack.deliveries) == before + 4)
    assert sorted(bolt.acted) == ["command", "command", "first", "first"]


@pytest.mark.parametrize("how", HOW)
async def test_clicks_change_places(house, how) -> None:
    slack, bolt, ts = house
    ana = slack.person(seed.ANA)
    await switch(slack, how, {"delivery": "block_actions", "reorder": True, "times": 1})
    held = asyncio.create_task(ana.click(seed.DEPLOYS, ts, "first"))
    await asyncio.sleep(0)  # the held click has met its fault before the next one is made
    assert (await ana.click(seed.DEPLOYS, ts, "second")).ok
    assert (await held).ok
    assert bolt.acted == ["second", "first"]


@pytest.mark.parametrize("how", HOW)
async def test_a_dropped_event_comes_again_and_clears(house, how) -> None:
    slack, bolt, _ = house
    await switch(slack, how, {"delivery": "event", "drop": True, "times": 1})
    await slack.person(seed.ANA).open_home()
    await asyncio.wait_for(bolt.news.wait(), 5)
    assert (bolt.acted, slack.deliveries[-1].attempt) == (["event"], 1)
    await switch(slack, how, {"delivery": "*", "drop": True})
    await clear(slack, how)
    assert (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).ok


# -- sockets ------------------------------------------------------------------------------------------------------
@asynccontextmanager
async def socket_mode(slack: Sandbox) -> AsyncIterator[list[str]]:
    """Slack's client, which acknowledges everything; yields the kinds of what came."""
    got: list[str] = []

    async def listen(client, request) -> None:
        got.append(request.type)
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id))

    web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
    client = SocketModeClient(app_token=slack.app_token, web_client=web, ping_interval=1)
    client.socket_mode_request_listeners.append(listen)
    try:
        await client.connect()
        await slack.wait_for(lambda _: len(slack.sockets) == 1)
        yield got
    finally:
        await client.close()


def opened(slack: Sandbox) -> int:
    return sum(call.method == "apps.connections.open" and call.ok for call in slack.calls)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("reason", ["drop", "refresh_requested", "link_disabled", "warning"])
async def test_slacks_client_comes_back_after_each_kind_of_disconnect(slack, how, reason) -> None:
    async with socket_mode(slack) as got:
        await switch(slack, how, {"socket": reason})
        await slack.wait_for(lambda _: opened(slack) == 2 and len(slack.sockets) >= 1, timeout=20)
        await slack.wait_for(lambda _: len(slack.sockets) == 1, timeout=20)
        assert (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).ok
    assert got == ["slash_commands"]


@pytest.mark.parametrize("how", HOW)
async def test_a_revoked_app_token_opens_no_socket_until_it_is_good_again(slack, how) -> None:
    await switch(slack, how, {"revoked": "app"})
    web = AsyncWebClient(base_url=slack.api_url, retry_handlers=[])
    with pytest.raises(SlackApiError, match="token_revoked"):
        await web.apps_connections_open(app_token=slack.app_token)
    await clear(slack, how)
    async with socket_mode(slack):
        assert opened(slack) == 1


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    "fault", [{"delivery": "slash_command", "duplicate": True}, {"delivery": "slash_command", "late": 0.1}]
)
async def test_faults_of_deliveries_hold_for_sockets_too(slack, how, fault) -> None:
    async with socket_mode(slack) as got:
        await switch(slack, how, {**fault, "times": 1})
        assert (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).ok
        wanted = 2 if "duplicate" in fault else 1
        await slack.wait_for(lambda _: len(slack.deliveries) == wanted)
    assert got == ["slash_commands"] * wanted
