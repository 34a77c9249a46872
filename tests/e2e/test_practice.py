"""The practice request: asked at Home, decided by whoever asked, and whole to its end in any house."""

import asyncio
import json
from datetime import timedelta

import pytest

from blocks import ids
from bot import practice
from tests.e2e.house import ANA, BEN, at, plain, place
from tests.e2e.process import serving, command
from tests.e2e.test_home import at_home, says


async def pressed(here, who=ANA):
    """Somebody who pressed the button of an empty Home; and the card in their DM."""
    person = await at_home(here, who, "practice request")
    sent = await person.click_home(ids.PRACTICE)
    assert sent.ok
    await here.slack.wait_for(lambda _: person.dm and here.cards(person.dm))
    return person, here.cards(person.dm)[-1]


async def of(here, who=ANA) -> list[dict]:
    found = await here.api("GET", f"/v1/interactions?run_id=practice-{who}")
    return found.json["items"]


async def test_it_goes_the_whole_way_and_leaves_home(here) -> None:
    ana, card = await pressed(here)
    assert "Asked by Signoff" in plain(card)
    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ana))

    await ana.click(ana.dm, card.ts, ids.APPROVE)

    await here.shows(card, practice.DETAIL)
    assert "Done" in plain(card)
    (found,) = await of(here)
    assert (found["state"], found["execution"]["status"], found["execution"]["worker"]) == (
        "approved", "succeeded", "Signoff",
    )  # fmt: skip
    assert found["resume"]["stuck"] is None
    await here.slack.wait_for(lambda _: "practice request" in says(ana))


async def test_a_denied_one_reaches_its_run_too(here) -> None:
    ana, card = await pressed(here)

    await ana.click(ana.dm, card.ts, ids.DENY)

    await here.shows(card, "Nothing ran")
    await here.slack.wait_for(lambda _: "practice request" in says(ana))
    (found,) = await of(here)
    await until_claimed(here, found["id"])


async def until_claimed(here, id: str) -> None:
    async with asyncio.timeout(10):
        while (await here.read(id))["claimed_at"] is None:
            await asyncio.sleep(0.05)
