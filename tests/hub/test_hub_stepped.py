"""A wall clock that somebody sets: when we look at what is due hangs on it no more than what is due."""

import asyncio
import itertools
from datetime import UTC, datetime, timedelta

import apscheduler.schedulers.base
import pytest

from bot.scheduler import Ticker
from tests.clock import FakeClock


class Wall:
    """The machine's wall clock, stepped by a test, as APScheduler and the ticker read it."""

    def __init__(self) -> None:
        self.by = timedelta(0)
        wall = self

        class Stepped(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime.now(tz or UTC) + wall.by

        self.datetime = Stepped

    def now(self) -> datetime:
        return self.datetime.now(UTC)


@pytest.fixture
def wall(monkeypatch):
    made = Wall()
    monkeypatch.setattr(apscheduler.schedulers.base, "datetime", made.datetime)
    return made


@pytest.mark.parametrize("step", [timedelta(minutes=10), timedelta(minutes=-10)])
async def test_a_stepped_wall_clock_stops_no_sweep_and_hurries_none(wall, step) -> None:
    runs: asyncio.Queue[float] = asyncio.Queue()

    async def sweep() -> None:
        runs.put_nowait(asyncio.get_running_loop().time())

    ticker = Ticker(jobs={sweep: 0.2}, clock=FakeClock(), wall=wall, look_every=0.05)
    ticker.start()
    await asyncio.wait_for(runs.get(), 5)

    wall.by = step
    after = [await asyncio.wait_for(runs.get(), 5) for _ in range(5)]
    ticker.stop()

    # At once where it was noticed, and then in its own period: ten minutes are never caught up in a heap.
    gaps = [later - earlier for earlier, later in itertools.pairwise(after)]
    assert all(gap < 2 for gap in gaps)
    assert sum(gaps) > 0.4
