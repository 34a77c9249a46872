"""Telling runs, as rows: leases, wakes, patience."""

import pytest

from store import errors
from store.types import PATIENCE, WAKE_AFTER, Decision, Lease
from tests.store.contract.makers import (
    HANDLER,
    HOUR,
    MILLISECOND,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    WEBHOOK,
    a_question,
    answer,
    asked,
    cards,
    claim,
    decide,
    decided,
    now_is,
    withdraw,
)

AT = NOW + MINUTE


async def lease(store, now=AT, **fields):
    defaults = {"until": now + MINUTE, "limit": 10, "handlers": {"deploy"}, "webhooks": True}
    return list(await store.lease_resumptions(now=now, **{**defaults, **fields}))


async def finish(store, leased, now=AT):
    return await store.finish_resumption(interaction=leased.interaction, lease=leased.lease, now=now)


async def retry(store, leased, **fields):
    defaults = {"error": "refused", "due_at": None, "now": AT}
    return await store.retry_resumption(interaction=leased.interaction, lease=leased.lease, **{**defaults, **fields})


async def test_what_is_decided_is_leased_with_all_it_holds(store) -> None:
    approval = await decided(store, resume=HANDLER)

    (leased,) = await lease(store)

    assert leased.interaction == approval
    assert leased.lease.until == AT + MINUTE
    assert not await lease(store)


async def test_a_caller_leases_only_what_it_can_hand_over(store) -> None:
    handled, hooked = await decided(store, resume=HANDLER), await decided(store, resume=WEBHOOK)
    await decided(store)

    assert not await lease(store, handlers=set(), webhooks=False)
    assert not await lease(store, handlers={"other"}, webhooks=False)
    assert [each.interaction for each in await lease(store, webhooks=False)] == [handled]
    assert [each.interaction for each in await lease(store, handlers=set())] == [hooked]


async def test_pending_runs_are_not_told(store) -> None:
    await asked(store, resume=HANDLER)

    assert not await lease(store, now=NOW + 9 * HOUR)


async def test_whatever_ends_is_told(store) -> None:
    expired = await asked(store, resume=HANDLER)
    withdrawn = await asked(store, resume=HANDLER, expires_at=None)
    replaced = await asked(store, resume=HANDLER, expires_at=None)
    answered = await asked(store, a_question(resume=WEBHOOK))
    denied = await asked(store, resume=WEBHOOK, expires_at=None)
    await store.expire_due(now=NOW + HOUR)
    await withdraw(store, withdrawn)
    await asked(store, supersedes=replaced.id, created_at=AT)
    await answer(store, answered)
    await decide(store, denied, decision=Decision.DENY)

    told = await lease(store, now=NOW + HOUR)

    ends = (expired, withdrawn, replaced, answered, denied)
    assert {each.interaction.id for each in told} == {each.id for each in ends}
    assert told[-1].interaction.id == expired.id


async def test_the_oldest_is_told_first_up_to_the_limit(store) -> None:
    times = [NOW + 3 * MINUTE, NOW + MINUTE, NOW + 2 * MINUTE]
    third, first, second = [(await decide(store, await asked(store, resume=HANDLER), at=at)).approval for at in times]

    assert [each.interaction for each in await lease(store, limit=2, now=NOW + HOUR)] == [first, second]
    assert [each.interaction for each in await lease(store, limit=2, now=NOW + HOUR)] == [third]


async def test_a_lapsed_lease_may_be_taken_and_the_first_is_fenced(store) -> None:
    await decided(store, resume=HANDLER)
    (late,) = await lease(store)

    (mine,) = await lease(store, now=AT + MINUTE)

    assert not await finish(store, late)
    assert not await retry(store, late)
    assert not await store.renew_resumption(interaction=late.interaction, lease=late.lease, until=NOW + HOUR)
    assert (await now_is(store, late.interaction)).resumption == late.interaction.resumption
    assert await finish(store, mine)


async def test_a_renewed_lease_is_held_longer(store) -> None:
    await decided(store, resume=HANDLER)
    (leased,) = await lease(store)

    assert await store.renew_resumption(interaction=leased.interaction, lease=leased.lease, until=NOW + HOUR)

    assert not await lease(store, now=NOW + HOUR - MILLISECOND)
    assert len(await lease(store, now=NOW + HOUR)) == 1


async def test_a_made_up_lease_holds_nothing(store) -> None:
    approval = await decided(store, resume=HANDLER)
    made_up = Lease(token="made up", until=NOW + HOUR)

    assert not await store.finish_resumption(interaction=approval, lease=made_up, now=AT)
    assert not await store.renew_resumption(interaction=approval, lease=made_up, until=NOW + HOUR)
    assert await now_is(store, approval) == approval


async def test_an_answer_that_was_told_is_done(store) -> None:
    question = await asked(store, a_question(resume=HANDLER))
    await answer(store, question)
    (leased,) = await lease(store)

    assert await finish(store, leased)

    resumption = (await now_is(store, question)).resumption
    assert (resumption.told_at, resumption.due_at, resumption.wakes) == (AT, None, 0)
    assert not await lease(store, now=NOW + 9 * HOUR)
    assert not await finish(store, leased)


async def test_a_claim_while_telling_ends_it(store) -> None:
    approval = await decided(store, resume=HANDLER)
    (leased,) = await lease(store)
    await claim(store, approval)

    assert await finish(store, leased)

    resumption = (await now_is(store, approval)).resumption
    assert (resumption.told_at, resumption.due_at, resumption.stuck_due_at) == (AT, None, None)
    assert not await lease(store, now=NOW + 9 * HOUR)


async def test_a_told_run_that_does_not_claim_is_woken_and_then_stuck(store) -> None:
    approval = await decided(store, resume=WEBHOOK)
    now = AT
    for number, pause in enumerate(WAKE_AFTER):
        (leased,) = await lease(store, now=now)
        assert leased.interaction.resumption.wakes == number
        await finish(store, leased, now=now)
        assert not await lease(store, now=now + pause - MILLISECOND)
        now += pause
    (last,) = await lease(store, now=now)
    await finish(store, last, now=now)

    assert not await lease(store, now=now + 9 * HOUR)
    assert not await store.mark_stuck(now=now)
    (stuck,) = await store.mark_stuck(now=now + WAKE_AFTER[-1])

    assert stuck == await now_is(store, approval)
    assert stuck.resumption.stuck_at == now + WAKE_AFTER[-1]
    assert stuck.resumption.wakes == len(WAKE_AFTER)
    assert [each.wanted for each in await cards(store, approval)] == [3, 3]
    assert not await store.mark_stuck(now=now + 9 * HOUR)


async def test_a_claim_after_the_last_wake_is_not_stuck(store) -> None:
    approval = await decided(store)
    await claim(store, approval)

    assert not await store.mark_stuck(now=NOW + 9 * HOUR)


async def test_a_pull_run_is_stuck_after_its_patience(store) -> None:
    approval = await decided(store)
    due = AT + PATIENCE

    assert not await store.mark_stuck(now=due - MILLISECOND)
    (stuck,) = await store.mark_stuck(now=due)

    assert (stuck.id, stuck.resumption.stuck_at) == (approval.id, due)
    assert (await claim(store, approval, at=due)).execute


async def test_marking_stuck_stops_at_its_limit(store) -> None:
    first = await decided(store)
    second = (await decide(store, await asked(store), at=AT + MINUTE)).approval

    assert [each.id for each in await store.mark_stuck(now=NOW + HOUR, limit=1)] == [first.id]
    assert [each.id for each in await store.mark_stuck(now=NOW + HOUR, limit=1)] == [second.id]


async def test_what_failed_is_told_again_when_it_says(store) -> None:
    approval = await decided(store, resume=WEBHOOK)
    (leased,) = await lease(store)

    assert await retry(store, leased, due_at=NOW + HOUR)

    resumption = (await now_is(store, approval)).resumption
    assert (resumption.attempts, resumption.last_error, resumption.due_at) == (1, "refused", NOW + HOUR)
    assert not await lease(store, now=NOW + HOUR - MILLISECOND)
    (again,) = await lease(store, now=NOW + HOUR)
    await finish(store, again, now=NOW + HOUR)
    resumption = (await now_is(store, approval)).resumption
    assert (resumption.attempts, resumption.last_error) == (0, None)


async def test_what_failed_for_good_is_stuck(store) -> None:
    approval = await decided(store, resume=WEBHOOK)
    (leased,) = await lease(store)

    assert await retry(store, leased)

    resumption = (await now_is(store, approval)).resumption
    assert (resumption.stuck_at, resumption.due_at, resumption.last_error) == (AT, None, "refused")
    assert [each.wanted for each in await cards(store, approval)] == [3, 3]
    assert not await lease(store, now=NOW + 9 * HOUR)


async def test_a_failure_after_the_claim_makes_nothing_due(store) -> None:
    approval = await decided(store, resume=HANDLER)
    (leased,) = await lease(store)
    await claim(store, approval)

    assert await retry(store, leased, due_at=NOW + HOUR)

    resumption = (await now_is(store, approval)).resumption
    assert (resumption.due_at, resumption.stuck_at, resumption.last_error) == (None, None, "refused")
    assert not await lease(store, now=NOW + 9 * HOUR)


async def test_a_stuck_run_can_be_woken_with_fresh_wakes(store) -> None:
    approval = await decided(store, resume=WEBHOOK)
    (leased,) = await lease(store)
    await retry(store, leased)

    assert await store.wake(tenant=TENANT, id=approval.id, now=NOW + HOUR)

    resumption = (await now_is(store, approval)).resumption
    assert (resumption.stuck_at, resumption.attempts, resumption.wakes) == (None, 0, 0)
    assert [each.wanted for each in await cards(store, approval)] == [4, 4]
    (again,) = await lease(store, now=NOW + HOUR)
    assert await finish(store, again)


async def test_a_wake_leaves_whoever_is_telling_alone(store) -> None:
    approval = await decided(store, resume=HANDLER)
    (leased,) = await lease(store)

    assert await store.wake(tenant=TENANT, id=approval.id, now=AT)

    assert not await lease(store)
    assert await finish(store, leased)


@pytest.mark.parametrize("how", ["pending", "claimed", "told", "pull", "pull question"])
async def test_nothing_is_woken_where_nothing_is_to_be_told(store, how) -> None:
    if how == "told":
        interaction = await asked(store, a_question(resume=HANDLER))
        await answer(store, interaction)
        await finish(store, (await lease(store))[0])
    elif how == "pull question":
        interaction = (await answer(store, await asked(store, a_question()))).question
    else:
        interaction = await asked(store, **({} if how == "pull" else {"resume": HANDLER}))
        if how != "pending":
            await decide(store, interaction)
        if how == "claimed":
            await claim(store, interaction)
    before = await now_is(store, interaction)

    assert not await store.wake(tenant=TENANT, id=interaction.id, now=NOW + HOUR)

    assert await now_is(store, interaction) == before


async def test_what_is_resolved_and_untold_can_be_woken(store) -> None:
    question = await asked(store, a_question(resume=WEBHOOK))
    await answer(store, question)
    (leased,) = await lease(store)
    await retry(store, leased)

    assert await store.wake(tenant=TENANT, id=question.id, now=NOW + HOUR)
    assert len(await lease(store, now=NOW + HOUR)) == 1


async def test_nobody_wakes_what_is_not_there(store) -> None:
    elsewhere = await decided(store, tenant=OTHER, resume=HANDLER)

    for id_ in ("apr_missing", elsewhere.id):
        with pytest.raises(errors.NotFound):
            await store.wake(tenant=TENANT, id=id_, now=NOW)


async def test_what_nobody_can_tell_is_stuck_and_still_told_by_whoever_can(store) -> None:
    approval = await decided(store, resume=HANDLER)
    question = await asked(store, a_question(resume=WEBHOOK))
    await answer(store, question)

    assert not await store.mark_stuck(now=AT + PATIENCE - MILLISECOND)
    stuck = await store.mark_stuck(now=AT + PATIENCE)

    assert {each.id for each in stuck} == {approval.id, question.id}
    assert {each.interaction.id for each in await lease(store, now=AT + HOUR)} == {approval.id, question.id}


async def test_what_is_being_told_just_now_is_not_stuck(store) -> None:
    await decided(store, resume=HANDLER)
    await lease(store, until=AT + HOUR)

    assert not await store.mark_stuck(now=AT + PATIENCE)


async def test_telling_what_was_stuck_takes_the_mark_off_and_repaints(store) -> None:
    approval = await decided(store, resume=HANDLER)
    await store.mark_stuck(now=AT + PATIENCE)
    before = [card.wanted for card in await cards(store, approval)]
    (leased,) = await lease(store, now=AT + PATIENCE)

    await finish(store, leased, now=AT + PATIENCE)

    assert (await now_is(store, approval)).resumption.stuck_at is None
    assert [card.wanted for card in await cards(store, approval)] == [wanted + 1 for wanted in before]


async def test_a_wake_by_a_person_is_a_new_message_with_all_its_wakes_before_it(store) -> None:
    approval = await decided(store, resume=WEBHOOK)
    now = AT
    for after in (*WAKE_AFTER, WAKE_AFTER[-1]):
        (leased,) = await lease(store, now=now)
        await finish(store, leased, now=now)
        now += after
    await store.mark_stuck(now=now)

    assert await store.wake(tenant=TENANT, id=approval.id, now=now)

    told = []
    for after in (*WAKE_AFTER, WAKE_AFTER[-1]):
        (leased,) = await lease(store, now=now)
        told.append(leased.interaction.resumption.wakes)
        await finish(store, leased, now=now)
        now += after
    assert told == [4, 5, 6, 7]
    assert [each.id for each in await store.mark_stuck(now=now)] == [approval.id]


async def test_an_approval_that_nobody_claims_in_its_window_lapses_once(store) -> None:
    approval = await decided(store)
    denied = await decide(store, await asked(store), decision=Decision.DENY)
    claimed = await decided(store)
    await claim(store, claimed)
    closes = approval.runs_until
    await store.mark_stuck(now=closes - MILLISECOND)
    assert (await now_is(store, approval)).lapsed_at is None
    before = [card.wanted for card in await cards(store, approval)]

    await store.mark_stuck(now=closes)
    await store.mark_stuck(now=closes + HOUR)

    assert (await now_is(store, approval)).lapsed_at == closes
    assert [card.wanted for card in await cards(store, approval)] == [wanted + 1 for wanted in before]
    assert (await now_is(store, denied.approval)).lapsed_at is None
    assert (await now_is(store, claimed)).lapsed_at is None


async def test_a_claim_from_before_the_end_of_the_window_executes_nothing_once_it_is_noted(store) -> None:
    approval = await decided(store)
    closes = approval.runs_until
    await store.mark_stuck(now=closes)

    claimed = await claim(store, approval, at=closes - MILLISECOND)

    assert (claimed.claimed, claimed.execute) == (True, False)
    after = await now_is(store, approval)
    assert (after.claim.execute, after.execution, after.lapsed_at) == (False, None, closes)
