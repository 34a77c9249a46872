"""What has to be looked at from time to time. Each job is a sweep over rows, safe on any number of replicas."""

from collections.abc import Awaitable, Callable, Mapping

import structlog

from bot.clock import Clock, DatabaseClock
from bot.hub import Hub
from bot.service import Service
from store.protocol import Store

log = structlog.get_logger("signoff.jobs")

#: Seconds between two runs of each job.
EXPIRE_EVERY = 1
RING_EVERY = 1
SILENT_EVERY = 5
STUCK_EVERY = 5
STOPPED_EVERY = 5
SYNC_EVERY = 60
#: Nothing waits for it: a draft of what is resolved is not found any more.
DROP_EVERY = 60

_BATCH = 100

Timetable = Mapping[Callable[[], Awaitable[object]], float]


class Jobs:
    def __init__(self, *, store: Store, service: Service, clock: Clock, hub: Hub) -> None:
        self._store = store
        self._service = service
        self._clock = clock
        self._hub = hub

    def timetable(self, *, worker: bool) -> Timetable:
        """Each job with its period, in seconds. Every process keeps its clock; the sweeps are a worker's."""
        clock: Timetable = {self.sync_clock: SYNC_EVERY}
        if not worker:
            return clock
        return {
            self.expire: EXPIRE_EVERY,
            self.ring: RING_EVERY,
            self.mark_unknown: SILENT_EVERY,
            self.mark_stuck: STUCK_EVERY,
            self.end_stopped: STOPPED_EVERY,
            self.drop_drafts: DROP_EVERY,
            **clock,
        }

    async def expire(self) -> int:
        """Resolve what is past its deadline; returns how many."""
        total = 0
        while True:
            expired = await self._store.expire_due(now=self._clock.now(), limit=_BATCH)
            for interaction in expired:
                log.info("interaction_expired", interaction=interaction.id, run=interaction.run_id)
                self._hub.poke(interaction.tenant, interaction.id)
            total += len(expired)
            if len(expired) < _BATCH:
                return total

    async def ring(self) -> int:
        """Remind, escalate, warn: whatever is due; returns how many."""
        rung = await self._store.ring_due(now=self._clock.now(), limit=_BATCH)
        for interaction in rung:
            log.info("timer_rang", interaction=interaction.id, run=interaction.run_id)
            self._hub.poke(interaction.tenant, interaction.id)
        return len(rung)

    async def mark_unknown(self) -> int:
        """Show whose promised report is overdue; returns how many are newly shown."""
        silent = await self._store.mark_unknown(now=self._clock.now(), limit=_BATCH)
        for approval in silent:
            log.warning("execution_unknown", interaction=approval.id, run=approval.run_id)
            self._hub.poke(approval.tenant, approval.id)
        return len(silent)

    async def mark_stuck(self) -> int:
        """Show what waits for its run too long; returns how many are newly shown."""
        stuck = await self._store.mark_stuck(now=self._clock.now(), limit=_BATCH)
        # What lapsed is not among them, and its card is behind as well.
        self._hub.ring()
        for interaction in stuck:
            log.warning("resumption_stuck", interaction=interaction.id, run=interaction.run_id)
            self._hub.poke(interaction.tenant, interaction.id)
        return len(stuck)

    async def end_stopped(self) -> int:
        """End hosted runs that are to stop and that no worker holds (any more); returns how many."""
        return await self._service.end_stopped()

    async def drop_drafts(self) -> int:
        """Remove what was entered into forms of what is resolved; returns how many."""
        total = 0
        while True:
            dropped = await self._store.drop_drafts(limit=_BATCH)
            total += dropped
            if dropped < _BATCH:
                return total

    async def sync_clock(self) -> None:
        if isinstance(self._clock, DatabaseClock):
            await self._clock.sync()
