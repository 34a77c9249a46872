"""One place where waiting meets news: an event in this process, a hint from another, and one query a second."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Protocol, Self

import structlog

from store.runs import STARTED, is_of_run, run_of

log = structlog.get_logger("signoff.hub")

#: A tenant, and what of it: an interaction's id, or what `store.runs` says of runs.
Name = tuple[str, str]


class News(Protocol):
    """What the hub asks of the store."""

    async def resolved_among(self, *, ids: Collection[Name]) -> Collection[Name]: ...

    async def finished_among(self, *, ids: Collection[Name]) -> Collection[Name]: ...

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]: ...


class Hub:
    """Wakes the waiters of one interaction or hosted run, and the loops that paint cards and tell runs.

    Nothing here is needed for correctness: a lost hint costs at most a second.
    """

    def __init__(self, news: News, *, period: float = 1.0) -> None:
        self._news = news
        self._period = period
        self._waiters: dict[Name, set[asyncio.Future[None]]] = defaultdict(set)
        #: Whose names these are: other processes say no tenant.
        self._tenants: Counter[str] = Counter()
        self._bells: set[asyncio.Event] = set()
        self._followers: list[Callable[[str], None]] = []

    def bell(self) -> asyncio.Event:
        """An event that rings whenever something may be due; its owner clears it before looking."""
        bell = asyncio.Event()
        self._bells.add(bell)
        return bell

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        """A bell for as long as somebody waits for whatever may come; it rings once a period in any case."""
        bell = self.bell()
        try:
            yield bell
        finally:
            self._bells.discard(bell)

    def follow(self, hear: Callable[[str], None]) -> None:
        """Call this with the id of each interaction that changed, wherever; perhaps twice, and never surely."""
        self._followers.append(hear)

    def ring(self) -> None:
        """Something may be due somewhere."""
        for bell in self._bells:
            bell.set()

    def poke(self, tenant: str, interaction_id: str) -> None:
        """This interaction changed, by this process, and the change is committed."""
        self.ring()
        self._tell(interaction_id)
        self._release((tenant, interaction_id))

    def tell(self, tenant: str, name: str) -> None:
        """Wake who waits for this name; nothing is to be painted, and no run to be told."""
        self._release((tenant, name))

    def subscribe(self, tenant: str, *names: str) -> "Subscription":
        """Subscribe first, then read, then wait: a change between read and wait is not lost. Any of several wakes."""
        return Subscription(self, tuple((tenant, name) for name in dict.fromkeys(names)))

    async def run(self) -> None:
        """Until cancelled: listen for other processes, and look for oneself once a period."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen(), name="hub.listen")
            group.create_task(self._look(), name="hub.look")

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except Exception:
                log.exception("hub_listen_failed")
            await asyncio.sleep(self._period)

    async def _hear(self) -> None:
        async with self._news.changes() as changes:
            async for changed in changes:
                if not is_of_run(changed):
                    self.ring()
                    self._tell(changed)
                for tenant in list(self._tenants):
                    self._release((tenant, changed))

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(self._period)
            self.ring()
            if not self._waiters:
                continue
            try:
                over = await self._over()
            except Exception:
                log.exception("hub_look_failed")
                continue
            for name in over:
                self._release(name)

    async def _over(self) -> Collection[Name]:
        """What is waited for and has come: in one query for interactions, and one for runs."""
        names = list(self._waiters)
        interactions = [name for name in names if not is_of_run(name[1])]
        runs = {(tenant, run_id): (tenant, name) for tenant, name in names if (run_id := run_of(name)) is not None}
        resolved = await self._news.resolved_among(ids=interactions) if interactions else ()
        finished = await self._news.finished_among(ids=list(runs)) if runs else ()
        # Whoever waits for a run to be started looks for itself: there is no end of that.
        return [*resolved, *(runs[each] for each in finished), *(name for name in names if name[1] == STARTED)]

    def _tell(self, interaction_id: str) -> None:
        for hear in self._followers:
            hear(interaction_id)

    def _release(self, name: Name) -> None:
        waiters = self._waiters.pop(name, None)
        if waiters is None:
            return
        self._forget(name)
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def _add(self, name: Name, waiter: asyncio.Future[None]) -> None:
        self._tenants[name[0]] += name not in self._waiters
        self._waiters[name].add(waiter)

    def _drop(self, name: Name, waiter: asyncio.Future[None]) -> None:
        waiters = self._waiters.get(name)
        if waiters is not None:
            waiters.discard(waiter)
            if not waiters:
                del self._waiters[name]
                self._forget(name)

    def _forget(self, name: Name) -> None:
        self._tenants[name[0]] -= 1
        if not self._tenants[name[0]]:
            del self._tenants[name[0]]


class Subscription:
    """One waiter of some names; a future in a dictionary, not a task."""

    def __init__(self, hub: Hub, names: tuple[Name, ...]) -> None:
        self._hub = hub
        self._names = names
        self._future: asyncio.Future[None] | None = None

    def __enter__(self) -> Self:
        self._arm()
        return self

    def __exit__(self, *_: object) -> None:
        self._disarm()

    async def changed(self, *, within: float) -> bool:
        """Wait for the next hint; False when none came in time (seconds). Can be waited again."""
        assert self._future is not None
        done, _ = await asyncio.wait([self._future], timeout=within)
        if not done:
            return False
        self._disarm()
        self._arm()
        return True

    def _arm(self) -> None:
        self._future = asyncio.get_running_loop().create_future()
        for name in self._names:
            self._hub._add(name, self._future)  # noqa: SLF001  one class in two halves

    def _disarm(self) -> None:
        if self._future is not None:
            for name in self._names:
                self._hub._drop(name, self._future)  # noqa: SLF001  one class in two halves
