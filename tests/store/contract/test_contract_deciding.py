"""Deciding and answering: votes, quorums, deadlines, digests."""

from dataclasses import replace
from datetime import timedelta

import pytest

from store import errors
from store.outcomes import Decided
from store.types import PATIENCE, Answer, Approvers, Decision, State, Surface, Vote
from tests.store.contract.makers import (
    ANA,
    BEN,
    CLEO,
    DEADLINE,
    HANDLER,
    HOUR,
    MILLISECOND,
    MINUTE,
    NOW,
    TENANT,
    WEBHOOK,
    YES,
    a_question,
    an_approval,
    answer,
    asked,
    cards,
    decide,
    decided,
    now_is,
    said,
    withdraw,
)

DENY = {"actor": BEN, "decision": Decision.DENY}
TWO = Approvers(users=("U0ANA", "U0BEN", "U0CY"), quorum=2)


@pytest.mark.parametrize("decision", list(Decision))
async def test_one_vote_decides(store, decision) -> None:
    approval = await asked(store)

    outcome = await decide(store, approval, decision=decision, feedback="fine", surface=Surface.MODAL)

    after = outcome.approval
    assert not outcome.already_resolved
    assert after.state is (State.DENIED if decision is Decision.DENY else State.APPROVED)
    assert (after.decision, after.feedback) == (decision, "fine")
    assert (after.resolved_by, after.resolved_at, after.decided_at) == (ANA, NOW + MINUTE, NOW + MINUTE)
    assert after.votes == (Vote(actor=ANA, decision=decision, at=NOW + MINUTE, feedback="fine"),)
    assert await now_is(store, approval) == after
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert (event.action, event.surface, event.actor) == (after.state, Surface.MODAL, ANA)
    assert (event.details, event.new_state, event.at) == ({"decision": decision}, after.state, NOW + MINUTE)


async def test_a_decision_makes_every_posting_want_painting(store) -> None:
    approval = await decided(store)

    assert [each.wanted for each in await cards(store, approval)] == [2, 2]


@pytest.mark.parametrize(
    ("resume", "due", "stuck_due"),
    [
        (HANDLER, NOW + MINUTE, NOW + MINUTE + PATIENCE),
        (WEBHOOK, NOW + MINUTE, NOW + MINUTE + PATIENCE),
        (an_approval().resume, None, NOW + MINUTE + PATIENCE),
    ],
)
async def test_a_decision_says_when_its_run_is_told(store, resume, due, stuck_due) -> None:
    approval = await decided(store, resume=resume)

    assert (approval.resumption.due_at, approval.resumption.stuck_due_at) == (due, stuck_due)


@pytest.mark.parametrize("later", [{}, DENY, {"actor": BEN}, {"actor": CLEO, "at": NOW + 2 * HOUR}])
async def test_whoever_comes_later_changes_nothing(store, later) -> None:
    approval = await decided(store)

    outcome = await decide(store, approval, **{"at": NOW + 2 * MINUTE, **later})

    assert outcome == Decided(already_resolved=True, approval=approval)
    assert await now_is(store, approval) == approval
    assert await said(store, approval) == ["created", "approved"]


async def test_a_quorum_needs_that_many_people(store) -> None:
    approval = await asked(store, approvers=TWO)

    first = await decide(store, approval)
    second = await decide(store, approval, actor=BEN, at=NOW + 2 * MINUTE, decision=Decision.ALLOW_ALWAYS)

    assert (first.already_resolved, first.approval.state) == (False, State.PENDING)
    assert first.approval.decision is None
    assert [each.actor for each in first.approval.votes] == [ANA]
    assert (second.already_resolved, second.approval.state) == (False, State.APPROVED)
    assert second.approval.decision is Decision.ALLOW_ALWAYS
    assert second.approval.resolved_by == BEN
    assert [each.actor for each in second.approval.votes] == [ANA, BEN]
    assert await said(store, approval) == ["created", "voted", "approved"]


async def test_the_same_vote_again_while_pending_changes_nothing(store) -> None:
    approval = await asked(store, approvers=TWO)
    first = await decide(store, approval, feedback="said before")

    for feedback in (None, "said before"):
        assert await decide(store, approval, at=NOW + 2 * MINUTE, feedback=feedback) == first

    assert await said(store, approval) == ["created", "voted"]
    assert [each.wanted for each in await cards(store, approval)] == [2, 2]


async def test_another_vote_of_the_same_person_replaces_the_first(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval)

    outcome = await decide(store, approval, decision=Decision.ALLOW_ALWAYS, at=NOW + 2 * MINUTE)

    assert outcome.approval.state is State.PENDING
    assert [(each.decision, each.at) for each in outcome.approval.votes] == [(Decision.ALLOW_ALWAYS, NOW + 2 * MINUTE)]


async def test_one_denial_decides_whatever_the_quorum(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval)

    outcome = await decide(store, approval, **DENY, feedback="no")

    assert (outcome.already_resolved, outcome.approval.state) == (False, State.DENIED)
    assert (outcome.approval.decision, outcome.approval.feedback) == (Decision.DENY, "no")
    assert len(outcome.approval.votes) == 2


async def test_a_person_and_a_key_of_the_same_id_are_two_voters(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval)

    outcome = await decide(store, approval, actor=replace(CLEO, id=ANA.id))

    assert outcome.approval.state is State.APPROVED
    assert outcome.approval.resolved_by == replace(CLEO, id=ANA.id)


async def test_one_millisecond_before_the_deadline_counts(store) -> None:
    approval = await asked(store)

    outcome = await decide(store, approval, at=NOW + HOUR - MILLISECOND)

    assert (outcome.already_resolved, outcome.approval.state) == (False, State.APPROVED)


@pytest.mark.parametrize("late", [timedelta(0), MILLISECOND, HOUR])
@pytest.mark.parametrize("quorum", [1, 2])
async def test_a_vote_at_the_deadline_or_after_it_commits_the_expiry(store, late, quorum) -> None:
    approval = await asked(store, approvers=replace(TWO, quorum=quorum), resume=HANDLER)

    outcome = await decide(store, approval, at=NOW + HOUR + late)

    after = outcome.approval
    assert (outcome.already_resolved, after.state, after.votes) == (True, State.EXPIRED, ())
    assert (after.resolved_at, after.resolved_by, after.decision) == (NOW + HOUR, DEADLINE, None)
    assert after.resumption.due_at == NOW + HOUR
    assert await now_is(store, approval) == after
    assert await said(store, approval) == ["created", "expired"]
    assert [each.wanted for each in await cards(store, approval)] == [2, 2]


async def test_without_a_deadline_it_is_never_late(store) -> None:
    approval = await asked(store, expires_at=None)

    outcome = await decide(store, approval, at=NOW + 10_000 * HOUR)

    assert outcome.approval.state is State.APPROVED


async def test_the_digest_may_be_checked(store) -> None:
    approval = await asked(store)

    with pytest.raises(errors.DigestMismatch) as raised:
        await decide(store, approval, digest="another")

    assert (raised.value.expected, raised.value.given) == ("digest", "another")
    assert await now_is(store, approval) == approval
    assert (await decide(store, approval, digest="digest")).approval.state is State.APPROVED
    with pytest.raises(errors.DigestMismatch):
        await decide(store, approval, digest="another")


async def test_nobody_decides_what_is_not_there(store) -> None:
    for missing in (an_approval(), a_question()):
        with pytest.raises(errors.NotFound) as raised:
            await decide(store, missing)
        assert raised.value.id == missing.id


async def test_answers_come_back_as_they_were_given(store) -> None:
    question = await asked(store, a_question(resume=HANDLER))
    answers = {
        "colour": Answer(is_skipped=False, value=("Red", "Blue"), option_ids=("r", "b")),
        "why": Answer(is_skipped=False, value="because", other="because"),
        "more": Answer(is_skipped=True),
    }

    outcome = await answer(store, question, answers=answers)

    after = outcome.question
    assert (outcome.already_resolved, after.state, after.answers) == (False, State.ANSWERED, answers)
    assert (after.resolved_by, after.resolved_at) == (ANA, NOW + MINUTE)
    assert after.resumption.due_at == NOW + MINUTE
    assert await now_is(store, question) == after
    assert await said(store, question) == ["created", "answered"]


async def test_the_first_answer_wins(store) -> None:
    question = await asked(store, a_question())
    first = await answer(store, question)

    second = await answer(store, question, actor=BEN, answers={"colour": Answer(is_skipped=True)})

    assert second.already_resolved
    assert second.question == first.question


async def test_pull_questions_owe_nobody_anything(store) -> None:
    question = (await answer(store, await asked(store, a_question()))).question

    assert (question.resumption.due_at, question.resumption.stuck_due_at) == (None, None)


async def test_an_answer_one_millisecond_late_commits_the_expiry(store) -> None:
    in_time, late = [await asked(store, a_question(expires_at=NOW + HOUR)) for _ in range(2)]

    kept = await answer(store, in_time, at=NOW + HOUR - MILLISECOND)
    lost = await answer(store, late, at=NOW + HOUR)

    assert (kept.already_resolved, kept.question.state) == (False, State.ANSWERED)
    assert (lost.already_resolved, lost.question.state) == (True, State.EXPIRED)
    assert (lost.question.answers, lost.question.resolved_at) == (None, NOW + HOUR)


async def test_nobody_answers_what_is_not_there(store) -> None:
    with pytest.raises(errors.NotFound):
        await answer(store, a_question())


@pytest.mark.parametrize("make", [an_approval, a_question])
async def test_what_is_pending_can_be_withdrawn(store, make) -> None:
    interaction = await asked(store, make(resume=WEBHOOK))

    outcome = await withdraw(store, interaction, actor=ANA, reason="not needed")

    after = outcome.interaction
    assert (outcome.withdrawn, after.state, after.reason) == (True, State.WITHDRAWN, "not needed")
    assert (after.resolved_by, after.resolved_at) == (ANA, NOW + MINUTE)
    assert after.resumption.due_at == NOW + MINUTE
    assert await now_is(store, interaction) == after
    assert await said(store, interaction) == ["created", "withdrawn"]
    assert (await cards(store, interaction))[0].wanted == 2


async def test_what_is_resolved_cannot_be_withdrawn(store) -> None:
    approval = await decided(store)
    gone = (await withdraw(store, await asked(store))).interaction

    assert (await withdraw(store, approval)).interaction == approval
    assert not (await withdraw(store, approval)).withdrawn
    assert not (await withdraw(store, gone)).withdrawn


async def test_a_late_withdrawal_commits_the_expiry(store) -> None:
    approval = await asked(store)

    outcome = await withdraw(store, approval, at=NOW + HOUR)

    assert (outcome.withdrawn, outcome.interaction.state) == (False, State.EXPIRED)


async def test_nobody_withdraws_what_is_not_there(store) -> None:
    with pytest.raises(errors.NotFound):
        await withdraw(store, an_approval())


async def test_a_decision_on_what_was_withdrawn_is_told_so(store) -> None:
    approval = await asked(store)
    gone = (await withdraw(store, approval)).interaction

    assert await decide(store, approval) == Decided(already_resolved=True, approval=gone)
    question = await asked(store, a_question())
    await withdraw(store, question)
    late = await answer(store, question, answers=YES)
    assert (late.already_resolved, late.question.state) == (True, State.WITHDRAWN)


async def test_a_sweep_expires_what_is_due_oldest_deadline_first(store) -> None:
    deadlines = [NOW + 3 * MINUTE, NOW + MINUTE, NOW + 2 * MINUTE]
    third, first, second = [await asked(store, expires_at=deadline) for deadline in deadlines]
    question = await asked(store, a_question(expires_at=NOW + 2 * HOUR))
    forever = await asked(store, a_question())
    done = await decided(store, expires_at=NOW + 2 * MINUTE)

    one = await store.expire_due(now=NOW + 5 * MINUTE, limit=1)
    rest = await store.expire_due(now=NOW + 5 * MINUTE)
    none = await store.expire_due(now=NOW + 5 * MINUTE)

    assert [each.id for each in [*one, *rest]] == [first.id, second.id, third.id]
    assert not none
    assert {(each.state, each.resolved_by) for each in [*one, *rest]} == {(State.EXPIRED, DEADLINE)}
    assert [each.resolved_at for each in rest] == [NOW + 2 * MINUTE, NOW + 3 * MINUTE]
    assert rest[0] == await now_is(store, second)
    assert (await now_is(store, question)).is_pending
    assert (await now_is(store, forever)).is_pending
    assert await now_is(store, done) == done
    event = (await store.list_events(tenant=TENANT, interaction_id=first.id))[-1]
    assert (event.surface, event.actor) == (Surface.SWEEP, DEADLINE)


async def test_a_sweep_expires_at_the_deadline_and_not_a_millisecond_before(store) -> None:
    approval = await asked(store)

    before = await store.expire_due(now=NOW + HOUR - MILLISECOND)
    at = await store.expire_due(now=NOW + HOUR)

    assert (len(before), [each.id for each in at]) == (0, [approval.id])
