"""Interrupts of an agent, from its store to people in Slack and back."""

import json

import pytest

from blocks import ids
from store.interrupts import Audience, InterruptStore
from store.types import Approvers, Destination
from tests.e2e.house import ANA, DEPLOYS, has_buttons, place, plain

AUDIENCE = Audience(
    approvers=Approvers(users=(ANA,)),
    destination=Destination(channels=(DEPLOYS,)),
    schemas={"refund": '{"type": "object", "properties": {"amount": {"type": "number"}}}'},
)
ID = "support.sess-1.3.k9"
RECORD = {
    "interruptId": ID,
    "request": {
        "interruptId": ID,
        "toolName": "refund",
        "toolDescription": "Pays a customer back. *Cannot be undone.*",
        "args": {"order": "o-1", "amount": 12.5},
        "context": {
            "agentName": "support",
            "tripIndex": 3,
            "sessionId": "sess-1",
            "originalInput": "My parcel <!channel> never came.",
            "tags": ["money"],
        },
        "requestedAt": "2026-11-30T12:00:00.000Z",
    },
    "status": "pending",
    "savedAt": "2026-11-30T12:00:00.000Z",
}


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
def interrupts(here) -> InterruptStore:
    return InterruptStore(here.house.store, tenant="default", audience=AUDIENCE)


async def clicked(here, action: str):
    card = await here.card(DEPLOYS)
    assert (await here.slack.person(ANA).click(DEPLOYS, card.ts, action)).ok
    return card


async def test_a_person_reads_what_the_agent_wants_and_approves_it_for_one_run(here, interrupts) -> None:
    await interrupts.save(RECORD)
    words = plain(await here.card(DEPLOYS))
    card = await clicked(here, ids.APPROVE)
    decision = await interrupts.decision(ID)
    first, second = await interrupts.claim(decision, worker="support-2"), await interrupts.claim(decision)

    for said in ("Allow refund?", "support", ID, "o-1", "12.5", "Pays a customer back.", "sess-1", "money"):
        assert said in words
    assert "My parcel <!channel> never came." in words
    assert (decision.as_json(), decision.record) == ({"type": "approve"}, RECORD)
    assert (first.execute, second.execute) == (True, False)
    await here.shows(card, "support-2")


async def test_another_save_closes_the_card_before_it_and_a_resolved_one_closes_the_last(here, interrupts) -> None:
    await interrupts.save(RECORD)
    old = await here.card(DEPLOYS)
    await interrupts.save({**RECORD, "savedAt": "2026-11-30T12:05:00.000Z"})
    new = await here.card(DEPLOYS, count=2)
    await here.shows(old, "Replaced")

    await interrupts.save({**RECORD, "status": "resolved"})

    await here.shows(new, "Withdrawn")
    assert not has_buttons(old)
    assert not has_buttons(new)
    assert await interrupts.decision(ID) is None


async def test_an_input_that_is_too_long_says_so_before_it_can_be_approved(here, interrupts) -> None:
    args = {"text": "x" * 200_000}
    await interrupts.save({**RECORD, "request": {**RECORD["request"], "args": args}})

    card = await here.card(DEPLOYS)

    assert f"Only the first 30,000 of {len(json.dumps(args)) - 1:,} characters of the input are shown here." in plain(
        card
    )
    assert ids.APPROVE not in json.dumps(card.blocks)
    assert ids.REVIEW in json.dumps(card.blocks)
