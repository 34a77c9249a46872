"""A dispatcher at work, and a receiver of webhooks."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from aiohttp import web
from aiohttp.abc import AbstractResolver

from bot.resume import Handlers
from bot.resume.courier import Courier
from bot.resume.dispatcher import Dispatcher
from bot.resume.guard import AddressGuard
from bot.resume.webhook import WebhookSender
from store.types import Interaction
from tests.parts import Parts

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
OLD_SECRET = "whsec_" + base64.b64encode(b"fedcba9876543210fedcba9876543210").decode()
LOOPBACK = AddressGuard(allow=("127.0.0.0/8",))


@asynccontextmanager
async def dispatching(
    parts: Parts, *handlers: Any, webhooks: Courier | None = None, **more: Any
) -> AsyncIterator[Dispatcher]:
    dispatcher = Dispatcher(
        **{
            "store": parts.store,
            "service": parts.service,
            "clock": parts.clock,
            "hub": parts.hub,
            "handlers": Handlers(handlers),
            "webhooks": webhooks,
            "jitter": lambda: 0.0,
            **more,
        }
    )
    running = asyncio.create_task(dispatcher.run(), name="dispatcher")
    try:
        yield dispatcher
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await dispatcher.drain(5)


@asynccontextmanager
async def sending(
    parts: Parts,
    *,
    secrets: Sequence[str] = (SECRET, OLD_SECRET),
    guard: AddressGuard = LOOPBACK,
    resolver: AbstractResolver | None = None,
    total: float = 15,
    store: Any = None,
) -> AsyncIterator[Courier]:
    """What sends webhooks."""
    async with WebhookSender(secrets=secrets, guard=guard, clock=parts.clock, resolver=resolver, total=total) as sender:
        yield Courier(store=store or parts.store, sender=sender, clock=parts.clock)


async def now(parts: Parts, asked: Interaction) -> Any:
    found = await parts.store.find_interaction(tenant=asked.tenant, id=asked.id)
    assert found is not None
    return found


async def owed(parts: Parts, *, handlers: tuple[str, ...] = ("deploy",), after: timedelta = timedelta(0)) -> list[str]:
    """What a worker could lease then; the leases taken by looking lapse at once."""
    at = parts.clock.now() + after
    leased = await parts.store.lease_resumptions(now=at, until=at, limit=100, handlers=handlers, webhooks=True)
    return [each.interaction.id for each in leased]


@dataclass
class Got:
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Receiver:
    """Answers with what is in `script`, then with 204."""

    url: str = ""
    script: list[Answer] = field(default_factory=list)
    arrived: asyncio.Queue[Got] = field(default_factory=asyncio.Queue)
    hits: int = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.hits += 1
        self.arrived.put_nowait(Got(headers=dict(request.headers), body=await request.read()))
        answer = self.script.pop(0) if self.script else status(204)
        return await answer(request)


def status(code: int, **headers: str) -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(
            status=code,
            reason="hostile reason",
            text=None if code == 204 else "hostile body",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    return answer


@asynccontextmanager
async def receiving(*script: Answer) -> AsyncIterator[Receiver]:
    receiver = Receiver(script=list(script))
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", receiver.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    receiver.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    try:
        yield receiver
    finally:
        await runner.cleanup()
