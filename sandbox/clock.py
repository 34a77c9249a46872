"""Where the sandbox reads the time: the one place that asks the machine."""

import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """Wall time in seconds since 1970 (UTC)."""

    def now(self) -> float: ...


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()


@dataclass(slots=True)
class ManualClock:
    """A clock that stands still until a test moves it."""

    at: float = 1_796_047_320.0

    def now(self) -> float:
        return self.at

    def advance(self, seconds: float) -> None:
        """Move time on; `seconds` may be a fraction, never negative."""
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self.at += seconds


def monotonic() -> float:
    """Seconds of a stopwatch, for elapsed times; no wall time."""
    return time.monotonic()
