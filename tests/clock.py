"""A clock that stands still until a test moves it."""

from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class FakeClock:
    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def advance(self, by: timedelta | float) -> datetime:
        """Move on by a duration, or by seconds; returns the new instant."""
        self._now += by if isinstance(by, timedelta) else timedelta(seconds=by)
        return self._now
