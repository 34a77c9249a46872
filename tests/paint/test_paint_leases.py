"""A painter that was slow, frozen or cut off: what it did late does no harm, and what it left undone is done."""

import asyncio

from bot.reconcile import LEASE
from bot.slack.client import CALL_TIMEOUT
from store.types import State
from tests.paint.studio import ANA, DEPLOYS, GENERAL, REPORTS, has_buttons, shown

LEASED = LEASE.total_seconds()
TOO_LATE = LEASED - CALL_TIMEOUT + 1


async def test_a_late_call_that_overwrote_a_newer_card_is_painted_over(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.touch(await studio.posting(asked))
    with studio.client.gate("chat.update") as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        await studio.approve(asked)
        await studio.paint(LEASED, painter=studio.other)
        assert "Approved" in shown(studio.messages()[0])
    await studio.painter.drain(10)
    assert has_buttons(studio.messages()[0])
    assert (await studio.posting(asked)).wanted > (await studio.posting(asked)).painted

    await studio.paint(1)

    assert "Approved" in shown(studio.messages()[0])
    assert len(studio.messages()) == 1


async def test_a_first_post_that_came_back_after_its_lease_is_still_known(studio) -> None:
    asked = await studio.ask()
    with studio.client.gate("chat.postMessage", is_after=True) as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        studio.clock.advance(LEASED)
        await studio.paint(painter=studio.other)
    await studio.painter.drain(10)
    await studio.approve(asked)

    await studio.paint(LEASED)

    assert len(studio.messages()) == 2
    assert [has_buttons(copy) for copy in studio.messages()] == [False, False]


async def test_a_first_post_that_went_out_after_its_lease_and_the_decision_leaves_no_live_button(studio) -> None:
    asked = await studio.ask()
    with studio.client.gate("chat.postMessage") as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        await studio.paint(LEASED, painter=studio.other)
        await studio.approve(asked)
        await studio.paint(1, painter=studio.other)
        assert [has_buttons(copy) for copy in studio.messages()] == [False]
    await studio.painter.drain(10)
    assert [has_buttons(copy) for copy in studio.messages()] == [False, True]

    await studio.pass_by(10)

    assert ["Approved" in shown(copy) for copy in studio.messages()] == [True, True]
    assert [has_buttons(copy) for copy in studio.messages()] == [False, False]


async def test_a_card_posted_anew_after_its_lease_and_the_decision_leaves_no_live_button(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.touch(await studio.posting(asked))
    studio.slack.faults.add("chat.update", error="message_not_found", times=1)
    with studio.client.gate("chat.postMessage") as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        await studio.approve(asked)
        await studio.paint(LEASED, painter=studio.other)
    await studio.painter.drain(10)
    assert [has_buttons(copy) for copy in studio.messages()] == [False, True]

    await studio.pass_by(10)

    assert [has_buttons(copy) for copy in studio.messages()] == [False, False]


async def test_a_painter_frozen_while_it_draws_calls_nothing_after_its_lease(studio) -> None:
    await studio.ask()
    with studio.client.gate("users.info") as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        studio.clock.advance(TOO_LATE)
    await studio.painter.drain(10)
    assert studio.called() == []

    await studio.paint(LEASED - TOO_LATE, painter=studio.other)

    assert len(studio.messages()) == 1


async def test_the_lease_is_looked_at_before_each_call_and_an_opened_dm_is_remembered(studio) -> None:
    asked = await studio.ask(channels=(), users=(ANA,))
    with studio.client.gate("conversations.open", is_after=True) as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        studio.clock.advance(TOO_LATE)
    await studio.painter.drain(10)
    assert studio.called("chat.postMessage") == []
    assert (await studio.posting(asked)).channel == studio.slack.workspace.dm(ANA).id

    await studio.paint(LEASED - TOO_LATE)

    assert len(studio.dms(ANA)) == 1
    assert len(studio.called("conversations.open")) == 1


async def test_a_dm_that_another_painter_took_over_is_left_to_it(studio) -> None:
    await studio.ask(channels=(), users=(ANA,))
    with studio.client.gate("conversations.open", is_after=True) as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        await studio.paint(LEASED, painter=studio.other)
    await studio.painter.drain(10)

    assert len(studio.dms(ANA)) == 1


async def test_two_painters_at_once_post_each_card_once(studio) -> None:
    asked = [await studio.ask(channels=(DEPLOYS, REPORTS, GENERAL)) for _ in range(3)]

    for _ in range(10):
        await asyncio.gather(studio.paint(), studio.paint(painter=studio.other))
        studio.clock.advance(1)

    assert [len(studio.messages(channel)) for channel in (DEPLOYS, REPORTS, GENERAL)] == [3, 3, 3]
    assert {one.state for one in asked} == {State.PENDING}
