"""A Web API that answers when a test lets it, and counts how often it was asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from bot.people import Person
from bot.slack.client import SlackClient, open_session
from bot.slack.directory import SlackDirectory
from tests.clock import FakeClock

PERSON = Person(user_id="U0ANA")


class SlowSlack:
    """`reply`: what it answers. `open`: set while it answers at once."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.reply: dict[str, Any] = {"ok": True, "users": ["U0ANA"]}
        self.status = 200
        self.open = asyncio.Event()
        self.open.set()
        self._asked = asyncio.Condition()

    async def serve(self, request: web.Request) -> web.Response:
        self.calls.append(request.path.rpartition("/")[2])
        async with self._asked:
            self._asked.notify_all()
        await self.open.wait()
        return web.json_response(self.reply, status=self.status)

    async def asked(self, times: int) -> None:
        async with asyncio.timeout(10), self._asked:
            await self._asked.wait_for(lambda: len(self.calls) >= times)


@asynccontextmanager
async def serving(slack: SlowSlack) -> AsyncIterator[str]:
    """Its base address."""
    app = web.Application()
    app.router.add_route("*", "/api/{method}", slack.serve)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    await runner.cleanup()


@asynccontextmanager
async def directory(slack: SlowSlack, clock: FakeClock, *, click_budget: float) -> AsyncIterator[SlackDirectory]:
    async with serving(slack) as base, open_session() as session:
        client = SlackClient(token="xoxb-test", base_url=base, session=session)
        made = SlackDirectory(client=client, clock=clock, click_budget=click_budget)
        yield made
        await made.close()
