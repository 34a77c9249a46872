"""Races: exactly one wins, and everybody else is told the same."""

import asyncio
import random
from collections import Counter

import pytest

from store import errors
from store.types import Actor, ActorKind, Approvers, Decision, State
from tests.store.contract.makers import (
    ANA,
    HOUR,
    MILLISECOND,
    NOW,
    a_question,
    again,
    an_approval,
    answer,
    asked,
    cards,
    claim,
    decide,
    decided,
    now_is,
    said,
    withdraw,
)


def person(number: int) -> Actor:
    return Actor(kind=ActorKind.SLACK_USER, id=f"U0P{number}")


async def test_fifty_clickers_make_one_decision(store) -> None:
    approval = await asked(store)
    choices = [Decision.ALLOW_ONCE, Decision.DENY] * 25
    random.Random(7).shuffle(choices)

    outcomes = await asyncio.gather(
        *(decide(store, approval, actor=person(n), decision=choice) for n, choice in enumerate(choices))
    )

    won = [outcome for outcome in outcomes if not outcome.already_resolved]
    assert len(won) == 1
    assert {outcome.approval for outcome in outcomes} == {won[0].approval}
    assert await now_is(store, approval) == won[0].approval
    assert await said(store, approval) == ["created", won[0].approval.state]
    assert [each.wanted for each in await cards(store, approval)] == [2, 2]


async def test_a_double_click_makes_one_decision(store) -> None:
    approval = await asked(store)

    outcomes = await asyncio.gather(*(decide(store, approval, actor=ANA) for _ in range(10)))

    assert Counter(outcome.already_resolved for outcome in outcomes) == {False: 1, True: 9}


async def test_twenty_claimants_make_one_claim(store) -> None:
    approval = await decided(store)

    outcomes = await asyncio.gather(*(claim(store, approval, claim_id=f"claim-{n}") for n in range(20)))

    won = [outcome for outcome in outcomes if outcome.claimed]
    assert len(won) == 1
    assert [outcome for outcome in outcomes if outcome.execute] == won
    assert await said(store, approval) == ["created", "approved", "claimed"]


async def test_one_claim_id_many_times_at_once_is_one_claim(store) -> None:
    approval = await decided(store)

    outcomes = await asyncio.gather(*(claim(store, approval) for _ in range(20)))

    assert {(outcome.claimed, outcome.execute) for outcome in outcomes} == {(True, True)}
    assert await said(store, approval) == ["created", "approved", "claimed"]


@pytest.mark.parametrize("quorum", [2, 5])
async def test_concurrent_voters_reach_the_quorum_once(store, quorum) -> None:
    approval = await asked(store, approvers=Approvers(users=("U",), quorum=quorum))

    outcomes = await asyncio.gather(*(decide(store, approval, actor=person(n)) for n in range(12)))

    counted = [outcome for outcome in outcomes if not outcome.already_resolved]
    final = await now_is(store, approval)
    assert len(counted) == quorum
    assert [outcome.approval.state for outcome in counted].count(State.APPROVED) == 1
    assert (final.state, len(final.votes)) == (State.APPROVED, quorum)
    assert await said(store, approval) == ["created", *["voted"] * (quorum - 1), "approved"]


async def test_an_expiry_against_clicks_has_one_outcome(store) -> None:
    approvals = [await asked(store) for _ in range(10)]
    before, at = NOW + HOUR - MILLISECOND, NOW + HOUR

    swept, *outcomes = await asyncio.gather(
        store.expire_due(now=at),
        *(decide(store, approval, at=when) for approval in approvals for when in (before, at)),
    )

    expired = {each.id for each in swept}
    for approval in approvals:
        mine = [outcome for outcome in outcomes if outcome.approval.id == approval.id]
        final = await now_is(store, approval)
        decisions = [outcome for outcome in mine if not outcome.already_resolved]
        assert len(decisions) == (final.state is State.APPROVED)
        assert not (expired & {approval.id} and final.state is State.APPROVED)
        assert {outcome.approval.state for outcome in mine} == {final.state}
        assert len(await said(store, approval)) == 2


async def test_two_sweeps_at_once_expire_each_once(store) -> None:
    approvals = [await asked(store) for _ in range(20)]

    sweeps = await asyncio.gather(*(store.expire_due(now=NOW + HOUR) for _ in range(4)))

    assert sorted(each.id for swept in sweeps for each in swept) == sorted(each.id for each in approvals)


async def test_a_withdrawal_against_a_click_has_one_outcome(store) -> None:
    for _ in range(10):
        approval = await asked(store)

        clicked, gone = await asyncio.gather(decide(store, approval), withdraw(store, approval))

        assert clicked.already_resolved is gone.withdrawn
        final = await now_is(store, approval)
        assert final.state is (State.WITHDRAWN if gone.withdrawn else State.APPROVED)
        assert len(await said(store, approval)) == 2


async def test_a_replacement_against_a_click_has_one_outcome(store) -> None:
    for _ in range(10):
        old = await asked(store)
        new = an_approval(supersedes=old.id)

        clicked, created = await asyncio.gather(
            decide(store, old), store.create_approval(approval=new), return_exceptions=True
        )

        final = await now_is(store, old)
        stored = await store.find_interaction(tenant=new.tenant, id=new.id)
        if isinstance(created, errors.AlreadyResolved):
            assert (final.state, clicked.already_resolved, stored) == (State.APPROVED, False, None)
        else:
            assert (final.state, clicked.already_resolved) == (State.SUPERSEDED, True)
            assert stored == new


async def test_two_replacements_at_once_leave_one(store) -> None:
    old = await asked(store)

    created = await asyncio.gather(
        *(store.create_approval(approval=an_approval(supersedes=old.id)) for _ in range(5)), return_exceptions=True
    )

    lost = [each for each in created if isinstance(each, errors.AlreadyResolved)]
    assert len(lost) == 4


async def test_answers_at_once_have_one_winner(store) -> None:
    question = await asked(store, a_question())

    outcomes = await asyncio.gather(*(answer(store, question, actor=person(n)) for n in range(30)))

    won = [outcome for outcome in outcomes if not outcome.already_resolved]
    assert len(won) == 1
    assert {outcome.question.resolved_by for outcome in outcomes} == {won[0].question.resolved_by}


async def test_asks_of_one_operation_with_other_content_at_once_conflict(store) -> None:
    approval = an_approval()
    asks = [again(approval, request_digest=f"content-{n % 2}") for n in range(10)]

    results = await asyncio.gather(*(store.create_approval(approval=ask) for ask in asks), return_exceptions=True)

    kinds = Counter(type(result).__name__ for result in results)
    assert kinds == {"Created": 5, "Conflict": 5}


async def test_postings_and_resumptions_are_leased_once(store) -> None:
    from tests.store.contract.makers import HANDLER

    for _ in range(15):
        await decided(store, resume=HANDLER)
    soon = NOW + 2 * HOUR

    painters = await asyncio.gather(*(store.lease_postings(now=soon, until=soon + HOUR, limit=4) for _ in range(12)))
    tellers = await asyncio.gather(
        *(
            store.lease_resumptions(now=soon, until=soon + HOUR, limit=2, handlers={"deploy"}, webhooks=False)
            for _ in range(12)
        )
    )

    painted = [lease.posting.id for leases in painters for lease in leases]
    told = [lease.interaction.id for leases in tellers for lease in leases]
    assert len(painted) == len(set(painted))
    assert len(told) == len(set(told))
    # Whoever finds a row just being taken passes it by, and comes again.
    rest = await store.lease_postings(now=soon, until=soon + HOUR, limit=100)
    assert len(painted) + len(rest) == 30
    more = await store.lease_resumptions(now=soon, until=soon + HOUR, limit=100, handlers={"deploy"}, webhooks=False)
    assert len(told) + len(more) == 15
