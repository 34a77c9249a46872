"""The Socket Mode server: tickets, hello, envelopes round robin, acks."""

import asyncio
import itertools
import json
import uuid
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import WSMsgType, web

from sandbox import seed
from sandbox.core import Core
from sandbox.model import Json

LIMIT: Final = 10
PING_SECONDS: Final = 10.0
REASONS: Final = ("warning", "refresh_requested", "link_disabled")


@dataclass(frozen=True, slots=True)
class Ack:
    """`payload` is None where the app sent none or none was wanted."""

    payload: Any


@dataclass(slots=True, eq=False)
class _Connection:
    ws: web.WebSocketResponse
    transport: asyncio.Transport | None
    waiting: dict[str, asyncio.Future[Any]] = field(default_factory=dict)

    def acked(self, envelope_id: Any, payload: Any) -> None:
        future = self.waiting.get(envelope_id) if isinstance(envelope_id, str) else None
        if future is not None and not future.done():
            future.set_result(payload)

    def lost(self) -> None:
        for future in self.waiting.values():
            if not future.done():
                future.set_exception(ConnectionResetError("the socket was closed"))


class Sockets:
    """All connected sockets of the app. Each envelope goes to exactly one of them."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._open: list[_Connection] = []
        self._turn = itertools.count()

    def __len__(self) -> int:
        return len(self._open)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if not self._core.tickets.spend(request.query.get("ticket", "")):
            raise web.HTTPForbidden(text="invalid ticket")
        ws = web.WebSocketResponse(heartbeat=PING_SECONDS)
        await ws.prepare(request)
        if len(self._open) >= LIMIT:
            await ws.send_json(self._disconnect("too_many_websockets"))
            await ws.close()
            return ws
        connection = _Connection(ws, request.transport)
        self._open.append(connection)
        try:
            await ws.send_json(self._hello())
            self._core.workspace.wake()
            await self._listen(connection)
        finally:
            if connection in self._open:
                self._open.remove(connection)
            connection.lost()
            self._core.workspace.wake()
        return ws

    async def _listen(self, connection: _Connection) -> None:
        async for message in connection.ws:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                body = json.loads(message.data)
            except ValueError:
                continue
            if isinstance(body, dict):
                connection.acked(body.get("envelope_id"), body.get("payload"))

    async def deliver(self, kind: str, payload: Json, *, accepts: bool, attempt: int = 0) -> Ack:
        """Send one envelope to the next socket and wait for its ack.

        `kind`: interactive, slash_commands or events_api. Raises TimeoutError after `ack_seconds`, ConnectionError
        when the socket goes away first.
        """
        if not self._open:
            raise ConnectionResetError("no socket is connected")
        connection = self._open[next(self._turn) % len(self._open)]
        envelope: Json = {
            "envelope_id": str(uuid.uuid4()),
            "type": kind,
            "payload": payload,
            "accepts_response_payload": accepts,
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": "timeout" if attempt else ""}
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        connection.waiting[envelope["envelope_id"]] = future
        try:
            async with asyncio.timeout(self._core.settings.ack_seconds):
                await connection.ws.send_json(envelope)
                answer = await future
        finally:
            connection.waiting.pop(envelope["envelope_id"], None)
            future.cancel()
        return Ack(answer if accepts else None)

    async def disconnect(self, reason: str = "refresh_requested", *, close: bool | None = None) -> None:
        """Tell every socket to reconnect (`warning`, `refresh_requested`, `link_disabled`), and close it: a warning comes
        before that, so it closes nothing. `close` says otherwise.
        """
        close = reason != "warning" if close is None else close
        for connection in list(self._open):
            await connection.ws.send_json(self._disconnect(reason))
            if close:
                self._open.remove(connection)
                await connection.ws.close()

    def drop(self) -> None:
        """Cut every socket without a word, as a broken network does."""
        for connection in list(self._open):
            if connection.transport is not None:
                connection.transport.abort()

    async def close(self) -> None:
        for connection in list(self._open):
            await connection.ws.close(code=1001, message=b"going away")

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self._open),
            "connection_info": {"app_id": seed.APP_ID},
            "debug_info": {"host": "sandbox", "build_number": 1, "approximate_connection_time": 18060},
        }

    def _disconnect(self, reason: str) -> Json:
        return {
            "type": "disconnect",
            "reason": reason,
            "num_connections": len(self._open),
            "debug_info": {"host": "sandbox"},
            "connection_info": {"app_id": seed.APP_ID},
        }
