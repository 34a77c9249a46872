"""When people may be reminded: over zones, midnights, and clocks that are put forward and back."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import rules
from store.rules.timing import opens_at
from store.types import Escalation, Reminders, Terms, TimerKind, WorkingHours
from tests.store.contract.makers import HOUR, MINUTE, NOW, a_question, an_approval

MOMENT = timedelta(microseconds=1)
EVERY_DAY = tuple(range(7))


def hours(start: str = "09:00", end: str = "17:00", zone: str = "Europe/Berlin", **fields) -> WorkingHours:
    return WorkingHours(start=time.fromisoformat(start), end=time.fromisoformat(end), zone=zone, **fields)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("at", "opens"),
    [
        # A Monday in winter: 9:00 in Berlin is 8:00.
        ("2026-11-30T07:59:59.999999", "2026-11-30T08:00:00"),
        ("2026-11-30T08:00:00", "2026-11-30T08:00:00"),
        ("2026-11-30T15:59:59.999999", "2026-11-30T15:59:59.999999"),
        ("2026-11-30T16:00:00", "2026-12-01T08:00:00"),
        # From Friday evening to Monday.
        ("2026-12-04T16:00:00", "2026-12-07T08:00:00"),
        ("2026-12-05T12:00:00", "2026-12-07T08:00:00"),
        # The clock is put forward on Sunday, 29 March: on Monday 9:00 is 7:00.
        ("2026-03-27T16:00:00", "2026-03-30T07:00:00"),
        # It is put back on Sunday, 25 October.
        ("2026-10-23T15:00:00", "2026-10-26T08:00:00"),
    ],
)
def test_the_next_instant_within_working_hours(at, opens) -> None:
    assert opens_at(hours(), utc(at)) == utc(opens)


@pytest.mark.parametrize(
    ("zone", "at", "opens"),
    [
        # Where it is Monday already, or Sunday still.
        ("Pacific/Auckland", "2026-11-29T19:00:00", "2026-11-29T20:00:00"),
        ("America/Los_Angeles", "2026-11-30T07:00:00", "2026-11-30T17:00:00"),
        ("Asia/Kathmandu", "2026-11-30T03:00:00", "2026-11-30T03:15:00"),
        ("Pacific/Kiritimati", "2026-11-29T18:59:00", "2026-11-29T19:00:00"),
        # Half an hour of summer time.
        ("Australia/Lord_Howe", "2026-10-05T00:00:00", "2026-10-05T00:00:00"),
        ("Australia/Lord_Howe", "2026-10-04T21:59:00", "2026-10-04T22:00:00"),
    ],
)
def test_the_zone_says_which_day_it_is(zone, at, opens) -> None:
    assert opens_at(hours(zone=zone), utc(at)) == utc(opens)


def test_hours_that_begin_when_the_clock_is_put_forward_begin_then() -> None:
    # On 29 March there is no 2:00 to 3:00 in Berlin: 2:30 is half an hour after it is put forward.
    night = hours("02:30", "05:00", days=EVERY_DAY)

    assert opens_at(night, utc("2026-03-29T00:30:00")) == utc("2026-03-29T01:30:00")
    assert opens_at(night, utc("2026-03-29T01:30:00")) == utc("2026-03-29T01:30:00")


def test_hours_that_come_twice_when_the_clock_is_put_back_never_begin_in_the_past() -> None:
    # On 25 October 2:00 to 3:00 comes twice in Berlin: from 0:00 to 1:00 and from 1:00 to 2:00 of UTC.
    night = hours("02:15", "02:45", days=EVERY_DAY)

    assert opens_at(night, utc("2026-10-25T00:10:00")) == utc("2026-10-25T00:15:00")
    assert opens_at(night, utc("2026-10-25T01:10:00")) == utc("2026-10-26T01:15:00")


@pytest.mark.parametrize(
    ("at", "opens"),
    [
        ("2026-11-30T20:59:00", "2026-11-30T21:00:00"),
        ("2026-11-30T23:30:00", "2026-11-30T23:30:00"),
        ("2026-12-01T04:59:59", "2026-12-01T04:59:59"),
        ("2026-12-01T05:00:00", "2026-12-01T21:00:00"),
        # Friday's hours last into Saturday, and Sunday has none that last into Monday.
        ("2026-12-05T04:00:00", "2026-12-05T04:00:00"),
        ("2026-12-07T04:00:00", "2026-12-07T21:00:00"),
    ],
)
def test_hours_may_last_over_midnight(at, opens) -> None:
    assert opens_at(hours("22:00", "06:00"), utc(at)) == utc(opens)


def test_hours_may_end_at_midnight_and_last_all_day() -> None:
    assert opens_at(hours("09:00", "00:00"), utc("2026-11-30T22:59:59")) == utc("2026-11-30T22:59:59")
    assert opens_at(hours("09:00", "00:00"), utc("2026-11-30T23:00:00")) == utc("2026-12-01T08:00:00")
    assert opens_at(hours("00:00", "00:00"), utc("2026-11-30T23:00:00")) == utc("2026-11-30T23:00:00")


def test_without_days_there_is_nothing_to_wait_for() -> None:
    assert opens_at(hours(days=()), utc("2026-12-05T12:00:00")) == utc("2026-12-05T12:00:00")


@given(
    at=st.timedeltas(timedelta(0), timedelta(days=3650)).map(lambda span: datetime(2020, 1, 1, tzinfo=UTC) + span),
    start=st.integers(0, 1439),
    lasts=st.integers(1, 1439),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
    days=st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))),
)
def test_it_opens_within_a_week_never_in_the_past_and_stays_open(at, start, lasts, zone, days) -> None:
    begins, ends = divmod(start, 60), divmod((start + lasts) % 1440, 60)
    these = WorkingHours(start=time(*begins), end=time(*ends), zone=zone, days=days)

    opens = opens_at(these, at)

    assert at <= opens <= at + timedelta(days=8, hours=2)
    assert opens_at(these, opens) == opens
    # Not a moment later than it might: just before, it was closed.
    assert opens == at or opens_at(these, opens - MOMENT) == opens
    local = opens.astimezone(ZoneInfo(zone))
    assert {local.weekday(), (local.weekday() - 1) % 7} & set(days)


# --- what is due first


@pytest.mark.parametrize(
    ("fields", "due"),
    [
        ({}, {TimerKind.WARN: 45 * MINUTE}),
        ({"expires_at": None}, {}),
        ({"expires_at": NOW + 10 * MINUTE - MOMENT}, {}),
        ({"expires_at": NOW + 10 * MINUTE}, {TimerKind.WARN: timedelta(minutes=7, seconds=30)}),
        ({"expires_at": NOW + 2 * HOUR}, {TimerKind.WARN: 90 * MINUTE}),
        ({"expires_at": NOW + 100 * HOUR}, {TimerKind.WARN: 100 * HOUR - 30 * MINUTE}),
        ({"expires_at": None, "terms": Terms(reminders=Reminders(after=HOUR))}, {TimerKind.REMIND: HOUR}),
        ({"expires_at": None, "terms": Terms(reminders=Reminders(after=HOUR, most=0))}, {}),
        (
            {"expires_at": None, "terms": Terms(escalation=(Escalation(after=HOUR), Escalation(after=2 * HOUR)))},
            {TimerKind.ESCALATE: HOUR},
        ),
    ],
)
def test_what_is_due_first(fields, due) -> None:
    timers = rules.timers(an_approval(**fields))

    assert {timer.kind: timer.due_at - NOW for timer in timers} == due
    assert {timer.turn for timer in timers} <= {0}


def test_questions_are_not_warned_about() -> None:
    assert not rules.timers(a_question(expires_at=NOW + HOUR))
