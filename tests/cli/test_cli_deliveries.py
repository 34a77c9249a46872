"""`deliveries` and `replay`: what was sent to webhooks, and once more by hand."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from store.types import Approval, Resume, ResumeKind
from tests.cli.shell import Shell
from tests.parts import Parts, open_parts
from tests.resume.stage import SECRET, Receiver, receiving, sending, status

HERE = {"SIGNOFF_WEBHOOK_SECRET": SECRET, "SIGNOFF_WEBHOOK_ALLOW": "127.0.0.0/8"}


@pytest.fixture
async def parts(shell: Shell) -> AsyncIterator[Parts]:
    async with open_parts(shell.database) as opened:
        yield opened


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as found:
        yield found


async def sent(parts: Parts, receiver: Receiver, *script: Any, run_id: str = "run-1") -> Approval:
    receiver.script = list(script)
    key, _ = await parts.key(name=f"key-{run_id}")
    hook = Resume(kind=ResumeKind.WEBHOOK, target=receiver.url)
    approval = (await parts.decide(await parts.ask(key, resume=hook, run_id=run_id))).approval
    async with sending(parts) as courier:
        await courier.tell(approval)
    return approval


async def test_attempts_are_listed_of_all_and_of_one(shell: Shell, parts: Parts, receiver: Receiver) -> None:
    nothing = await shell.run("deliveries")
    one = await sent(parts, receiver, status(500))
    parts.clock.advance(60)
    two = await sent(parts, receiver, run_id="run-2")

    all_ = await shell.run("deliveries")
    mine = await shell.run("deliveries", one.short_code)

    assert nothing.out == "Nothing was sent to a webhook.\n"
    assert all_.lines == [
        f"2026-11-30 12:01:00 UTC  {two.id}_0  attempt 1  status 204 in 0 ms",
        f"2026-11-30 12:00:00 UTC  {one.id}_0  attempt 1  status 500 in 0 ms",
    ]
    assert mine.lines == all_.lines[1:]


async def test_a_message_is_sent_again_and_taken(shell: Shell, parts: Parts, receiver: Receiver) -> None:
    approval = await sent(parts, receiver, status(410))
    first = await receiver.arrived.get()

    said = await shell.run("replay", approval.short_code, **HERE)
    second = await receiver.arrived.get()

    assert re.fullmatch(
        rf"Taken: \S+ \S+ UTC  {approval.id}_0  attempt 2  status 204 in [\d,]+ ms · by hand"
        r" · its run counts as told\n",
        said.out,
    )
    assert (second.body, second.headers["webhook-id"]) == (first.body, first.headers["webhook-id"])
    assert (await shell.run("deliveries", approval.id)).lines[0].endswith(" · by hand")


async def test_a_message_that_is_not_taken_ends_with_1_and_says_why(
    shell: Shell, parts: Parts, receiver: Receiver
) -> None:
    approval = await sent(parts, receiver, status(204), status(500))

    refused = await shell.refused("replay", approval.id, "--message", f"{approval.id}_0", **HERE)
    outside = await shell.refused("replay", approval.id, SIGNOFF_WEBHOOK_SECRET=SECRET)

    assert refused.startswith("sent, and not taken: ")
    assert "attempt 2  status 500" in refused
    assert "The address is not public; an operator can allow its network with SIGNOFF_WEBHOOK_ALLOW." in outside
    assert receiver.hits == 2


async def test_where_nothing_can_be_sent_it_says_what_is_missing(
    shell: Shell, parts: Parts, receiver: Receiver
) -> None:
    approval = await sent(parts, receiver)
    key, _ = await parts.key(name="other")
    pending = await parts.ask(key, run_id="pulls")

    assert "SIGNOFF_WEBHOOK_SECRET is not set here" in await shell.refused("replay", approval.id)
    assert "is not told by a webhook" in await shell.refused("replay", pending.id, **HERE)
    unknown = await shell.refused("replay", approval.id, "--message", "other", **HERE)
    assert f"has no message other; `signoff-bot deliveries {approval.short_code}` lists them" in unknown
    assert "no request ZZZZZ here" in await shell.refused("deliveries", "ZZZZZ")
    bad = await shell.refused("replay", approval.id, SIGNOFF_WEBHOOK_SECRET="whsec_short")
    assert "a webhook secret is whsec_" in bad
    assert receiver.hits == 1


async def test_an_attempt_without_an_outcome_says_so(shell: Shell, parts: Parts, receiver: Receiver) -> None:
    approval = await sent(parts, receiver)
    message = await parts.store.find_message(tenant=approval.tenant, interaction_id=approval.id)
    assert message is not None
    parts.clock.advance(1)
    await parts.store.begin_delivery(message=message, at=parts.clock.now())

    assert (await shell.run("deliveries")).lines[0].endswith("no outcome yet: it is under way, or its process died")
