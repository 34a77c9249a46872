"""How fast we may write: a token bucket for each channel, and pauses that Slack asked for, for each method."""

from collections.abc import Callable

#: Slack takes about one message a second and channel, and tolerates short bursts.
BURST = 3.0
PER_SECOND = 1.0
_MOST_CHANNELS = 10_000


class Pace:
    """Seconds to wait before the next call of one workspace. `monotonic`: seconds, never backwards."""

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._buckets: dict[str, tuple[float, float]] = {}
        self._paused: dict[str, float] = {}
        self._all_paused = 0.0

    def take(self, channel: str, method: str) -> float:
        """0.0 and a token of the channel is taken; or the seconds until one is there, and nothing is taken."""
        held = self.held(method)
        if held > 0:
            return held
        now = self._monotonic()
        tokens, since = self._buckets.get(channel, (BURST, now))
        tokens = min(BURST, tokens + (now - since) * PER_SECOND)
        if tokens < 1.0:
            return (1.0 - tokens) / PER_SECOND
        if len(self._buckets) >= _MOST_CHANNELS:
            self._buckets.clear()
        self._buckets[channel] = (tokens - 1.0, now)
        return 0.0

    def held(self, method: str) -> float:
        """Seconds for which this method, or everything, is still paused."""
        return max(self._paused.get(method, 0.0), self._all_paused) - self._monotonic()

    def pause(self, method: str, seconds: float) -> None:
        """Slack said: not before, wherever it is to land (limits are a method's, in a workspace)."""
        until = self._monotonic() + seconds
        self._paused[method] = max(self._paused.get(method, 0.0), until)

    def pause_all(self, seconds: float) -> None:
        """Nothing works for this workspace just now."""
        self._all_paused = self._monotonic() + seconds
