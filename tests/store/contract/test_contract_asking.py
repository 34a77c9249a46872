"""Asking: what is created, what stands, what is superseded."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from store import errors
from store.types import Actor, ActorKind, Approvers, Destination, ExecutionStatus, Risk, Role, State, Surface
from tests.store.contract.makers import (
    ANA,
    ASKER,
    HANDLER,
    HOUR,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    WEBHOOK,
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


async def test_an_approval_comes_back_as_it_was_asked(store) -> None:
    approval = an_approval(
        body="**Ship** it 🚀",
        tool_name="deploy",
        input_json='{"b": 1, "a": [2.0]}',
        risk=Risk.HIGH,
        run_within=timedelta(minutes=5, microseconds=7),
        requested_by="U0REQ",
        approvers=Approvers(users=("U1",), groups=("S1",), keys=("k",), quorum=2, allow_requester=True),
        destination=Destination(channels=("C1",), thread_ts="1.2"),
        resume=HANDLER,
    )

    created = await store.create_approval(approval=approval)

    assert created.created
    assert created.interaction == approval
    assert await now_is(store, approval) == approval


async def test_a_question_comes_back_as_it_was_asked(store) -> None:
    question = a_question(resume=WEBHOOK)

    created = await store.create_question(question=question)

    assert created.created
    assert await now_is(store, question) == question


async def test_every_destination_gets_a_card_that_is_born_behind(store) -> None:
    to = Destination(channels=("C2", "C1", "C2"), users=("U1",))

    approval = await asked(store, destination=to)

    found = await cards(store, approval)
    assert [(each.address, each.role, each.wanted, each.painted) for each in found] == [
        ("C2", Role.CARD, 1, 0),
        ("C1", Role.CARD, 1, 0),
        ("U1", Role.CARD, 1, 0),
    ]


async def test_the_thread_is_one_of_the_channel(store) -> None:
    approval = await asked(store, destination=Destination(channels=("C1",), users=("U1",), thread_ts="1.2"))

    assert [each.thread_ts for each in await cards(store, approval)] == ["1.2", None]


@pytest.mark.parametrize("make", [an_approval, a_question])
async def test_the_same_ask_again_is_the_one_that_stands(store, make) -> None:
    first = await asked(store, make())

    create = store.create_approval if make is an_approval else store.create_question
    name = "approval" if make is an_approval else "question"
    second = await create(**{name: again(first)})
    third = await create(**{name: first})

    assert (second.created, second.interaction) == (False, first)
    assert (third.created, third.interaction) == (False, first)
    assert await said(store, first) == ["created"]


async def test_the_same_ask_again_is_returned_as_it_is_now(store) -> None:
    approval = await decided(store)

    created = await store.create_approval(approval=again(approval, state=State.PENDING))

    assert (created.created, created.interaction) == (False, approval)


async def test_other_content_is_a_conflict_that_names_what_stands(store) -> None:
    approval = await asked(store)

    with pytest.raises(errors.Conflict) as raised:
        await store.create_approval(approval=again(approval, request_digest="another"))

    assert raised.value.id == approval.id


async def test_the_other_kind_is_a_conflict(store) -> None:
    question = await asked(store, a_question())

    with pytest.raises(errors.Conflict):
        await store.create_approval(approval=an_approval(run_id=question.run_id))


async def test_an_operation_is_one_of_its_run_and_tenant(store) -> None:
    approval = await asked(store)

    for other in (
        again(approval, operation_id="other"),
        again(approval, run_id="other"),
        again(approval, tenant=OTHER),
    ):
        assert (await store.create_approval(approval=other)).created


async def test_of_two_identical_asks_at_once_one_creates(store) -> None:
    approval = an_approval()

    both = await asyncio.gather(*(store.create_approval(approval=again(approval)) for _ in range(10)))

    assert sorted(each.created for each in both) == [False] * 9 + [True]
    assert len({each.interaction.id for each in both}) == 1
    assert len(await cards(store, both[0].interaction)) == 2


async def test_a_new_approval_supersedes_the_old_one(store) -> None:
    old = await asked(store, requested_by="U0REQ", resume=HANDLER)
    new = an_approval(supersedes=old.id, created_at=NOW + MINUTE, requested_by="U0REQ")

    assert (await store.create_approval(approval=new)).created

    ended = await now_is(store, old)
    assert (ended.state, ended.superseded_by, ended.resolved_at) == (State.SUPERSEDED, new.id, NOW + MINUTE)
    assert ended.resolved_by == Actor(kind=ActorKind.REQUESTER, id="U0REQ")
    assert ended.resumption.due_at == NOW + MINUTE
    assert [each.wanted for each in await cards(store, old)] == [2, 2]
    assert await said(store, old) == ["created", "superseded"]
    assert (await now_is(store, new)).is_pending


async def test_where_no_person_asked_the_key_superseded(store) -> None:
    old = await asked(store)

    await asked(store, supersedes=old.id)

    assert (await now_is(store, old)).resolved_by == ASKER


async def test_what_was_decided_cannot_be_superseded_and_nothing_is_stored(store) -> None:
    old = await decided(store)
    new = an_approval(supersedes=old.id)

    with pytest.raises(errors.AlreadyResolved) as raised:
        await store.create_approval(approval=new)

    assert raised.value.interaction == old
    assert raised.value.state is State.APPROVED
    assert await store.find_interaction(tenant=TENANT, id=new.id) is None


async def test_what_was_superseded_cannot_be_superseded_by_another(store) -> None:
    old = await asked(store)
    await asked(store, supersedes=old.id)

    with pytest.raises(errors.AlreadyResolved):
        await asked(store, supersedes=old.id)


async def test_what_ended_undecided_stays_and_the_new_one_is_asked(store) -> None:
    old = await asked(store)
    await withdraw(store, old)

    new = await asked(store, supersedes=old.id)

    assert (await now_is(store, old)).state is State.WITHDRAWN
    assert (await now_is(store, new)).is_pending


async def test_what_is_past_its_deadline_expires_instead_of_being_superseded(store) -> None:
    old = await asked(store)

    new = await asked(store, supersedes=old.id, created_at=NOW + HOUR, expires_at=None)

    ended = await now_is(store, old)
    assert (ended.state, ended.superseded_by) == (State.EXPIRED, None)
    assert (await now_is(store, new)).is_pending


@pytest.mark.parametrize("wrong", ["question", "missing", "other tenant"])
async def test_only_an_approval_of_the_tenant_can_be_superseded(store, wrong) -> None:
    target = "apr_missing"
    if wrong == "question":
        target = (await asked(store, a_question())).id
    elif wrong == "other tenant":
        target = (await asked(store, tenant=OTHER)).id
    new = an_approval(supersedes=target)

    with pytest.raises(errors.NotFound):
        await store.create_approval(approval=new)

    assert await store.find_interaction(tenant=TENANT, id=new.id) is None


async def test_a_superseding_ask_again_is_the_one_that_stands(store) -> None:
    old = await asked(store)
    new = await asked(store, supersedes=old.id)

    created = await store.create_approval(approval=again(new))

    assert (created.created, created.interaction) == (False, new)


async def test_of_identical_superseding_asks_at_once_one_creates(store) -> None:
    old = await asked(store)
    new = an_approval(supersedes=old.id)

    all_ = await asyncio.gather(*(store.create_approval(approval=again(new)) for _ in range(5)))

    assert sorted(each.created for each in all_) == [False] * 4 + [True]
    assert (await now_is(store, old)).superseded_by == all_[0].interaction.id


async def test_the_first_event_is_the_ask(store) -> None:
    approval = await asked(store)

    (event,) = await store.list_events(tenant=TENANT, interaction_id=approval.id)

    assert (event.seq, event.action, event.actor, event.at) == (1, "created", ASKER, NOW)
    assert (event.old_state, event.new_state, event.surface) == (State.PENDING, State.PENDING, Surface.API)


async def test_a_life_is_told_in_events_in_its_order(store) -> None:
    approval = await decided(store)
    await claim(store, approval)
    await store.report_execution(
        tenant=TENANT, id=approval.id, claim_id="claim-1", status=ExecutionStatus.SUCCEEDED, at=NOW + 3 * MINUTE
    )

    events = await store.list_events(tenant=TENANT, interaction_id=approval.id)

    assert [event.action for event in events] == ["created", "approved", "claimed", "reported"]
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert events[1].actor == ANA
    assert events[1].details == {"decision": "allow-once"}
    assert (events[1].old_state, events[1].new_state) == (State.PENDING, State.APPROVED)
    assert events[2].details == {"claim_id": "claim-1", "execute": True}
    assert events[2].actor == Actor(kind=ActorKind.REQUESTER, id=approval.run_id)
    assert events[3].details == {"status": "succeeded"}


async def test_texts_keep_what_unicode_allows(store) -> None:
    odd = "a\u202eb\u200b c\nd\te \U0001f600 \u0001 '\"\\ %s $1 :x ?"

    approval = await asked(store, title=odd, body=odd, input_json=f'["{odd[:3]}"]', tool_name=odd)

    assert await now_is(store, approval) == approval


async def test_answers_to_the_wrong_kind_find_nothing(store) -> None:
    approval, question = await asked(store), await asked(store, a_question())

    with pytest.raises(errors.NotFound):
        await answer(store, approval)
    with pytest.raises(errors.NotFound):
        await decide(store, question)
    with pytest.raises(errors.NotFound):
        await claim(store, question)
    assert await now_is(store, replace(approval)) == approval
