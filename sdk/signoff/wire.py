"""Requests and replies as values, and the one way to send them: flows yield steps, whoever drives them does the I/O."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from signoff.errors import Unreachable

T = TypeVar("T")

#: Seconds that a request may take beside what it asks the server to wait.
SLACK = 15.0
#: Seconds without any reply before a client that never heard one gives up: the address may be wrong.
FIRST_PATIENCE = 5.0
_FIRST_DELAY, _MOST_DELAY = 0.1, 5.0
_LONG = 5
#: What stands between a client and a server that is being restarted.
_GATEWAY = frozenset({502, 503, 504})
_TOO_MANY = 429


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """`is_repeatable`: by contract it may arrive twice. `timeout`: seconds without a byte of a reply."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    is_repeatable: bool = True
    timeout: float = SLACK


@dataclass(frozen=True, kw_only=True, slots=True)
class Pause:
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """`headers` by their lower-case names."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Lost:
    """No reply was heard. `was_sent` false: it certainly never arrived."""

    why: str
    was_sent: bool


Step: TypeAlias = Request | Pause
#: A course of requests and pauses without any I/O in it; sync and async clients drive the same ones.
Flow: TypeAlias = Generator[Step, Reply | Lost | None, T]


@dataclass(kw_only=True, slots=True)
class Wire:
    """What flows know of the way to the server. `clock`: monotonic seconds; `chance`: from 0 to below 1.

    `patience`: seconds for which the same request is tried again while nothing sensible is heard; what must not be lost
    (a wait, the end of an execution) is worth five times as many.
    """

    url: str
    clock: Callable[[], float]
    chance: Callable[[], float]
    patience: float
    has_heard: bool = field(default=False)

    @property
    def long_patience(self) -> float:
        return self.patience * _LONG


def exchange(wire: Wire, request: Request, *, patience: float | None = None) -> Flow[Reply]:
    """Send it, and again where that is safe: a lost reply, a server between two starts, 429, 503 `unconfirmed`.

    Anything else that was answered is the caller's to read. Delays double, up to 5 s, each by chance cut to half at
    most; a `Retry-After` is kept to.

    Raises:
        Unreachable: still nothing heard at the end of `patience` seconds (the client's own, where None is given).
    """
    end = wire.clock() + _patience(wire, patience)
    delay = _FIRST_DELAY
    while True:
        heard = yield request
        if isinstance(heard, Reply):
            wire.has_heard = True
        wait = _again_after(request, heard, delay * (1 - wire.chance() / 2))
        if wait is not None and wire.clock() + wait <= end:
            yield Pause(seconds=wait)
            delay = min(delay * 2, _MOST_DELAY)
        elif isinstance(heard, Reply):
            return heard
        else:
            raise Unreachable(url=wire.url, why=heard.why if isinstance(heard, Lost) else "nothing was sent")


def _patience(wire: Wire, given: float | None) -> float:
    patience = wire.patience if given is None else given
    return patience if wire.has_heard else min(patience, FIRST_PATIENCE)


def _again_after(request: Request, heard: Reply | Lost | None, delay: float) -> float | None:
    """Seconds until the same request may be sent again; None: never."""
    if isinstance(heard, Lost):
        return delay if request.is_repeatable or not heard.was_sent else None
    if not isinstance(heard, Reply):
        return None
    if heard.status == _TOO_MANY:
        # It was turned away before anything was done with it.
        return max(_retry_after(heard), delay)
    if heard.status in _GATEWAY and request.is_repeatable:
        return max(_retry_after(heard), delay)
    return None


def _retry_after(reply: Reply) -> float:
    text = reply.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0
