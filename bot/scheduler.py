"""The ticker: APScheduler with its jobs in memory. It remembers nothing; all due work lives in rows."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from bot.clock import Clock

log = structlog.get_logger("signoff.scheduler")

Job = Callable[[], Awaitable[object]]


class Ticker:
    """Any number of replicas may tick: each job is a sweep that takes rows with a compare-and-set."""

    def __init__(self, *, jobs: Mapping[Job, float], clock: Clock) -> None:
        """`jobs`: seconds between two runs of each."""
        self._clock = clock
        self._periods = {job.__name__: timedelta(seconds=seconds) for job, seconds in jobs.items()}
        self._ran_at: dict[str, datetime] = {}
        self._scheduler = AsyncIOScheduler(
            # coalesce and no grace: a late tick is one tick, and never a lost one.
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
            timezone="UTC",
        )
        for job, seconds in jobs.items():
            self._add(job, seconds=seconds)

    def start(self) -> None:
        self._scheduler.start()
        # A ticker that has just started is not late: who waits for readiness need not wait for the first sweep.
        now = self._clock.now()
        self._ran_at = dict.fromkeys(self._periods, now)

    def stop(self) -> None:
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
