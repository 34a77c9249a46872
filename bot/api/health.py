"""Is it alive, is it ready. Slack plays no part: a click decides while Slack's Web API is down."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog
from aiohttp import web

from bot.clock import Clock
from store.protocol import Store

log = structlog.get_logger("signoff.health")

#: A ticker that has not ticked for so long is dead or starved.
TICK_AGE = timedelta(seconds=60)
#: Seconds that the database has to answer in.
PATIENCE = 2.0


class Health:
    """`last_tick_at`: None in a process without a ticker. `schema_is_current`: None where an old one never opens."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        last_tick_at: Callable[[], datetime | None] | None = None,
        schema_is_current: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._last_tick_at = last_tick_at
        self._schema_is_current = schema_is_current or _opened

    async def healthz(self, _: web.Request) -> web.Response:
        """The process answers; nothing else is asked."""
        return web.json_response({"status": "ok"})

    async def readyz(self, _: web.Request) -> web.Response:
        checks = {
            "database": await self._holds("database", self._ping),
            "schema": await self._holds("schema", self._schema_is_current),
            "tick": self._ticks(),
        }
        ready = all(checks.values())
        words = {name: "ok" if holds else "failed" for name, holds in checks.items()}
        return web.json_response({"ready": ready, "checks": words}, status=200 if ready else 503)

    async def _ping(self) -> bool:
        await self._store.ping()
        return True

    async def _holds(self, name: str, check: Callable[[], Awaitable[bool]]) -> bool:
        try:
            return await asyncio.wait_for(check(), PATIENCE)
        except Exception as error:  # noqa: BLE001  whatever it is, we are not ready
            log.warning("not_ready", check=name, error=type(error).__name__)
            return False

    def _ticks(self) -> bool:
        if self._last_tick_at is None:
            return True
        ticked = self._last_tick_at()
        return ticked is not None and self._clock.now() - ticked < TICK_AGE


async def _opened() -> bool:
    return True
