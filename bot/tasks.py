"""Background tasks that somebody holds: named, counted, awaited at the end, and never silent about a failure."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import structlog

log = structlog.get_logger("signoff.tasks")


class TaskSet:
    """A set of running tasks. `on_done` is called as each ends."""

    def __init__(self, *, on_done: Callable[[], None] | None = None) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._on_done = on_done

    def __len__(self) -> int:
        return len(self._running)

    def start(self, name: str, work: Coroutine[Any, Any, object]) -> None:
        """Run it beside; what it raises is logged with its traceback, and ends only itself."""
        task = asyncio.create_task(_guarded(name, work), name=name)
        self._running.add(task)
        task.add_done_callback(self._done)
        # A task that is cancelled before its first step never awaits it.
        task.add_done_callback(lambda _: work.close())

    async def drain(self, seconds: float) -> None:
        """Let them end by themselves for so long; then cancel what is left, and wait for that."""
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        await self.cancel()

    async def cancel(self) -> None:
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if self._on_done is not None:
            self._on_done()


class Deadline:
    """One time for several to end in, one after another or at once: who comes later has what is left."""

    def __init__(self, seconds: float, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """It runs from `start` on; before that, all of it is left."""
        self._seconds = seconds
        self._monotonic = monotonic
        self._ends_at: float | None = None

    def start(self) -> None:
        if self._ends_at is None:
            self._ends_at = self._monotonic() + self._seconds

    def left(self) -> float:
        """Seconds, never negative."""
        return self._seconds if self._ends_at is None else max(self._ends_at - self._monotonic(), 0.0)


async def _guarded(name: str, work: Coroutine[Any, Any, object]) -> None:
    try:
        await work
    except Exception:
        log.exception("task_failed", task=name)
