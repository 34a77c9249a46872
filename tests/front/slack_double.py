"""Slack's side of Socket Mode by script: what each connection meets, and which tickets were used."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Meet = Callable[["web.WebSocketResponse"], Awaitable[None]]


async def greet(websocket: web.WebSocketResponse) -> None:
    """Say hello, and stay until the other side closes."""
    await websocket.send_json({"type": "hello"})
    async for _ in websocket:
        pass


async def stay_silent(websocket: web.WebSocketResponse) -> None:
    async for _ in websocket:
        pass


async def turn_away(websocket: web.WebSocketResponse) -> None:
    await websocket.send_json({"type": "disconnect", "reason": "too_many_websockets"})


@dataclass
class SlackDouble:
    """`script`: what the next connections meet; None refuses the websocket. Afterwards they are greeted."""

    url: str = ""
    script: list[Meet | None] = field(default_factory=list)
    issued: int = 0
    used: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def ticket(self, request: web.Request) -> web.Response:
        self.issued += 1
        address = f"ws://{request.host}/link?ticket=t{self.issued}"
        return web.json_response({"ok": True, "url": address})

    async def link(self, request: web.Request) -> web.StreamResponse:
        self.used.put_nowait(request.query["ticket"])
        meet = self.script.pop(0) if self.script else greet
        if meet is None:
            return web.Response(status=403)
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        await meet(websocket)
        return websocket


class Talk:
    """A connection that a test talks through."""

    def __init__(self) -> None:
        self.opened: asyncio.Future[web.WebSocketResponse] = asyncio.get_running_loop().create_future()
        self.received: asyncio.Queue[object] = asyncio.Queue()
        self.closed = asyncio.Event()

    async def meet(self, websocket: web.WebSocketResponse) -> None:
        await websocket.send_json({"type": "hello"})
        self.opened.set_result(websocket)
        try:
            async for message in websocket:
                self.received.put_nowait(json.loads(message.data))
        finally:
            self.closed.set()

    async def envelope(self, id: str, payload: object) -> None:
        websocket = await self.opened
        await websocket.send_json(
            {"envelope_id": id, "type": "interactive", "payload": payload, "accepts_response_payload": True}
        )

    async def disconnect(self) -> None:
        await (await self.opened).send_json({"type": "disconnect", "reason": "refresh_requested"})


@asynccontextmanager
async def slack_double(*script: Meet | None) -> AsyncIterator[SlackDouble]:
    double = SlackDouble(script=list(script))
    served = web.Application()
    served.router.add_post("/api/apps.connections.open", double.ticket)
    served.router.add_get("/link", double.link)
    runner = web.AppRunner(served, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    double.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    try:
        yield double
    finally:
        await runner.cleanup()
