"""Claiming and reporting: the single execution that a decision authorizes."""

from datetime import timedelta

import pytest

from store import errors
from store.outcomes import Claimed
from store.types import Approvers, Claim, Decision, Execution, ExecutionStatus, State
from tests.store.contract.makers import (
    HANDLER,
    HOUR,
    MILLISECOND,
    MINUTE,
    NOW,
    TENANT,
    a_question,
    an_approval,
    asked,
    cards,
    claim,
    decide,
    decided,
    now_is,
    said,
    withdraw,
)

CLAIMED, RUNNING = ExecutionStatus.CLAIMED, ExecutionStatus.RUNNING
SUCCEEDED, FAILED = ExecutionStatus.SUCCEEDED, ExecutionStatus.FAILED
AT = NOW + 2 * MINUTE


async def report(store, approval, status, **fields):
    defaults = {"tenant": TENANT, "id": approval.id, "claim_id": "claim-1", "at": NOW + 3 * MINUTE}
    return await store.report_execution(**{**defaults, "status": status, **fields})


@pytest.mark.parametrize("decision", [each for each in Decision if each is not Decision.DENY])
async def test_the_first_claimant_of_what_was_allowed_executes(store, decision) -> None:
    approval = await asked(store, resume=HANDLER)
    await decide(store, approval, decision=decision)

    outcome = await claim(store, approval, worker="w-1", report_within=30)

    after = outcome.approval
    assert (outcome.claimed, outcome.execute, outcome.claim_id) == (True, True, "claim-1")
    assert after.claim == Claim(claim_id="claim-1", at=AT, execute=True, worker="w-1")
    assert after.execution == Execution(
        status=CLAIMED, at=AT, started_at=AT, report_within=30, report_due_at=AT + timedelta(seconds=30)
    )
    assert after.state is State.APPROVED
    assert after.resumption.due_at is None
    assert await now_is(store, approval) == after
    assert [each.wanted for each in await cards(store, approval)] == [3, 3]


async def test_a_denial_is_claimed_and_never_executes(store) -> None:
    approval = await asked(store)
    await decide(store, approval, decision=Decision.DENY)

    outcome = await claim(store, approval, report_within=30)

    assert (outcome.claimed, outcome.execute) == (True, False)
    assert outcome.approval.execution is None
    assert outcome.approval.claim.execute is False
    assert await now_is(store, approval) == outcome.approval
    event = (await store.list_events(tenant=TENANT, interaction_id=approval.id))[-1]
    assert (event.action, event.details["execute"]) == ("claimed", False)
    assert (event.old_state, event.new_state) == (State.DENIED, State.DENIED)


@pytest.mark.parametrize(("after", "execute"), [(HOUR - MILLISECOND, True), (HOUR, False), (9 * HOUR, False)])
async def test_a_claim_executes_only_inside_the_claim_window(store, after, execute) -> None:
    approval = await decided(store, run_within=HOUR)

    outcome = await claim(store, approval, at=NOW + MINUTE + after)

    assert (outcome.claimed, outcome.execute) == (True, execute)
    assert (outcome.approval.execution is not None) is execute


@pytest.mark.parametrize("decision", [Decision.ALLOW_ONCE, Decision.DENY])
async def test_a_claim_repeated_with_its_id_gets_the_same_answer_for_ever(store, decision) -> None:
    approval = await asked(store, run_within=HOUR)
    await decide(store, approval, decision=decision)
    first = await claim(store, approval)

    assert await claim(store, approval) == first
    assert await claim(store, approval, at=NOW + 9 * HOUR, digest="another", worker="w-9") == first
    assert await said(store, approval) == ["created", first.approval.state, "claimed"]


@pytest.mark.parametrize(("status", "execute"), [(RUNNING, True), (SUCCEEDED, False), (FAILED, False)])
async def test_a_program_that_starts_anew_with_its_claim_id_never_runs_again_what_it_ended(
    store, status, execute
) -> None:
    approval = await decided(store)
    await claim(store, approval)
    await report(store, approval, status)

    again = await claim(store, approval)

    assert (again.claimed, again.execute) == (True, execute)


async def test_whoever_claims_second_gets_nothing(store) -> None:
    approval = await decided(store)
    first = await claim(store, approval)

    second = await claim(store, approval, claim_id="claim-2", digest="another")

    assert second == Claimed(claimed=False, execute=False, claim_id=None, approval=first.approval)


@pytest.mark.parametrize("state", ["pending", "half", "expired", "withdrawn", "superseded"])
async def test_what_nobody_decided_cannot_be_claimed(store, state) -> None:
    approval = await asked(store, approvers=Approvers(quorum=2))
    if state == "half":
        await decide(store, approval)
    elif state == "expired":
        await store.expire_due(now=NOW + HOUR)
    elif state == "withdrawn":
        await withdraw(store, approval)
    elif state == "superseded":
        await asked(store, supersedes=approval.id)
    before = await now_is(store, approval)

    outcome = await claim(store, approval, digest="whatever")

    assert outcome == Claimed(claimed=False, execute=False, claim_id=None, approval=before)
    assert await now_is(store, approval) == before


async def test_a_claim_of_another_action_is_refused_and_changes_nothing(store) -> None:
    approval = await decided(store, resume=HANDLER)

    with pytest.raises(errors.DigestMismatch) as raised:
        await claim(store, approval, digest="another")

    assert (raised.value.expected, raised.value.given) == ("digest", "another")
    assert await now_is(store, approval) == approval
    assert (await claim(store, approval)).execute


async def test_nobody_claims_what_is_not_there(store) -> None:
    with pytest.raises(errors.NotFound):
        await claim(store, an_approval())


async def test_a_claim_of_what_was_stuck_ends_that(store) -> None:
    approval = await decided(store)
    await store.mark_stuck(now=NOW + HOUR)

    outcome = await claim(store, approval, at=NOW + HOUR)

    resumption = outcome.approval.resumption
    assert (resumption.stuck_at, resumption.stuck_due_at) == (None, None)


async def test_the_claimant_reports_and_running_renews_its_promise(store) -> None:
    approval = await decided(store)
    await claim(store, approval, report_within=60)

    running = await report(store, approval, RUNNING, detail="3 of 7")
    done = await report(store, approval, SUCCEEDED, at=NOW + 4 * MINUTE, detail="v42")

    assert running.execution == Execution(
        status=RUNNING,
        at=NOW + 3 * MINUTE,
        started_at=AT,
        detail="3 of 7",
        report_within=60,
        report_due_at=NOW + 4 * MINUTE,
    )
    assert done.execution == Execution(
        status=SUCCEEDED, at=NOW + 4 * MINUTE, started_at=AT, detail="v42", report_within=60
    )
    assert await now_is(store, approval) == done
    assert [each.wanted for each in await cards(store, approval)] == [5, 5]


async def test_the_same_final_report_again_is_accepted_and_changes_nothing(store) -> None:
    approval = await decided(store)
    await claim(store, approval)
    done = await report(store, approval, FAILED, detail="disk full")

    again = await report(store, approval, FAILED, detail="disk full", at=NOW + HOUR)

    assert again == done
    assert await said(store, approval) == ["created", "approved", "claimed", "reported"]


@pytest.mark.parametrize(("status", "detail"), [(FAILED, None), (RUNNING, None), (SUCCEEDED, "other")])
async def test_another_report_after_the_final_one_is_refused(store, status, detail) -> None:
    approval = await decided(store)
    await claim(store, approval)
    done = await report(store, approval, SUCCEEDED)

    with pytest.raises(errors.NotClaimant):
        await report(store, approval, status, detail=detail)

    assert await now_is(store, approval) == done


async def test_only_the_claim_that_executes_reports(store) -> None:
    unclaimed, denied = await decided(store), await asked(store)
    await decide(store, denied, decision=Decision.DENY)
    await claim(store, denied)
    other = await decided(store)
    await claim(store, other, claim_id="theirs")

    for approval in (unclaimed, denied, other, await asked(store)):
        with pytest.raises(errors.NotClaimant):
            await report(store, approval, SUCCEEDED)


async def test_nobody_reports_on_what_is_not_there(store) -> None:
    for missing in (an_approval(), await asked(store, a_question())):
        with pytest.raises(errors.NotFound):
            await report(store, missing, SUCCEEDED)


async def test_claimed_and_unknown_are_nothing_to_report(store) -> None:
    approval = await decided(store)
    await claim(store, approval)

    for status in (CLAIMED, ExecutionStatus.UNKNOWN):
        with pytest.raises(ValueError, match="nobody reports"):
            await report(store, approval, status)
