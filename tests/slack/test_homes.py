"""Publishing Homes to a Slack that fails: how often it is tried again, whom it holds up, and what the log says."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
import structlog

from bot.people import Person
from bot.slack.client import SlackClient, open_session
from bot.slack.directory import SlackDirectory
from bot.slack.homes import AT_ONCE, Homes
from sandbox.server import Sandbox
from store.types import Installation
from tests.parts import Parts, open_parts

TEAM = "T07ACME00"
ANA, BEN, CHIDI = (Person(user_id=id, team_id=TEAM) for id in ("U07ANA4K2QX", "U07BEN9D1MT", "U07CHIDI3EZ"))
PAUSES = (0.01, 0.02, 0.03)


@dataclass(kw_only=True)
class Stage:
    slack: Sandbox
    homes: Homes
    parts: Parts

    async def called(self, count: int) -> list[bool]:
        """Of all calls, once there are so many: whether Slack did it."""
        await self.slack.wait_for(lambda _: len(self._calls()) >= count)
        return [call.ok for call in self._calls()]

    def _calls(self) -> list:
        return [call for call in self.slack.calls if call.method == "views.publish"]

    async def seen_by(self, person: Person) -> None:
        await self.slack.wait_for(lambda _: self.slack.person(person.user_id).home)


@asynccontextmanager
async def standing(**changes) -> AsyncIterator[Stage]:
    async with Sandbox() as slack, open_parts("memory://") as parts, open_session() as session:
        await parts.store.bind_installation(installation=acme(parts))
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        homes = Homes(
            store=parts.store,
            service=parts.service,
            lookups=parts.lookups,
            directory=SlackDirectory(client=client, clock=parts.clock),
            client=client,
            clock=parts.clock,
            **{"pauses": PAUSES, **changes},
        )
        running = asyncio.create_task(homes.run())
        try:
            yield Stage(slack=slack, homes=homes, parts=parts)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


def acme(parts: Parts) -> Installation:
    return Installation(
        tenant="default", team_id=TEAM, enterprise_id=None, app_id=None, bot_user_id="U0BOT", bot_id=None,
        team_name="Acme", team_url=None, bound_at=parts.clock.now(),
    )  # fmt: skip


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with standing() as found:
        yield found


@pytest.mark.parametrize(
    "trouble",
    [{"status": 503}, {"html": True}, {"down": True}, {"error": "internal_error"}, {"error": "hash_conflict"}],
)
async def test_what_passes_is_tried_again(stage, trouble) -> None:
    stage.slack.faults.add("views.publish", times=2, **trouble)

    stage.homes.opened("default", ANA)

    await stage.seen_by(ANA)


async def test_it_is_tried_a_bounded_number_of_times_and_anew_after_the_next_change(stage) -> None:
    fault = stage.slack.faults.add("views.publish", error="internal_error")
    with structlog.testing.capture_logs() as logs:
        stage.homes.opened("default", ANA)
        await stage.called(1 + len(PAUSES))
        await heard(logs, "home_lost", 1 + len(PAUSES))
    stage.slack.faults.remove(fault)

    stage.homes.opened("default", ANA)

    await stage.seen_by(ANA)
    assert await stage.called(1) == [*[False] * (1 + len(PAUSES)), True]
    assert [line["again_in"] for line in logs] == [*PAUSES, None]


@pytest.mark.parametrize("error", ["not_enabled", "user_not_found", "invalid_auth", "view_too_large"])
async def test_what_does_not_pass_is_named_and_not_tried_again(stage, error) -> None:
    stage.slack.faults.add("views.publish", error=error, times=1)

    with structlog.testing.capture_logs() as logs:
        stage.homes.opened("default", ANA)
        (line,) = await heard(logs, "home_lost", 1)

    assert (line["error"], line["again_in"]) == (error, None)
    assert ("App Home" in line.get("advice", "")) == (error == "not_enabled")
    stage.homes.opened("default", BEN)
    await stage.seen_by(BEN)
    assert await stage.called(2) == [False, True]


async def test_one_persons_slow_home_holds_up_nobody_else(stage) -> None:
    stage.slack.faults.add("views.publish", delay=60, times=1)
    stage.homes.opened("default", ANA)
    await until(lambda: not len(stage.slack.faults))

    for person in (BEN, CHIDI):
        stage.homes.opened("default", person)
        await stage.seen_by(person)

    assert stage.slack.person(ANA.user_id).home is None


async def test_a_home_that_waits_to_be_tried_again_holds_up_nobody_else() -> None:
    async with standing(pauses=(60.0,)) as stage:
        stage.slack.faults.add("views.publish", status=500, times=1)
        stage.homes.opened("default", ANA)
        await stage.called(1)

        stage.homes.opened("default", BEN)

        await stage.seen_by(BEN)
        assert stage.slack.person(ANA.user_id).home is None


async def test_what_changes_while_a_home_waits_is_shown_at_once() -> None:
    async with standing(pauses=(60.0,)) as stage:
        stage.slack.faults.add("views.publish", status=500, times=1)
        stage.homes.opened("default", ANA)
        await stage.called(1)

        stage.homes.opened("default", ANA)

        await stage.seen_by(ANA)


async def test_a_limit_is_waited_out_by_everybody(stage) -> None:
    stage.slack.faults.add("views.publish", status=429, retry_after=1, times=1)
    stage.homes.opened("default", ANA)
    await stage.called(1)

    stage.homes.opened("default", BEN)

    await stage.seen_by(ANA)
    await stage.seen_by(BEN)
    assert await stage.called(3) == [False, True, True]


async def test_many_are_published_a_few_at_a_time(stage) -> None:
    everybody = [user for user in stage.slack.workspace.users.values() if not (user.deleted or user.is_bot)]
    people = [Person(user_id=user.id, team_id=TEAM) for user in everybody if user.team == TEAM]
    assert len(people) > AT_ONCE

    for person in people:
        stage.homes.opened("default", person)

    for person in people:
        await stage.seen_by(person)


async def heard(logs: list, event: str, count: int) -> list:
    """The lines of this event, once there are so many."""
    await until(lambda: len([line for line in logs if line["event"] == event]) >= count)
    return [line for line in logs if line["event"] == event]


async def until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not look():  # noqa: ASYNC110  neither a log nor a fault rings a bell
            await asyncio.sleep(0)
