"""The service's clock: the database's time plus the monotonic time since it was asked. Never goes backwards."""

import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol

#: How often the database is asked at first: the first answer may have waited for a connection.
_FIRST_ASKS = 3


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
        """Ask the database, and believe of its answer what it proves.

        It was given at some instant of the round trip. So the time is now between the answer and the answer plus the
        round trip: what we think is moved into that, and no further. A slow round trip proves, and moves, little.
        """
        for _ in range(_FIRST_ASKS if self._base is None else 1):
            before = self._monotonic()
            answer = (await self._ask()).astimezone(UTC)
            after = self._monotonic()
            trip = timedelta(seconds=after - before)
            present = answer + trip / 2 if self._base is None else self._present(self._base, after)
            self._base = min(max(present, answer), answer + trip)
            self._base_at = after

    def now(self) -> datetime:
        if self._base is None:
            raise RuntimeError("the clock was never synchronised")
        # A re-sync may say that it is earlier than we thought: stand still until it has caught up.
        self._last = max(self._last, self._present(self._base, self._monotonic()))
        return self._last

    def _present(self, base: datetime, monotonic: float) -> datetime:
        return base + timedelta(seconds=monotonic - self._base_at)


class SystemClock:
    """This machine's own clock: for the memory store and for signatures, which Slack dates by the world's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)
