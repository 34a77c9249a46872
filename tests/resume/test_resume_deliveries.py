"""Each attempt is a row, whatever becomes of it; a message is what it was when it was begun first."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aiohttp import web

from bot.resume.webhook import NotTold, Told, message
from bot.usecases.replaying import NotReplayed, Replayed, Replaying
from store import errors
from store.answers import Choice
from store.deliveries import Delivery
from store.types import Actor, ActorKind, Approval, Interaction, Resume, ResumeKind, Surface
from tests.parts import Parts
from tests.resume.stage import dispatching, now, receiving, sending, status

ANA = Actor(kind=ActorKind.SLACK_USER, id="U0ANA")


class DeafStore:
    """A real store that cannot write down what came of an attempt."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def end_delivery(self, **_: Any) -> None:
        raise errors.Unconfirmed("the database is busy")


async def asked(parts: Parts, url: str, **more: Any) -> Approval:
    key, _ = await parts.key(name=f"key {len(more)} {url[-30:]}")
    return await parts.ask(key, resume=Resume(kind=ResumeKind.WEBHOOK, target=url), **more)


async def decided(parts: Parts, url: str, **more: Any) -> Approval:
    return (await parts.decide(await asked(parts, url, **more))).approval


async def deliveries(parts: Parts, of: Interaction) -> list[Delivery]:
    """Oldest first."""
    found = await parts.store.list_deliveries(tenant=of.tenant, interaction_id=of.id, limit=200)
    return list(reversed(found))


def replaying(parts: Parts, courier: Any) -> Replaying:
    return Replaying(store=parts.store, clock=parts.clock, courier=courier, ring=parts.hub.ring)


async def test_every_attempt_of_the_schedule_is_a_row(parts: Parts) -> None:
    async with receiving(status(500), status(302), status(204)) as receiver, sending(parts) as courier:
        approval = await asked(parts, receiver.url)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.decide(approval)
            for wait in (5, 300, 60):
                await receiver.arrived.get()
                await dispatcher.drain(5)
                parts.clock.advance(wait)
                parts.hub.ring()
            await receiver.arrived.get()
            await dispatcher.drain(5)

    found = await deliveries(parts, approval)
    assert [(each.message_id, each.attempt, each.status) for each in found] == [
        (f"{approval.id}_0", 1, 500),
        (f"{approval.id}_0", 2, 302),
        (f"{approval.id}_0", 3, 204),
        (f"{approval.id}_1", 1, 204),
    ]
    assert {(each.error, each.by_hand, each.duration_ms) for each in found} == {(None, False, 0)}
    assert [each.at - found[0].at for each in found] == [timedelta(seconds=s) for s in (0, 5, 305, 365)]


async def test_an_attempt_that_got_no_answer_says_so_in_our_words(parts: Parts) -> None:
    approval = await decided(parts, "http://127.0.0.1:1/hook")

    async with sending(parts) as courier:
        outcome = await courier.tell(approval)

    assert outcome == NotTold(error="no connection")
    assert [(each.status, each.error) for each in await deliveries(parts, approval)] == [(None, "no connection")]


async def test_how_long_an_attempt_took_is_written_down(parts: Parts) -> None:
    async def slow(_: web.Request) -> web.Response:
        parts.clock.advance(1.25)
        return web.Response(status=204)

    async with receiving(slow) as receiver, sending(parts) as courier:
        approval = await decided(parts, receiver.url)
        await courier.tell(approval)

    assert [each.duration_ms for each in await deliveries(parts, approval)] == [1250]


async def test_an_attempt_that_is_cut_off_stands_without_an_outcome_and_comes_again(parts: Parts) -> None:
    arrived = asyncio.Event()

    async def hanging(_: web.Request) -> web.Response:
        arrived.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with receiving(hanging) as receiver, sending(parts) as courier:
        approval = await asked(parts, receiver.url)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.decide(approval)
            await arrived.wait()
            before = await deliveries(parts, approval)
            await dispatcher.drain(0)
        parts.clock.advance(20)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            for _ in range(2):
                await receiver.arrived.get()
            await dispatcher.drain(5)

    after = await deliveries(parts, approval)
    assert [(each.attempt, each.status, each.error, each.duration_ms) for each in before] == [(1, None, None, None)]
    assert [(each.attempt, each.status) for each in after] == [(1, None), (2, 204)]


async def test_what_cannot_be_written_down_was_told_all_the_same(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts, store=DeafStore(parts.store)) as courier:
        approval = await decided(parts, receiver.url)

        assert await courier.tell(approval) == Told()

    assert [each.duration_ms for each in await deliveries(parts, approval)] == [None]


async def test_bytes_are_those_of_the_first_attempt_also_after_an_upgrade_that_words_them_otherwise(
    parts: Parts,
) -> None:
    async with receiving() as receiver, sending(parts) as courier:
        approval = await decided(parts, receiver.url)
        older = replace(message(approval), body='{"type":"interaction.resolved","data":{"older":true}}')
        await parts.store.begin_delivery(message=older, at=parts.clock.now())
        await courier.tell(approval)
        got = await receiver.arrived.get()

    assert got.body == older.body.encode()


async def test_an_approval_that_is_taken_back_before_it_arrived_is_another_message(parts: Parts) -> None:
    async with receiving(status(500)) as receiver, sending(parts) as courier:
        approval = await asked(parts, receiver.url)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.decide(approval)
            first = await receiver.arrived.get()
            await dispatcher.drain(5)
            back = await parts.store.take_back(
                tenant=approval.tenant, id=approval.id, actor=ANA, at=parts.clock.now(), surface=Surface.CARD
            )
            parts.hub.ring()
            second = await receiver.arrived.get()
            await dispatcher.drain(5)

    assert back.taken_back
    assert [got.json["data"]["state"] for got in (first, second)] == ["approved", "denied"]
    assert first.headers["webhook-id"] != second.headers["webhook-id"]


@pytest.mark.parametrize("code", [204, 410, 500])
async def test_a_message_is_sent_again_by_hand_whatever_came_of_it(parts: Parts, code: int) -> None:
    async with receiving(status(code)) as receiver, sending(parts) as courier:
        approval = await asked(parts, receiver.url)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.decide(approval)
            first = await receiver.arrived.get()
            await dispatcher.drain(5)
        outcome = await replaying(parts, courier).replay(tenant="default", id=approval.id)
        second = await receiver.arrived.get()

    assert isinstance(outcome, Replayed)
    assert (outcome.delivery.status, outcome.delivery.attempt, outcome.delivery.by_hand) == (204, 2, True)
    assert (second.body, second.headers["webhook-id"]) == (first.body, first.headers["webhook-id"])
    assert (await deliveries(parts, approval))[-1] == outcome.delivery
    assert outcome.told is (code != 204)


async def test_a_stuck_answer_that_is_taken_by_hand_is_told_and_the_schedule_ends(parts: Parts) -> None:
    async with receiving(status(410)) as receiver, sending(parts) as courier:
        key, _ = await parts.key()
        question = await parts.ask_question(key, resume=Resume(kind=ResumeKind.WEBHOOK, target=receiver.url))
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.answer(question, {"region": Choice(option_ids=("eu",))})
            await receiver.arrived.get()
            await dispatcher.drain(5)
        assert (await now(parts, question)).resumption.stuck_at is not None
        outcome = await replaying(parts, courier).replay(tenant="default", id=question.id)

    assert isinstance(outcome, Replayed)
    assert outcome.told
    after = (await now(parts, question)).resumption
    assert (after.told_at, after.stuck_at, after.due_at) == (parts.clock.now(), None, None)


async def test_a_replay_that_fails_leaves_the_schedule_as_it_was(parts: Parts) -> None:
    async with receiving(status(500), status(500)) as receiver, sending(parts) as courier:
        approval = await asked(parts, receiver.url)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.decide(approval)
            await receiver.arrived.get()
            await dispatcher.drain(5)
        before = await now(parts, approval)
        outcome = await replaying(parts, courier).replay(tenant="default", id=approval.id)

    assert isinstance(outcome, Replayed)
    assert (outcome.delivery.status, outcome.told) == (500, False)
    assert await now(parts, approval) == before


async def test_an_older_message_is_sent_again_as_it_was(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as courier:
        approval = await asked(parts, receiver.url)
        async with dispatching(parts, webhooks=courier) as dispatcher:
            await parts.decide(approval)
            for _ in range(2):
                await receiver.arrived.get()
                await dispatcher.drain(5)
                parts.clock.advance(60)
                parts.hub.ring()
        old = f"{approval.id}_0"
        outcome = await replaying(parts, courier).replay(tenant="default", id=approval.id, message_id=old)
        got = await receiver.arrived.get()

    assert isinstance(outcome, Replayed)
    assert (got.headers["webhook-id"], json.loads(got.body)["data"]["wake"], outcome.told) == (old, 0, False)


async def test_where_nothing_was_sent_a_replay_says_why(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as courier:
        pending = await asked(parts, receiver.url)
        unsent = await decided(parts, receiver.url, run_id="unsent")
        key, _ = await parts.key(name="pulling")
        pulled = (await parts.decide(await parts.ask(key, run_id="pulled"))).approval
        replays = replaying(parts, courier)
        said = [await replays.replay(tenant="default", id=each.id) for each in (pending, unsent, pulled)]
        for id, message_id in ((pending.id, "other"), ("apr_missing", None)):
            with pytest.raises(errors.NotFound):
                await replays.replay(tenant="default", id=id, message_id=message_id)
        with pytest.raises(errors.NotFound):
            await replays.replay(tenant="other", id=pending.id)

    assert receiver.hits == 0
    assert [each.reason.partition(":")[0] for each in said if isinstance(each, NotReplayed)] == [
        "It still waits for its people",
        "Nothing was sent of it yet; `signoff-bot wake` starts telling anew.",
        "Its run is not told by a webhook",
    ]


async def test_without_a_secret_nothing_is_sent_again(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as courier:
        approval = await decided(parts, receiver.url)
        await courier.tell(approval)
        outcome = await replaying(parts, None).replay(tenant="default", id=approval.id)

    assert isinstance(outcome, NotReplayed)
    assert "SIGNOFF_WEBHOOK_SECRET" in outcome.reason
    assert receiver.hits == 1
