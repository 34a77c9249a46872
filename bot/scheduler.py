"""The ticker: APScheduler with its jobs in memory. It remembers nothing; all due work lives in rows."""

from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.clock import Clock
from bot.jobs import Jobs

log = structlog.get_logger("signoff.scheduler")

#: Seconds between two runs of each job.
EXPIRE_EVERY = 1
STUCK_EVERY = 5
SYNC_EVERY = 60


class Ticker:
    """Any number of replicas may tick: each job is a sweep that takes rows with a compare-and-set."""

    def __init__(self, *, jobs: Jobs, clock: Clock) -> None:
        self._clock = clock
        self.last_tick_at: datetime | None = None
        self._scheduler = AsyncIOScheduler(
            # coalesce and no grace: a late tick is one tick, and never a lost one.
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone="UTC",
        )
        self._add(jobs.expire, seconds=EXPIRE_EVERY)
        self._add(jobs.mark_stuck, seconds=STUCK_EVERY)
        self._add(jobs.sync_clock, seconds=SYNC_EVERY)

    def start(self) -> None:
        self._scheduler.start()
        # A ticker that has just started is not late: who waits for readiness need not wait for the first sweep.
        self.last_tick_at = self._clock.now()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    def _add(self, job: Callable[[], Awaitable[object]], *, seconds: float) -> None:
        async def tick() -> None:
            try:
                await job()
            except Exception:
                log.exception("job_failed", job=job.__name__)
            else:
                self.last_tick_at = self._clock.now()

        self._scheduler.add_job(tick, "interval", seconds=seconds, id=job.__name__)
