"""Slack's Web API is away while forty approvals are decided, of a service that is a process of its own."""

import asyncio

from blocks import ids
from sandbox.model import Message
from sandbox.server import Sandbox
from tests.e2e.house import ANA, DEPLOY, DEPLOYS, GENERAL, REPORTS, has_buttons, plain
from tests.e2e.process import call, make_key, serving

CHANNELS = (DEPLOYS, REPORTS, GENERAL)
COUNT = 40
#: Seconds after which all cards are right again.
SOON = 60.0


async def test_forty_cards_decided_during_an_outage_are_right_a_minute_after_it_and_none_is_there_twice(tmp_path):
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with Sandbox() as slack, serving(slack, database) as running:
        token = await make_key(slack, database)
        asked = [await ask(running.url, token, number) for number in range(COUNT)]
        await slack.wait_for(lambda _: len(cards(slack)) == COUNT, timeout=SOON)
        down = slack.faults.add("*", down=True)
        ana = slack.person(ANA)
        for number, card in enumerate(cards(slack)):
            clicked = await ana.click(card.channel, card.ts, ids.DENY if number % 2 else ids.APPROVE)
            assert clicked.ok
        decided = await asyncio.gather(*(state(running.url, token, id) for id in asked))
        assert all(has_buttons(card) for card in cards(slack))

        slack.faults.remove(down)
        await slack.wait_for(lambda _: not any(has_buttons(card) for card in cards(slack)), timeout=SOON)

        assert len(cards(slack)) == COUNT
        assert sorted(decided) == ["approved"] * (COUNT // 2) + ["denied"] * (COUNT // 2)
        shown = {title(number): word for number, word in enumerate(decided)}
        assert {card.blocks[0]["text"]["text"]: said(card) for card in cards(slack)} == shown


def title(number: int) -> str:
    return f"Deploy api 1.{number} to production"


async def ask(url: str, token: str, number: int) -> str:
    """One approval, in one of three channels; nobody asked for it by name, so that nobody gets a message of it."""
    body = {key: value for key, value in DEPLOY.items() if key != "requested_by"}
    body |= {"title": title(number), "operation_id": f"op-{number}", "channels": [CHANNELS[number % 3]]}
    reply = await call("POST", f"{url}/v1/approvals", token, body)
    assert reply.status == 201, reply
    return str(reply.json["id"])


async def state(url: str, token: str, id: str) -> str:
    return str((await call("GET", f"{url}/v1/interactions/{id}", token)).json["state"])


def cards(slack: Sandbox) -> list[Message]:
    return [card for channel in CHANNELS for card in slack.workspace.messages(channel) if card.thread_ts is None]


def said(card: Message) -> str:
    return "approved" if "Approved by" in plain(card) else "denied" if "Denied by" in plain(card) else plain(card)
