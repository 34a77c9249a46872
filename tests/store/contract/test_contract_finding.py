"""Finding and listing: orders, filters, cursors, codes."""

import base64
import json
from itertools import product

import pytest

from store import errors
from store.types import Decision, Kind, State
from tests.store.contract.makers import (
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
    withdraw,
)

RUN = {"tenant": TENANT, "run_id": "run"}


async def ids(found) -> list[str]:
    return [each.id for each in found]


async def test_pending_goes_by_deadline_then_id_and_without_deadline_last(store) -> None:
    late = await asked(store, expires_at=NOW + 2 * HOUR)
    never = await asked(store, a_question())
    twins = sorted([await asked(store), await asked(store)], key=lambda each: each.id)
    await decide(store, await asked(store))
    await asked(store, tenant=OTHER)

    assert list(await store.list_pending(tenant=TENANT)) == [*twins, late, never]
    assert len(await store.list_pending(tenant=TENANT, limit=2)) == 2


async def test_the_next_pending_of_a_run_has_the_earliest_deadline(store) -> None:
    never = await asked(store, **RUN, operation_id="1", expires_at=None)
    late = await asked(store, **RUN, operation_id="2", expires_at=NOW + 2 * HOUR)
    soon = await asked(store, **RUN, operation_id="3")
    questions = [await asked(store, a_question(**RUN, operation_id=name)) for name in "45"]

    assert await store.find_pending_approval(**RUN) == soon
    assert await store.find_pending_approval(**RUN, operation_id="2") == late
    assert await store.find_pending_question(**RUN) == min(questions, key=lambda each: each.id)
    assert await store.find_pending_question(**RUN, operation_id="1") is None
    await decide(store, soon)
    await withdraw(store, late)
    assert await store.find_pending_approval(**RUN) == never
    assert await store.find_pending_approval(tenant=OTHER, run_id="run") is None
    assert await store.find_pending_approval(tenant=TENANT, run_id="other") is None


async def test_the_decided_of_a_run_is_the_oldest_decision_that_nobody_claimed(store) -> None:
    first, second, third = [await asked(store, **RUN, operation_id=name) for name in "123"]
    await asked(store, **RUN, operation_id="pending")
    await withdraw(store, await asked(store, **RUN, operation_id="gone"))
    await answer(store, await asked(store, a_question(**RUN, operation_id="answered")))
    newer = (await decide(store, first, at=NOW + 3 * MINUTE)).approval
    older = (await decide(store, second, at=NOW + 2 * MINUTE, decision=Decision.DENY)).approval
    await decide(store, third, at=NOW + MINUTE)
    await claim(store, third)

    assert await store.find_decided_approval(**RUN) == older
    assert await store.find_decided_approval(**RUN, operation_id="1") == newer
    assert await store.find_decided_approval(**RUN, operation_id="3") is None


async def test_the_answered_of_a_run_is_the_latest(store) -> None:
    first, second = [await asked(store, a_question(**RUN, operation_id=name)) for name in "12"]
    late = (await answer(store, first, at=NOW + 2 * MINUTE)).question
    early = (await answer(store, second)).question

    assert await store.find_answered_question(**RUN) == late
    assert await store.find_answered_question(**RUN, operation_id="2") == early
    assert await store.find_answered_question(tenant=OTHER, run_id="run") is None


async def test_one_is_found_by_its_id_in_its_tenant(store) -> None:
    approval, question = await asked(store), await asked(store, a_question())

    assert await store.find_interaction(tenant=TENANT, id=question.id) == question
    assert await store.find_approval(tenant=TENANT, id=approval.id) == approval
    assert await store.find_approval(tenant=TENANT, id=question.id) is None
    assert await store.find_interaction(tenant=OTHER, id=approval.id) is None
    assert await store.find_approval(tenant=OTHER, id=approval.id) is None


async def test_a_code_finds_all_that_end_in_it_newest_first(store) -> None:
    made = [await asked(store, id=f"apr_{n:021}XY%_Z", created_at=NOW + n * MINUTE, expires_at=None) for n in range(12)]
    other = await asked(store, id="apr_000000000000000000000AAAAA")
    await asked(store, id="apr_000000000000000000000BAAAA", tenant=OTHER)

    assert await ids(await store.find_by_code(tenant=TENANT, code="xy%_z")) == [each.id for each in reversed(made[2:])]
    assert await ids(await store.find_by_code(tenant=TENANT, code="AAAAA")) == [other.id]
    assert await ids(await store.find_by_code(tenant=TENANT, code=other.id)) == [other.id]
    for unknown in ("", "a", "AAAA", "0AAAAA", "ZZZZZ", "AAAA%", "x" * 500, "\U0010ffff", "ß"):
        assert not await store.find_by_code(tenant=TENANT, code=unknown)


async def everything(store) -> dict[str, object]:
    """One of each kind in each state."""
    made = {
        "pending": await asked(store),
        "pending question": await asked(store, a_question()),
        "approved": await asked(store),
        "claimed": await asked(store),
        "denied": await asked(store),
        "answered": await asked(store, a_question()),
        "withdrawn": await asked(store),
        "expired": await asked(store, expires_at=NOW + MINUTE),
        "superseded": await asked(store),
    }
    await decide(store, made["approved"])
    await decide(store, made["claimed"])
    await claim(store, made["claimed"])
    await decide(store, made["denied"], decision=Decision.DENY)
    await answer(store, made["answered"])
    await withdraw(store, made["withdrawn"])
    await store.expire_due(now=NOW + MINUTE)
    made["new"] = await asked(store, supersedes=made["superseded"].id)
    return {name: await store.find_interaction(tenant=TENANT, id=each.id) for name, each in made.items()}


async def test_lists_show_what_their_filters_say(store) -> None:
    made = await everything(store)
    all_ = list(made.values())
    state_sets = [(), (State.PENDING,), (State.APPROVED, State.DENIED), (State.PENDING, State.EXPIRED), tuple(State)]

    for states, kind, claimed in product(state_sets, (None, *Kind), (None, True, False)):
        page = await store.list_interactions(tenant=TENANT, states=states, kind=kind, claimed=claimed)

        shown = [
            each
            for each in all_
            if (not states or each.state in states)
            and kind in {None, each.kind}
            and (
                claimed is None
                or (each.kind is Kind.APPROVAL and each.state.is_decided and bool(each.claim) is claimed)
            )
        ]
        key = lambda each: (each.created_at, each.id)  # noqa: E731  # an order, not a function
        if states == (State.PENDING,):
            key = lambda each: (each.expires_at is None, each.expires_at or NOW, each.id)  # noqa: E731  # same
        assert list(page.items) == sorted(shown, key=key, reverse=states != (State.PENDING,))
        assert page.next_cursor is None


async def test_lists_are_filtered_by_run_and_operation(store) -> None:
    one, two = [await asked(store, **RUN, operation_id=name) for name in "12"]
    await asked(store, run_id="other", operation_id="1")

    by_run = await store.list_interactions(**RUN)
    by_both = await store.list_interactions(**RUN, operation_id="2")
    by_operation = await store.list_interactions(tenant=TENANT, operation_id="1")

    assert {each.id for each in by_run.items} == {one.id, two.id}
    assert [each.id for each in by_both.items] == [two.id]
    assert len(by_operation.items) == 2
    assert not (await store.list_interactions(tenant=OTHER, run_id="run")).items


@pytest.mark.parametrize("states", [(), (State.PENDING,), (State.PENDING, State.EXPIRED)])
async def test_pages_are_stable_while_others_ask(store, states) -> None:
    deadlines = [None, NOW + HOUR, NOW + 2 * HOUR]
    made = [await asked(store, created_at=NOW + (n % 4) * MINUTE, expires_at=deadlines[n % 3]) for n in range(11)]
    whole = await store.list_interactions(tenant=TENANT, states=states)
    seen, cursor = [], None

    while True:
        page = await store.list_interactions(tenant=TENANT, states=states, cursor=cursor, limit=3)
        seen += page.items
        cursor = page.next_cursor
        # One that sorts first, and so comes too late for these pages.
        await asked(store, created_at=NOW + HOUR, expires_at=NOW + MINUTE)
        if cursor is None:
            break

    assert seen == list(whole.items)
    assert {each.id for each in seen} == {each.id for each in made}


async def test_a_page_that_ends_exactly_has_no_next(store) -> None:
    for _ in range(4):
        await asked(store)

    first = await store.list_interactions(tenant=TENANT, limit=2)
    second = await store.list_interactions(tenant=TENANT, limit=2, cursor=first.next_cursor)

    assert (len(second.items), second.next_cursor) == (2, None)


async def test_a_cursor_that_this_list_did_not_make_is_refused(store) -> None:
    for _ in range(3):
        await asked(store)
        await asked(store, tenant=OTHER)
    page = await store.list_interactions(tenant=TENANT, limit=1)
    forged = base64.urlsafe_b64encode(json.dumps(["x", "2026-01-01T00:00:00+00:00", "id"]).encode()).decode()
    other_lists = [
        {"tenant": OTHER},
        {"tenant": TENANT, "states": {State.PENDING}},
        {"tenant": TENANT, "kind": Kind.APPROVAL},
        {"tenant": TENANT, "claimed": True},
        {"tenant": TENANT, "run_id": "run"},
        {"tenant": TENANT, "operation_id": "op"},
    ]

    for other in other_lists:
        with pytest.raises(errors.BadCursor):
            await store.list_interactions(**other, cursor=page.next_cursor)
    for bad in ("", "x", "é", "AAAA", "W10", "e30", "bnVsbA", "[" * 5000, forged, page.next_cursor + "A", "\x00"):
        with pytest.raises(errors.BadCursor):
            await store.list_interactions(tenant=TENANT, cursor=bad)


async def test_of_many_ids_the_resolved_are_told(store) -> None:
    pending, done = await asked(store), await asked(store)
    elsewhere = await asked(store, a_question(tenant=OTHER))
    await decide(store, done)
    await withdraw(store, elsewhere)
    asked_for = [(TENANT, pending.id), (TENANT, done.id), (OTHER, elsewhere.id), (OTHER, done.id), (TENANT, "x")]

    assert set(await store.resolved_among(ids=asked_for)) == {(TENANT, done.id), (OTHER, elsewhere.id)}
    assert not await store.resolved_among(ids=[])


async def test_events_of_what_is_not_there_are_none(store) -> None:
    approval = an_approval()

    assert not await store.list_events(tenant=TENANT, interaction_id=approval.id)
