"""A proxy between a client and the service that loses replies: the request arrived, and nobody says so."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web


class Cutter:
    """Forwards to `upstream`, which tests may move. `lose("claim", 2)`: the next two replies to such paths are cut."""

    def __init__(self, upstream: str) -> None:
        self.upstream = upstream
        self.url = ""
        self.passed: list[str] = []
        self._losing: dict[str, int] = {}

    def lose(self, ending: str, times: int = 1) -> None:
        self._losing[ending] = times

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Cutter"]:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._pass)
        runner = web.AppRunner(app, shutdown_timeout=1)
        async with aiohttp.ClientSession() as self._session:
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            try:
                yield self
            finally:
                await runner.cleanup()

    async def _pass(self, request: web.Request) -> web.Response:
        sent = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() != "host"}
        try:
            async with self._session.request(
                request.method, f"{self.upstream}{request.path_qs}", data=sent or None, headers=headers
            ) as reply:
                body = await reply.read()
        except aiohttp.ClientError:
            return self._cut(request)
        self.passed.append(f"{request.method} {request.path}")
        if self._is_lost(request.path):
            return self._cut(request)
        return web.Response(status=reply.status, body=body, content_type=reply.content_type)

    def _is_lost(self, path: str) -> bool:
        ending = next((each for each, left in self._losing.items() if left and path.endswith(each)), None)
        if ending is None:
            return False
        self._losing[ending] -= 1
        return True

    def _cut(self, request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()
