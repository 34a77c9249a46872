"""What needs a person's eye, what a person asked for, what was approved before."""

from store.types import PATIENCE, Actor, ActorKind, Decision
from tests.store.contract.makers import (
    HANDLER,
    HOUR,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    a_question,
    an_approval,
    answer,
    asked,
    claim,
    decide,
    decided,
    now_is,
    take_back,
)

TOOL = {"tool_name": "deploy.api", "input_json": "{}"}


async def test_what_is_stuck_is_listed_longest_first_until_it_is_not(store) -> None:
    first, second = await decided(store), await decided(store, resume=HANDLER)
    question = await asked(store, a_question(resume=HANDLER))
    await answer(store, question, at=NOW + 2 * MINUTE)
    await decided(store, tenant=OTHER)
    await asked(store)
    assert not await store.list_stuck(tenant=TENANT)
    await store.mark_stuck(now=NOW + MINUTE + PATIENCE)
    await store.mark_stuck(now=NOW + 2 * MINUTE + PATIENCE)

    listed = await store.list_stuck(tenant=TENANT)

    assert [each.id for each in listed] == [*sorted((first.id, second.id)), question.id]
    assert list(listed) == [await now_is(store, each) for each in listed]
    assert len(await store.list_stuck(tenant=TENANT, limit=2)) == 2
    assert len(await store.list_stuck(tenant=OTHER)) == 1
    await claim(store, first)
    await store.wake(tenant=TENANT, id=second.id, now=NOW + HOUR)
    assert [each.id for each in await store.list_stuck(tenant=TENANT)] == [question.id]


async def test_what_a_person_asked_for_is_listed_newest_first(store) -> None:
    old = await asked(store, requested_by="U0ANA")
    new = await asked(store, requested_by="U0ANA", created_at=NOW + MINUTE)
    question = await asked(store, a_question(requested_by="U0ANA", created_at=NOW + 2 * MINUTE))
    await asked(store, requested_by="U0BEN")
    await asked(store, requested_by="U0ANA", tenant=OTHER)
    await asked(store)
    done = (await decide(store, old)).approval

    assert list(await store.list_requested(tenant=TENANT, user="U0ANA")) == [question, new, done]
    assert list(await store.list_requested(tenant=TENANT, user="U0ANA", limit=1)) == [question]
    assert not await store.list_requested(tenant=TENANT, user="U0NOBODY")


async def precedent(store, **fields):
    defaults = {**TOOL, "created_at": NOW + HOUR, "expires_at": NOW + 9 * HOUR}
    return await store.find_precedent(approval=await asked(store, **{**defaults, **fields}))


async def test_the_newest_approval_of_the_tool_and_key_is_the_precedent(store) -> None:
    assert await precedent(store) is None
    await decided(store, **TOOL)
    later = (await decide(store, await asked(store, **TOOL), at=NOW + 2 * MINUTE)).approval

    assert await precedent(store) == later
    done = (await claim(store, later, at=NOW + 3 * MINUTE)).approval
    assert await precedent(store) == done


async def test_other_tools_keys_tenants_and_endings_are_no_precedent(store) -> None:
    other_key = Actor(kind=ActorKind.API_KEY, id="key_other", name="ci-bot")
    await decided(store, tool_name="deploy.web", input_json="{}")
    await decided(store, **TOOL, asked_by=other_key)
    await decided(store, **TOOL, tenant=OTHER)
    await decided(store)
    await asked(store, **TOOL)
    await decide(store, await asked(store, **TOOL), decision=Decision.DENY)
    await take_back(store, await decided(store, **TOOL))

    assert await precedent(store) is None
    assert (await precedent(store, asked_by=other_key)) is not None


async def test_what_was_decided_after_the_ask_is_no_precedent(store) -> None:
    new = await asked(store, **TOOL, created_at=NOW + MINUTE)
    earlier = await decided(store, **TOOL)

    assert earlier.resolved_at == new.created_at
    assert await store.find_precedent(approval=new) is None
    after = await asked(store, **TOOL, created_at=NOW + MINUTE * 2)
    assert await store.find_precedent(approval=after) == earlier


async def test_a_confirmation_has_no_precedent(store) -> None:
    await decided(store)

    assert await store.find_precedent(approval=an_approval(created_at=NOW + HOUR)) is None
