"""Messages and their attempts: one body for good, each attempt a row, the newest kept."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from store import errors
from store.deliveries import KEPT, Begun, Delivery, Message, milliseconds
from store.types import PATIENCE, WAKE_AFTER
from tests.store.contract.makers import (
    HANDLER,
    HOUR,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    WEBHOOK,
    a_question,
    answer,
    asked,
    behind,
    claim,
    decided,
    now_is,
    paint,
)

DUE = {"limit": 9, "handlers": (), "webhooks": True}


def a_message(interaction: Any, wake: int = 0, **fields: Any) -> Message:
    named = {"tenant": interaction.tenant, "interaction_id": interaction.id}
    return Message(**{**named, "id": f"{interaction.id}_{wake}", "wake": wake, "body": '{"é":"\\u0000"}', **fields})


async def begin(store, message: Message, **more: Any) -> Begun:
    begun: Begun = await store.begin_delivery(message=message, **{"at": NOW, **more})
    return begun


async def end(store, begun: Begun, status: int | None = 200, error: str | None = None) -> None:
    await store.end_delivery(delivery=replace(begun.delivery, status=status, error=error, duration_ms=35))


async def listed(store, **more: Any) -> list[Delivery]:
    return list(await store.list_deliveries(**{"tenant": TENANT, **more}))


async def test_an_attempt_is_a_row_before_it_is_made_and_says_how_it_went_after_it(store) -> None:
    message = a_message(await decided(store, resume=WEBHOOK))

    begun = await begin(store, message)
    before = await listed(store)
    await end(store, begun, status=503)

    assert begun.message == message
    assert before == [begun.delivery]
    assert (begun.delivery.attempt, begun.delivery.at, begun.delivery.by_hand) == (1, NOW, False)
    assert await listed(store) == [replace(begun.delivery, status=503, duration_ms=35)]


async def test_what_was_sent_first_is_sent_again_whatever_it_would_be_today(store) -> None:
    message = a_message(await decided(store, resume=WEBHOOK))
    await begin(store, message)

    again = await begin(store, replace(message, body="{}"), at=NOW + MINUTE, by_hand=True)

    assert again.message == message
    assert (again.delivery.attempt, again.delivery.by_hand) == (2, True)
    assert await store.find_message(tenant=TENANT, interaction_id=message.interaction_id) == message


async def test_an_attempt_that_got_no_answer_says_why(store) -> None:
    begun = await begin(store, a_message(await decided(store, resume=WEBHOOK)))

    await end(store, begun, status=None, error="no connection")
    await end(store, begun, status=None, error="no connection")

    assert [(each.status, each.error) for each in await listed(store)] == [(None, "no connection")]


async def test_attempts_are_listed_newest_first_of_one_interaction_or_of_all(store) -> None:
    one, other = await decided(store, resume=WEBHOOK), await decided(store, resume=WEBHOOK)
    steps = [(one, 0), (other, 0), (one, 0), (one, 1)]
    begun = [
        await begin(store, a_message(interaction, wake), at=NOW + number * MINUTE)
        for number, (interaction, wake) in enumerate(steps)
    ]

    all_ = [each.delivery for each in reversed(begun)]
    assert await listed(store) == all_
    assert await listed(store, limit=2) == all_[:2]
    assert await listed(store, interaction_id=one.id) == [each for each in all_ if each.interaction_id == one.id]
    assert await listed(store, interaction_id="apr_missing") == []


async def test_the_last_message_is_that_of_the_highest_wake(store) -> None:
    interaction = await decided(store, resume=WEBHOOK)
    messages = [a_message(interaction, wake) for wake in (9, 10, 2)]
    for message in messages:
        await begin(store, message)

    find = {"tenant": TENANT, "interaction_id": interaction.id}
    assert await store.find_message(**find) == messages[1]
    assert await store.find_message(**find, id=messages[2].id) == messages[2]
    assert await store.find_message(**find, id="other") is None


async def test_of_a_message_the_newest_attempts_are_kept(store) -> None:
    message = a_message(await decided(store, resume=WEBHOOK))
    for _ in range(KEPT + 3):
        last = await begin(store, message)

    kept = [each.attempt for each in await listed(store, limit=1000)]
    assert kept == list(range(KEPT + 3, 3, -1))
    await end(store, replace(last, delivery=replace(last.delivery, attempt=1)))
    assert len(await listed(store, limit=1000)) == KEPT


async def test_attempts_at_once_have_numbers_of_their_own_and_one_body(store) -> None:
    message = a_message(await decided(store, resume=WEBHOOK))
    bodies = [replace(message, body=f'{{"n":{number}}}') for number in range(10)]

    begun = await asyncio.gather(*(begin(store, each) for each in bodies))

    assert sorted(each.delivery.attempt for each in begun) == list(range(1, 11))
    assert len({each.message for each in begun}) == 1


async def test_nothing_is_sent_of_what_is_not_there(store) -> None:
    interaction = await decided(store, resume=WEBHOOK)
    message = a_message(interaction)

    for missing in (replace(message, interaction_id="apr_missing"), replace(message, tenant=OTHER)):
        with pytest.raises(errors.NotFound):
            await begin(store, missing)
    assert await listed(store) == []


async def test_a_tenant_sees_no_message_of_another(store) -> None:
    interaction = await decided(store, resume=WEBHOOK)
    await begin(store, a_message(interaction))

    assert await listed(store, tenant=OTHER) == []
    assert await store.find_message(tenant=OTHER, interaction_id=interaction.id) is None


async def test_durations_are_whole_milliseconds_and_never_less_than_none() -> None:
    assert milliseconds(timedelta(seconds=1.5)) == 1500
    assert milliseconds(timedelta(microseconds=999)) == 0
    assert milliseconds(-HOUR) == 0


async def tell(store, interaction: Any, wake: int = 0, **more: Any) -> bool:
    told: bool = await store.tell_by_hand(
        **{"tenant": interaction.tenant, "id": interaction.id, "wake": wake, "now": NOW + HOUR, **more}
    )
    return told


async def stuck(store, interaction: Any) -> Any:
    """Its receiver wants no more."""
    (leased,) = await store.lease_resumptions(now=NOW + MINUTE, until=NOW + 2 * MINUTE, **DUE)
    await store.retry_resumption(
        interaction=leased.interaction, lease=leased.lease, error="status 410", due_at=None, now=NOW + MINUTE
    )
    return await now_is(store, interaction)


async def test_a_stuck_answer_that_was_taken_by_hand_is_told(store) -> None:
    question = await asked(store, a_question(resume=WEBHOOK))
    await answer(store, question)
    await stuck(store, question)
    await paint(store, now=NOW + MINUTE)

    assert await tell(store, question)

    after = (await now_is(store, question)).resumption
    assert (after.told_at, after.stuck_at, after.due_at, after.last_error) == (NOW + HOUR, None, None, None)
    assert await behind(store, question) == [True]
    assert not await tell(store, question)


async def test_an_approval_that_was_taken_by_hand_is_woken_unless_it_is_claimed(store) -> None:
    approval = await decided(store, resume=WEBHOOK)
    await stuck(store, approval)

    assert await tell(store, approval)

    after = (await now_is(store, approval)).resumption
    assert (after.wakes, after.due_at) == (1, NOW + HOUR + WAKE_AFTER[0])
    assert after.stuck_due_at == NOW + HOUR + WAKE_AFTER[0] + PATIENCE


async def test_what_a_person_had_sent_ends_the_lease_of_whoever_tells_just_now(store) -> None:
    question = await asked(store, a_question(resume=WEBHOOK))
    await answer(store, question)
    (leased,) = await store.lease_resumptions(now=NOW + MINUTE, until=NOW + 2 * HOUR, **DUE)

    assert await tell(store, question)

    failed = {"error": "status 500", "due_at": NOW + 2 * HOUR, "now": NOW + HOUR}
    assert not await store.retry_resumption(interaction=leased.interaction, lease=leased.lease, **failed)
    assert (await now_is(store, question)).resumption.told_at == NOW + HOUR


async def test_an_older_message_and_what_is_owed_nothing_are_left_as_they_are(store) -> None:
    approval = await stuck(store, await decided(store, resume=WEBHOOK))
    pending = await asked(store, resume=WEBHOOK)
    claimed = await decided(store, resume=HANDLER)
    await claim(store, claimed)
    claimed = await now_is(store, claimed)

    assert not await tell(store, approval, wake=1)
    for each in (pending, claimed):
        assert not await tell(store, each)
        assert await now_is(store, each) == each
    assert await now_is(store, approval) == approval
    with pytest.raises(errors.NotFound):
        await tell(store, approval, tenant=OTHER)
