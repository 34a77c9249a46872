"""Keeps the leases of up to a thousand runs, and hears their news: whose lease is lost, who is to stop, who is answered."""

import asyncio

from signoff.errors import SignoffError
from signoff.runtime.attempt import Attempt
from signoff.runtime.logs import say, warn
from signoff.runtime.wire import News
from signoff.runtime.work import Pace, Work, is_passing

#: What one call renews at most.
MOST = 1000
#: Seconds in which runs that begin to listen are gathered, before the long poll that knows nothing of them is replaced.
_GATHER = 0.01


class Lane:
    """One long poll. Runs that have been told their news, and did not act on it yet, are renewed beside it."""

    def __init__(self, work: Work, *, pace: Pace, wait: int) -> None:
        self._work = work
        self._pace = pace
        self._wait = wait
        self._held: dict[str, Attempt] = {}
        self._changed = asyncio.Event()
        self._told_renewed_at = pace.clock()

    @property
    def has_room(self) -> bool:
        return len(self._held) < MOST

    def hold(self, attempt: Attempt) -> None:
        self._held[attempt.run_id] = attempt
        self._changed.set()

    def let_go(self, attempt: Attempt) -> None:
        if self._held.get(attempt.run_id) is attempt:
            del self._held[attempt.run_id]

    def listen(self) -> None:
        """Some run may have news that the poll under way does not ask for."""
        self._changed.set()

    async def keep(self) -> None:
        """Until cancelled. Raises Refused: the server does not let this key work."""
        while True:
            if not self._held:
                await self._changed.wait()
            self._changed.clear()
            try:
                await self._renew_told()
                await self._listen()
            except SignoffError as error:
                if not is_passing(error):
                    raise
                warn("renew_failed", runs=len(self._held), why=error)
                await self._pace.sleep(1)

    async def _renew_told(self) -> None:
        told = {held.run_id: held.token for held in self._held.values() if held.has_been_told}
        if told and self._pace.clock() - self._told_renewed_at >= self._wait / 2:
            self._apply(await self._work.renew(told, wait=0))
            self._told_renewed_at = self._pace.clock()

    async def _listen(self) -> None:
        listening = {held.run_id: held.token for held in self._held.values() if not held.has_been_told}
        changed = asyncio.create_task(self._changed.wait(), name="listening changed")
        polling = asyncio.create_task(self._poll(listening), name="renewing leases")
        try:
            await asyncio.wait({changed, polling}, return_when=asyncio.FIRST_COMPLETED)
            if not polling.done():
                await self._pace.sleep(_GATHER)
            if polling.done():
                self._apply(polling.result())
        finally:
            changed.cancel()
            polling.cancel()
            await asyncio.gather(changed, polling, return_exceptions=True)

    async def _poll(self, listening: dict[str, str]) -> News:
        if listening:
            return await self._work.renew(listening, wait=self._wait)
        await self._pace.sleep(self._wait / 2)
        return News()

    def _apply(self, news: News) -> None:
        for run_id in news.lost:
            if attempt := self._held.get(run_id):
                say("lease_lost", run_id=run_id)
                self.let_go(attempt)
                attempt.lose()
        for run_id in news.stopping:
            if attempt := self._held.get(run_id):
                attempt.stop()
        for answered in news.answered:
            if attempt := self._held.get(answered.run_id):
                attempt.answered(answered.action)
