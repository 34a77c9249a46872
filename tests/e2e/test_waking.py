"""A run that seems not to know: its card says so, and only who is concerned can have it told again."""

import asyncio
from datetime import timedelta

import pytest

from blocks import ids
from tests.e2e.house import ANA, CHIDI, DANA, DEPLOYS, GENERAL, GUEST, REPORTS, has_buttons, place, plain

STRANGER = {"id": "U0STRANGER", "team_id": "T0ELSEWHERE"}


@pytest.fixture
async def here(database):
    async with place(database, SIGNOFF_OPERATORS=CHIDI) as found:
        yield found


async def stick(here, asked) -> None:
    """Give up on telling, as after the last try: no worker here has this handler."""
    store = here.house.store
    # The service's clock may be a hair ahead of the database's: what is due by it is due a second later by any.
    now = await store.now() + timedelta(seconds=1)
    lease = {"now": now, "until": now + timedelta(seconds=60), "limit": 1, "handlers": ["elsewhere"], "webhooks": False}
    async with asyncio.timeout(10):
        # A row that the painter holds just now is passed over, as by any dispatcher: it is looked for again.
        while not (found := await store.lease_resumptions(**lease)):  # noqa: ASYNC110  # a lock has no event
            await asyncio.sleep(0)
    (leased,) = found
    assert leased.interaction.id == asked["id"]
    await store.retry_resumption(interaction=leased.interaction, lease=leased.lease, error="boom", due_at=None, now=now)


async def stuck_denial(here):
    asked = await here.ask(resume={"handler": "elsewhere"}, approvers={"users": [ANA]})
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.DENY)
    await stick(here, asked)
    await here.shows(card, "No run has picked this up")
    return asked, card


async def is_stuck(here, asked) -> bool:
    return (await here.read(asked["id"]))["resume"]["stuck"]


async def test_a_stuck_denial_says_so_and_who_asked_wakes_its_run(here) -> None:
    asked, card = await stuck_denial(here)
    assert "tried once" in plain(card)

    await here.slack.person(DANA).click(DEPLOYS, card.ts, ids.WAKE)

    await here.slack.wait_for(lambda _: not has_buttons(card))
    assert not await is_stuck(here, asked)


async def test_who_asked_sees_it_at_home_and_wakes_its_run_there(here) -> None:
    asked, card = await stuck_denial(here)
    dana = here.slack.person(DANA)
    await dana.open_home()
    await here.slack.wait_for(lambda _: dana.home and "no run has picked this up" in str(dana.home.content))

    await dana.click_home(ids.WAKE)

    await here.slack.wait_for(lambda _: not has_buttons(card))
    await here.slack.wait_for(lambda _: ids.WAKE not in str(dana.home.content))
    assert not await is_stuck(here, asked)


async def test_a_stuck_answer_says_so_and_who_answers_wakes_its_run(here) -> None:
    asked = await here.ask_question(resume={"handler": "elsewhere"})
    card = await here.card(REPORTS)
    await here.slack.person(ANA).click(REPORTS, card.ts, ids.SKIP)
    await stick(here, asked)
    await here.shows(card, "The run does not know this yet")

    await here.slack.person(ANA).click(REPORTS, card.ts, ids.WAKE)

    await here.slack.wait_for(lambda _: not has_buttons(card))
    assert not await is_stuck(here, asked)


async def test_who_is_not_concerned_cannot_wake_a_run(here) -> None:
    asked, card = await stuck_denial(here)
    ben = here.slack.person("U07BEN9D1MT")

    await ben.click(DEPLOYS, card.ts, ids.WAKE)

    notes = await here.slack.wait_for(lambda _: ben.ephemerals(DEPLOYS))
    assert "You cannot wake this run" in plain(notes[0])
    assert await is_stuck(here, asked)


async def test_somebody_of_another_workspace_cannot_wake_a_run(here) -> None:
    from tests.e2e.test_bad_input import click, send

    asked, card = await stuck_denial(here)
    place_of_card = {"type": "message", "message_ts": card.ts, "channel_id": DEPLOYS}

    # An operator's id of another workspace is another person.
    for user in (STRANGER, {"id": CHIDI, "team_id": "T0ELSEWHERE"}, {"id": DANA, "team_id": "T0ELSEWHERE"}):
        status, _ = await send(here, click(ids.WAKE, asked["id"], user=user, container=place_of_card))
        assert status == 200

    assert await is_stuck(here, asked)


async def test_a_guest_wakes_no_run_even_where_they_are_named(here) -> None:
    asked = await here.ask(resume={"handler": "elsewhere"}, approvers={"users": [ANA, GUEST]}, channels=[GENERAL])
    card = await here.card(GENERAL)
    await here.slack.person(ANA).click(GENERAL, card.ts, ids.DENY)
    await stick(here, asked)
    await here.shows(card, "No run has picked this up")
    guest = here.slack.person(GUEST)

    await guest.click(GENERAL, card.ts, ids.WAKE)

    (note,) = await here.slack.wait_for(lambda _: guest.ephemerals(GENERAL))
    assert plain(note).startswith("You cannot wake this run: ")
    assert await is_stuck(here, asked)


async def test_waking_a_run_that_has_started_says_what_happened(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    await here.claim(asked)
    await here.shows(card, "Handed to")
    chidi, painted = here.slack.person(CHIDI), updates(here)

    await chidi.click(DEPLOYS, card.ts, ids.WAKE, value=asked["id"], forge=True)

    notes = await here.slack.wait_for(lambda _: chidi.ephemerals(DEPLOYS))
    assert "Already approved by @U07ANA4K2QX" in plain(notes[0])
    # The button stood on a card that should not have had it any more: it is painted again.
    await here.slack.wait_for(lambda _: updates(here) > painted)


def updates(here) -> int:
    return len([call for call in here.slack.calls if call.method == "chat.update"])


async def test_operators_see_what_is_stuck_in_their_list_and_wake_it_there(here) -> None:
    asked, _ = await stuck_denial(here)
    chidi = here.slack.person(CHIDI)

    shown = await chidi.command(GENERAL, "/pending", "all")
    hidden = await here.slack.person(DANA).command(GENERAL, "/pending", "all")

    assert "no run has picked this up" in shown.body
    assert "Deploy api" not in hidden.body
    listed = chidi.ephemerals(GENERAL)[-1]
    await chidi.click(GENERAL, listed.ts, ids.WAKE)
    assert not await is_stuck(here, asked)
