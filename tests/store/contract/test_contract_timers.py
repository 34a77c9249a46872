"""Timers: reminders, escalation, the warning before a deadline; more time."""

import asyncio
from datetime import UTC, datetime, time, timedelta

import pytest

from store import errors
from store.types import (
    ActorKind,
    Approvers,
    Decision,
    Destination,
    Escalation,
    Extension,
    Hop,
    OnExpiry,
    Reminders,
    Role,
    State,
    Surface,
    Terms,
    WorkingHours,
)
from tests.store.contract.makers import (
    ANA,
    BEN,
    HOUR,
    MINUTE,
    MOMENT,
    NOW,
    OTHER,
    TENANT,
    a_question,
    answer,
    asked,
    behind,
    cards,
    decide,
    extend,
    now_is,
    paint,
    said,
    withdraw,
)

DAY = 24 * HOUR
REMINDED = Terms(reminders=Reminders(after=HOUR))
STEPS = (Escalation(after=HOUR, users=("U0BOSS",)), Escalation(after=2 * HOUR, groups=("S0CTO",)))
EXTENSIBLE = Terms(extension=4 * HOUR)


async def rung(store, now, **fields):
    return [each.id for each in await store.ring_due(now=now, **fields)]


async def reminders(store, interaction):
    return [each for each in await cards(store, interaction) if each.role is Role.REMINDER]


# --- reminders


async def test_reminders_come_when_they_are_due_with_twice_the_gap_each(store) -> None:
    approval = await asked(store, terms=REMINDED, expires_at=None)

    at = []
    for hours in (1, 3, 7):
        assert not await rung(store, NOW + hours * HOUR - MOMENT)
        assert await rung(store, NOW + hours * HOUR) == [approval.id]
        at.append(NOW + hours * HOUR)
        assert not await rung(store, NOW + hours * HOUR)

    assert not await rung(store, NOW + 1000 * HOUR)
    assert (await now_is(store, approval)).course.reminded_at == tuple(at)
    assert await said(store, approval) == ["created", *["reminded"] * 3]


async def test_a_reminder_is_written_down_and_shown(store) -> None:
    approval = await asked(store, terms=REMINDED, expires_at=None)
    await paint(store)

    (after,) = await store.ring_due(now=NOW + HOUR)

    assert after == await now_is(store, approval)
    assert after.is_pending
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert (event.action, event.actor.kind, event.surface, event.at) == (
        "reminded",
        ActorKind.TIMER,
        Surface.SWEEP,
        NOW + HOUR,
    )
    assert all(await behind(store, approval))


async def test_a_line_is_posted_beside_each_card_that_stands(store) -> None:
    to = Destination(channels=("C0DEPLOY",), users=("U0ANA",))
    approval = await asked(store, terms=REMINDED, expires_at=None, destination=to)
    await paint(store)
    channel, person = await cards(store, approval)

    await store.ring_due(now=NOW + HOUR)
    await store.ring_due(now=NOW + 3 * HOUR)

    lines = [(each.address, each.thread_ts, each.turn, each.wanted) for each in await reminders(store, approval)]
    assert sorted(lines) == sorted(
        [
            ("C0DEPLOY", channel.ts, 1, 2),
            ("DU0ANA", person.ts, 1, 2),
            ("C0DEPLOY", channel.ts, 2, 1),
            ("DU0ANA", person.ts, 2, 1),
        ]
    )


async def test_a_card_in_a_thread_is_reminded_of_in_that_thread(store) -> None:
    to = Destination(channels=("C0DEPLOY",), thread_ts="17.1")
    approval = await asked(store, terms=REMINDED, expires_at=None, destination=to)
    await paint(store)

    await store.ring_due(now=NOW + HOUR)

    assert [each.thread_ts for each in await reminders(store, approval)] == ["17.1"]


async def test_cards_that_do_not_stand_and_copies_get_no_line(store) -> None:
    approval = await asked(store, terms=REMINDED, expires_at=None)
    (leased, _) = await store.lease_postings(now=NOW, until=NOW + MINUTE, limit=10)
    await store.finish_posting(
        posting=leased.posting, lease=leased.lease, painted=1, now=NOW, channel="C0DEPLOY", ts="1.1"
    )
    await store.adopt(tenant=TENANT, interaction_id=approval.id, channel="C0COPY", ts="2.2", now=NOW)

    await store.ring_due(now=NOW + HOUR)

    assert [each.address for each in await reminders(store, approval)] == ["C0DEPLOY"]


async def test_after_an_outage_one_reminder_comes_and_the_next_keeps_its_distance(store) -> None:
    approval = await asked(store, terms=REMINDED, expires_at=None)

    assert await rung(store, NOW + 20 * HOUR) == [approval.id]
    assert not await rung(store, NOW + 22 * HOUR - MOMENT)
    assert await rung(store, NOW + 22 * HOUR) == [approval.id]


async def test_reminders_wait_for_working_hours(store) -> None:
    hours = WorkingHours(start=time(9), end=time(17), zone="America/New_York")
    asked_at = datetime(2026, 10, 30, 20, 30, tzinfo=UTC)  # a Friday, 16:30 there; the clock is put back on Sunday
    terms = Terms(reminders=Reminders(after=HOUR, most=2, hours=hours))
    approval = await asked(store, terms=terms, expires_at=None, created_at=asked_at)
    monday = datetime(2026, 11, 2, 14, 0, tzinfo=UTC)

    assert not await rung(store, asked_at + HOUR)
    assert not await rung(store, monday - MOMENT)
    assert await said(store, approval) == ["created"]
    assert await rung(store, monday) == [approval.id]
    assert await rung(store, monday + 2 * HOUR) == [approval.id]
    assert (await now_is(store, approval)).course.reminded_at == (monday, monday + 2 * HOUR)


async def test_what_waits_no_longer_is_not_reminded_of(store) -> None:
    ended = [await asked(store, terms=REMINDED) for _ in range(3)]
    await decide(store, ended[0])
    await withdraw(store, ended[1])
    late = await asked(store, terms=REMINDED, expires_at=NOW + HOUR)
    voted = await asked(store, terms=REMINDED, expires_at=None, approvers=Approvers(users=("U",), quorum=2))
    await decide(store, voted)
    await decide(store, ended[2], decision=Decision.DENY)

    assert await rung(store, NOW + HOUR) == [voted.id]

    assert "reminded" not in await said(store, late)
    assert not await rung(store, NOW + HOUR)


async def test_questions_are_reminded_of_too(store) -> None:
    question = await asked(store, a_question(terms=REMINDED))
    answered = await asked(store, a_question(terms=REMINDED))
    await answer(store, answered)

    assert await rung(store, NOW + HOUR) == [question.id]
    assert (await now_is(store, question)).course.reminded_at == (NOW + HOUR,)


# --- escalation


async def test_escalation_adds_people_step_by_step(store) -> None:
    approvers = Approvers(users=("U0ANA",), groups=("S0OPS",), quorum=2)
    approval = await asked(store, terms=Terms(escalation=STEPS), expires_at=None, approvers=approvers)
    await paint(store)

    assert not await rung(store, NOW + HOUR - MOMENT)
    assert await rung(store, NOW + HOUR) == [approval.id]
    assert (await now_is(store, approval)).deciders.users == ("U0ANA", "U0BOSS")
    assert await rung(store, NOW + 2 * HOUR) == [approval.id]
    assert not await rung(store, NOW + 9 * HOUR)

    after = await now_is(store, approval)
    assert after.course.hops == (Hop(at=NOW + HOUR, users=("U0BOSS",)), Hop(at=NOW + 2 * HOUR, groups=("S0CTO",)))
    assert (after.deciders.groups, after.deciders.quorum) == (("S0OPS", "S0CTO"), 2)
    assert (after.approvers, after.digest) == (approvers, approval.digest)
    events = await store.list_events(tenant=TENANT, interaction_id=approval.id)
    assert [(event.action, dict(event.details)) for event in events[1:]] == [
        ("escalated", {"users": "U0BOSS", "groups": ""}),
        ("escalated", {"users": "", "groups": "S0CTO"}),
    ]
    # In the channel, where the new people are told; not beside the card of somebody who has one.
    assert [line.address for line in await reminders(store, approval)] == ["C0DEPLOY", "C0DEPLOY"]


async def test_steps_that_are_overdue_are_taken_one_at_a_time(store) -> None:
    approval = await asked(store, terms=Terms(escalation=STEPS), expires_at=None)

    for hops in (1, 2):
        assert await rung(store, NOW + 9 * HOUR) == [approval.id]
        assert len((await now_is(store, approval)).course.hops) == hops
    assert not await rung(store, NOW + 9 * HOUR)


# --- the warning


@pytest.mark.parametrize(
    ("lasts", "before"),
    [(4 * HOUR, 30 * MINUTE), (HOUR, 15 * MINUTE), (10 * MINUTE, timedelta(seconds=150)), (30 * DAY, 30 * MINUTE)],
)
async def test_the_warning_comes_before_the_deadline(store, lasts, before) -> None:
    approval = await asked(store, expires_at=NOW + lasts)
    await paint(store)
    at = NOW + lasts - before

    assert not await rung(store, at - MOMENT)
    (warned,) = await store.ring_due(now=at)

    assert warned == await now_is(store, approval)
    assert warned.course.warned_at == at
    assert await said(store, approval) == ["created", "warned"]
    assert all(await behind(store, approval))
    assert len(await reminders(store, approval)) == 2
    assert not await rung(store, at)


async def test_what_has_no_time_for_it_is_not_warned_about(store) -> None:
    await asked(store, expires_at=NOW + 10 * MINUTE - MOMENT)
    await asked(store, expires_at=None)
    await asked(store, a_question(expires_at=NOW + HOUR))

    for minutes in range(0, 70, 5):
        assert not await rung(store, NOW + minutes * MINUTE)


@pytest.mark.parametrize(("after", "lines"), [(21 * MINUTE, 1), (20 * MINUTE, 2)])
async def test_who_was_reminded_within_the_hour_is_not_warned_as_well(store, after, lines) -> None:
    # The warning of two hours is at 1:30; the reminder less than an hour before, or an hour before.
    terms = Terms(reminders=Reminders(after=after + 10 * MINUTE, most=1))
    approval = await asked(
        store, terms=terms, expires_at=NOW + 2 * HOUR, destination=Destination(channels=("C0DEPLOY",))
    )
    await paint(store)
    await store.ring_due(now=NOW + after + 10 * MINUTE)

    await store.ring_due(now=NOW + 90 * MINUTE)

    assert await said(store, approval) == ["created", "reminded", "warned"]
    assert len(await reminders(store, approval)) == lines


async def test_after_the_deadline_nobody_is_warned(store) -> None:
    approval = await asked(store)

    assert not await rung(store, NOW + HOUR)
    assert (await now_is(store, approval)).course.warned_at is None


# --- of all


async def test_the_longest_due_rings_first_of_all_tenants_up_to_the_limit(store) -> None:
    asks = {}
    for tenant, minutes in ((TENANT, 30), (OTHER, 10), (TENANT, 20)):
        terms = Terms(reminders=Reminders(after=minutes * MINUTE))
        asks[minutes] = (await asked(store, tenant=tenant, terms=terms, expires_at=None)).id

    assert await rung(store, NOW + HOUR, limit=2) == [asks[10], asks[20]]
    assert await rung(store, NOW + HOUR, limit=2) == [asks[30]]


async def test_of_many_callers_one_rings_each(store) -> None:
    terms = Terms(
        reminders=Reminders(after=45 * MINUTE), escalation=(Escalation(after=45 * MINUTE, users=("U0BOSS",)),)
    )
    asks = [await asked(store, terms=terms, destination=Destination(channels=("C0DEPLOY",))) for _ in range(8)]
    await paint(store)

    rings = await asyncio.gather(*(rung(store, NOW + 45 * MINUTE) for _ in range(4)))

    assert sorted(id_ for each in rings for id_ in each) == sorted(each.id for each in asks for _ in range(3))
    for each in asks:
        assert sorted(await said(store, each)) == ["created", "escalated", "reminded", "warned"]
        # Who is told of one thing is told of all three: two lines, and the warning spares who was just reminded.
        assert {line.turn for line in await reminders(store, each)} <= {1, 2, 3}
        assert len((await now_is(store, each)).course.reminded_at) == 1


async def test_a_decision_against_a_reminder_has_one_outcome(store) -> None:
    for _ in range(8):
        approval = await asked(store, terms=REMINDED, expires_at=None)

        _, ids = await asyncio.gather(decide(store, approval), rung(store, NOW + HOUR))

        middle = ["reminded"] if ids else []
        assert await said(store, approval) == ["created", *middle, "approved"]


# --- more time


async def test_more_time_moves_the_deadline_once(store) -> None:
    approval = await asked(store, terms=EXTENSIBLE)
    await paint(store)

    outcome = await extend(store, approval)

    until = NOW + 5 * HOUR
    assert outcome.extended
    assert outcome.interaction == await now_is(store, approval)
    assert outcome.interaction.expires_at == until
    assert outcome.interaction.course.extension == Extension(actor=ANA, at=NOW + MINUTE, until=until)
    assert await behind(store, approval) == [True, True]
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert (event.action, event.actor, dict(event.details)) == ("extended", ANA, {"until": until.isoformat()})
    again = await extend(store, approval, actor=BEN, at=NOW + 2 * MINUTE)
    assert (again.extended, again.interaction) == (False, outcome.interaction)


async def test_what_has_more_time_is_decided_until_then(store) -> None:
    in_time, late = await asked(store, terms=EXTENSIBLE), await asked(store, terms=EXTENSIBLE)
    for each in (in_time, late):
        await extend(store, each)

    assert not await store.expire_due(now=NOW + HOUR)
    assert not (await decide(store, in_time, at=NOW + 5 * HOUR - MOMENT)).already_resolved
    outcome = await decide(store, late, at=NOW + 5 * HOUR)
    assert (outcome.already_resolved, outcome.approval.state) == (True, State.EXPIRED)
    assert outcome.approval.resolved_at == NOW + 5 * HOUR


@pytest.mark.parametrize("is_warned", [True, False])
async def test_the_warning_is_due_anew(store, is_warned) -> None:
    approval = await asked(store, terms=EXTENSIBLE)
    if is_warned:
        await store.ring_due(now=NOW + 45 * MINUTE)

    await extend(store, approval, at=NOW + 50 * MINUTE)

    assert (await now_is(store, approval)).course.warned_at is None
    assert not await rung(store, NOW + 5 * HOUR - 30 * MINUTE - MOMENT)
    assert await rung(store, NOW + 5 * HOUR - 30 * MINUTE) == [approval.id]


async def test_where_nobody_may_give_more_time_there_is_none(store) -> None:
    plain, endless = await asked(store), await asked(store, terms=EXTENSIBLE, expires_at=None)
    done = await asked(store, terms=EXTENSIBLE)
    await decide(store, done)

    for each in (plain, endless, done):
        before = await now_is(store, each)
        outcome = await extend(store, each)
        assert (outcome.extended, outcome.interaction) == (False, before)
        assert await now_is(store, each) == before


@pytest.mark.parametrize(("on_expiry", "state"), [(OnExpiry.EXPIRE, State.EXPIRED), (OnExpiry.DENY, State.DENIED)])
async def test_at_the_deadline_it_is_too_late_for_more_time(store, on_expiry, state) -> None:
    terms = Terms(extension=HOUR, on_expiry=on_expiry)
    in_time, late = await asked(store, terms=terms), await asked(store, terms=terms)

    assert (await extend(store, in_time, at=NOW + HOUR - MOMENT)).extended
    outcome = await extend(store, late, at=NOW + HOUR)

    assert (outcome.extended, outcome.interaction.state) == (False, state)
    assert outcome.interaction == await now_is(store, late)
    assert (await said(store, late))[-1] == state


async def test_a_question_gets_more_time_too(store) -> None:
    question = await asked(store, a_question(terms=EXTENSIBLE, expires_at=NOW + HOUR))

    assert (await extend(store, question)).interaction.expires_at == NOW + 5 * HOUR
    assert not await rung(store, NOW + 5 * HOUR - MOMENT)


async def test_only_what_the_tenant_has_is_extended(store) -> None:
    approval = await asked(store, terms=EXTENSIBLE)

    for wrong in ({"tenant": OTHER}, {"id": "apr_none"}):
        with pytest.raises(errors.NotFound):
            await extend(store, approval, **wrong)
