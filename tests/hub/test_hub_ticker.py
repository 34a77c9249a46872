"""The ticker says when its latest job ran late, whichever that is; a process without a worker keeps its clock too."""

import asyncio
from datetime import timedelta

import aiohttp
import pytest

from bot.jobs import DROP_EVERY, EXPIRE_EVERY, SYNC_EVERY, Jobs
from bot.scheduler import Ticker
from bot.settings import Settings
from bot.tasks import Deadline
from bot.wiring import running
from sandbox.server import Sandbox
from store.drafts import Draft
from store.open import open_store
from tests.clock import FakeClock
from tests.store.contract.makers import NOW, TENANT, a_question, answer, asked


class Sweep:
    """A job that a test can break."""

    def __init__(self) -> None:
        self.runs: asyncio.Queue[None] = asyncio.Queue()
        self.is_broken = False

    async def run(self) -> None:
        self.runs.put_nowait(None)
        if self.is_broken:
            raise RuntimeError("the database is away")


def ticker(clock: FakeClock, expire: Sweep, sync: Sweep) -> Ticker:
    async def expired() -> None:
        await expire.run()

    async def synced() -> None:
        await sync.run()

    return Ticker(jobs={expired: 0.02, synced: 0.02}, clock=clock)


async def late(ticker: Ticker, clock: FakeClock) -> timedelta:
    assert ticker.last_tick_at is not None
    return clock.now() - ticker.last_tick_at


async def ran(sweep: Sweep, times: int) -> None:
    """Wait until it ran so often from now on, and what came of the last but one is recorded."""
    while not sweep.runs.empty():
        sweep.runs.get_nowait()
    for _ in range(times):
        await asyncio.wait_for(sweep.runs.get(), 10)


async def test_one_dead_sweep_shows_whatever_the_others_do() -> None:
    clock, expire, sync = FakeClock(), Sweep(), Sweep()
    ticking = ticker(clock, expire, sync)
    ticking.start()
    expire.is_broken = True
    await ran(expire, 2)
    clock.advance(100)
    await ran(sync, 2)
    with_one_dead = await late(ticking, clock)
    expire.is_broken = False
    await ran(expire, 2)
    healed = await late(ticking, clock)
    ticking.stop()

    assert with_one_dead == timedelta(seconds=100 - 0.02)
    assert healed == timedelta(0)


def test_a_ticker_that_was_not_started_has_not_ticked() -> None:
    assert ticker(FakeClock(), Sweep(), Sweep()).last_tick_at is None


async def test_a_job_is_not_late_within_its_own_period() -> None:
    async def rarely() -> None: ...

    clock = FakeClock()
    ticking = Ticker(jobs={rarely: 60}, clock=clock)
    ticking.start()
    clock.advance(59)
    within = await late(ticking, clock)
    clock.advance(60)
    beyond = await late(ticking, clock)
    ticking.stop()

    assert (within, beyond) == (timedelta(0), timedelta(seconds=59))


def test_every_process_keeps_its_clock_and_only_workers_sweep() -> None:
    jobs = Jobs(store=None, service=None, clock=FakeClock(), hub=None)  # type: ignore[arg-type]  # nothing is run

    assert jobs.timetable(worker=False) == {jobs.sync_clock: SYNC_EVERY}
    assert jobs.timetable(worker=True)[jobs.sync_clock] == SYNC_EVERY
    assert jobs.timetable(worker=True)[jobs.expire] == EXPIRE_EVERY


async def test_drafts_of_what_is_resolved_are_swept_however_many_there_are() -> None:
    store = await open_store("memory://")
    over, waits = [await asked(store, a_question()) for _ in range(2)]
    for interaction, people in ((over, 250), (waits, 3)):
        for number in range(people):
            of = {"tenant": TENANT, "interaction_id": interaction.id, "person": f"U{number}"}
            await store.keep_draft(**of, draft=Draft(chosen={0: (0,)}), at=NOW)
    await answer(store, over)
    jobs = Jobs(store=store, service=None, clock=FakeClock(), hub=None)  # type: ignore[arg-type]  # it announces nothing

    assert [await jobs.drop_drafts(), await jobs.drop_drafts()] == [250, 0]
    assert jobs.timetable(worker=True)[jobs.drop_drafts] == DROP_EVERY


@pytest.mark.parametrize("worker", [False, True])
async def test_readiness_of_either_side_hangs_on_its_ticks(worker) -> None:
    async with Sandbox() as slack:
        settings = Settings(
            DATABASE_URL="memory://",
            PORT=0,
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_SIGNING_SECRET=slack.signing_secret,
            SLACK_API_URL=slack.api_url,
        )
        async with (
            running(settings, worker=worker) as house,
            aiohttp.ClientSession() as session,
            session.get(f"{house.url}/readyz") as reply,
        ):
            checks = (await reply.json())["checks"]

    assert checks == {"database": "ok", "schema": "ok", "tick": "ok"}


def test_a_deadline_is_shared() -> None:
    now = [100.0]
    deadline = Deadline(25, monotonic=lambda: now[0])
    now[0] = 500.0
    assert deadline.left() == 25
    deadline.start()
    now[0] += 20
    deadline.start()
    assert deadline.left() == 5
    now[0] += 20
    assert deadline.left() == 0
