"""Two things at once, in the order that could hurt: what the rows say afterwards, on every backend."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from bot import asks, policies
from bot.asks import ApprovalAsk
from store.errors import AlreadyResolved, NotClaimant
from store.types import (
    Actor,
    ActorKind,
    Approvers,
    Decision,
    Destination,
    ExecutionStatus,
    Installation,
    Key,
    Scope,
    State,
    Surface,
    Terms,
)
from tests.store.contract.makers import (
    ANA,
    BEN,
    HOUR,
    MINUTE,
    NOW,
    TENANT,
    an_approval,
    asked,
    claim,
    decide,
    decided,
    now_is,
)

OPERATOR = Actor(kind=ActorKind.SLACK_USER, id="U0CHIDI")
KEY = Key(tenant=TENANT, id="key_ci", name="ci-bot", scopes=frozenset({Scope.ASK}), created_at=NOW, any_approvers=True)


async def test_two_voters_at_once_with_a_quorum_of_two_both_count_and_one_of_them_decides(store) -> None:
    approval = await asked(store, approvers=Approvers(users=("U0ANA", "U0BEN"), quorum=2))

    outcomes = await asyncio.gather(decide(store, approval), decide(store, approval, actor=BEN))

    assert sorted(each.approval.state for each in outcomes) == [State.APPROVED, State.PENDING]
    assert not any(each.already_resolved for each in outcomes)
    assert {vote.actor.id for vote in (await now_is(store, approval)).votes} == {"U0ANA", "U0BEN"}


async def test_a_late_click_against_the_sweep_decides_nothing_whoever_notices_first(store) -> None:
    approval = await asked(store)

    click, swept = await asyncio.gather(
        decide(store, approval, at=NOW + HOUR), store.expire_due(now=NOW + HOUR, limit=100)
    )

    assert (click.already_resolved, click.approval.state) == (True, State.EXPIRED)
    assert len(swept) <= 1
    assert (await now_is(store, approval)).resolved_at == NOW + HOUR


async def test_what_expired_cannot_be_claimed(store) -> None:
    approval = await asked(store)
    await store.expire_due(now=NOW + HOUR, limit=100)

    outcome = await claim(store, approval, at=NOW + HOUR)

    assert (outcome.claimed, outcome.execute, outcome.approval.claim) == (False, False, None)


async def test_a_denial_is_claimed_once_and_runs_nothing(store) -> None:
    approval = (await decide(store, await asked(store), decision=Decision.DENY)).approval

    outcomes = await asyncio.gather(*(claim(store, approval, claim_id=f"c{n}") for n in range(4)))

    assert [each.claimed for each in outcomes].count(True) == 1
    assert not any(each.execute for each in outcomes)


async def test_a_claimant_whose_reply_was_lost_gets_it_again_and_nobody_else_does(store) -> None:
    approval = await decided(store)
    await claim(store, approval, claim_id="mine")

    again, other = await asyncio.gather(
        claim(store, approval, claim_id="mine"), claim(store, approval, claim_id="other")
    )

    assert (again.claimed, again.execute) == (True, True)
    assert (other.claimed, other.execute) == (False, False)


async def test_a_late_report_after_it_did_not_happen_is_refused_and_the_new_claim_runs(store) -> None:
    approval = await decided(store)
    await claim(store, approval, claim_id="first", report_within=60)
    await store.mark_unknown(now=NOW + HOUR)
    settled = {"tenant": TENANT, "id": approval.id, "actor": OPERATOR, "surface": Surface.CARD}
    await store.settle(**settled, happened=False, at=NOW + HOUR)

    report = {"tenant": TENANT, "id": approval.id, "status": ExecutionStatus.SUCCEEDED, "at": NOW + HOUR + MINUTE}
    with pytest.raises(NotClaimant):
        await store.report_execution(**report, claim_id="first")
    first = await claim(store, approval, claim_id="first", at=NOW + HOUR + MINUTE)
    second = await claim(store, approval, claim_id="second", at=NOW + HOUR + MINUTE)

    assert (first.claimed, first.execute) == (False, False)
    assert (second.claimed, second.execute) == (True, True)


async def test_a_copy_that_is_added_while_a_decision_commits_shows_it_in_the_end(store) -> None:
    approval = await asked(store)
    adopt = {"tenant": TENANT, "interaction_id": approval.id, "channel": "C0OTHER", "ts": "1.1"}

    copy, outcome = await asyncio.gather(store.adopt(**adopt, now=NOW + MINUTE), decide(store, approval))

    later = NOW + MINUTE + timedelta(seconds=10)
    due = await store.lease_postings(now=later, until=later + MINUTE, limit=10)
    leased = {each.posting.id: each.posting for each in due}
    assert outcome.approval.state is State.APPROVED
    # Read after its lease, as painters do, it is the decision; and it is not painted yet, whichever came first.
    assert leased[copy.id].wanted > leased[copy.id].painted


async def test_an_ask_repeated_with_its_channels_in_another_order_is_the_same_ask(store) -> None:
    def ask(*channels: str):
        sent = ApprovalAsk(
            run_id="deploy",
            title="Deploy",
            approvers=Approvers(users=("U0ANA", "U0BEN")),
            destination=Destination(channels=channels),
        )
        ruled = policies.alone(sent, sent.approvers)
        return asks.to_approval(sent, ruled=ruled, key=KEY, id=f"apr_{len(channels)}{channels[0]}", now=NOW)

    first, again = await asyncio.gather(
        store.create_approval(approval=ask("C1", "C2")), store.create_approval(approval=ask("C2", "C1"))
    )

    assert {first.created, again.created} == {True, False}
    assert first.interaction.id == again.interaction.id


async def test_a_replacement_asked_again_after_a_restart_is_the_same_and_the_old_one_stays_replaced(store) -> None:
    old = await asked(store)
    new = an_approval(run_id=old.run_id, operation_id="op-2", supersedes=old.id, created_at=NOW + MINUTE)
    await store.create_approval(approval=new)
    await decide(store, new, at=NOW + 2 * MINUTE)

    after_restart = await store.create_approval(approval=replace(new, id=f"{new.id[:-1]}Z"))
    click = await decide(store, old, at=NOW + 3 * MINUTE)

    assert (after_restart.created, after_restart.interaction.id) == (False, new.id)
    assert after_restart.interaction.state is State.APPROVED
    assert (click.already_resolved, click.approval.superseded_by) == (True, new.id)
    third = an_approval(run_id=old.run_id, operation_id="op-3", supersedes=old.id, created_at=NOW + 4 * MINUTE)
    with pytest.raises(AlreadyResolved):
        await store.create_approval(approval=third)


async def test_more_time_lets_a_later_click_decide_and_its_claim_window_counts_from_that(store) -> None:
    approval = await asked(store, terms=Terms(extension=HOUR), run_within=HOUR)
    given = {"tenant": TENANT, "id": approval.id, "actor": ANA, "surface": Surface.CARD}
    await store.extend(**given, at=NOW + HOUR - MINUTE)

    assert await store.expire_due(now=NOW + HOUR, limit=100) == []
    click = await decide(store, approval, at=NOW + 2 * HOUR - MINUTE)
    outcome = await claim(store, approval, at=NOW + 3 * HOUR - 2 * MINUTE)

    assert (click.approval.state, outcome.execute) == (State.APPROVED, True)
    assert outcome.approval.runs_until == NOW + 3 * HOUR - MINUTE


async def test_a_workspace_that_moves_into_an_enterprise_org_keeps_what_waits_and_its_tenant(store) -> None:
    home = Installation(
        tenant=TENANT,
        team_id="T0HOME",
        enterprise_id=None,
        app_id="A1",
        bot_user_id="U0BOT",
        bot_id="B1",
        team_name="Acme",
        team_url=None,
        bound_at=NOW,
    )
    await store.bind_installation(installation=home)
    approval = await asked(store)

    moved, click = await asyncio.gather(
        store.bind_installation(installation=replace(home, enterprise_id="E0ORG")), decide(store, approval)
    )

    assert (moved.team_id, moved.enterprise_id, moved.bound_at) == ("T0HOME", "E0ORG", NOW)
    assert (await store.find_installation_of_team(team_id="T0HOME")).tenant == TENANT
    assert click.approval.state is State.APPROVED
