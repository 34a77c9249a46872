"""People of the sandbox who say yes to everything, as soon as it appears."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from blocks import ids
from tests.e2e.house import ANA, DEPLOYS, REPORTS, Place, has_buttons


@asynccontextmanager
async def yes_sayers(here: Place) -> AsyncIterator[None]:
    """Ana approves what can be approved, takes the first option of what is asked, and writes where text is wanted."""
    task = asyncio.create_task(_say_yes(here))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _say_yes(here: Place) -> None:
    done: set[str] = set()

    def fresh(_: object) -> list[tuple[str, str]]:
        cards = [(channel, card) for channel in (DEPLOYS, REPORTS) for card in here.cards(channel)]
        return [(channel, card.ts) for channel, card in cards if card.ts not in done and has_buttons(card)]

    while True:
        for channel, ts in await here.slack.wait_for(fresh, timeout=120):
            done.add(ts)
            await _one(here, channel, ts)


async def _one(here: Place, channel: str, ts: str) -> None:
    ana = here.slack.person(ANA)
    (card,) = [each for each in here.cards(channel) if each.ts == ts]
    actions = {each["action_id"] for block in card.blocks for each in block.get("elements", []) if "action_id" in each}
    inputs = [block["element"]["action_id"] for block in card.blocks if block["type"] == "input"]
    if ids.APPROVE in actions:
        await ana.click(channel, ts, ids.APPROVE)
    elif ids.suffixed(ids.PICK, 0) in actions:
        await ana.click(channel, ts, ids.suffixed(ids.PICK, 0))
    else:
        ana.fill(channel, ts, inputs[0], ["0", "1"] if inputs[0] == ids.VALUE else "because")
        await ana.click(channel, ts, ids.SUBMIT)
