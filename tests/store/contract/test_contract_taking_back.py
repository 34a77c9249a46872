"""Taking back: a vote while others are waited for, an approval while no run has it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from store import errors
from store.types import PATIENCE, Approvers, Decision, Edited, OnExpiry, State, Terms
from tests.store.contract.makers import (
    ANA,
    BEN,
    CLEO,
    HANDLER,
    HOUR,
    MINUTE,
    MOMENT,
    NOW,
    OTHER,
    TENANT,
    a_question,
    a_stop,
    asked,
    behind,
    claim,
    decide,
    decided,
    now_is,
    paint,
    said,
    take_back,
    withdraw,
)

AT = NOW + 2 * MINUTE
TWO = Approvers(users=("U0ANA", "U0BEN"), quorum=2, denials=2)


async def test_a_vote_is_taken_back_while_others_are_waited_for(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval)
    await paint(store, now=AT)

    outcome = await take_back(store, approval)

    assert outcome.taken_back
    assert outcome.approval == await now_is(store, approval)
    assert (outcome.approval.state, outcome.approval.votes) == (State.PENDING, ())
    assert await behind(store, approval) == [True, True]
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert (event.action, event.actor, event.at, event.details) == ("vote_taken_back", ANA, AT, {})


async def test_a_vote_that_was_taken_back_does_not_count(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval)
    await take_back(store, approval)

    first = await decide(store, approval, actor=BEN)
    again = await decide(store, approval, at=NOW + 3 * MINUTE)

    assert (first.approval.state, again.approval.state) == (State.PENDING, State.APPROVED)
    assert await said(store, approval) == ["created", "voted", "vote_taken_back", "voted", "approved"]


async def test_a_denial_is_taken_back_while_pending(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval, decision=Decision.DENY)

    assert (await take_back(store, approval)).taken_back
    assert (await decide(store, approval, actor=BEN, decision=Decision.DENY)).approval.is_pending


async def test_an_approval_is_taken_back_and_is_a_denial_then(store) -> None:
    approval = await decided(store, feedback="fine")
    await paint(store, now=AT)

    outcome = await take_back(store, approval)

    after = outcome.approval
    assert outcome.taken_back
    assert after == await now_is(store, approval)
    assert (after.state, after.decision, after.feedback) == (State.DENIED, Decision.DENY, None)
    assert (after.resolved_at, after.resolved_by, after.course.taken_back_at) == (AT, ANA, AT)
    assert [(vote.actor, vote.decision, vote.at) for vote in after.votes] == [(ANA, Decision.DENY, AT)]
    assert after.lapsed_at is None
    assert await behind(store, approval) == [True, True]
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert (event.action, event.actor, event.old_state, event.new_state) == (
        "taken_back",
        ANA,
        State.APPROVED,
        State.DENIED,
    )
    taken = await claim(store, approval)
    assert (taken.claimed, taken.execute) == (True, False)


async def test_any_of_those_who_approved_takes_it_back(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval)
    await decide(store, approval, actor=BEN)

    outcome = await take_back(store, approval)

    assert outcome.taken_back
    assert {(vote.actor.id, vote.decision) for vote in outcome.approval.votes} == {
        ("U0BEN", Decision.ALLOW_ONCE),
        ("U0ANA", Decision.DENY),
    }


async def test_whoever_did_not_approve_takes_nothing_back(store) -> None:
    approval = await asked(store, approvers=replace(TWO, denials=3))
    await decide(store, approval, actor=CLEO, decision=Decision.DENY)
    await decide(store, approval)
    await decide(store, approval, actor=BEN)
    before = await now_is(store, approval)

    for other in (CLEO, replace(ANA, id="U0NEW")):
        outcome = await take_back(store, approval, actor=other)
        assert (outcome.taken_back, outcome.approval) == (False, before)
    assert await now_is(store, approval) == before


async def test_a_key_that_was_renamed_takes_its_own_vote_back(store) -> None:
    approval = await asked(store, approvers=TWO)
    await decide(store, approval, actor=CLEO)

    assert (await take_back(store, approval, actor=replace(CLEO, name="cleo the second"))).taken_back


@pytest.mark.parametrize(("before", "is_taken"), [(MOMENT, True), (timedelta(), False)])
async def test_an_approval_is_taken_back_while_its_window_is_open(store, before, is_taken) -> None:
    approval = await decided(store, run_within=HOUR)

    outcome = await take_back(store, approval, at=NOW + MINUTE + HOUR - before)

    assert outcome.taken_back is is_taken
    assert outcome.approval == await now_is(store, approval)
    assert outcome.approval.state is (State.DENIED if is_taken else State.APPROVED)


async def test_a_window_that_was_noted_to_be_over_stays_so(store) -> None:
    approval = await decided(store, run_within=HOUR)
    await store.mark_stuck(now=approval.runs_until)

    assert not (await take_back(store, approval, at=approval.runs_until - MOMENT)).taken_back
    assert not (await claim(store, approval, at=approval.runs_until - MOMENT)).execute


async def test_what_a_run_has_is_not_taken_back(store) -> None:
    approval = await decided(store)
    taken = (await claim(store, approval)).approval

    outcome = await take_back(store, approval)

    assert (outcome.taken_back, outcome.approval) == (False, taken)


async def test_what_was_denied_or_ended_is_not_taken_back(store) -> None:
    denied, withdrawn, twice = await asked(store), await asked(store, approvers=TWO), await decided(store)
    await decide(store, denied, decision=Decision.DENY)
    await decide(store, withdrawn)
    await withdraw(store, withdrawn)
    await take_back(store, twice)

    for approval in (denied, withdrawn, twice):
        before = await now_is(store, approval)
        outcome = await take_back(store, approval)
        assert (outcome.taken_back, outcome.approval) == (False, before)


@pytest.mark.parametrize(("on_expiry", "state"), [(OnExpiry.EXPIRE, State.EXPIRED), (OnExpiry.DENY, State.DENIED)])
async def test_a_vote_at_the_deadline_is_not_taken_back(store, on_expiry, state) -> None:
    approval = await asked(store, approvers=TWO, terms=Terms(on_expiry=on_expiry))
    await decide(store, approval)
    in_time = await asked(store, approvers=TWO)
    await decide(store, in_time)

    outcome = await take_back(store, approval, at=NOW + HOUR)

    assert (outcome.taken_back, outcome.approval.state) == (False, state)
    assert outcome.approval == await now_is(store, approval)
    assert len(outcome.approval.votes) == 1
    assert (await take_back(store, in_time, at=NOW + HOUR - MOMENT)).taken_back


async def test_an_edited_input_is_taken_back_with_the_approval(store) -> None:
    approval = await asked(store, tool_name="deploy.api", input_json="{}")
    await decide(store, approval, edited=Edited(input_json='{"v":2}', digest="edited"))

    after = (await take_back(store, approval)).approval

    assert (after.edited, after.approved_digest) == (None, "digest")
    assert after == await now_is(store, approval)


async def test_a_stopped_approval_can_be_taken_back(store) -> None:
    approval = await decided(store)
    await store.add_stop(stop=a_stop())

    assert (await take_back(store, approval)).taken_back


async def test_a_run_that_was_told_is_told_of_it_by_another_message(store) -> None:
    taking = {"until": NOW + HOUR, "limit": 10, "handlers": {"deploy"}, "webhooks": True}
    approval = await decided(store, resume=HANDLER)
    (leased,) = await store.lease_resumptions(now=NOW + MINUTE, **taking)
    await store.finish_resumption(interaction=leased.interaction, lease=leased.lease, now=NOW + MINUTE)

    after = (await take_back(store, approval)).approval

    assert after == await now_is(store, approval)
    assert (after.resumption.due_at, after.resumption.stuck_due_at, after.resumption.stuck_at) == (
        AT,
        AT + PATIENCE,
        None,
    )
    assert after.resumption.wakes == after.resumption.woken_from
    (leased,) = await store.lease_resumptions(now=AT, **taking)
    assert leased.interaction == after


async def test_a_pull_run_owes_its_claim_of_the_denial(store) -> None:
    approval = await decided(store)
    await take_back(store, approval)

    assert not await store.mark_stuck(now=AT + PATIENCE - MOMENT)
    assert len(await store.mark_stuck(now=AT + PATIENCE)) == 1


async def test_what_was_taken_back_does_not_lapse(store) -> None:
    approval = await decided(store, run_within=HOUR)
    await take_back(store, approval)

    await store.mark_stuck(now=NOW + 9 * HOUR)

    assert (await now_is(store, approval)).lapsed_at is None


async def test_only_approvals_of_the_tenant_are_taken_back(store) -> None:
    approval, question = await decided(store), await asked(store, a_question())

    for wrong in ({"tenant": OTHER}, {"id": "apr_none"}, {"id": question.id}):
        with pytest.raises(errors.NotFound):
            await take_back(store, approval, **wrong)
