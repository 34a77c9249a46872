"""Webhooks: equal bytes at each retry, a new message at each wake, and nothing that a receiver says comes through."""

import asyncio
import email.utils
import json
from datetime import timedelta

import pytest
from aiohttp import web

from bot.resume.guard import AddressGuard
from bot.resume.signing import BadSecret, read_secret, verify
from bot.resume.webhook import NotTold, Told, WebhookSender
from store.types import Approval, Resume, ResumeKind
from tests.parts import Parts
from tests.resume.stage import (
    LOOPBACK,
    OLD_SECRET,
    Receiver,
    dispatching,
    now,
    owed,
    receiving,
    sending,
    status,
)
from tests.resume.test_resume_guard import Loopback


async def _asked(parts: Parts, url: str) -> Approval:
    key, _ = await parts.key()
    return await parts.ask(key, resume=Resume(kind=ResumeKind.WEBHOOK, target=url))


async def _decided(parts: Parts, url: str) -> Approval:
    return (await parts.decide(await _asked(parts, url))).approval


async def test_a_decision_is_told_by_one_signed_message(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            got = await receiver.arrived.get()
            await dispatcher.drain(5)

    headers = {name: value for name, value in got.headers.items() if name.lower().startswith("webhook-")}
    assert verify([read_secret(OLD_SECRET)], headers=headers, body=got.body, now=parts.clock.now()) == f"{asked.id}_0"
    assert got.headers["Content-Type"] == "application/json"
    assert got.json == {
        "type": "interaction.resolved",
        "timestamp": "2026-11-30T12:00:00.000Z",
        "data": {
            "id": asked.id,
            "kind": "approval",
            "run_id": "run-1",
            "operation_id": asked.operation_id,
            "state": "approved",
            "wake": 0,
            "digest": asked.digest,
        },
    }
    assert (await now(parts, asked)).resumption.told_at == parts.clock.now()


async def test_a_retry_has_the_same_id_and_the_same_bytes(parts: Parts) -> None:
    async with receiving(status(500), status(302, Location="/elsewhere")) as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            first = await receiver.arrived.get()
            await dispatcher.drain(5)
            after_first = (await now(parts, asked)).resumption
            parts.clock.advance(5)
            parts.hub.ring()
            second = await receiver.arrived.get()
            await dispatcher.drain(5)
            after_second = (await now(parts, asked)).resumption
            parts.clock.advance(timedelta(minutes=5))
            parts.hub.ring()
            third = await receiver.arrived.get()
            await dispatcher.drain(5)

    assert first.body == second.body == third.body
    assert len({got.headers["webhook-id"] for got in (first, second, third)}) == 1
    assert (after_first.last_error, after_second.last_error) == ("status 500", "status 302")
    assert (await now(parts, asked)).resumption.last_error is None
    assert receiver.hits == 3


async def test_a_2xx_without_a_claim_is_woken_by_new_messages_and_then_stuck(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        messages = []
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            for minutes in (1, 5, 30, 30):
                messages.append(await receiver.arrived.get())
                await dispatcher.drain(5)
                parts.clock.advance(timedelta(minutes=minutes))
                parts.hub.ring()

    assert [got.headers["webhook-id"] for got in messages] == [f"{asked.id}_{wake}" for wake in range(4)]
    assert [got.json["data"]["wake"] for got in messages] == [0, 1, 2, 3]
    assert [stuck.id for stuck in await parts.store.mark_stuck(now=parts.clock.now())] == [asked.id]


async def test_a_claim_ends_the_wakes(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            await receiver.arrived.get()
            await dispatcher.drain(5)
        await parts.service.claim(tenant="default", id=asked.id, claim_id="c", digest=asked.digest)

    assert await owed(parts, after=timedelta(days=1)) == []


async def test_a_receiver_that_is_gone_makes_it_stuck_at_once(parts: Parts) -> None:
    async with receiving(status(410)) as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            await receiver.arrived.get()
            await dispatcher.drain(5)
    after = (await now(parts, asked)).resumption

    assert (after.stuck_at, after.due_at, after.last_error) == (parts.clock.now(), None, "status 410")


async def test_a_receiver_that_never_takes_it_is_tried_for_three_days_and_then_stuck(parts: Parts) -> None:
    async with receiving(*[status(500)] * 20) as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        waits = []
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            while True:
                await receiver.arrived.get()
                await dispatcher.drain(5)
                due_at = (await now(parts, asked)).resumption.due_at
                if due_at is None:
                    break
                waits.append(due_at - parts.clock.now())
                parts.clock.advance(waits[-1])
                parts.hub.ring()

    hours = [timedelta(hours=number) for number in (2, 5, 10, 14, 20, 24)]
    assert waits == [timedelta(seconds=5), timedelta(minutes=5), timedelta(minutes=30), *hours]
    assert (await now(parts, asked)).resumption.stuck_at == parts.clock.now()


@pytest.mark.parametrize("code", [429, 500, 503])
@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        *(("120", 120), ("date", 90), ("0", 5), ("4", 5), ("999999999", 86_400), ("-5", 5), ("soon", 5), ("", 5)),
        (f"Mon, {'9' * 20} Dec 2026 00:00:00 GMT", 5),
    ],
)
async def test_the_wait_that_a_receiver_asks_for_is_kept(
    parts: Parts, code: int, retry_after: str, seconds: int
) -> None:
    if retry_after == "date":
        retry_after = email.utils.format_datetime(parts.clock.now() + timedelta(seconds=90), usegmt=True)
    async with receiving(status(code, Retry_After=retry_after)) as receiver, sending(parts) as sender:
        asked = await _asked(parts, receiver.url)
        async with dispatching(parts, webhooks=sender) as dispatcher:
            await parts.decide(asked)
            await receiver.arrived.get()
            await dispatcher.drain(5)

    assert (await now(parts, asked)).resumption.due_at == parts.clock.now() + timedelta(seconds=seconds)


async def test_nothing_that_a_receiver_says_is_repeated(parts: Parts) -> None:
    async with receiving(status(418, X_Secret="hostile header")) as receiver, sending(parts) as sender:
        outcome = await sender.tell(await _decided(parts, receiver.url))

    assert outcome == NotTold(error="status 418")


async def test_an_endless_answer_is_told_by_its_status(parts: Parts) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"x" * 65536)

    async with receiving(endless) as receiver, sending(parts) as sender:
        assert await sender.tell(await _decided(parts, receiver.url)) == Told()


async def test_a_silent_receiver_is_given_up_in_time(parts: Parts) -> None:
    async def silent(_: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async with receiving(silent) as receiver, sending(parts, total=0.2) as sender:
        assert await sender.tell(await _decided(parts, receiver.url)) == NotTold(error="no answer in time")


async def test_a_receiver_that_is_down_or_hangs_up_is_not_told(parts: Parts) -> None:
    async def hang_up(request: web.Request) -> web.Response:
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    async with receiving(hang_up) as receiver, sending(parts) as sender:
        decided = await _decided(parts, receiver.url)
        assert await sender.tell(decided) == NotTold(error="the connection broke")
    async with sending(parts) as sender:
        assert await sender.tell(decided) == NotTold(error="no connection")


async def test_an_address_that_is_not_allowed_is_never_called(parts: Parts) -> None:
    refused = "the address is not public and not in SIGNOFF_WEBHOOK_ALLOW"
    async with receiving() as receiver:
        port = receiver.url.rpartition(":")[2]
        async with sending(parts, guard=AddressGuard(), resolver=Loopback("127.0.0.1")) as sender:
            plain = await sender.tell(await _decided(parts, receiver.url))
            renamed = await _decided_again(parts, f"https://hooks.example.com:{port}")
            assert await sender.tell(renamed) == NotTold(error=refused)
        assert isinstance(plain, NotTold)
        # Plain http goes into allowed networks only, also under a public name.
        elsewhere = AddressGuard(allow=("10.0.0.0/8",))
        async with sending(parts, guard=elsewhere, resolver=Loopback("127.0.0.1")) as sender:
            assert await sender.tell(
                await _decided_again(parts, f"http://hooks.example.com:{port}", run_id="three")
            ) == NotTold(error=refused)

    assert receiver.hits == 0


async def _decided_again(parts: Parts, url: str, *, run_id: str = "two") -> Approval:
    key, _ = await parts.key(name=f"key-{run_id}")
    asked = await parts.ask(key, run_id=run_id, resume=Resume(kind=ResumeKind.WEBHOOK, target=url))
    return (await parts.decide(asked)).approval


async def test_without_a_secret_webhooks_are_left_to_another_worker(parts: Parts) -> None:
    async with receiving() as receiver:
        asked = await _asked(parts, receiver.url)
        async with dispatching(parts):
            await parts.decide(asked)

    assert await owed(parts) == [asked.id]


def test_a_malformed_secret_stops_the_start(parts: Parts) -> None:
    with pytest.raises(BadSecret):
        WebhookSender(secrets=("whsec_short",), guard=LOOPBACK, clock=parts.clock)


async def test_texts_of_any_language_are_sent_as_they_are(parts: Parts) -> None:
    async with receiving() as receiver, sending(parts) as sender:
        key, _ = await parts.key()
        resume = Resume(kind=ResumeKind.WEBHOOK, target=receiver.url)
        asked = await parts.ask(key, run_id="größe-数", resume=resume)
        await sender.tell((await parts.decide(asked)).approval)
        got: Receiver = receiver

    assert json.loads((await got.arrived.get()).body)["data"]["run_id"] == "größe-数"
