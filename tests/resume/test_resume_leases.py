"""A lease that cannot be renewed in time lets another worker tell; it never makes this one tell twice at once."""

import asyncio
from datetime import timedelta
from typing import Any

from bot.resume import Resumed, on_resume
from store.answers import Choice
from store.errors import Unconfirmed
from store.types import Resume, ResumeKind
from tests.parts import Parts
from tests.resume.stage import dispatching, now, owed

DEPLOY = Resume(kind=ResumeKind.HANDLER, target="deploy")
SHORT = {"first_lease": timedelta(seconds=0.15), "lease": timedelta(seconds=60)}


class StumblingStore:
    """A real store whose next renewals are not confirmed. `tried`: how each went; `leased`: what was handed out."""

    def __init__(self, store: Any, *, fails: int) -> None:
        self._store = store
        self.fails = fails
        self.tried: asyncio.Queue[bool] = asyncio.Queue()
        self.leased: asyncio.Queue[str] = asyncio.Queue()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def lease_resumptions(self, **more: Any) -> Any:
        found = await self._store.lease_resumptions(**more)
        for each in found:
            self.leased.put_nowait(each.interaction.id)
        return found

    async def renew_resumption(self, **more: Any) -> bool:
        if self.fails:
            self.fails -= 1
            self.tried.put_nowait(False)
            raise Unconfirmed("the database is busy")
        is_ours: bool = await self._store.renew_resumption(**more)
        self.tried.put_nowait(True)
        return is_ours


class Slow:
    """A handler that runs until it is let go. `begun`: how often it was called so far."""

    def __init__(self) -> None:
        self.begun = 0
        self.has_begun = asyncio.Event()
        self.go_on = asyncio.Event()

    def handler(self) -> Any:
        @on_resume("deploy")
        async def deploy(_: Resumed) -> None:
            self.begun += 1
            self.has_begun.set()
            await self.go_on.wait()

        return deploy


async def test_a_renewal_that_failed_is_tried_again_before_the_lease_lapses(parts: Parts) -> None:
    slow, store = Slow(), StumblingStore(parts.store, fails=1)
    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, slow.handler(), store=store, **SHORT):
        await parts.decide(asked)
        tried = [await asyncio.wait_for(store.tried.get(), 5) for _ in range(2)]
        owed_to_others = await owed(parts, after=timedelta(seconds=59))
        slow.go_on.set()

    assert (tried, owed_to_others, slow.begun) == ([False, True], [], 1)


async def test_a_handler_whose_lease_lapsed_is_not_begun_beside_itself_and_its_end_counts(parts: Parts) -> None:
    slow, store = Slow(), StumblingStore(parts.store, fails=1_000)
    key, _ = await parts.key()
    asked = await parts.ask_question(key, resume=DEPLOY)
    async with dispatching(parts, slow.handler(), store=store, **SHORT) as dispatcher:
        await parts.answer(asked, {"region": Choice(option_ids=("eu",))})
        await slow.has_begun.wait()
        assert await store.leased.get() == asked.id
        parts.clock.advance(1)
        parts.hub.ring()
        assert await asyncio.wait_for(store.leased.get(), 5) == asked.id
        store.fails = 0
        while not await asyncio.wait_for(store.tried.get(), 5):
            pass
        slow.go_on.set()
        await dispatcher.drain(5)

    assert slow.begun == 1
    assert (await now(parts, asked)).resumption.told_at is not None
    assert await owed(parts, after=timedelta(days=1)) == []


async def test_a_run_woken_while_its_handler_is_still_told_with_a_lapsed_lease_is_told_anew(parts: Parts) -> None:
    slow, store = Slow(), StumblingStore(parts.store, fails=1_000)
    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, slow.handler(), store=store, **SHORT) as dispatcher:
        await parts.decide(asked)
        await slow.has_begun.wait()
        assert await store.leased.get() == asked.id
        parts.clock.advance(1)
        assert await parts.store.wake(tenant=asked.tenant, id=asked.id, now=parts.clock.now())
        parts.hub.ring()
        assert await asyncio.wait_for(store.leased.get(), 5) == asked.id
        assert slow.begun == 1
        slow.go_on.set()
        await dispatcher.drain(5)
        slow.has_begun.clear()
        parts.clock.advance(1)
        parts.hub.ring()
        await asyncio.wait_for(slow.has_begun.wait(), 5)

    assert slow.begun == 2
