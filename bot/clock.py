"""The service's clock: the database's time plus the monotonic time since it was asked. Never goes backwards."""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """The present instant, aware, UTC."""
        ...


class DatabaseClock:
    """All replicas agree, whatever their wall clocks say: each takes its time from the one database."""

    def __init__(
        self, ask: Callable[[], Awaitable[datetime]], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask = ask
        self._monotonic = monotonic
        self._base: datetime | None = None
        self._base_at = 0.0
        self._last = datetime.min.replace(tzinfo=UTC)

    async def sync(self) -> None:
        """Ask the database; half of the round trip is what its answer is old."""
        before = self._monotonic()
        answer = await self._ask()
        after = self._monotonic()
        self._base = answer.astimezone(UTC) + timedelta(seconds=(after - before) / 2)
        self._base_at = after

    def now(self) -> datetime:
        if self._base is None:
            raise RuntimeError("the clock was never synchronised")
        present = self._base + timedelta(seconds=self._monotonic() - self._base_at)
        # A re-sync may say that it is earlier than we thought: stand still until it has caught up.
        self._last = max(self._last, present)
        return self._last


class SystemClock:
    """This machine's own clock: for the memory store and for signatures, which Slack dates by the world's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)
