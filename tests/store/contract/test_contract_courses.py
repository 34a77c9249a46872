"""What happens after a claim: runs that go silent, and what people say of them."""

from datetime import timedelta

import pytest

from store import errors
from store.types import PATIENCE, Decision, ExecutionStatus, Settlement, State
from tests.store.contract.makers import (
    ANA,
    HANDLER,
    HOUR,
    MINUTE,
    MOMENT,
    NOW,
    OPS,
    OTHER,
    TENANT,
    a_question,
    asked,
    behind,
    claim,
    decide,
    decided,
    now_is,
    paint,
    report,
    said,
    settle,
    take_back,
    went_silent,
)

CLAIMED, RUNNING, UNKNOWN = ExecutionStatus.CLAIMED, ExecutionStatus.RUNNING, ExecutionStatus.UNKNOWN
SUCCEEDED, FAILED = ExecutionStatus.SUCCEEDED, ExecutionStatus.FAILED
#: `went_silent` claims at NOW + 2 minutes and promises to report within one.
DUE = NOW + 3 * MINUTE
AT = NOW + 10 * MINUTE


async def unknown(store, tenant=TENANT, **fields):
    return list(await store.list_unknown(tenant=tenant, **fields))


async def test_who_promised_to_report_and_did_not_is_unknown_from_then_on(store) -> None:
    approval = await decided(store)
    await claim(store, approval, report_within=60)
    await paint(store, now=NOW + HOUR)

    assert not await store.mark_unknown(now=DUE - MOMENT)
    (silent,) = await store.mark_unknown(now=DUE)

    assert silent == await now_is(store, approval)
    assert (silent.execution.status, silent.execution.at, silent.execution.report_due_at) == (UNKNOWN, DUE, None)
    assert silent.execution.started_at == NOW + 2 * MINUTE
    assert silent.state is State.APPROVED
    assert await behind(store, approval) == [True, True]
    assert not await store.mark_unknown(now=DUE + HOUR)
    assert await said(store, approval) == ["created", "approved", "claimed", "went_silent"]
    assert await unknown(store) == [silent]


async def test_a_claim_repeated_while_nobody_knows_what_happened_runs_nothing(store) -> None:
    silent = await went_silent(store)

    again = await claim(store, silent, claim_id=silent.claim.claim_id)

    assert (again.claimed, again.execute) == (True, False)


async def test_who_promised_nothing_never_becomes_unknown(store) -> None:
    await claim(store, await decided(store))
    finished = await decided(store)
    await claim(store, finished, report_within=60)
    await report(store, finished, SUCCEEDED)

    assert not await store.mark_unknown(now=NOW + 1000 * HOUR)


async def test_a_claim_that_does_not_execute_promises_nothing(store) -> None:
    approval = await asked(store)
    await decide(store, approval, decision=Decision.DENY)
    await claim(store, approval, report_within=60)

    assert not await store.mark_unknown(now=NOW + HOUR)


async def test_running_renews_the_promise(store) -> None:
    approval = await decided(store)
    await claim(store, approval, report_within=60)
    await report(store, approval, RUNNING, at=DUE - MOMENT)

    assert not await store.mark_unknown(now=DUE + MINUTE - 2 * MOMENT)
    (silent,) = await store.mark_unknown(now=DUE + MINUTE - MOMENT)
    assert silent.execution.at == DUE + MINUTE - MOMENT


async def test_the_longest_overdue_goes_first_up_to_the_limit_of_all_tenants(store) -> None:
    approvals = [await decided(store, tenant=tenant) for tenant in (TENANT, OTHER, TENANT)]
    for approval, seconds in zip(approvals, (30, 10, 20), strict=True):
        await claim(store, approval, report_within=seconds)

    first = await store.mark_unknown(now=NOW + HOUR, limit=2)
    rest = await store.mark_unknown(now=NOW + HOUR)

    assert [each.id for each in (*first, *rest)] == [approvals[1].id, approvals[2].id, approvals[0].id]


async def test_the_unknown_are_listed_oldest_first(store) -> None:
    await went_silent(store, tenant=OTHER)
    silent = []
    for seconds in (40, 20, 30):
        approval = await decided(store)
        await claim(store, approval, report_within=seconds)
        silent.append(approval)
    await store.mark_unknown(now=NOW + HOUR)

    listed = [each.id for each in await unknown(store)]

    assert listed == [silent[1].id, silent[2].id, silent[0].id]
    assert [each.id for each in await unknown(store, limit=1)] == listed[:1]
    await settle(store, silent[1], happened=True)
    await settle(store, silent[2], happened=False)
    assert [each.id for each in await unknown(store)] == [silent[0].id]


@pytest.mark.parametrize("status", [RUNNING, SUCCEEDED, FAILED])
async def test_who_comes_back_before_a_person_spoke_is_heard(store, status) -> None:
    silent = await went_silent(store)

    after = await report(store, silent, status, at=AT, detail="late")

    assert (after.execution.status, after.execution.at, after.execution.detail) == (status, AT, "late")
    assert after.execution.report_due_at == (AT + timedelta(seconds=60) if status is RUNNING else None)
    assert not (await settle(store, silent, happened=False)).settled
    assert await unknown(store) == []


async def test_it_happened(store) -> None:
    silent = await went_silent(store)
    await paint(store, now=NOW + HOUR)

    outcome = await settle(store, silent, happened=True)

    after = outcome.approval
    assert outcome.settled
    assert after == await now_is(store, silent)
    assert (after.execution.status, after.execution.at) == (SUCCEEDED, AT)
    assert after.course.settlement == Settlement(actor=OPS, at=AT, happened=True, silent_at=silent.execution.at)
    assert (after.claim, after.course.spent_claims) == (silent.claim, ())
    assert await behind(store, silent) == [True, True]
    event = (await store.list_events(tenant=TENANT, interaction_id=silent.id))[-1]
    assert (event.action, event.actor, event.at) == ("settled", OPS, AT)
    assert event.details == {"happened": True, "claim_id": "claim-1"}
    with pytest.raises(errors.NotClaimant):
        await report(store, silent, FAILED, at=AT)
    assert not (await claim(store, silent, at=AT)).execute
    assert not (await claim(store, silent, claim_id="claim-2", at=AT)).claimed


async def test_it_did_not_happen_and_one_other_claim_may_take_it(store) -> None:
    silent = await went_silent(store)

    outcome = await settle(store, silent, happened=False)

    after = outcome.approval
    assert outcome.settled
    assert after == await now_is(store, silent)
    assert (after.state, after.claim, after.execution) == (State.APPROVED, None, None)
    assert (after.course.spent_claims, after.reopened_at) == (("claim-1",), AT)
    assert (after.resolved_at, after.runs_until) == (silent.resolved_at, AT + after.run_within)
    second = await claim(store, silent, claim_id="claim-2", at=AT + MINUTE)
    assert (second.claimed, second.execute) == (True, True)
    third = await claim(store, silent, claim_id="claim-3", at=AT + MINUTE)
    assert (third.claimed, third.execute) == (False, False)
    events = await store.list_events(tenant=TENANT, interaction_id=silent.id)
    assert [event.action for event in events[-3:]] == ["went_silent", "settled", "claimed"]
    assert events[-2].details == {"happened": False, "claim_id": "claim-1"}


async def test_the_spent_claim_takes_and_reports_nothing_any_more(store) -> None:
    silent = await went_silent(store)
    await settle(store, silent, happened=False)

    again = await claim(store, silent, at=AT)

    assert (again.claimed, again.execute, again.claim_id) == (False, False, None)
    with pytest.raises(errors.NotClaimant):
        await report(store, silent, SUCCEEDED, at=AT)
    assert (await now_is(store, silent)).claim is None
    await claim(store, silent, claim_id="claim-2", at=AT)
    with pytest.raises(errors.NotClaimant):
        await report(store, silent, SUCCEEDED, at=AT)
    assert (await report(store, silent, SUCCEEDED, claim_id="claim-2", at=AT)).execution.status is SUCCEEDED


async def test_every_claim_that_went_silent_is_spent(store) -> None:
    silent = await went_silent(store)
    await settle(store, silent, happened=False)
    await claim(store, silent, claim_id="claim-2", at=AT, report_within=60)
    await store.mark_unknown(now=AT + MINUTE)
    await settle(store, silent, happened=False, at=AT + MINUTE)

    for spent in ("claim-1", "claim-2"):
        assert not (await claim(store, silent, claim_id=spent, at=AT + MINUTE)).claimed
    outcome = await claim(store, silent, claim_id="claim-3", at=AT + MINUTE)
    assert outcome.execute
    assert outcome.approval.course.spent_claims == ("claim-1", "claim-2")


@pytest.mark.parametrize(("before", "execute"), [(MOMENT, True), (timedelta(), False)])
async def test_the_claim_window_opens_anew_when_it_did_not_happen(store, before, execute) -> None:
    silent = await went_silent(store, run_within=HOUR)
    late = NOW + 5 * HOUR
    await settle(store, silent, happened=False, at=late)

    assert (await claim(store, silent, claim_id="claim-2", at=late + HOUR - before)).execute is execute


async def test_what_did_not_happen_lapses_anew(store) -> None:
    silent = await went_silent(store, run_within=HOUR)
    await settle(store, silent, happened=False)

    await store.mark_stuck(now=AT + HOUR - MOMENT)
    assert (await now_is(store, silent)).lapsed_at is None
    await store.mark_stuck(now=AT + HOUR)
    assert (await now_is(store, silent)).lapsed_at == AT + HOUR
    late = await claim(store, silent, claim_id="claim-2", at=AT + 2 * HOUR)
    assert (late.claimed, late.execute, late.approval.lapsed_at) == (True, False, AT + HOUR)


async def test_a_run_that_was_told_is_told_anew_by_another_message(store) -> None:
    taking = {"until": NOW + HOUR, "limit": 10, "handlers": {"deploy"}, "webhooks": True}
    approval = await decided(store, resume=HANDLER)
    (leased,) = await store.lease_resumptions(now=NOW + MINUTE, **taking)
    await claim(store, approval, report_within=60)
    await store.finish_resumption(interaction=leased.interaction, lease=leased.lease, now=NOW + 2 * MINUTE)
    await store.mark_unknown(now=DUE)

    after = (await settle(store, approval, happened=False)).approval

    assert (after.resumption.due_at, after.resumption.stuck_due_at) == (AT, AT + PATIENCE)
    assert (after.resumption.wakes, after.resumption.woken_from) == (1, 1)
    assert after == await now_is(store, approval)
    (leased,) = await store.lease_resumptions(now=AT, **{**taking, "until": AT + HOUR})
    assert leased.interaction == after


async def test_a_pull_run_owes_its_claim_anew(store) -> None:
    silent = await went_silent(store)
    await settle(store, silent, happened=False)

    assert not await store.mark_stuck(now=AT + PATIENCE - MOMENT)
    (stuck,) = await store.mark_stuck(now=AT + PATIENCE)
    assert stuck.id == silent.id


async def test_what_did_not_happen_can_be_taken_back(store) -> None:
    silent = await went_silent(store, run_within=HOUR)
    await settle(store, silent, happened=False)

    outcome = await take_back(store, silent, at=AT + HOUR - MOMENT)

    assert (outcome.taken_back, outcome.approval.state) == (True, State.DENIED)
    assert not (await claim(store, silent, claim_id="claim-2", at=AT + HOUR - MOMENT)).execute


@pytest.mark.parametrize("happened", [True, False])
async def test_only_what_is_unknown_is_settled_and_once(store, happened) -> None:
    silent = await went_silent(store)
    pending, approved, claimed = await asked(store), await decided(store), await decided(store)
    await claim(store, claimed, report_within=60)
    for approval in (pending, approved, claimed):
        before = await now_is(store, approval)
        outcome = await settle(store, approval, happened=happened)
        assert (outcome.settled, outcome.approval) == (False, before)
        assert "settled" not in await said(store, approval)
    first = await settle(store, silent, happened=happened)
    second = await settle(store, silent, happened=not happened, actor=ANA)

    assert (second.settled, second.approval) == (False, first.approval)


async def test_only_approvals_of_the_tenant_are_settled(store) -> None:
    silent, question = await went_silent(store), await asked(store, a_question())

    for wrong in ({"tenant": OTHER}, {"id": "apr_none"}, {"id": question.id}):
        with pytest.raises(errors.NotFound):
            await settle(store, silent, happened=True, **wrong)
