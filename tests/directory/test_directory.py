"""Who belongs to a group, however slowly Slack says so."""

import asyncio
from datetime import timedelta

import pytest
import structlog

from bot.people import Unreadable
from bot.slack.directory import MEMBERS_FRESH
from tests.clock import FakeClock
from tests.directory.slow_slack import SlowSlack, directory

GROUP = "S0GROUP"
ANA = frozenset({"U0ANA"})
#: Seconds that a click waits in tests that want it to wait no longer, and in those that want its answer.
IMPATIENT, PATIENT = 0.02, 10.0


async def members(found):
    return await found.members(tenant="default", group=GROUP)


async def test_a_group_that_answers_too_slowly_for_one_click_is_known_at_the_next() -> None:
    slack, clock = SlowSlack(), FakeClock()
    async with directory(slack, clock, click_budget=IMPATIENT) as found:
        slack.open.clear()
        first = await members(found)
        warming = asyncio.create_task(found.warm([GROUP]))
        slack.open.set()
        await warming

        assert (first, await members(found)) == (Unreadable.NOW, ANA)
        assert slack.calls == ["usergroups.users.list"]


async def test_thirty_clicks_at_once_make_one_call() -> None:
    slack, clock = SlowSlack(), FakeClock()
    async with directory(slack, clock, click_budget=PATIENT) as found:
        slack.open.clear()
        clicks = [asyncio.create_task(members(found)) for _ in range(30)]
        await slack.asked(1)
        slack.open.set()

        assert await asyncio.gather(*clicks) == [ANA] * 30
        assert len(slack.calls) == 1


async def test_a_click_that_is_cut_off_does_not_cut_off_the_others() -> None:
    slack, clock = SlowSlack(), FakeClock()
    async with directory(slack, clock, click_budget=PATIENT) as found:
        slack.open.clear()
        one, other = (asyncio.create_task(members(found)) for _ in range(2))
        await slack.asked(1)
        one.cancel()
        await asyncio.wait({one})
        slack.open.set()

        assert await other == ANA


async def test_members_are_asked_for_again_after_a_minute() -> None:
    slack, clock = SlowSlack(), FakeClock()
    async with directory(slack, clock, click_budget=PATIENT) as found:
        await found.warm([GROUP])
        clock.advance(MEMBERS_FRESH)
        known = await members(found)
        slack.reply = {"ok": True, "users": ["U0BEN"]}
        clock.advance(timedelta(seconds=1))

        assert (known, await members(found)) == (ANA, frozenset({"U0BEN"}))
        assert len(slack.calls) == 2


@pytest.mark.parametrize("error", ["no_such_subteam", "subteam_not_found", "plan_upgrade_required", "missing_scope"])
async def test_a_group_that_cannot_be_read_is_told_apart_and_alarms(error) -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply = {"ok": False, "error": error}
    async with directory(slack, clock, click_budget=PATIENT) as found:
        with structlog.testing.capture_logs() as logs:
            answers = [await members(found) for _ in range(3)]

    assert answers == [Unreadable.EVER] * 3
    assert len(slack.calls) == 1
    assert [(line["log_level"], line["error"]) for line in logs if line["event"] == "group_gone"] == [("error", error)]


async def test_a_group_that_comes_back_is_read_after_a_minute() -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply = {"ok": False, "error": "no_such_subteam"}
    async with directory(slack, clock, click_budget=PATIENT) as found:
        gone = await members(found)
        slack.reply = {"ok": True, "users": ["U0ANA"]}
        clock.advance(MEMBERS_FRESH + timedelta(seconds=1))

        assert (gone, await members(found)) == (Unreadable.EVER, ANA)


async def test_a_failure_that_may_pass_is_not_remembered() -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply, slack.status = {"ok": False, "error": "ratelimited"}, 429
    async with directory(slack, clock, click_budget=PATIENT) as found:
        limited = await members(found)
        slack.reply, slack.status = {"ok": True, "users": ["U0ANA"]}, 200

        assert (limited, await members(found)) == (Unreadable.NOW, ANA)


async def test_a_name_that_comes_too_late_for_one_list_is_on_the_next() -> None:
    slack, clock = SlowSlack(), FakeClock()
    slack.reply = {"ok": True, "user": {"real_name": "Ana Ruiz"}}
    async with directory(slack, clock, click_budget=PATIENT) as found:
        slack.open.clear()
        first = await found.names(["U0ANA"], within=IMPATIENT)
        later = asyncio.create_task(found.names(["U0ANA"], within=PATIENT))
        slack.open.set()

        assert (first, await later) == ({}, {"U0ANA": "Ana Ruiz"})
        assert slack.calls == ["users.info"]


async def test_closing_cuts_off_what_is_still_asked() -> None:
    slack, clock = SlowSlack(), FakeClock()
    async with directory(slack, clock, click_budget=PATIENT) as found:
        slack.open.clear()
        click = asyncio.create_task(members(found))
        await slack.asked(1)
        await found.close()

        assert await click is Unreadable.NOW
        slack.open.set()
