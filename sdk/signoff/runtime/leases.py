"""Keeps the leases of a worker's runs, and hears their news: whose lease is lost, who is to stop, who is answered.

Each run that listens is in one long poll. A poll that is under way is left alone: runs that begin to listen get one of
their own, which ends when the others do, so that they are one again.
"""

import asyncio
import math
from collections.abc import Iterable
from dataclasses import dataclass

from signoff.errors import SignoffError
from signoff.runtime.attempt import Attempt
from signoff.runtime.logs import say, warn
from signoff.runtime.wire import News
from signoff.runtime.work import Pace, Work, is_passing

#: Runs of one poll. An answer costs its whole poll one more renewal: fewer are cheaper, more need fewer connections.
_MOST_RUNS = 250
#: Polls that are not full; the youngest of more is replaced by one with its runs and the new ones.
_MOST_POLLS = 8
#: Seconds for which runs that begin to listen are gathered.
_GATHER = 0.005
#: Seconds between polls that came back with nothing, sooner than they should.
_EARLY = 0.5


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Poll:
    attempts: tuple[Attempt, ...]
    task: asyncio.Task[News]
    ends_at: float


class Leases:
    def __init__(self, work: Work, *, pace: Pace, wait: int) -> None:
        """`wait`: seconds of a long poll, at most."""
        self._work = work
        self._pace = pace
        self._most_wait = self._wait = wait
        self._held: dict[str, Attempt] = {}
        # Who listens, and is in no poll.
        self._unheard: dict[Attempt, None] = {}
        self._polls: list[_Poll] = []
        self._changed = asyncio.Event()
        self._told_renewed_at = pace.clock()

    def renew_within(self, lease: int) -> None:
        """Renew three times in so many seconds."""
        self._wait = max(1, min(self._most_wait, lease // 3))

    @property
    def sure_for(self) -> float:
        """Seconds without a word after which what is held may have lapsed: of three renewals in a lease, two."""
        return 2.0 * self._wait

    def hold(self, attempt: Attempt) -> None:
        """Of two attempts at one run, the newer one has it."""
        before = self._held.get(attempt.run_id)
        if before is not None:
            self.let_go(before)
            before.lose()
        self._held[attempt.run_id] = attempt
        self.listen(attempt)

    def let_go(self, attempt: Attempt) -> None:
        self._unheard.pop(attempt, None)
        if self._held.get(attempt.run_id) is attempt:
            del self._held[attempt.run_id]

    def listen(self, attempt: Attempt) -> None:
        """It may have news from now on."""
        if self._held.get(attempt.run_id) is attempt:
            self._unheard[attempt] = None
            self._changed.set()

    async def keep(self) -> None:
        """Until cancelled. Raises SignoffError: the server does not let this key work."""
        try:
            while True:
                self._changed.clear()
                await self._renew_told()
                self._begin_polls()
                await self._until_something()
                await self._hear()
        finally:
            for poll in self._polls:
                poll.task.cancel()
            await asyncio.gather(*(poll.task for poll in self._polls), return_exceptions=True)

    async def renew(self) -> None:
        """Renew all that is held, now. Raises SignoffError."""
        await self._renew_all(list(self._held.values()))

    async def _renew_told(self) -> None:
        """Who was told its news has nothing to listen for until it acts on them: only its lease is kept."""
        told = [attempt for attempt in self._held.values() if attempt.has_been_told]
        if not told or self._pace.clock() - self._told_renewed_at < self._wait / 2:
            return
        try:
            await self._renew_all(told)
            self._told_renewed_at = self._pace.clock()
        except SignoffError as error:
            await self._failed(error)

    async def _renew_all(self, attempts: list[Attempt]) -> None:
        for part in _parts(attempts):
            self._apply(await self._renew(part, wait=0))

    def _begin_polls(self) -> None:
        short = [poll for poll in self._polls if len(poll.attempts) < _MOST_RUNS]
        if self._unheard and len(short) >= _MOST_POLLS:
            self._end(short[-1])
        for part in _parts(list(self._unheard)):
            self._poll(part)
        self._unheard.clear()

    def _poll(self, attempts: tuple[Attempt, ...]) -> None:
        now = self._pace.clock()
        left = max((poll.ends_at for poll in self._polls), default=now + self._wait) - now
        wait = max(1, min(self._wait, math.ceil(left)))
        task = asyncio.create_task(self._renew(attempts, wait=wait), name="hearing of runs")
        task.add_done_callback(lambda _: self._changed.set())
        self._polls.append(_Poll(attempts=attempts, task=task, ends_at=now + wait))

    def _end(self, poll: _Poll) -> None:
        self._polls.remove(poll)
        for attempt in poll.attempts:
            self.listen(attempt)
        poll.task.cancel()

    async def _until_something(self) -> None:
        """Until a poll has ended or somebody wants to listen; or until those who were told have to be renewed."""
        try:
            async with asyncio.timeout(self._wait / 2):
                await self._changed.wait()
        except TimeoutError:
            return
        if self._unheard and self._polls:
            await self._pace.sleep(_GATHER)

    async def _hear(self) -> None:
        """Of however many polls: one pause, or what is held would lapse over their pauses."""
        is_early, failure = False, None
        for poll in [poll for poll in self._polls if poll.task.done()]:
            self._polls.remove(poll)
            try:
                news = poll.task.result()
                self._apply(news)
                is_early |= news == News() and self._pace.clock() < poll.ends_at - _EARLY
            except SignoffError as error:
                failure = error if failure is None or is_passing(failure) else failure
            for attempt in poll.attempts:
                if not attempt.has_been_told:
                    self.listen(attempt)
        if failure is not None:
            await self._failed(failure)
        elif is_early:
            # A server that shuts down says nothing at once, each time.
            await self._pace.sleep(_EARLY)

    async def _failed(self, error: SignoffError) -> None:
        if not is_passing(error):
            raise error
        warn("renew_failed", runs=len(self._held), why=error)
        await self._pace.sleep(1)

    async def _renew(self, attempts: Iterable[Attempt], *, wait: int) -> News:
        return await self._work.renew({attempt.run_id: attempt.token for attempt in attempts}, wait=wait)

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


def _parts(attempts: list[Attempt]) -> Iterable[tuple[Attempt, ...]]:
    for start in range(0, len(attempts), _MOST_RUNS):
        yield tuple(attempts[start : start + _MOST_RUNS])
