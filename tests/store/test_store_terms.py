"""Terms, courses, policies and stops as JSON and rows: what is written is read again, whatever it is."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

from hypothesis import given
from hypothesis import strategies as st

from store.sql import rows_terms
from store.sql.times import time_text
from store.types import (
    Actor,
    ActorKind,
    Approvers,
    Course,
    Destination,
    Escalation,
    Extension,
    Fact,
    Hop,
    Link,
    OnExpiry,
    Policy,
    PolicyRef,
    Reminders,
    Settlement,
    Stop,
    Terms,
    Timer,
    TimerKind,
    WorkingHours,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
NAMES = st.tuples() | st.lists(TEXTS, max_size=3).map(tuple)
SPANS = st.timedeltas(timedelta(0), timedelta(days=3660))
TIMES = SPANS.map(lambda span: datetime(2026, 1, 1, tzinfo=UTC) + span)
ACTORS = st.builds(Actor, kind=st.sampled_from(ActorKind), id=TEXTS, name=TEXTS)
HOURS = st.builds(
    WorkingHours,
    start=st.times(),
    end=st.times(),
    zone=st.sampled_from(["UTC", "Europe/Berlin"]),
    days=st.lists(st.integers(0, 6)).map(tuple),
)
TERMS = st.builds(
    Terms,
    policy=st.none() | st.builds(PolicyRef, name=TEXTS, revision=st.integers(1, 9999)),
    on_expiry=st.sampled_from(OnExpiry),
    reminders=st.none() | st.builds(Reminders, after=SPANS, most=st.integers(0, 99), hours=st.none() | HOURS),
    escalation=st.lists(st.builds(Escalation, after=SPANS, users=NAMES, groups=NAMES), max_size=3).map(tuple),
    extension=st.none() | SPANS,
    may_edit=st.booleans(),
)
COURSES = st.builds(
    Course,
    reminded_at=st.lists(TIMES, max_size=4).map(tuple),
    hops=st.lists(st.builds(Hop, at=TIMES, users=NAMES, groups=NAMES), max_size=3).map(tuple),
    warned_at=st.none() | TIMES,
    extension=st.none() | st.builds(Extension, actor=ACTORS, at=TIMES, until=TIMES),
    settlement=st.none() | st.builds(Settlement, actor=ACTORS, at=TIMES, happened=st.booleans()),
    spent_claims=NAMES,
    taken_back_at=st.none() | TIMES,
)
POLICIES = st.builds(
    Policy,
    tenant=TEXTS,
    name=TEXTS,
    revision=st.integers(1, 9),
    set_at=TIMES,
    set_by=ACTORS,
    approvers=st.builds(
        Approvers, users=NAMES, groups=NAMES, keys=NAMES, quorum=st.integers(1, 9), require_reason=st.booleans()
    ),
    destination=st.builds(Destination, channels=NAMES, users=NAMES, thread_ts=st.none() | TEXTS),
    tools=NAMES,
    max_expires=st.none() | SPANS,
    terms=TERMS,
    removed=st.booleans(),
)
STOPS = st.builds(
    Stop, tenant=TEXTS, id=TEXTS, tool=st.none() | TEXTS, actor=ACTORS, at=TIMES, reason=st.none() | TEXTS
)


def stored(value: object) -> object:
    """As a column gives it back."""
    return time_text(value) if isinstance(value, datetime) else value


@given(TERMS)
def test_terms_are_read_as_they_were_written(terms: Terms) -> None:
    assert rows_terms.terms(rows_terms.dump(terms)) == terms


@given(COURSES)
def test_a_course_is_read_as_it_was_written(course: Course) -> None:
    assert rows_terms.course(rows_terms.dump(course)) == course


@given(POLICIES)
def test_a_policy_is_read_as_it_was_written(policy: Policy) -> None:
    row = {name: stored(value) for name, value in rows_terms.policy_values(policy).items()}

    assert rows_terms.policy({**row, "revision": policy.revision}) == policy


@given(STOPS, st.none() | st.tuples(TIMES, ACTORS))
def test_a_stop_is_read_as_it_was_written(stop: Stop, end: tuple[datetime, Actor] | None) -> None:
    ended_at, ended_by = end or (None, None)
    row = {name: stored(value) for name, value in rows_terms.stop_values(stop).items()}
    ender = {name: ended_by and getattr(ended_by, name) for name in ("kind", "id", "name")}

    read = rows_terms.stop({**row, "ended_at": stored(ended_at), **{f"ender_{name}": ender[name] for name in ender}})

    assert read == replace(stop, ended_at=ended_at, ended_by=ended_by)


@given(st.builds(Timer, tenant=TEXTS, interaction_id=TEXTS, kind=st.sampled_from(TimerKind), due_at=TIMES))
def test_a_timer_is_read_as_it_was_written(timer: Timer) -> None:
    assert rows_terms.timer({n: stored(v) for n, v in rows_terms.timer_values(timer).items()}) == timer


@given(
    st.lists(st.builds(Fact, label=TEXTS, value=TEXTS), max_size=4).map(tuple),
    st.lists(st.builds(Link, label=TEXTS, url=TEXTS), max_size=5).map(tuple),
)
def test_facts_and_links_are_read_as_they_were_written(facts: tuple[Fact, ...], links: tuple[Link, ...]) -> None:
    assert rows_terms.facts(rows_terms.dump_all(facts)) == facts
    assert rows_terms.links(rows_terms.dump_all(links)) == links


def test_what_is_as_it_always_is_takes_no_room() -> None:
    assert rows_terms.dump(Course()) == "{}"
    assert rows_terms.dump(Terms()) == '{"on_expiry":"expire"}'
    assert rows_terms.dump_all(()) is None


def test_a_row_without_terms_has_the_usual_ones() -> None:
    assert rows_terms.terms("{}") == Terms()
    assert rows_terms.course("{}") == Course()


def test_hours_are_written_to_the_second() -> None:
    hours = WorkingHours(start=time(9, 0, 30), end=time(17), zone="UTC")
    terms = Terms(reminders=Reminders(after=timedelta(hours=1), hours=hours))

    assert rows_terms.terms(rows_terms.dump(terms)) == terms
