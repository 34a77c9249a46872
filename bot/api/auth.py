"""Who calls: a key in the Authorization header, and nowhere else. Guesses are slowed down by address."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from aiohttp import web

from bot.api import errors
from bot.clock import Clock
from bot.keys import authenticate
from store.protocol import Keys
from store.types import Key

log = structlog.get_logger("signoff.api")

#: So many requests without a valid key an address has in a minute; the next one is told to wait.
MAX_FAILURES = 20
WINDOW = timedelta(minutes=1)
#: Addresses remembered; a flood from more than these forgets the oldest.
_MOST_ADDRESSES = 10_000


@dataclass(slots=True)
class _Count:
    since: datetime
    failures: int = 0


class Doorkeeper:
    """A valid key always passes: behind a proxy, all share one address with whoever guesses."""

    def __init__(self, *, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._counts: dict[str, _Count] = {}

    async def key(self, request: web.Request) -> Key:
        """The key of this request. Raises Problem: 401, or 429 after too many of those."""
        now = self._clock.now()
        token = _bearer(request.headers.getall("Authorization", []))
        found = None if token is None else await authenticate(keys=self._keys, token=token, now=now)
        if found is not None:
            return found
        self._refuse(request.remote or "", now)
        raise errors.unauthorized()

    def _refuse(self, address: str, now: datetime) -> None:
        count = self._counts.get(address)
        if count is None or now - count.since >= WINDOW:
            # Re-inserted, so that the first of the dictionary is always the oldest.
            self._counts.pop(address, None)
            if len(self._counts) >= _MOST_ADDRESSES:
                del self._counts[next(iter(self._counts))]
            count = self._counts[address] = _Count(since=now)
        if count.failures >= MAX_FAILURES:
            log.warning("guesses_slowed", remote=address)
            left = count.since + WINDOW - now
            raise errors.too_many_tries(seconds=max(1, -(-left // timedelta(seconds=1))))
        count.failures += 1


def _bearer(headers: list[str]) -> str | None:
    """The token of exactly one header; two would let a proxy and us read different ones."""
    if len(headers) != 1:
        return None
    scheme, _, token = headers[0].partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
