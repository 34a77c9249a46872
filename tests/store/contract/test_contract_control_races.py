"""Races of what people set right and what runs do: exactly one wins, and everybody else is told the same."""

import asyncio

import pytest

from store import errors
from store.types import Actor, ActorKind, Approvers, Decision, Edited, ExecutionStatus, State, Terms
from tests.store.contract.makers import (
    ANA,
    BEN,
    HOUR,
    MINUTE,
    MOMENT,
    NOW,
    TENANT,
    a_stop,
    an_approval,
    asked,
    claim,
    decide,
    decided,
    extend,
    go,
    now_is,
    report,
    said,
    settle,
    take_back,
    went_silent,
)

ROUNDS = range(8)
EDITED = Edited(input_json="{}", digest="edited")


def person(number: int) -> Actor:
    return Actor(kind=ActorKind.SLACK_USER, id=f"U0P{number}")


async def together(*calls):
    return await asyncio.gather(*calls, return_exceptions=True)


async def test_taking_back_against_a_claim_has_one_winner(store) -> None:
    for _ in ROUNDS:
        approval = await decided(store)

        back, taken = await together(take_back(store, approval), claim(store, approval))

        final = await now_is(store, approval)
        assert back.taken_back is not taken.execute
        assert taken.claimed or back.taken_back
        assert final.state is (State.DENIED if back.taken_back else State.APPROVED)
        assert (final.execution is None) is back.taken_back


async def test_a_vote_against_taking_back_another_is_counted_as_it_falls(store) -> None:
    for _ in ROUNDS:
        approval = await asked(store, approvers=Approvers(users=("U",), quorum=2))
        await decide(store, approval)

        back, voted = await together(take_back(store, approval, at=NOW + MINUTE), decide(store, approval, actor=BEN))

        final = await now_is(store, approval)
        assert not voted.already_resolved
        assert back.taken_back
        if voted.approval.state is State.APPROVED:
            assert final.state is State.DENIED
            assert (await said(store, approval))[-2:] == ["approved", "taken_back"]
        else:
            assert [vote.actor for vote in final.votes] == [BEN]


async def test_two_people_settle_once(store) -> None:
    for _ in ROUNDS:
        silent = await went_silent(store)

        one, other = await together(
            settle(store, silent, happened=True), settle(store, silent, happened=False, actor=ANA)
        )

        assert one.settled is not other.settled
        assert one.approval.course.settlement == other.approval.course.settlement
        assert (await said(store, silent)).count("settled") == 1


@pytest.mark.parametrize("happened", [True, False])
async def test_a_late_report_against_what_a_person_says_has_one_winner(store, happened) -> None:
    for _ in ROUNDS:
        silent = await went_silent(store)

        said_so, reported = await together(
            settle(store, silent, happened=happened), report(store, silent, ExecutionStatus.FAILED, at=NOW + 5 * MINUTE)
        )

        final = await now_is(store, silent)
        assert said_so.settled is isinstance(reported, errors.NotClaimant)
        if not said_so.settled:
            assert final.execution.status is ExecutionStatus.FAILED
        else:
            assert (final.execution is None) is not happened


async def test_a_report_against_going_silent_leaves_one_ending(store) -> None:
    for _ in ROUNDS:
        approval = await decided(store)
        await claim(store, approval, report_within=60)

        swept, reported = await together(
            store.mark_unknown(now=NOW + 3 * MINUTE), report(store, approval, ExecutionStatus.SUCCEEDED)
        )

        assert reported.execution.status is ExecutionStatus.SUCCEEDED
        assert (await now_is(store, approval)).execution.status is ExecutionStatus.SUCCEEDED
        middle = ["went_silent"] if swept else []
        assert await said(store, approval) == ["created", "approved", "claimed", *middle, "reported"]


async def test_two_sweeps_at_once_find_each_silent_run_once(store) -> None:
    approvals = [await decided(store) for _ in range(10)]
    for approval in approvals:
        await claim(store, approval, report_within=60)

    sweeps = await together(*(store.mark_unknown(now=NOW + HOUR) for _ in range(4)))

    assert sorted(each.id for swept in sweeps for each in swept) == sorted(each.id for each in approvals)


async def test_of_many_new_claimants_after_it_did_not_happen_one_executes(store) -> None:
    silent = await went_silent(store)
    await settle(store, silent, happened=False)

    outcomes = await together(
        *(claim(store, silent, claim_id=f"claim-{n}", at=NOW + 11 * MINUTE) for n in range(1, 12))
    )

    won = [outcome for outcome in outcomes if outcome.execute]
    assert len(won) == 1
    assert won[0].claim_id != "claim-1"


async def test_after_a_stop_was_confirmed_nothing_executes(store) -> None:
    approvals = [await decided(store) for _ in range(12)]

    stopped, *claims = await together(
        store.add_stop(stop=a_stop()), *(claim(store, approval) for approval in approvals)
    )

    for approval, outcome in zip(approvals, claims, strict=True):
        assert outcome.execute or outcome.stopped == stopped
        assert not (await claim(store, approval, claim_id="claim-2")).execute


async def test_whoever_is_told_stopped_is_stopped(store) -> None:
    for _ in ROUNDS:
        first = await store.add_stop(stop=a_stop())

        stopped, ended = await together(store.add_stop(stop=a_stop(at=NOW + MINUTE)), go(store))

        held = list(await store.list_stops(tenant=TENANT))
        assert {stop.id for stop in ended} <= {first.id, stopped.id}
        assert stopped.id in {stop.id for stop in (*held, *ended)}
        await go(store)


async def test_stops_at_once_of_one_tool_are_one(store) -> None:
    stopped = await together(*(store.add_stop(stop=a_stop(tool="deploy.*")) for _ in range(8)))

    assert len({stop.id for stop in stopped}) == 1
    assert len(await store.list_stops(tenant=TENANT)) == 1


async def test_ends_at_once_end_each_stop_once(store) -> None:
    stops = [await store.add_stop(stop=a_stop(tool=f"tool-{n}")) for n in range(5)]

    ends = await together(*(go(store) for _ in range(4)))

    assert sorted(stop.id for ended in ends for stop in ended) == sorted(stop.id for stop in stops)


async def test_more_time_against_the_deadline_has_one_outcome(store) -> None:
    for _ in ROUNDS:
        approval = await asked(store, terms=Terms(extension=HOUR))

        more, swept = await together(extend(store, approval, at=NOW + HOUR - MOMENT), store.expire_due(now=NOW + HOUR))

        final = await now_is(store, approval)
        assert more.extended is not bool(swept)
        assert final.state is (State.PENDING if more.extended else State.EXPIRED)
        await decide(store, approval)


async def test_more_time_is_given_once(store) -> None:
    approval = await asked(store, terms=Terms(extension=HOUR))

    outcomes = await together(*(extend(store, approval, actor=person(n)) for n in range(6)))

    assert [outcome.extended for outcome in outcomes].count(True) == 1
    assert {outcome.interaction.expires_at for outcome in outcomes} == {NOW + 2 * HOUR}


async def test_more_time_against_its_warning_leaves_the_next_warning(store) -> None:
    for _ in ROUNDS:
        approval = await asked(store, terms=Terms(extension=4 * HOUR))

        await together(extend(store, approval, at=NOW + 45 * MINUTE), store.ring_due(now=NOW + 45 * MINUTE))

        (warned,) = await store.ring_due(now=NOW + 5 * HOUR - 30 * MINUTE)
        assert warned.id == approval.id
        await decide(store, approval)


async def test_an_edit_against_a_plain_approval_has_one_winner(store) -> None:
    for _ in ROUNDS:
        approval = await asked(store)

        plain, edit = await together(decide(store, approval), decide(store, approval, actor=BEN, edited=EDITED))

        final = await now_is(store, approval)
        assert plain.already_resolved is not edit.already_resolved
        assert final.edited == (EDITED if plain.already_resolved else None)
        assert final.resolved_by == (BEN if plain.already_resolved else ANA)


async def test_a_replacement_against_an_edit_has_one_outcome(store) -> None:
    for _ in ROUNDS:
        old = await asked(store)
        new = an_approval(supersedes=old.id)

        edit, created = await together(decide(store, old, edited=EDITED), store.create_approval(approval=new))

        final = await now_is(store, old)
        if isinstance(created, errors.AlreadyResolved):
            assert (final.edited, edit.already_resolved) == (EDITED, False)
        else:
            assert (final.state, final.edited, edit.already_resolved) == (State.SUPERSEDED, None, True)


async def test_allows_against_denials_reach_one_decision(store) -> None:
    for _ in ROUNDS:
        approval = await asked(store, approvers=Approvers(users=("U",), quorum=3, denials=2))
        choices = [Decision.ALLOW_ONCE, Decision.DENY] * 4

        outcomes = await together(
            *(decide(store, approval, actor=person(n), decision=choice) for n, choice in enumerate(choices))
        )

        final = await now_is(store, approval)
        counted = [vote.decision.allows for vote in final.votes]
        assert (counted.count(True), counted.count(False)) in {(3, 0), (3, 1), (0, 2), (1, 2), (2, 2)}
        assert final.state is (State.APPROVED if counted.count(True) == 3 else State.DENIED)
        decisive = [each for each in outcomes if not each.already_resolved and not each.approval.is_pending]
        assert len(decisive) == 1
