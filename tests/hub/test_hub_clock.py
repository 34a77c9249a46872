"""The database's clock: a slow answer proves little and moves little; time never goes backwards."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.clock import DatabaseClock

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class World:
    """A machine and a database. `out` and `back`: seconds that a question and its answer travel."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.offset = timedelta(0)
        self.out, self.back = 0.001, 0.001
        self.asked = 0

    def monotonic(self) -> float:
        return self.seconds

    @property
    def true(self) -> datetime:
        return NOON + timedelta(seconds=self.seconds) + self.offset

    async def ask(self) -> datetime:
        self.asked += 1
        self.seconds += self.out
        answer = self.true
        self.seconds += self.back
        return answer

    def clock(self) -> DatabaseClock:
        return DatabaseClock(self.ask, monotonic=self.monotonic)


def off(world: World, clock: DatabaseClock) -> float:
    """Seconds that the clock is ahead."""
    return (clock.now() - world.true).total_seconds()


def test_a_clock_that_was_never_synchronised_says_nothing() -> None:
    with pytest.raises(RuntimeError):
        World().clock().now()


async def test_a_first_answer_that_waited_for_a_connection_does_not_put_the_clock_ahead() -> None:
    world = World()
    world.out = 3.0
    first = world.ask

    async def ask() -> datetime:
        answer = await first()
        world.out = 0.001
        return answer

    clock = DatabaseClock(ask, monotonic=world.monotonic)
    await clock.sync()

    assert abs(off(world, clock)) <= 0.002
    assert world.asked == 3


@pytest.mark.parametrize(("out", "back"), [(3.0, 0.001), (0.001, 3.0), (1.5, 1.5)])
async def test_a_slow_answer_moves_a_right_clock_not_at_all(out, back) -> None:
    world = World()
    clock = world.clock()
    await clock.sync()
    world.seconds += 60
    world.out, world.back = out, back

    await clock.sync()

    assert abs(off(world, clock)) <= 0.002


@pytest.mark.parametrize("trip", [0.002, 0.3])
async def test_a_database_whose_clock_is_another_is_followed(trip) -> None:
    world = World()
    clock = world.clock()
    await clock.sync()
    world.offset = timedelta(minutes=5)
    world.out = world.back = trip / 2

    await clock.sync()

    assert abs(off(world, clock)) <= trip


async def test_time_stands_still_rather_than_going_back() -> None:
    world = World()
    clock = world.clock()
    await clock.sync()
    before = clock.now()
    world.offset = timedelta(seconds=-10)

    await clock.sync()
    during = clock.now()
    world.seconds += 20

    assert during == before
    assert abs(off(world, clock)) <= 0.002
