"""Socket Mode: the same requests over a websocket that we open, for workspaces that cannot reach us by HTTP."""

import asyncio
import contextlib
from datetime import datetime
from http import HTTPStatus
from typing import Any

import structlog
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import Clock
from bot.slack.front import BUDGET, Handle

log = structlog.get_logger("signoff.socket")

#: Seconds without `hello` or any other sign of life after which a connection counts as dead.
SILENCE = 30.0
#: The SDK's own close may wait for ever on a dead peer.
CLOSE_WITHIN = 5.0
_PING_EVERY = 5.0


class Socket:
    """Holds one connection; several replicas may hold one each, and any of them is right."""

    def __init__(self, *, app_token: str, base_url: str, handle: Handle, clock: Clock) -> None:
        self._app_token = app_token
        self._base_url = base_url
        self._handle = handle
        self._clock = clock
        self._working: set[asyncio.Task[None]] = set()
        self.last_envelope_at: datetime | None = None
        self.is_connected = False

    async def run(self) -> None:
        """Until cancelled. A connection that fails is thrown away whole: its ticket works once only."""
        delay = 1.0
        while True:
            try:
                await self._hold()
                delay = 1.0
            except Exception as error:  # noqa: BLE001  the SDK raises whatever its transport does
                log.warning("socket_failed", error=type(error).__name__, again_in=delay)
            self.is_connected = False
            await asyncio.sleep(delay)
            delay = min(delay * 2, 30.0)

    async def drain(self, seconds: float) -> None:
        if self._working:
            await asyncio.wait(self._working, timeout=seconds)

    async def _hold(self) -> None:
        """Connect, and stay until the connection is dead."""
        web = AsyncWebClient(base_url=self._base_url, retry_handlers=[])
        client = SocketModeClient(
            self._app_token, web_client=web, auto_reconnect_enabled=True, ping_interval=_PING_EVERY
        )
        client.socket_mode_request_listeners.append(self._received)
        try:
            await asyncio.wait_for(_connect_once(client), SILENCE)
            self.is_connected = True
            log.info("socket_connected")
            await _until_dead(client)
            log.warning("socket_dead")
        finally:
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.close(), CLOSE_WITHIN)  # type: ignore[no-untyped-call]  # the SDK's

    async def _received(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        arrived = self._clock.now()
        self.last_envelope_at = arrived
        task = asyncio.create_task(self._answer(client, request, arrived), name=f"socket.{request.envelope_id}")
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _answer(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest, arrived: datetime) -> None:
        """As over HTTP: 200 only when it is committed; anything else is no ack, and Slack tells the person."""
        try:
            status, reply = await asyncio.wait_for(asyncio.shield(self._handle(request.payload, arrived)), BUDGET)
        except Exception:
            log.exception("envelope_failed")
            return
        if status != HTTPStatus.OK:
            log.warning("envelope_refused", status=status)
            return
        payload: dict[str, Any] | None = reply if request.accepts_response_payload else None
        await client.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id, payload=payload))


async def _until_dead(client: SocketModeClient) -> None:
    """Look from time to time: the SDK has no event for a dead peer."""
    while await client.is_connected() and not await client.is_ping_pong_failing():  # noqa: ASYNC110  see above
        await asyncio.sleep(_PING_EVERY)


async def _connect_once(client: SocketModeClient) -> None:
    """One ticket, one try; the SDK's own `connect` would use a spent ticket for ever."""
    client.wss_uri = await client.issue_new_wss_url()
    await client.connect()  # type: ignore[no-untyped-call]  # the SDK's
