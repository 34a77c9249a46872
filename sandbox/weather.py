"""Faults on the way to the app: deliveries that come late, twice, in another order, or not at all."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from sandbox.clock import monotonic
from sandbox.logs import Delivery
from sandbox.model import Json

Send = Callable[[], Awaitable[Delivery]]


@dataclass(kw_only=True, slots=True)
class Storm:
    """What happens to deliveries whose kind matches `delivery` ("block_actions", "view_*", "slash_command", "event").

    `late`: seconds on the way, while the person's three seconds run; `drop`: never arrives; `duplicate`: arrives twice;
    `reorder`: is held back until the next delivery was answered; `times`: how often, None for ever.
    """

    delivery: str = "*"
    late: float = 0.0
    drop: bool = False
    duplicate: bool = False
    reorder: bool = False
    times: int | None = None


_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "delivery": (str,),
    "late": (int, float),
    "drop": (bool,),
    "duplicate": (bool,),
    "reorder": (bool,),
    "times": (int,),
}


def storm_from_json(body: Json) -> Storm:
    """A storm from a request. Raises ValueError with the name of what is wrong."""
    for name, value in body.items():
        if name not in _TYPES:
            raise ValueError(f"unknown field {name}")
        if not isinstance(value, _TYPES[name]) or isinstance(value, bool) != (bool in _TYPES[name]):
            raise ValueError(f"{name} has the wrong type")
    return Storm(**body)


@dataclass(slots=True)
class Weather:
    """The storms in force, oldest first; the first that matches is used."""

    _active: list[Storm] = field(default_factory=list, init=False)
    _answered: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def add(self, delivery: str = "*", **what: Any) -> Storm:
        """`weather.add("block_actions", duplicate=True, times=1)`; fields as in `Storm`."""
        storm = Storm(delivery=delivery, **what)
        self._active.append(storm)
        return storm

    def put(self, storm: Storm) -> None:
        self._active.append(storm)

    def remove(self, storm: Storm) -> None:
        """End one; nothing happens when it has ended already."""
        if storm in self._active:
            self._active.remove(storm)

    def clear(self) -> None:
        self._active.clear()

    def take(self, kind: str) -> Storm | None:
        """The storm for this delivery; counts it down."""
        for storm in self._active:
            if fnmatchcase(kind, storm.delivery):
                if storm.times is not None:
                    storm.times -= 1
                    if storm.times <= 0:
                        self._active.remove(storm)
                return storm
        return None

    def answered(self) -> None:
        """A delivery was answered: what was held back for it may go."""
        waiting, self._answered = self._answered, asyncio.Event()
        waiting.set()

    async def after_the_next(self, longest: float) -> None:
        """Wait until another delivery was answered, `longest` seconds at most."""
        try:
            async with asyncio.timeout(longest):
                await self._answered.wait()
        except TimeoutError:
            return


@dataclass(frozen=True, kw_only=True, slots=True)
class Journey:
    """One delivery on its way. `patience`: seconds that the person waits for its answer."""

    kind: str
    payload: Json
    send: Send
    patience: float
    spawn: Callable[[Coroutine[Any, Any, Any], str], asyncio.Task[Any]]

    async def through(self, weather: Weather) -> Delivery:
        """Deliver; what the person sees. What comes too late for them goes on in the background."""
        storm = weather.take(self.kind)
        if storm is None:
            return await self._sent(weather)
        if storm.drop:
            return await self._lost()
        if storm.duplicate:
            self.spawn(self._sent(weather), f"second {self.kind}")
        if not storm.late and not storm.reorder:
            return await self._sent(weather)
        task = self.spawn(self._delayed(storm, weather), f"late {self.kind}")
        done, _ = await asyncio.wait({task}, timeout=self.patience)
        found: Delivery = task.result() if done else self._unanswered(self.patience)
        return found

    async def _delayed(self, storm: Storm, weather: Weather) -> Delivery:
        if storm.reorder:
            await weather.after_the_next(self.patience)
        await asyncio.sleep(storm.late)
        return await self._sent(weather)

    async def _sent(self, weather: Weather) -> Delivery:
        try:
            return await self.send()
        finally:
            weather.answered()

    async def _lost(self) -> Delivery:
        started = monotonic()
        await asyncio.sleep(self.patience)
        return self._unanswered(monotonic() - started)

    def _unanswered(self, elapsed: float) -> Delivery:
        return Delivery(
            kind=self.kind,
            payload=self.payload,
            via="none",
            status=None,
            body="",
            elapsed=elapsed,
            failure="operation_timeout",
        )
