"""Socket Mode: the same requests over a websocket that we open, for workspaces that cannot reach us by HTTP."""

import asyncio
from datetime import datetime

import aiohttp
import structlog
from prometheus_client import CollectorRegistry, Gauge
from slack_sdk.web.async_client import AsyncWebClient

from bot.clock import Clock
from bot.slack.answering import Answer
from bot.slack.connection import Connection
from bot.tasks import TaskSet

log = structlog.get_logger("signoff.socket")

#: Seconds for a ticket, the websocket and Slack's `hello`, all in all.
PATIENCE = 30.0
#: A connection that lasted so long was a good one: the next is opened at once.
STEADY = 30.0
#: Seconds until a failed connection is tried again: the first time, and the most.
_PAUSE, _LONGEST_PAUSE = 1.0, 30.0


class Socket:
    """Holds one connection; several replicas may hold one each, and any of them is right.

    Not the SDK's client: that uses a spent ticket for ever, acknowledges on whatever websocket is there by then, and
    closes without waiting for what is being answered.
    """

    def __init__(
        self, *, app_token: str, base_url: str, answer: Answer, clock: Clock, patience: float = PATIENCE
    ) -> None:
        self._app_token = app_token
        self._base_url = base_url
        self._answer = answer
        self._clock = clock
        self._patience = patience
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None, connect=patience))
        self._current: Connection | None = None
        self._open: set[Connection] = set()
        self._holding = TaskSet()
        self._reading = TaskSet()
        self._last_envelope_at: datetime | None = None

    @property
    def is_connected(self) -> bool:
        """Whether Slack has greeted the connection that we hold, and has not taken leave of it."""
        return self._current is not None and not self._current.over.is_set()

    @property
    def last_envelope_at(self) -> datetime | None:
        return self._last_envelope_at

    def show(self, registry: CollectorRegistry) -> None:
        """Add what an operator wants to see of it to the metrics."""
        connected = Gauge("signoff_socket_connected", "Whether Socket Mode is connected", registry=registry)
        connected.set_function(lambda: float(self.is_connected))
        last = Gauge("signoff_socket_last_envelope_seconds", "Unix time of the last envelope, or 0", registry=registry)
        last.set_function(lambda: 0.0 if self._last_envelope_at is None else self._last_envelope_at.timestamp())

    def start(self) -> None:
        self._holding.start("socket", self._run())

    async def stop(self, seconds: float) -> None:
        """Take nothing new, let what is being answered be answered for so long, and only then close."""
        for connection in self._open:
            connection.take_no_more()
        await self._holding.cancel()
        await asyncio.gather(*(connection.leave(seconds) for connection in list(self._open)))
        await self._reading.cancel()
        await self._session.close()

    async def _run(self) -> None:
        """Until cancelled. A connection that fails is thrown away whole: its ticket works once only."""
        loop = asyncio.get_running_loop()
        pause = _PAUSE
        while True:
            began = loop.time()
            try:
                self._current = await self._connect()
                log.info("socket_connected")
                await self._current.over.wait()
                if self._current.reason is None:
                    log.warning("socket_dead")
                else:
                    log.info("socket_refreshed", reason=self._current.reason)
            except Exception as error:  # noqa: BLE001  whatever it is, the next ticket is another try
                log.warning("socket_failed", error=type(error).__name__, again_in=pause)
            if loop.time() - began >= STEADY and self._current is not None:
                pause = _PAUSE
            else:
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            self._current = None

    async def _connect(self) -> Connection:
        """One ticket, one try."""
        async with asyncio.timeout(self._patience):
            web = AsyncWebClient(base_url=self._base_url, session=self._session, retry_handlers=[])
            ticket = await web.apps_connections_open(app_token=self._app_token)
            websocket = await self._session.ws_connect(str(ticket["url"]), heartbeat=Connection.HEARTBEAT)
        connection = Connection(websocket, answer=self._answered)
        self._open.add(connection)
        self._reading.start("socket.read", self._read(connection))
        try:
            await connection.greeted(within=self._patience)
        except BaseException:
            # Cut off or never greeted: nobody else holds it.
            await connection.leave(0)
            raise
        return connection

    async def _read(self, connection: Connection) -> None:
        try:
            await connection.read()
        finally:
            self._open.discard(connection)

    async def _answered(self, payload: dict[str, object]) -> dict[str, object] | None:
        self._last_envelope_at = arrived = self._clock.now()
        return await self._answer(payload, arrived)
