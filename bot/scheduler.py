"""The ticker: APScheduler with its jobs in memory. It remembers nothing; all due work lives in rows."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.clock import Clock, SystemClock

log = structlog.get_logger("signoff.scheduler")

Job = Callable[[], Awaitable[object]]
#: Seconds between two looks at the machine's wall clock, and by how much it must have been stepped to matter.
_LOOK_EVERY = 1.0
_STEP = 0.5


class Ticker:
    """Any number of replicas may tick: each job is a sweep that takes rows with a compare-and-set.

    APScheduler waits for instants of the machine's wall clock. What is due never hangs on that clock, and when we look
    must not either: where it was stepped, every job runs at once, and counts its period from there.
    """

    def __init__(
        self, *, jobs: Mapping[Job, float], clock: Clock, wall: Clock | None = None, look_every: float = _LOOK_EVERY
    ) -> None:
        """`jobs`: seconds between two runs of each. `wall`: the machine's own clock."""
        self._clock = clock
        self._wall = wall or SystemClock()
        self._look_every = look_every
        self._periods = {job.__name__: timedelta(seconds=seconds) for job, seconds in jobs.items()}
        self._ran_at: dict[str, datetime] = {}
        self._watching: asyncio.Task[None] | None = None
        self._scheduler = AsyncIOScheduler(
            # coalesce and no grace: a late tick is one tick, and never a lost one.
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone="UTC",
        )
        for job, seconds in jobs.items():
            self._add(job, seconds=seconds)

    def start(self) -> None:
        self._scheduler.start()
        self._watching = asyncio.create_task(self._watch(), name="ticker.watch")
        # A ticker that has just started is not late: who waits for readiness need not wait for the first sweep.
        now = self._clock.now()
        self._ran_at = dict.fromkeys(self._periods, now)

    def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        self._scheduler.shutdown(wait=False)

    @property
    def last_tick_at(self) -> datetime | None:
        """Now, less what the latest job is late by; None before the start.

        A job is late from the end of its own period on: one that fails or hangs shows, whatever the others do.
        """
        if not self._ran_at:
            return None
        now = self._clock.now()
        late = (now - self._ran_at[name] - period for name, period in self._periods.items())
        return now - max(timedelta(0), *late)

    async def _watch(self) -> None:
        ahead = self._wall_ahead()
        while True:
            await asyncio.sleep(self._look_every)
            before, ahead = ahead, self._wall_ahead()
            if abs(ahead - before) < _STEP:
                continue
            log.warning("wall_clock_stepped", seconds=round(ahead - before, 1))
            now = self._wall.now()
            for job in self._scheduler.get_jobs():
                job.modify(next_run_time=now)

    def _wall_ahead(self) -> float:
        return self._wall.now().timestamp() - time.monotonic()

    def _add(self, job: Job, *, seconds: float) -> None:
        name = job.__name__

        async def tick() -> None:
            try:
                await job()
            except Exception:
                log.exception("job_failed", job=name)
            else:
                self._ran_at[name] = self._clock.now()

        self._scheduler.add_job(tick, "interval", seconds=seconds, id=name)
