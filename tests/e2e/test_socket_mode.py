"""Socket Mode: the same listeners over a websocket, for one replica and for two."""

import pytest

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, DEPLOYS, REPORTS, at, plain


@pytest.fixture
async def here(database):
    async with (
        Sandbox() as slack,
        at(slack, database, SLACK_SIGNING_SECRET="", SLACK_APP_TOKEN=slack.app_token) as found,
    ):
        await slack.wait_for(lambda _: len(slack.sockets))
        yield found


async def test_a_click_over_the_socket_decides_and_the_second_is_told(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)

    clicked = await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
    await here.slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY, stale=True)

    assert (clicked.ok, clicked.delivery.via) == (True, "socket")
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"
    notes = await here.slack.wait_for(lambda _: here.slack.person(BEN).ephemerals(DEPLOYS))
    assert "Already approved" in plain(notes[0])


async def test_commands_and_forms_are_answered_over_the_socket(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    ana = here.slack.person(ANA)

    shown = await ana.command(DEPLOYS, "/pending")
    await ana.click(DEPLOYS, card.ts, ids.DENY_REASON)
    await here.slack.wait_for(lambda _: ana.modal)
    await ana.submit(state={ids.REASON_BLOCK: {ids.TEXT: "Not today."}})

    assert "1 waits for you" in shown.body
    assert (await here.read(asked["id"], wait=5))["feedback"] == "Not today."


async def test_a_connection_that_slack_closes_is_opened_anew(here) -> None:
    await here.slack.sockets.disconnect()
    await here.slack.wait_for(lambda _: len(here.slack.sockets), timeout=20)

    asked = await here.ask_question()
    card = await here.card(REPORTS)
    clicked = await here.slack.person(ANA).click(REPORTS, card.ts, ids.SKIP)

    assert clicked.delivery.via == "socket"
    assert (await here.read(asked["id"], wait=5))["state"] == "answered"
