"""Drafts: what somebody entered into a form and did not submit."""

import asyncio

import pytest

from store.drafts import MAX_DRAFT, Draft
from store.types import Actor, ActorKind, Decision
from tests.store.contract.makers import (
    ASKER,
    HOUR,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    a_question,
    an_approval,
    answer,
    asked,
    decide,
    said,
    withdraw,
)

ANA, BEN = "U0ANA", "U0BEN"
CHOSEN = Draft(chosen={0: (2, 0), 3: ()}, typed={1: "Größe: 5 <µm> \U0001f600 \"'\\ $1 ?", 2: ""})


async def keep(store, interaction, draft, *, person=ANA, tenant=TENANT) -> bool:
    return await store.keep_draft(
        tenant=tenant, interaction_id=interaction.id, person=person, draft=draft, at=NOW + MINUTE
    )


async def found(store, interaction, *, person=ANA, tenant=TENANT) -> Draft | None:
    return await store.find_draft(tenant=tenant, interaction_id=interaction.id, person=person)


async def test_what_was_entered_is_found_as_it_was(store) -> None:
    question = await asked(store, a_question())
    assert await found(store, question) is None

    assert await keep(store, question, CHOSEN)

    assert await found(store, question) == CHOSEN
    assert await said(store, question) == ["created"]


async def test_an_approval_has_drafts_too(store) -> None:
    approval = await asked(store)

    assert await keep(store, approval, Draft(typed={0: "Freeze until"}))

    assert await found(store, approval) == Draft(typed={0: "Freeze until"})


async def test_what_a_later_one_names_is_replaced_and_the_rest_stays(store) -> None:
    question = await asked(store, a_question())
    await keep(store, question, CHOSEN)

    assert await keep(store, question, Draft(chosen={0: ()}, typed={0: "mine", 2: "more"}))

    assert await found(store, question) == Draft(
        chosen={0: (), 3: ()}, typed={0: "mine", 1: CHOSEN.typed[1], 2: "more"}
    )


async def test_each_person_of_each_tenant_has_a_draft_of_their_own(store) -> None:
    question = await asked(store, a_question())
    twin = await asked(store, a_question(id=question.id, tenant=OTHER))
    await keep(store, question, Draft(chosen={0: (0,)}))
    await keep(store, question, Draft(chosen={0: (1,)}), person=BEN)
    await keep(store, twin, Draft(chosen={0: (2,)}), tenant=OTHER)

    kept = [
        await found(store, question),
        await found(store, question, person=BEN),
        await found(store, twin, tenant=OTHER),
    ]

    assert kept == [Draft(chosen={0: (place,)}) for place in range(3)]


async def answered(store) -> object:
    question = await asked(store, a_question())
    await keep(store, question, CHOSEN)
    await answer(store, question)
    return question


async def denied(store) -> object:
    approval = await asked(store)
    await keep(store, approval, CHOSEN)
    await decide(store, approval, decision=Decision.DENY, actor=Actor(kind=ActorKind.SLACK_USER, id=BEN))
    return approval


async def withdrawn(store) -> object:
    approval = await asked(store)
    await keep(store, approval, CHOSEN)
    await withdraw(store, approval, actor=ASKER)
    return approval


async def expired(store) -> object:
    question = await asked(store, a_question(expires_at=NOW + HOUR))
    await keep(store, question, CHOSEN)
    await store.expire_due(now=NOW + HOUR)
    return question


async def superseded(store) -> object:
    approval = await asked(store)
    await keep(store, approval, CHOSEN)
    await asked(store, an_approval(supersedes=approval.id))
    return approval


@pytest.mark.parametrize("resolved", [answered, denied, withdrawn, expired, superseded])
async def test_once_it_is_resolved_nothing_is_found_and_nothing_kept(store, resolved) -> None:
    interaction = await resolved(store)

    assert await found(store, interaction) is None
    assert not await keep(store, interaction, CHOSEN)
    assert await store.drop_drafts() == 1
    assert await store.drop_drafts() == 0


async def test_drafts_of_what_is_pending_are_not_dropped(store) -> None:
    waits, over = await asked(store, a_question()), [await asked(store, a_question()) for _ in range(3)]
    for question in (waits, *over):
        await keep(store, question, CHOSEN)
        await keep(store, question, CHOSEN, person=BEN)
    for question in over:
        await answer(store, question)

    dropped = [await store.drop_drafts(limit=4) for _ in range(3)]

    assert dropped == [4, 2, 0]
    assert await found(store, waits) == CHOSEN
    assert await found(store, waits, person=BEN) == CHOSEN


async def test_there_is_no_draft_of_what_is_not_there(store) -> None:
    assert not await keep(store, a_question(), CHOSEN)

    assert await found(store, a_question()) is None


async def test_what_is_too_much_is_not_kept_and_what_was_stays(store) -> None:
    question = await asked(store, a_question())
    half = MAX_DRAFT // 2
    assert not await keep(store, question, Draft(typed={0: "x" * MAX_DRAFT}))
    assert await found(store, question) is None
    assert await keep(store, question, Draft(typed={0: "x" * half}))

    assert not await keep(store, question, Draft(typed={1: "y" * half}))
    assert await keep(store, question, Draft(typed={0: "z" * half}))

    assert await found(store, question) == Draft(typed={0: "z" * half})


async def test_inputs_that_change_at_once_are_all_kept(store) -> None:
    question = await asked(store, a_question())

    await asyncio.gather(*(keep(store, question, Draft(chosen={place: (place,)})) for place in range(12)))

    assert await found(store, question) == Draft(chosen={place: (place,) for place in range(12)})
