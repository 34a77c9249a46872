"""Bound to what was seen: edited inputs, fingerprints of the world; deadlines that deny, denials that are counted."""

from datetime import timedelta

import pytest

from store import errors
from store.types import Approvers, Decision, Edited, Fact, Link, OnExpiry, State, Terms
from tests.store.contract.makers import (
    ANA,
    BEN,
    CLEO,
    DEADLINE,
    HOUR,
    MINUTE,
    MOMENT,
    NOW,
    TENANT,
    a_question,
    an_approval,
    asked,
    claim,
    decide,
    decided,
    now_is,
    said,
    withdraw,
)

EDITED = Edited(input_json='{"replicas": 2}', digest="edited")
DENIES = Terms(on_expiry=OnExpiry.DENY)


async def edited(store, **fields):
    approval = await asked(store, tool_name="deploy.api", input_json='{"replicas": 5}', **fields)
    return (await decide(store, approval, edited=EDITED)).approval


# --- edited


async def test_an_edited_input_is_stored_with_the_decision(store) -> None:
    approval = await edited(store)

    assert approval == await now_is(store, approval)
    assert (approval.state, approval.edited) == (State.APPROVED, EDITED)
    assert (approval.digest, approval.input_json) == ("digest", '{"replicas": 5}')
    assert (approval.approved_digest, approval.approved_input) == ("edited", '{"replicas": 2}')
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert event.details == {"decision": "allow-once", "edited_digest": "edited"}


@pytest.mark.parametrize("accepts", [True, False])
async def test_the_edited_action_is_claimed_by_its_digest(store, accepts) -> None:
    approval = await edited(store)

    outcome = await claim(store, approval, digest="edited", accept_edited=accepts)

    assert (outcome.claimed, outcome.execute) == (True, True)


async def test_the_digest_of_the_ask_does_for_whoever_accepts_edits(store) -> None:
    approval = await edited(store)

    with pytest.raises(errors.DigestMismatch) as refused:
        await claim(store, approval)
    assert (refused.value.expected, refused.value.given) == ("edited", "digest")
    assert await now_is(store, approval) == approval
    with pytest.raises(errors.DigestMismatch):
        await claim(store, approval, digest="other", accept_edited=True)
    assert (await claim(store, approval, accept_edited=True)).execute


async def test_whoever_accepts_edits_claims_what_was_not_edited_too(store) -> None:
    approval = await decided(store)

    with pytest.raises(errors.DigestMismatch):
        await claim(store, approval, digest="edited", accept_edited=True)
    assert (await claim(store, approval, accept_edited=True)).execute


@pytest.mark.parametrize(
    ("approvers", "decision"),
    [(Approvers(users=("U",), quorum=2), Decision.ALLOW_ONCE), (Approvers(users=("U",)), Decision.DENY)],
)
async def test_an_edit_goes_only_with_the_one_approval_that_decides(store, approvers, decision) -> None:
    approval = await asked(store, approvers=approvers)

    with pytest.raises(ValueError, match="edited"):
        await decide(store, approval, decision=decision, edited=EDITED)

    assert await now_is(store, approval) == approval
    assert await said(store, approval) == ["created"]


async def test_an_edit_that_comes_too_late_changes_nothing(store) -> None:
    approval, ended = await asked(store), await asked(store)
    await withdraw(store, ended)

    late = await decide(store, approval, edited=EDITED, at=NOW + HOUR)
    lost = await decide(store, ended, edited=EDITED)

    for outcome in (late, lost):
        assert (outcome.already_resolved, outcome.approval.edited) == (True, None)


async def test_an_edit_of_what_was_replaced_meanwhile_is_refused(store) -> None:
    approval = await asked(store)

    with pytest.raises(errors.DigestMismatch):
        await decide(store, approval, edited=EDITED, digest="other")

    assert await now_is(store, approval) == approval


# --- the world


@pytest.mark.parametrize(
    ("asked_in", "claimed_in", "execute"),
    [("w1", "w1", True), ("w1", "w2", False), ("w1", None, False), (None, None, True), (None, "w2", True)],
)
async def test_in_a_changed_world_a_claim_executes_nothing(store, asked_in, claimed_in, execute) -> None:
    approval = await decided(store, fingerprint=asked_in)

    outcome = await claim(store, approval, fingerprint=claimed_in)

    assert (outcome.claimed, outcome.execute, outcome.has_changed) == (True, execute, not execute)
    assert (outcome.approval.execution is not None) is execute
    assert outcome.approval == await now_is(store, approval)
    assert await claim(store, approval, fingerprint=claimed_in) == outcome


async def test_a_repeated_claim_is_answered_as_before_whatever_the_world_is_now(store) -> None:
    approval = await decided(store, fingerprint="w1")
    first = await claim(store, approval, fingerprint="w1")

    assert await claim(store, approval, fingerprint="w2") == first


async def test_a_denial_is_not_about_the_world(store) -> None:
    approval = await asked(store, fingerprint="w1")
    await decide(store, approval, decision=Decision.DENY)

    outcome = await claim(store, approval, fingerprint="w2")

    assert (outcome.claimed, outcome.execute, outcome.has_changed) == (True, False, False)


@pytest.mark.parametrize("late", [{"fingerprint": "w2"}, {"at": NOW + 100 * HOUR, "fingerprint": "w1"}])
async def test_what_never_ran_is_asked_anew_in_its_place(store, late) -> None:
    old = await decided(store, fingerprint="w1")
    before = (await claim(store, old, **late)).approval

    new = await asked(store, supersedes=old.id, fingerprint="w2", created_at=NOW + 101 * HOUR, expires_at=None)

    assert await now_is(store, new) == new
    assert await now_is(store, old) == before


async def test_what_runs_or_may_still_run_is_not_replaced(store) -> None:
    waits, runs = await decided(store), await decided(store)
    await claim(store, runs)

    for old in (waits, runs):
        with pytest.raises(errors.AlreadyResolved):
            await asked(store, supersedes=old.id)


# --- what is given with the ask


async def test_what_is_given_with_an_ask_is_kept(store) -> None:
    approval = an_approval(
        details="+ 3 to add",
        facts=(Fact(label="Version", value="2.1 → 2.2"), Fact(label="", value="x")),
        links=(Link(label="Plan", url="https://ci.example/plan?x=1"),),
        input_schema='{"type": "object"}',
        fingerprint="w1",
        tool_name="deploy.api",
        input_json='{"b": 1, "a": 2}',
        terms=Terms(may_edit=True),
    )
    await asked(store, approval)

    assert await now_is(store, approval) == approval
    assert await store.find_pending_approval(tenant=TENANT, run_id=approval.run_id) == approval


# --- deadlines that deny, denials that are counted


@pytest.mark.parametrize("is_swept", [True, False])
async def test_a_deadline_may_deny_and_its_run_claims_the_denial(store, is_swept) -> None:
    approval = await asked(store, terms=DENIES)
    if is_swept:
        assert not await store.expire_due(now=NOW + HOUR - MOMENT)
        (after,) = await store.expire_due(now=NOW + HOUR)
    else:
        outcome = await decide(store, approval, at=NOW + HOUR)
        assert outcome.already_resolved
        after = outcome.approval

    assert after == await now_is(store, approval)
    assert (after.state, after.decision, after.votes) == (State.DENIED, Decision.DENY, ())
    assert (after.resolved_at, after.resolved_by) == (NOW + HOUR, DEADLINE)
    assert await said(store, approval) == ["created", "denied"]
    assert await store.find_decided_approval(tenant=TENANT, run_id=approval.run_id) == after
    taken = await claim(store, approval, at=NOW + 2 * HOUR)
    assert (taken.claimed, taken.execute) == (True, False)


async def test_a_question_expires_whatever_its_terms(store) -> None:
    question = await asked(store, a_question(expires_at=NOW + HOUR, terms=DENIES))

    (after,) = await store.expire_due(now=NOW + HOUR)

    assert (after.id, after.state) == (question.id, State.EXPIRED)


@pytest.mark.parametrize("is_swept", [True, False])
@pytest.mark.parametrize("terms", [DENIES, Terms()])
async def test_what_its_deadline_ended_is_asked_anew_in_its_place(store, terms, is_swept) -> None:
    old = await asked(store, terms=terms)
    if is_swept:
        await store.expire_due(now=NOW + HOUR)

    new = await asked(store, supersedes=old.id, created_at=NOW + HOUR, expires_at=None)

    after = await now_is(store, old)
    assert (after.resolved_by, after.resolved_at, after.superseded_by) == (DEADLINE, NOW + HOUR, None)
    assert await now_is(store, new) == new


async def test_as_many_denials_as_it_takes_end_it(store) -> None:
    approval = await asked(store, approvers=Approvers(users=("U",), quorum=3, denials=2))

    first = await decide(store, approval, decision=Decision.DENY, feedback="no")
    await decide(store, approval, actor=BEN)
    second = await decide(store, approval, actor=CLEO, decision=Decision.DENY, feedback="never")

    assert (first.already_resolved, first.approval.state) == (False, State.PENDING)
    assert (second.already_resolved, second.approval.state) == (False, State.DENIED)
    assert (second.approval.feedback, second.approval.resolved_by) == ("never", CLEO)
    assert len(second.approval.votes) == 3
    assert await said(store, approval) == ["created", "voted", "voted", "denied"]


async def test_a_reason_that_follows_a_denial_is_recorded_with_it_and_counts_once(store) -> None:
    approval = await asked(store, approvers=Approvers(users=("U",), quorum=2, denials=2))
    denies = {"actor": ANA, "decision": Decision.DENY}
    await decide(store, approval, **denies)

    reasoned = await decide(store, approval, **denies, at=NOW + 2 * MINUTE, feedback="The pager is red.")
    again = await decide(store, approval, **denies, at=NOW + 3 * MINUTE)
    reworded = await decide(store, approval, **denies, at=NOW + 4 * MINUTE, feedback="Freeze.")
    last = await decide(store, approval, actor=BEN, decision=Decision.DENY)

    assert [each.approval.state for each in (reasoned, again, reworded)] == [State.PENDING] * 3
    said_so = [[(vote.at, vote.feedback) for vote in each.approval.votes] for each in (reasoned, again, reworded)]
    assert said_so == [
        [(NOW + 2 * MINUTE, "The pager is red.")],
        [(NOW + 2 * MINUTE, "The pager is red.")],
        [(NOW + 4 * MINUTE, "Freeze.")],
    ]
    assert (last.approval.state, last.approval.feedback) == (State.DENIED, None)
    assert {vote.actor: vote.feedback for vote in last.approval.votes} == {ANA: "Freeze.", BEN: None}
    assert await said(store, approval) == ["created", "voted", "voted", "voted", "denied"]


async def test_a_changed_vote_counts_once(store) -> None:
    approval = await asked(store, approvers=Approvers(users=("U",), quorum=2, denials=2))

    await decide(store, approval, actor=ANA, decision=Decision.DENY)
    await decide(store, approval, actor=ANA)
    still = await decide(store, approval, actor=BEN, decision=Decision.DENY)
    again = await decide(store, approval, actor=ANA, decision=Decision.ALLOW_ALWAYS)
    last = await decide(store, approval, actor=CLEO)

    assert [each.approval.state for each in (still, again, last)] == [State.PENDING, State.PENDING, State.APPROVED]
    assert sorted(vote.actor.id for vote in last.approval.votes) == ["U0ANA", "U0BEN", "key_cleo"]


@pytest.mark.parametrize(("before", "state"), [(MOMENT, State.APPROVED), (timedelta(), State.EXPIRED)])
async def test_one_moment_decides_at_the_deadline(store, before, state) -> None:
    approval = await asked(store)

    assert (await decide(store, approval, at=NOW + HOUR - before)).approval.state is state
