"""A worker: a loop that leases runs, one that keeps their leases and hears their news, and a task for each run."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signoff.errors import SignoffError
from signoff.runtime.attempt import Attempt, Host, OnStep
from signoff.runtime.code import Code
from signoff.runtime.leases import Leases
from signoff.runtime.logs import say, warn
from signoff.runtime.slots import Slots
from signoff.runtime.wire import Leased
from signoff.runtime.work import Call, Pace, Work, is_passing

#: What one call leases at most.
_MOST_ROOM = 100
#: Seconds between leases that came back with nothing, sooner than they should.
_EARLY = 0.5
#: What one call gives back at most.
_MOST_RELEASED = 1000
#: Seconds that cancelled code has to end, before the worker goes without it.
_LAST_WAIT = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """What a worker takes upon itself.

    `running`: codes that run at once; those that wait for people do not count. `grace`: seconds for running code to
    reach its next wait at the end. `retry_for`: seconds for which a checkpoint without an answer is repeated.
    `report_within`: whole seconds within which an effect under way is reported, or shown as unknown. `lease_wait`,
    `renew_wait`: whole seconds of the long polls; the second one is less where leases are short.
    """

    running: int = 100
    grace: float = 10.0
    retry_for: float = 30.0
    report_within: int = 60
    lease_wait: int = 30
    renew_wait: int = 20

    def __post_init__(self) -> None:
        """Raises ValueError: outside of what the API takes."""
        allowed = {"running": (1, 100_000), "report_within": (1, 86_400), "lease_wait": (0, 60), "renew_wait": (1, 30)}
        for name, (least, most) in allowed.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}; it goes from {least} to {most}")


class Worker:
    def __init__(
        self, codes: Mapping[str, Code], *, call: Call, worker: str, limits: Limits, pace: Pace, on_step: OnStep
    ) -> None:
        self._codes = dict(codes)
        self._limits = limits
        self._pace = pace
        self._work = Work(call, worker=worker, pace=pace, retry_for=limits.retry_for)
        self._slots = Slots(limits.running)
        self._host = Host(
            work=self._work,
            slots=self._slots,
            worker=worker,
            report_within=limits.report_within,
            on_step=on_step,
        )
        self._leases = Leases(self._work, pace=pace, wait=limits.renew_wait)
        self._attempts: dict[asyncio.Task[None], Attempt] = {}
        self._beginning: asyncio.Task[None] | None = None
        self._name = worker
        # While it ends: those that it has no more, to be given back.
        self._left: list[Attempt] | None = None

    async def run(self) -> None:
        """Until cancelled, see `Runtime.work`."""
        say("worker_started", worker=self._name, codes=",".join(self._codes))
        leasing = asyncio.create_task(self._lease(), name="leasing runs")
        keeping = asyncio.create_task(self._leases.keep(), name="keeping leases")
        try:
            # Neither has an end but an error.
            done, _ = await asyncio.wait({leasing, keeping}, return_when=asyncio.FIRST_COMPLETED)
            for loop in done:
                loop.result()
        finally:
            await self._end(leasing, keeping)

    async def _lease(self) -> None:
        """What lapsed while nothing was heard is free to take, by this worker too: it renews before it leases on."""
        is_sure, heard_at = True, self._pace.clock()
        while True:
            room = min(_MOST_ROOM, await self._slots.until_free())
            begun = self._pace.clock()
            try:
                if not is_sure or begun - heard_at > self._leases.sure_for:
                    await self._leases.renew()
                reply = await self._work.lease(list(self._codes), room=room, wait=self._limits.lease_wait)
            except SignoffError as error:
                if not is_passing(error):
                    raise
                if is_sure:
                    warn("lease_failed", why=error)
                is_sure = False
                await self._pace.sleep(1)
                continue
            is_sure, heard_at = True, begun
            if not reply.runs:
                # A server that shuts down says so at once, each time.
                await self._pace.sleep(max(0.0, min(_EARLY, begun + self._limits.lease_wait - self._pace.clock())))
                continue
            self._leases.renew_within(reply.lease)
            # Once begun, they are hosted, whatever comes between.
            self._beginning = asyncio.create_task(self._begin(reply.runs), name="beginning runs")
            await asyncio.shield(self._beginning)

    async def _begin(self, runs: Sequence[Leased]) -> None:
        """Say that they arrived, and host them. Before this no code of a new run has run, so that a lease whose answer
        was lost interrupts nothing.
        """
        try:
            news = await self._work.renew({leased.run_id: leased.token for leased in runs}, wait=0)
        except SignoffError as error:
            warn("leases_dropped", runs=len(runs), why=error)
            return
        for leased in runs:
            if leased.run_id not in news.lost:
                self._take(leased)

    def _take(self, leased: Leased) -> None:
        code = self._codes.get(leased.code)
        if code is None:
            return
        attempt = Attempt(self._host, code, leased, listen=self._leases.listen)
        self._leases.hold(attempt)
        task = asyncio.create_task(attempt.live(), name=f"run {leased.run_id}")
        self._attempts[task] = attempt
        task.add_done_callback(self._ended)
        say("run_leased", run_id=leased.run_id, code=leased.code, new=leased.is_new)

    def _ended(self, task: asyncio.Task[None]) -> None:
        attempt = self._attempts.pop(task)
        self._leases.let_go(attempt)
        if self._left is not None:
            self._left.append(attempt)
        if not task.cancelled() and (error := task.exception()) is not None:
            say("run_left", level=logging.ERROR, run_id=attempt.run_id, why="a fault of the runtime", error=error)

    async def _end(self, leasing: asyncio.Task[None], keeping: asyncio.Task[None]) -> None:
        """Lease no more, let running code reach its next wait, then leave what still runs. Leases are kept so long."""
        leasing.cancel()
        self._left = []
        try:
            if self._beginning is not None:
                await asyncio.wait({self._beginning}, timeout=self._limits.grace)
            for attempt in self._attempts.values():
                attempt.drain()
            await self._until_gone(self._limits.grace)
        finally:
            for attempt in self._attempts.values():
                warn("run_cut_short", run_id=attempt.run_id)
                attempt.leave()
            await self._until_gone(_LAST_WAIT)
            keeping.cancel()
            await asyncio.gather(leasing, keeping, return_exceptions=True)
            await self._give_back(self._left)
            say("worker_ended", worker=self._name, left_behind=len(self._attempts))

    async def _give_back(self, attempts: Sequence[Attempt]) -> None:
        """What was finished or lost meanwhile is nobody's to give, and the server knows."""
        for start in range(0, len(attempts), _MOST_RELEASED):
            part = attempts[start : start + _MOST_RELEASED]
            try:
                await self._work.release({attempt.run_id: attempt.token for attempt in part})
            except SignoffError as error:
                warn("leases_left_to_lapse", runs=len(part), why=error)
                return

    async def _until_gone(self, seconds: float) -> None:
        if self._attempts:
            await asyncio.wait(set(self._attempts), timeout=seconds)
