"""What we send is taken by whoever checks it: our own SDK, and the package of Standard Webhooks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
import standardwebhooks

import signoff
from store.answers import Choice
from store.types import Approval, Decision, Resume, ResumeKind
from tests.parts import Parts
from tests.resume.stage import OLD_SECRET, SECRET, Got, Receiver, receiving, sending, status


@asynccontextmanager
async def sent(parts: Parts, *script: Any, secrets: tuple[str, ...] = (SECRET, OLD_SECRET)) -> AsyncIterator[Any]:
    """A receiver, and what sends to it, by the clock of this machine: both packages read that."""
    parts.clock.advance(datetime.now(UTC) - parts.clock.now())
    async with receiving(*script) as receiver, sending(parts, secrets=secrets) as courier:
        yield receiver, courier


async def decided(parts: Parts, receiver: Receiver, decision: Decision = Decision.ALLOW_ONCE) -> Approval:
    key, _ = await parts.key()
    asked = await parts.ask(key, resume=Resume(kind=ResumeKind.WEBHOOK, target=receiver.url), run_id="größe-数 \u2028")
    return (await parts.decide(asked, decision)).approval


def accept(got: Got, secret: str) -> signoff.Event:
    """By both; what it says."""
    standardwebhooks.Webhook(secret).verify(got.body, got.headers)
    return signoff.verify_webhook(got.body, got.headers, secret)


@pytest.mark.parametrize("secret", [SECRET, OLD_SECRET])
async def test_an_approval_is_accepted_with_either_secret_and_read_as_it_is(parts: Parts, secret: str) -> None:
    async with sent(parts) as (receiver, courier):
        approval = await decided(parts, receiver)
        await courier.tell(approval)
        event = accept(await receiver.arrived.get(), secret)

    assert (event.message_id, event.type) == (f"{approval.id}_0", signoff.Event.RESOLVED)
    assert (event.data.id, event.data.kind, event.data.run_id) == (approval.id, "approval", "größe-数 \u2028")
    assert (event.data.state, event.data.digest, event.data.wake) == ("approved", approval.digest, 0)


async def test_answers_and_denials_are_accepted_too(parts: Parts) -> None:
    async with sent(parts) as (receiver, courier):
        key, _ = await parts.key()
        hook = Resume(kind=ResumeKind.WEBHOOK, target=receiver.url)
        asked = await parts.ask_question(key, resume=hook, run_id="questions")
        question = (await parts.answer(asked, {"region": Choice(option_ids=("eu",))})).question
        denied = await parts.decide(await parts.ask(key, resume=hook, run_id="denied"), Decision.DENY)
        for each in (question, denied.approval):
            await courier.tell(each)
        states = [accept(await receiver.arrived.get(), SECRET).data.state for _ in range(2)]

    assert states == ["answered", "denied"]


async def test_a_retry_and_a_replay_are_accepted_at_their_own_time_and_are_one_message(parts: Parts) -> None:
    async with sent(parts, status(500)) as (receiver, courier):
        approval = await decided(parts, receiver)
        await courier.tell(approval)
        parts.clock.advance(60)
        await courier.tell(approval)
        message = await parts.store.find_message(tenant=approval.tenant, interaction_id=approval.id)
        parts.clock.advance(60)
        await courier.send_again(message, url=receiver.url)
        got = [await receiver.arrived.get() for _ in range(3)]

    assert len({accept(each, SECRET) for each in got}) == 1
    assert len({each.body for each in got}) == 1
    assert len({each.headers["webhook-timestamp"] for each in got}) == 3


async def test_what_was_signed_before_the_secret_changed_is_refused_after_it(parts: Parts) -> None:
    async with sent(parts, secrets=(OLD_SECRET,)) as (receiver, courier):
        await courier.tell(await decided(parts, receiver))
        got = await asyncio.wait_for(receiver.arrived.get(), 5)

    accept(got, OLD_SECRET)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        standardwebhooks.Webhook(SECRET).verify(got.body, got.headers)
    with pytest.raises(signoff.BadWebhook):
        signoff.verify_webhook(got.body, got.headers, SECRET)
