"""Telling runs: leases what is due and can be handed over, tells each in a task of its own, and reports, fenced."""

import asyncio
import random
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot.clock import Clock
from bot.hub import Hub
from bot.resume.backoff import HANDLER, WEBHOOK, Jitter, delay
from bot.resume.courier import Courier
from bot.resume.handlers import Handlers
from bot.resume.resumed import Resumed
from bot.resume.webhook import TOTAL, NotTold, Told
from bot.service import Service
from bot.tasks import TaskSet
from store.protocol import Store
from store.types import Interaction, Lease, ResumeKind, ResumptionLease

log = structlog.get_logger("signoff.resume")

CONCURRENCY = 32
#: How long a handler's telling is ours at first: a process that dies right after a click costs its run so much.
FIRST_LEASE = timedelta(seconds=6)
#: And once the handler has run for a third of that; renewed at thirds.
LEASE = timedelta(seconds=60)
#: A webhook is one call of at most `webhook.TOTAL` seconds, within its lease.
WEBHOOK_LEASE = timedelta(seconds=TOTAL + 5)
_MOST_ERROR = 300


@dataclass(kw_only=True, slots=True, eq=False)
class _Telling:
    """One interaction that is being told here. `lease`: the newest that we have of it."""

    interaction: Interaction
    lease: Lease
    #: A lease that is not ours any more; renewing it is over.
    lost: Lease | None = None


class Dispatcher:
    """One per worker; any number of them share the rows. Nothing here says that a run was told before it was."""

    def __init__(
        self,
        *,
        store: Store,
        service: Service,
        clock: Clock,
        hub: Hub,
        handlers: Handlers,
        webhooks: Courier | None,
        concurrency: int = CONCURRENCY,
        first_lease: timedelta = FIRST_LEASE,
        lease: timedelta = LEASE,
        jitter: Jitter = random.random,
    ) -> None:
        """`webhooks`: None where nothing signs them; then another worker's are left alone."""
        self._store = store
        self._service = service
        self._clock = clock
        self._hub = hub
        self._handlers = handlers
        self._webhooks = webhooks
        self._concurrency = concurrency
        self._first_lease = first_lease
        self._lease = lease
        self._jitter = jitter
        self._bell = hub.bell()
        self._tasks = TaskSet(on_done=self._bell.set)
        self._telling: dict[tuple[str, str], _Telling] = {}

    async def run(self) -> None:
        """Until cancelled. What it has begun goes on then: `drain` waits for that."""
        if not self._handlers.names and self._webhooks is None:
            # Whoever pulls is owed nothing.
            return
        while True:
            self._bell.clear()
            try:
                await self._begin(handlers=self._handlers.names, webhooks=False, lease=self._first_lease)
                await self._begin(handlers=(), webhooks=self._webhooks is not None, lease=WEBHOOK_LEASE)
            except Exception:
                # The hub rings at least once a second: that is the next try.
                log.exception("resumptions_not_leased")
            await self._bell.wait()

    async def drain(self, seconds: float) -> None:
        """Let what runs end for so long; then cut it off. Its leases lapse, and another worker tells again."""
        await self._tasks.drain(seconds)

    async def _begin(self, *, handlers: Collection[str], webhooks: bool, lease: timedelta) -> None:
        """Begin as much of this as is due and there is room for."""
        while (handlers or webhooks) and (room := self._concurrency - len(self._tasks)) > 0:
            now = self._clock.now()
            leased = await self._store.lease_resumptions(
                now=now, until=now + lease, limit=room, handlers=handlers, webhooks=webhooks
            )
            for each in leased:
                self._start(each)
            if len(leased) < room:
                return

    def _start(self, leased: ResumptionLease) -> None:
        """Tell it; unless it is being told here, which happens where its lease could not be renewed in time."""
        interaction, name = leased.interaction, (leased.interaction.tenant, leased.interaction.id)
        telling = self._telling.get(name)
        if telling is None:
            self._telling[name] = telling = _Telling(interaction=interaction, lease=leased.lease)
            self._tasks.start(f"tell {interaction.id}", self._tell(name, telling))
            return
        log.warning("still_being_told", interaction=interaction.id)
        if interaction.resumption == telling.interaction.resumption:
            telling.lease = leased.lease
        # Otherwise somebody woke it meanwhile: this lease lapses, and then it is told anew.

    async def _tell(self, name: tuple[str, str], telling: _Telling) -> None:
        interaction = telling.interaction
        try:
            if interaction.resume.kind is ResumeKind.HANDLER:
                await self._handle(telling)
            else:
                assert self._webhooks is not None
                await self._report(telling, await self._webhooks.tell(interaction))
        finally:
            del self._telling[name]

    async def _handle(self, telling: _Telling) -> None:
        interaction = telling.interaction
        name = interaction.resume.target or ""
        resumed = Resumed(interaction=interaction, service=self._service, worker=name)
        work = asyncio.create_task(self._handlers[name](resumed), name=f"handler {name} {interaction.id}")
        try:
            await self._hold(work, telling)
        finally:
            # Only when we are cut off is it still running here.
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
        error = asyncio.CancelledError("by itself") if work.cancelled() else work.exception()
        outcome: Told | NotTold = Told()
        if error is not None:
            log.error("handler_failed", handler=name, interaction=interaction.id, exc_info=error)
            # What was claimed is never told again: its execution is failed, or nobody knows.
            if not resumed.has_claimed:
                outcome = NotTold(error=f"{type(error).__name__}: {error}"[:_MOST_ERROR])
        await self._report(telling, outcome)

    async def _hold(self, work: asyncio.Task[None], telling: _Telling) -> None:
        """Wait for the handler, and keep the lease as long as it is ours."""
        pause = self._first_lease / 3
        while True:
            await asyncio.wait({work}, timeout=pause.total_seconds())
            if work.done():
                return
            is_held = await self._renew(telling)
            pause = (self._lease if is_held else self._first_lease) / 3

    async def _renew(self, telling: _Telling) -> bool:
        """False where it failed, or where it is another's by now.

        After a claim nothing is due any more: the lease then guards nothing, and costs one statement each third.
        """
        lease, interaction = telling.lease, telling.interaction
        if lease is telling.lost:
            return False
        try:
            until = self._clock.now() + self._lease
            is_ours = await self._store.renew_resumption(interaction=interaction, lease=lease, until=until)
        except Exception:
            # Perhaps it is renewed, perhaps not; at the next third of the first lease it can still be.
            log.exception("lease_not_renewed", interaction=interaction.id)
            return False
        if not is_ours:
            telling.lost = lease
        return is_ours

    async def _report(self, telling: _Telling, outcome: Told | NotTold) -> None:
        now, interaction, lease = self._clock.now(), telling.interaction, telling.lease
        if isinstance(outcome, Told):
            is_ours = await self._store.finish_resumption(interaction=interaction, lease=lease, now=now)
            log.info("run_told", interaction=interaction.id, run=interaction.run_id, wake=interaction.resumption.wakes)
        else:
            wait = self._wait(interaction, outcome)
            log.warning("run_not_told", interaction=interaction.id, run=interaction.run_id, will_retry=wait is not None)
            due_at = None if wait is None else now + wait
            is_ours = await self._store.retry_resumption(
                interaction=interaction, lease=lease, error=outcome.error, due_at=due_at, now=now
            )
            if due_at is None:
                # It is stuck now: its cards say so.
                self._hub.ring()
        if not is_ours:
            log.info("resumption_not_ours", interaction=interaction.id)

    def _wait(self, interaction: Interaction, outcome: NotTold) -> timedelta | None:
        """Until the next try; None when there is none. A receiver may ask for more time than the schedule has, not for
        less: who asks for none would have all tries at once.
        """
        schedule = HANDLER if interaction.resume.kind is ResumeKind.HANDLER else WEBHOOK
        wait = delay(schedule, failures=interaction.resumption.attempts + 1, jitter=self._jitter)
        if outcome.is_gone or wait is None:
            return None
        return wait if outcome.wait is None else max(wait, outcome.wait)
