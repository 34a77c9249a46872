"""Who waits for several things is woken by any of them, once, and leaves nothing behind."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import pytest

from bot.hub import Hub, Name
from store.runs import STARTED, hint


class Said:
    """What other processes say, and what is over: both set by a test."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()
        self.resolved: set[Name] = set()
        self.finished: set[Name] = set()
        self.asked: list[tuple[str, frozenset[Name]]] = []

    async def resolved_among(self, *, ids: Collection[Name]) -> Collection[Name]:
        self.asked.append(("interactions", frozenset(ids)))
        return self.resolved & set(ids)

    async def finished_among(self, *, ids: Collection[Name]) -> Collection[Name]:
        self.asked.append(("runs", frozenset(ids)))
        return self.finished & set(ids)

    @asynccontextmanager
    async def changes(self) -> AsyncIterator[AsyncIterator[str]]:
        async def each() -> AsyncIterator[str]:
            while True:
                yield await self.heard.get()

        yield each()


@pytest.fixture
async def said() -> Said:
    return Said()


@asynccontextmanager
async def running(said: Said, *, period: float = 0.01) -> AsyncIterator[Hub]:
    hub = Hub(said, period=period)
    task = asyncio.create_task(hub.run(), name="hub")
    yield hub
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert not hub._waiters
    assert not hub._tenants


async def test_any_of_several_names_wakes_and_the_others_go_on_to(said: Said) -> None:
    async with running(said, period=60) as hub:
        with hub.subscribe("t", "apr_1", hint("run-1"), "apr_1") as news:
            assert not await news.changed(within=0)
            for poke in (lambda: hub.poke("t", "apr_1"), lambda: hub.tell("t", hint("run-1"))) * 2:
                poke()
                assert await news.changed(within=0)
                assert not await news.changed(within=0)
            hub.tell("other", hint("run-1"))
            hub.tell("t", hint("run-2"))
            assert not await news.changed(within=0)


async def test_what_another_process_says_of_runs_wakes_who_waits_and_rings_no_loop(said: Said) -> None:
    async with running(said, period=60) as hub:
        bell, heard = hub.bell(), []
        hub.follow(heard.append)
        with hub.subscribe("t", hint("run-1")) as one, hub.subscribe("t", STARTED) as two:
            for name, news in ((hint("run-1"), one), (STARTED, two)):
                said.heard.put_nowait(name)
                assert await news.changed(within=10)
            assert (bell.is_set(), heard) == (False, [])
            said.heard.put_nowait("apr_1")
            said.heard.put_nowait(STARTED)
            assert await two.changed(within=10)
            assert (bell.is_set(), heard) == (True, ["apr_1"])


async def test_what_nobody_said_is_found_by_looking_in_one_query_for_each_kind(said: Said) -> None:
    async with running(said) as hub:
        said.resolved, said.finished = {("t", "apr_1")}, {("t", "run-2")}
        names = ["apr_1", "apr_2"], ["run-1", "run-2"]
        with (
            hub.subscribe("t", "apr_1", "apr_2") as asks,
            hub.subscribe("t", *(hint(run) for run in names[1])) as runs,
            hub.subscribe("t", STARTED) as started,
        ):
            assert all([await news.changed(within=10) for news in (asks, runs, started)])
    assert said.asked[:2] == [
        ("interactions", frozenset(("t", name) for name in names[0])),
        ("runs", frozenset(("t", name) for name in names[1])),
    ]
