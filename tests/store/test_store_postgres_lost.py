"""What people set right, when the reply to its commit is lost: it is done once, and whoever did it is told so."""

import pytest

from store.deliveries import Message
from store.interrupts import Audience, InterruptStore
from store.open import open_store
from store.types import Approvers, Destination, Escalation, ExecutionStatus, State, Terms
from tests.store.contract.makers import (
    ANA,
    BEN,
    HOUR,
    MINUTE,
    NOW,
    TENANT,
    WEBHOOK,
    a_policy,
    a_stop,
    asked,
    claim,
    decide,
    decided,
    extend,
    go,
    now_is,
    said,
    settle,
    take_back,
    went_silent,
)
from tests.store.cutter import Cutter


@pytest.fixture
async def cut(postgres_url):
    """A store behind a network that can lose replies, and that network."""
    cutter = Cutter(postgres_url)
    async with cutter.listening() as url:
        opened = await open_store(url)
        yield opened, cutter
        assert opened._database.is_idle
        await opened.close()


@pytest.mark.parametrize("happened", [True, False])
async def test_what_was_settled_is_settled(cut, happened) -> None:
    store, network = cut
    silent = await went_silent(store)

    async with network.losing():
        outcome = await settle(store, silent, happened=happened)

    assert outcome.settled
    assert outcome.approval == await now_is(store, silent)
    assert (await said(store, silent)).count("settled") == 1


async def test_what_somebody_else_settled_is_not_taken_for_ones_own(cut) -> None:
    store, network = cut
    silent = await went_silent(store)
    await settle(store, silent, happened=True)

    async with network.losing():
        outcome = await settle(store, silent, happened=False, actor=BEN)

    assert not outcome.settled
    assert outcome.approval.execution.status is ExecutionStatus.SUCCEEDED


async def test_what_was_taken_back_is_taken_back(cut) -> None:
    store, network = cut
    approval, vote = await decided(store), await asked(store, approvers=Approvers(users=("U",), quorum=2))
    await decide(store, vote)

    async with network.losing():
        whole = await take_back(store, approval)
    async with network.losing():
        part = await take_back(store, vote)

    assert (whole.taken_back, whole.approval.state) == (True, State.DENIED)
    assert (part.taken_back, part.approval.votes) == (True, ())
    assert (await said(store, approval)).count("taken_back") == 1


async def test_a_lost_reply_to_a_late_taking_back_is_an_expiry(cut) -> None:
    store, network = cut
    vote = await asked(store, approvers=Approvers(users=("U",), quorum=2))
    await decide(store, vote)

    async with network.losing():
        outcome = await take_back(store, vote, at=NOW + HOUR)

    assert (outcome.taken_back, outcome.approval.state) == (False, State.EXPIRED)


async def test_more_time_is_given_once_and_its_warning_is_due_anew(cut) -> None:
    store, network = cut
    approval = await asked(store, terms=Terms(extension=HOUR))

    async with network.losing():
        outcome = await extend(store, approval)

    assert (outcome.extended, outcome.interaction.expires_at) == (True, NOW + 2 * HOUR)
    assert [each.id for each in await store.ring_due(now=NOW + 90 * MINUTE)] == [approval.id]
    assert await said(store, approval) == ["created", "extended", "warned"]


async def test_what_rang_is_returned_and_rings_once(cut) -> None:
    store, network = cut
    terms = Terms(escalation=(Escalation(after=HOUR, users=("U0BOSS",)),))
    approval = await asked(store, terms=terms, expires_at=None)

    async with network.losing():
        rung = await store.ring_due(now=NOW + HOUR)

    assert rung == [await now_is(store, approval)]
    assert await said(store, approval) == ["created", "escalated"]


async def test_a_stop_and_its_end_are_ones_own(cut) -> None:
    store, network = cut
    approval, stop = await decided(store), a_stop()

    async with network.losing():
        assert await store.add_stop(stop=stop) == stop
    assert (await claim(store, approval)).stopped == stop
    async with network.losing():
        ended = await go(store)

    assert [(each.id, each.ended_by) for each in ended] == [(stop.id, ANA)]
    assert await store.list_stops(tenant=TENANT) == []


async def test_a_claim_in_vain_while_stopped_stays_in_vain(cut) -> None:
    store, network = cut
    approval = await decided(store)
    await store.add_stop(stop=a_stop())

    async with network.losing():
        outcome = await claim(store, approval)

    assert (outcome.claimed, outcome.execute) == (False, False)


async def test_a_policy_is_set_once(cut) -> None:
    store, network = cut

    async with network.losing():
        policy = await store.set_policy(policy=a_policy())

    assert policy.revision == 1
    assert list(await store.list_revisions(tenant=TENANT, name="prod")) == [policy]


async def test_an_attempt_of_a_message_is_begun_once(cut) -> None:
    store, network = cut
    approval = await decided(store, resume=WEBHOOK)
    named = {"tenant": TENANT, "interaction_id": approval.id}
    message = Message(**named, id=f"{approval.id}_0", wake=0, body="{}")

    async with network.losing():
        begun = await store.begin_delivery(message=message, at=NOW)

    assert begun.message == message
    assert list(await store.list_deliveries(**named)) == [begun.delivery]
    assert (await store.begin_delivery(message=message, at=NOW)).delivery.attempt == 2


async def test_what_a_person_had_sent_is_told(cut) -> None:
    store, network = cut
    approval = await decided(store, resume=WEBHOOK)
    by_hand = {"tenant": TENANT, "id": approval.id, "wake": 0, "now": NOW + HOUR}

    async with network.losing():
        assert await store.tell_by_hand(**by_hand)

    assert (await now_is(store, approval)).resumption.wakes == 1
    assert not await store.tell_by_hand(**by_hand)


async def test_an_interrupt_is_saved_once(cut) -> None:
    store, network = cut
    audience = Audience(approvers=Approvers(users=("U",)), destination=Destination(channels=("C",)))
    interrupts = InterruptStore(store, tenant=TENANT, audience=audience)
    record = {"interruptId": "agent.1", "status": "pending", "request": {"toolName": "t", "args": {}}}

    async with network.losing():
        await interrupts.save(record)

    assert await interrupts.load("agent.1") == record
    assert len(await store.list_pending(tenant=TENANT)) == 1
