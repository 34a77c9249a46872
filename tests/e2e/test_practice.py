"""The practice request: asked at Home, decided by whoever asked, and whole to its end in any house."""

import asyncio

import pytest

from blocks import ids
from bot import practice
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, DANA, DEPLOYS, at, place, plain
from tests.e2e.process import running, serving
from tests.e2e.test_home import at_home, says

OFFER = "Send me a practice request"


async def card_of(slack, person, *, count: int = 1):
    """The newest of so many cards in somebody's DM."""

    def cards() -> list:
        found = [] if person.dm is None else slack.workspace.messages(person.dm)
        return [message for message in found if message.blocks[0]["type"] == "header"]

    await slack.wait_for(lambda _: len(cards()) >= count, timeout=10)
    return cards()[-1]


async def pressed(here, who=ANA):
    """Somebody who pressed the button of their empty Home; and the card in their DM."""
    person = await at_home(here, who, OFFER)
    assert (await person.click_home(ids.PRACTICE)).ok
    return person, await card_of(here.slack, person)


async def of(here, who=ANA) -> list[dict]:
    found = await here.api("GET", f"/v1/interactions?run_id=practice-{who}")
    return list(found.json["items"])


async def test_it_goes_the_whole_way_and_home_offers_another(here) -> None:
    ana, card = await pressed(here)
    assert "Asked by Signoff" in plain(card)
    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ana))

    await ana.click(ana.dm, card.ts, ids.APPROVE)

    await here.shows(card, practice.DETAIL)
    assert "Done" in plain(card)
    (found,) = await of(here)
    assert (found["state"], found["risk"], found["execution"]["status"]) == ("approved", "low", "succeeded")
    assert found["execution"]["worker"] == "Signoff"
    await here.slack.wait_for(lambda _: OFFER in says(ana))


async def test_it_is_decided_at_home_as_well(here) -> None:
    ana, card = await pressed(here)
    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ana))

    await ana.click_home(ids.APPROVE)

    await here.shows(card, practice.DETAIL)
    await here.slack.wait_for(lambda _: OFFER in says(ana))


async def test_a_denied_one_is_taken_by_its_run_and_runs_nothing(here) -> None:
    ana, card = await pressed(here)

    await ana.click(ana.dm, card.ts, ids.DENY)

    await here.shows(card, "Nothing ran")
    (found,) = await of(here)
    async with asyncio.timeout(10):
        while found["claimed_at"] is None:
            found = await here.read(found["id"])
    assert (found["execution"], found["resume"]["stuck"]) == (None, False)
    await here.slack.wait_for(lambda _: OFFER in says(ana))


async def test_it_is_nobody_elses_to_decide(here) -> None:
    await pressed(here)
    (found,) = await of(here)

    assert found["approvers"]["users"] == [ANA]
    assert here.slack.person(BEN).dm is None
    listed = await here.slack.person(BEN).command(DEPLOYS, "/pending", "all")
    assert "Practice" not in listed.body


async def test_pressed_again_while_it_waits_it_is_the_same_one_and_later_a_new_one(here) -> None:
    ana, card = await pressed(here)
    await asyncio.gather(*(ana.click_home(ids.PRACTICE, stale=True) for _ in range(5)))
    assert len(await of(here)) == 1

    await ana.click(ana.dm, card.ts, ids.DENY)
    await here.slack.wait_for(lambda _: OFFER in says(ana))
    await asyncio.gather(*(ana.click_home(ids.PRACTICE) for _ in range(5)))

    newer = await card_of(here.slack, ana, count=2)
    assert newer.ts != card.ts
    assert [one["state"] for one in await of(here)] == ["pending", "denied"]


async def test_each_person_has_their_own(here) -> None:
    await pressed(here)
    dana, card = await pressed(here, DANA)

    await dana.click(dana.dm, card.ts, ids.APPROVE)

    await here.shows(card, practice.DETAIL)
    assert [[one["state"] for one in await of(here, who)] for who in (ANA, DANA)] == [["pending"], ["approved"]]


async def test_who_cannot_be_written_to_is_told_and_decides_at_home(here) -> None:
    here.slack.faults.add("conversations.open", error="cannot_dm_bot")
    ana = await at_home(here, ANA, OFFER)

    await ana.click_home(ids.PRACTICE)

    await here.slack.wait_for(lambda _: ana.modal)
    assert "lets us not write to you" in str(ana.modal.content)
    assert "cannot_dm_bot" in str(ana.modal.content)
    await here.slack.wait_for(lambda _: "Waiting for you: 1" in says(ana))
    await ana.close()
    await ana.click_home(ids.APPROVE)
    await here.slack.wait_for(lambda _: OFFER in says(ana))
    assert [one["state"] for one in await of(here)] == ["approved"]


async def test_a_slack_that_is_only_slow_is_no_refusal(here) -> None:
    ana = await at_home(here, ANA, OFFER)
    here.slack.faults.add("conversations.open", status=503, times=2)

    await ana.click_home(ids.PRACTICE)

    await card_of(here.slack, ana)
    assert ana.modal is None


async def test_a_run_cannot_have_its_ask_done_by_the_practice_handler(here) -> None:
    asked = await here.ask(resume={"handler": practice.HANDLER}, run_id=f"practice-{ANA}", operation_id="first")
    card = await here.card(DEPLOYS)
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.APPROVE)

    async with asyncio.timeout(10):
        while (found := await here.read(asked["id"]))["resume"]["last_error"] is None:
            pass

    assert "practice requests only" in found["resume"]["last_error"]
    assert found["claimed_at"] is None


async def test_a_worker_with_handlers_of_its_own_has_ours_too(database) -> None:
    async with place(database, SIGNOFF_APP="tests.e2e.handlers") as here:
        ana, card = await pressed(here)

        await ana.click(ana.dm, card.ts, ids.APPROVE)

        await here.shows(card, practice.DETAIL)


@pytest.mark.parametrize("arguments", [(), ("--app", "tests.e2e.handlers")], ids=["bare", "with an app"])
async def test_it_goes_the_whole_way_where_web_and_worker_are_two_processes(postgres_url, arguments) -> None:
    async with (
        Sandbox() as slack,
        serving(slack, postgres_url, arguments=("--no-worker",)),
        running(slack, postgres_url, "work", *arguments),
    ):
        ana = slack.person(ANA)
        await ana.open_home()
        await slack.wait_for(lambda _: OFFER in says(ana))
        await ana.click_home(ids.PRACTICE)
        card = await card_of(slack, ana)

        await ana.click(ana.dm, card.ts, ids.APPROVE)

        await slack.wait_for(lambda _: practice.DETAIL in plain(card), timeout=10)
        await slack.wait_for(lambda _: OFFER in says(ana), timeout=10)


async def test_two_houses_at_once_ask_one_person_once(postgres_url) -> None:
    async with Sandbox() as slack, at(slack, postgres_url) as one, at(slack, postgres_url) as two:
        ana = await at_home(one, ANA, OFFER)
        doors = [f"{house.house.url}/slack/events" for house in (one, two)]

        async def press(door: str) -> None:
            slack.bot_url = door
            await ana.click_home(ids.PRACTICE, stale=True)

        await asyncio.gather(*(press(door) for door in doors * 5))

        await card_of(slack, ana)
        assert len(await of(one)) == 1
