"""The API on a real server, with a real client, over each store."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import aiohttp
from aiohttp import web

from bot.api.app import add_api
from bot.listed import Names
from bot.usecases.replaying import Replaying
from store.types import Key
from tests.parts import Parts


@dataclass(kw_only=True)
class Reply:
    status: int
    headers: Any
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def code(self) -> str:
        assert self.headers["Content-Type"].startswith("application/problem+json")
        return str(self.json["code"])

    @property
    def pointers(self) -> list[str]:
        return [fault["pointer"] for fault in self.json["errors"]]


class HttpsOnly:
    def problem(self, url: str) -> str | None:
        return None if url.startswith("https://") else "Only https."


@dataclass
class Toggles:
    """What readiness hangs on, to be broken by tests."""

    schema: bool = True
    last_tick: datetime | None = None


@dataclass(kw_only=True)
class Site:
    """A running API. `call` sends JSON (or raw `data`) with a key."""

    parts: Parts
    runner: web.AppRunner
    base: str
    session: aiohttp.ClientSession
    token: str
    key: Key
    toggles: Toggles = field(default_factory=Toggles)

    async def call(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, data: bytes | None = None
    ) -> Reply:
        sent = data if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token or self.token}"}
        return await self.raw(method, path, data=sent, headers=headers)

    async def raw(self, method: str, path: str, **more: Any) -> Reply:
        async with self.session.request(method, f"{self.base}{path}", **more) as response:
            return Reply(status=response.status, headers=response.headers, raw=await response.read())


def approval(**more: Any) -> dict[str, Any]:
    return {
        "run_id": "run-1",
        "operation_id": "deploy",
        "title": "Deploy v1.4",
        "tool_name": "deploy",
        "input": {"tag": "v1.4", "env": "production"},
        "channels": ["C0DEPLOY"],
        "approvers": {"users": ["U0ANA"]},
        **more,
    }


def nested(depth: int) -> Any:
    """Objects and lists by turns, so many levels of them."""
    value: Any = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def questions(**more: Any) -> dict[str, Any]:
    return {
        "run_id": "run-1",
        "operation_id": "region",
        "questions": [
            {
                "id": "region",
                "prompt": "Which region?",
                "options": [{"id": "eu", "label": "Europe"}, {"id": "us", "label": "United States"}],
            }
        ],
        "channels": ["C0DEPLOY"],
        "respondents": {"users": ["U0ANA"]},
        **more,
    }


@asynccontextmanager
async def open_site(
    parts: Parts, *, guard: Any = None, replaying: Replaying | None = None, names: Names | None = None
) -> AsyncIterator[Site]:
    toggles = Toggles(last_tick=parts.clock.now())

    async def schema_is_current() -> bool:
        return toggles.schema

    app = web.Application()
    add_api(
        app,
        service=parts.service,
        lookups=parts.lookups,
        store=parts.store,
        clock=parts.clock,
        guard=guard or HttpsOnly(),
        replaying=replaying,
        last_tick_at=lambda: toggles.last_tick,
        schema_is_current=schema_is_current,
        names=names,
    )
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    key, token = await parts.key()
    hub = asyncio.create_task(parts.hub.run(), name="hub")
    async with aiohttp.ClientSession() as session:
        yield Site(
            parts=parts,
            runner=runner,
            base=f"http://127.0.0.1:{port}",
            session=session,
            token=token,
            key=key,
            toggles=toggles,
        )
    await runner.cleanup()
    hub.cancel()
    await asyncio.gather(hub, return_exceptions=True)
