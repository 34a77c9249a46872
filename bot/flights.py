"""One running call for each name, whoever wants its result: it goes on when they stop waiting, and is never doubled."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import structlog

log = structlog.get_logger("signoff.flights")

Result = TypeVar("Result")


class Flights(Generic[Result]):
    """`call` keeps what it learned itself, so that a result outlives those who could not wait for it."""

    def __init__(self, name: str, call: Callable[[str], Awaitable[Result]]) -> None:
        self._name = name
        self._call = call
        self._running: dict[str, asyncio.Task[Result | None]] = {}

    async def join(self, key: str, *, within: float) -> Result | None:
        """The result of the call that runs for this key, or of a new one; None after so many seconds, or if it broke."""
        task = self._running.get(key)
        if task is None:
            task = asyncio.create_task(self._guarded(key), name=f"{self._name}.{key}")
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key, None))
        # Unlike `wait_for`, waiting ends without ending what is waited for.
        done, _ = await asyncio.wait({task}, timeout=within)
        return task.result() if done and not task.cancelled() else None

    async def close(self) -> None:
        """Cut off what still runs."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _guarded(self, key: str) -> Result | None:
        try:
            return await self._call(key)
        except Exception:
            log.exception("flight_failed", flight=self._name)
            return None
