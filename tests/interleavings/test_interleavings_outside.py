"""Two things at once where Slack or a run is one of them: a late post, a frozen painter, a receiver, a wait."""

import asyncio
from datetime import timedelta
from typing import Any

from blocks import ids
from bot.lookups import Lookups
from bot.reconcile import LEASE
from bot.resume import Resumed, on_resume
from store.answers import Choice
from store.types import Interaction, Resume, ResumeKind, State
from tests.e2e.house import ANA, DEPLOYS, place, plain
from tests.paint.studio import has_buttons, shown
from tests.parts import Parts
from tests.resume.stage import dispatching, now, receiving, sending

LEASED = LEASE.total_seconds()


async def test_a_click_while_the_post_is_still_in_flight_decides_and_the_card_ends_closed(studio) -> None:
    asked = await studio.ask()
    with studio.client.gate("chat.postMessage", is_after=True) as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        # It stands in Slack, and nobody here knows yet where: somebody clicks.
        (message,) = studio.messages()
        await studio.approve(asked)
        where = {"tenant": asked.tenant, "interaction_id": asked.id, "channel": DEPLOYS, "ts": message.ts}
        await studio.store.adopt(**where, now=studio.clock.now())
    await studio.painter.drain(10)

    await studio.pass_by(10)

    assert len(studio.messages()) == 1
    assert "Approved" in shown(studio.messages()[0])
    assert not has_buttons(studio.messages()[0])
    assert len(await studio.postings(asked)) == 1


async def test_a_painter_frozen_past_its_lease_and_thawed_leaves_no_live_button(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.touch(await studio.posting(asked))
    with studio.client.gate("chat.update") as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        await studio.approve(asked)
        await studio.paint(LEASED, painter=studio.other)
    await studio.painter.drain(10)
    assert has_buttons(studio.messages()[0])

    await studio.pass_by(10)

    assert [has_buttons(copy) for copy in studio.messages()] == [False]


async def test_a_receiver_that_says_2xx_and_never_claims_is_woken_by_new_messages_then_shown_as_stuck(parts) -> None:
    key, _ = await parts.key()
    async with (
        receiving() as receiver,
        sending(parts) as courier,
        dispatching(parts, webhooks=courier) as dispatcher,
    ):
        asked = await parts.ask(key, resume=Resume(kind=ResumeKind.WEBHOOK, target=receiver.url))
        await parts.decide(asked)
        got = [await asyncio.wait_for(receiver.arrived.get(), 5)]
        for minutes in (1, 5, 30):
            # Told is what its telling's end says, not the arrival.
            await dispatcher.drain(5)
            parts.clock.advance(minutes * 60)
            parts.hub.ring()
            got.append(await asyncio.wait_for(receiver.arrived.get(), 5))
        await dispatcher.drain(5)
    parts.clock.advance(30 * 60)
    await parts.store.mark_stuck(now=parts.clock.now())

    assert [each.json["data"]["wake"] for each in got] == [0, 1, 2, 3]
    assert len({each.headers["webhook-id"] for each in got}) == 4
    assert (await now(parts, asked)).resumption.stuck_at is not None


async def test_a_click_on_a_row_that_only_one_person_sees_makes_no_copy_of_it(tmp_path) -> None:
    async with place(f"sqlite:///{tmp_path}/signoff.db") as here:
        asked = await here.ask()
        card = await here.card(DEPLOYS)
        ana = here.slack.person(ANA)
        await ana.command(DEPLOYS, "/pending")
        await here.slack.wait_for(lambda _: ana.ephemerals(DEPLOYS))
        listed = ana.ephemerals(DEPLOYS)[-1]

        await ana.click(DEPLOYS, listed.ts, ids.APPROVE)

        await here.shows(card, "Approved")
        read = await here.read(asked["id"])
        cards = [(copy["channel"], copy["ts"]) for copy in read["postings"] if copy["role"] == "card"]
        assert cards == [(DEPLOYS, card.ts)]
        assert "Approved" in plain(card)


class DecidedMeanwhile:
    """A real store in which somebody decides right after the first read, and says so."""

    def __init__(self, parts: Parts, asked: Interaction) -> None:
        self._parts = parts
        self._asked: Interaction | None = asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parts.store, name)

    async def find_interaction(self, **which: Any) -> Interaction | None:
        found = await self._parts.store.find_interaction(**which)
        if self._asked is not None:
            asked, self._asked = self._asked, None
            await self._parts.decide(asked)
        return found


async def test_a_decision_between_the_read_and_the_waiting_of_a_wait_is_not_lost(parts) -> None:
    key, _ = await parts.key()
    asked = await parts.ask(key)
    store: Any = DecidedMeanwhile(parts, asked)
    lookups = Lookups(store=store, hub=parts.hub, directory=parts.directory)

    async with asyncio.timeout(5):
        view = await lookups.wait(tenant=asked.tenant, id=asked.id, seconds=60)

    assert view.interaction.state is State.APPROVED


async def test_a_slow_handler_of_a_question_past_its_lease_is_told_once_and_its_end_counts(parts) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    calls: list[str] = []

    @on_resume("report")
    async def report(resumed: Resumed) -> None:
        calls.append(resumed.interaction.id)
        begun.set()
        await go_on.wait()

    key, _ = await parts.key()
    asked = await parts.ask_question(key, resume=Resume(kind=ResumeKind.HANDLER, target="report"))
    async with dispatching(parts, report):
        await parts.answer(asked, {"region": Choice(option_ids=("eu",))})
        await asyncio.wait_for(begun.wait(), 5)
        # Its lease is over; a second worker looks, and so does this one.
        parts.clock.advance(timedelta(minutes=10).total_seconds())
        parts.hub.ring()
        go_on.set()
    told = await now(parts, asked)

    assert calls == [asked.id]
    assert told.resumption.told_at is not None
    assert told.resumption.due_at is None
