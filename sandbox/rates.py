"""How often a method may be called: Slack's tiers, as calls in any minute, and one message per second and channel."""

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from sandbox.refusal import Refusal

MINUTE: Final = 60.0
SPACING: Final = 1.0
# Calls per minute, workspace and app. Slack promises at least as many, and lets short bursts pass; this does not.
TIERS: Final = {"1": 1, "2": 20, "3": 50, "4": 100, "messages": 300, "special": 600}


def too_many(seconds: float) -> Refusal:
    """HTTP 429 with whole seconds to wait."""
    return Refusal("ratelimited", status=429, headers={"Retry-After": str(max(1, math.ceil(seconds)))})


@dataclass(slots=True)
class Rates:
    """Calls of the last minute by method, and the last message by channel."""

    _calls: dict[str, deque[float]] = field(default_factory=dict, init=False)
    _posted: dict[str, float] = field(default_factory=dict, init=False)

    def call(self, method: str, tier: str, now: float) -> None:
        """Count a call; raises 429 where there were too many. A refused call is not counted."""
        calls = self._calls.setdefault(method, deque())
        while calls and calls[0] <= now - MINUTE:
            calls.popleft()
        if len(calls) >= TIERS[tier]:
            raise too_many(calls[0] + MINUTE - now)
        calls.append(now)

    def post(self, channel: str, now: float) -> None:
        """Count a message; raises 429 within a second of the last one in this channel."""
        wait = self._posted.get(channel, -SPACING) + SPACING - now
        if wait > 0:
            raise too_many(wait)
        self._posted[channel] = now
