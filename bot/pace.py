"""How fast we may write to a channel: a token bucket each, and pauses that Slack asked for."""

from collections.abc import Callable

#: Slack takes about one message a second and channel, and tolerates short bursts.
BURST = 3.0
PER_SECOND = 1.0
_MOST_CHANNELS = 10_000


class Pace:
    """Seconds to wait before the next call for a channel. `monotonic`: seconds, never backwards."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._buckets: dict[str, tuple[float, float]] = {}
        self._paused: dict[str, float] = {}
        self._all_paused = 0.0

    def take(self, channel: str) -> float:
        """0.0 and a token is taken; or the seconds until one is there, and nothing is taken."""
        now = self._monotonic()
        held = max(self._paused.get(channel, 0.0), self._all_paused) - now
        if held > 0:
            return held
        tokens, since = self._buckets.get(channel, (BURST, now))
        tokens = min(BURST, tokens + (now - since) * PER_SECOND)
        if tokens < 1.0:
            return (1.0 - tokens) / PER_SECOND
        if len(self._buckets) >= _MOST_CHANNELS:
            self._buckets.clear()
        self._buckets[channel] = (tokens - 1.0, now)
        return 0.0

    def pause(self, channel: str, seconds: float) -> None:
        """Slack said: not before."""
        self._paused[channel] = self._monotonic() + seconds

    def pause_all(self, seconds: float) -> None:
        """Nothing works for this workspace just now."""
        self._all_paused = self._monotonic() + seconds
