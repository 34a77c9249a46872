"""A small real app on aiohttp that the sandbox delivers to: it keeps what it got and answers what a test says."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qs

from aiohttp import web


@dataclass(slots=True)
class Got:
    headers: dict[str, str]
    raw: bytes

    @property
    def payload(self) -> Any:
        text = self.raw.decode()
        if self.headers["Content-Type"].startswith("application/json"):
            return json.loads(text)
        fields = {key: values[0] for key, values in parse_qs(text, keep_blank_values=True).items()}
        return json.loads(fields["payload"]) if "payload" in fields else fields


Answer = Callable[[Got], Awaitable[web.Response]]


async def ok(_: Got) -> web.Response:
    return web.Response()


@dataclass(slots=True)
class App:
    """`answer` may be replaced at any time."""

    answer: Answer = ok
    got: list[Got] = field(default_factory=list)
    url: str = ""
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/slack/events", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/slack/events"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.Response:
        got = Got(dict(request.headers), await request.read())
        self.got.append(got)
        return await self.answer(got)

    def replies(self, body: Any, status: int = 200) -> None:
        """Answer everything with this: text, or JSON from a dict."""

        async def answer(_: Got) -> web.Response:
            if isinstance(body, str):
                return web.Response(text=body, status=status)
            return web.json_response(body, status=status)

        self.answer = answer
