"""A line that its thread refuses reaches who asked another way, once; what failed and how it ended are not said twice."""

import asyncio

import pytest

from bot.reconcile import LEASE
from bot.refusals import OLD_COPY_FOR, PLACE_TRIES, REFUSED_TRIES
from store.types import About, Actor, ActorKind, ExecutionStatus, PostingState, Role, Surface
from tests.paint.studio import ANA, BEN, DANA, DEPLOYS, REPORTS, has_buttons, shown

TITLE = "Deploy api 1.4.2 to production"
APPROVED = f" Approved by {ANA}: {TITLE}"
DEAD = "Buttons that it still shows do nothing."
STALE = f"Slack does not let us change the card in {DEPLOYS}: is_inactive. {DEAD}"
LEASED = LEASE.total_seconds()
A_WEEK = int(OLD_COPY_FOR.total_seconds())


async def approved(studio, **more):
    """Its card stands there, painted as it was before the decision."""
    asked = await studio.ask(**more)
    await studio.paint()
    await studio.approve(asked)
    return asked


async def ran(studio, asked) -> None:
    one = {"tenant": asked.tenant, "id": asked.id, "claim_id": "c1"}
    await studio.store.claim_approval(**one, digest=asked.digest, at=studio.clock.now())
    await studio.store.report_execution(**one, status=ExecutionStatus.SUCCEEDED, at=studio.clock.now())


@pytest.mark.parametrize(
    ("word", "tries"),
    [
        ("restricted_action_thread_locked", PLACE_TRIES),
        ("cannot_reply_to_message", PLACE_TRIES),
        ("not_in_channel", PLACE_TRIES),
        ("a_word_of_next_year", REFUSED_TRIES),
    ],
)
async def test_a_line_that_its_thread_refuses_is_one_direct_message_and_the_next_goes_there_too(
    studio, word, tries
) -> None:
    asked = await approved(studio)
    studio.slack.faults.add("chat.postMessage", error=word, times=tries)
    await studio.pass_by(90)
    assert [shown(line) for line in studio.dms()] == [APPROVED]
    posts = len(studio.called("chat.postMessage"))
    await ran(studio, asked)

    await studio.pass_by(30)

    assert [shown(line) for line in studio.dms()] == [APPROVED, f" Done: {TITLE}"]
    assert len(studio.called("chat.postMessage")) == posts + 1
    assert studio.told() == []
    lines = await studio.postings(asked, Role.OUTCOME)
    assert [(line.about, line.address, line.thread_ts, line.state) for line in lines] == [
        (about, DANA, None, PostingState.POSTED) for about in (About.RESOLVED, About.RAN)
    ]


async def test_what_is_refused_in_the_direct_message_as_well_is_failed_and_nothing_goes_on(studio) -> None:
    asked = await approved(studio)
    studio.slack.faults.add("chat.postMessage", error="restricted_action")
    studio.slack.faults.add("conversations.open", error="user_disabled")
    await studio.pass_by(60)
    await ran(studio, asked)
    await studio.pass_by(60)
    lines = await studio.postings(asked, Role.OUTCOME)
    assert [(line.about, line.state, line.error) for line in lines] == [
        (about, PostingState.FAILED, "user_disabled") for about in (About.RESOLVED, About.RAN)
    ]
    calls = len(studio.called())

    await studio.pass_by(A_WEEK, step=3600)

    assert len(studio.called()) == calls
    assert studio.dms() == studio.told() == []


async def test_two_painters_at_once_send_it_to_one_place_only(studio) -> None:
    asked = [await studio.ask() for _ in range(3)]
    await studio.pass_by(5)
    studio.slack.workspace.archive(DEPLOYS)
    for one in asked:
        await studio.approve(one)

    for _ in range(60):
        await asyncio.gather(studio.paint(), studio.paint(painter=studio.other))
        studio.clock.advance(1)

    assert [shown(line) for line in studio.dms()] == [APPROVED + STALE] * len(asked)
    assert studio.told() == []


async def test_a_painter_that_dies_before_it_sends_the_line_elsewhere_leaves_that_to_the_next(studio) -> None:
    asked = await approved(studio)
    studio.slack.workspace.archive(DEPLOYS)
    await studio.pass_by(2)
    assert (await studio.posting(asked, Role.OUTCOME)).attempts == PLACE_TRIES - 1
    readdress, retry = studio.store.readdress_posting, studio.store.retry_posting
    studio.store.readdress_posting = studio.store.retry_posting = _dies
    await studio.pass_by(8)
    assert studio.dms() == []
    studio.store.readdress_posting, studio.store.retry_posting = readdress, retry

    await studio.pass_by(60)

    assert [shown(line) for line in studio.dms()] == [APPROVED + STALE]


async def test_a_painter_that_dies_as_it_gives_a_card_up_loses_no_line(studio) -> None:
    await approved(studio)
    studio.slack.faults.add("chat.update", error="edit_window_closed")
    retry = studio.store.retry_posting

    async def dies_after(**fields: object) -> bool:
        await retry(**fields)
        return await _dies()

    studio.store.retry_posting = dies_after
    await studio.painter.start_due()
    await studio.painter.drain(10)
    studio.store.retry_posting = retry

    await studio.pass_by(60)

    stale = f"Slack does not let us change the card. {DEAD}"
    assert [shown(line) for line in studio.told()] == [f"{DANA} Approved by Ana Ruiz. {stale}"]


async def test_a_line_that_turned_out_to_stand_in_the_thread_is_not_sent_elsewhere(studio) -> None:
    asked = await approved(studio)
    await studio.painter.start_due()
    await studio.painter.drain(10)
    with studio.client.gate("chat.postMessage", is_after=True) as slow:
        await studio.painter.start_due()
        await slow.reached.wait()
        studio.slack.faults.add("chat.postMessage", error="not_in_channel", times=PLACE_TRIES)
        await studio.paint(LEASED, painter=studio.other)
        await studio.paint(1, painter=studio.other)
        with studio.client.gate("chat.postMessage") as last:
            studio.clock.advance(2)
            await studio.other.start_due()
            await last.reached.wait()
            slow.opened.set()
            await studio.painter.drain(10)
        await studio.other.drain(10)

    await studio.pass_by(60)

    assert [shown(line) for line in studio.told()] == [f"{DANA} Approved by Ana Ruiz."]
    assert studio.dms() == []
    line = await studio.posting(asked, Role.OUTCOME)
    assert (line.ts, line.state, line.painted) == (studio.told()[0].ts, PostingState.POSTED, line.wanted)


async def test_a_channel_archived_before_the_end_leaves_one_message_that_says_both(studio) -> None:
    await approved(studio)
    studio.slack.workspace.archive(DEPLOYS)

    await studio.pass_by(A_WEEK // 100, step=10)

    assert [shown(line) for line in studio.dms()] == [APPROVED + STALE]
    assert len(studio.messages()) == 1


async def test_a_notice_of_before_says_that_it_is_over_and_the_line_how_it_ended(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    studio.slack.workspace.archive(DEPLOYS)
    await studio.touch(await studio.posting(asked))
    await studio.pass_by(10)
    assert "Its buttons still count" in shown(studio.dms()[0])
    await studio.approve(asked)

    await studio.pass_by(60)

    assert [shown(line) for line in studio.dms()] == [f" It is over: {TITLE}{STALE}", APPROVED]


async def test_a_card_frozen_beside_one_that_stands_is_told_apart_from_the_outcome(studio) -> None:
    await approved(studio, channels=(DEPLOYS, REPORTS))
    studio.slack.workspace.archive(DEPLOYS)

    await studio.pass_by(60)

    assert [shown(line) for line in studio.told(REPORTS)] == [f"{DANA} Approved by Ana Ruiz."]
    assert [shown(line) for line in studio.dms()] == [f" It is over: {TITLE}{STALE}"]
    assert not has_buttons(studio.messages(REPORTS)[0])


async def test_who_decided_it_themselves_is_told_only_of_the_card(studio) -> None:
    asked = await studio.ask(channels=(), users=(BEN,))
    await studio.paint()
    actor = Actor(kind=ActorKind.REQUESTER, id=DANA)
    at = {"at": studio.clock.now(), "surface": Surface.CARD}
    await studio.store.withdraw(tenant=asked.tenant, id=asked.id, actor=actor, **at)
    studio.slack.faults.add("chat.update", error="edit_window_closed")

    await studio.pass_by(60)

    stale = f"Slack does not let us change the card for {BEN}: edit_window_closed. {DEAD}"
    assert [shown(line) for line in studio.dms()] == [f" It is over: {TITLE}{stale}"]


async def test_a_card_that_fails_while_the_line_is_on_its_way_is_told_of_all_the_same(studio) -> None:
    asked = await studio.ask(channels=(), users=(ANA, BEN))
    await studio.paint()
    await studio.approve(asked)
    await studio.painter.start_due()
    await studio.painter.drain(10)
    (copy, _) = await studio.postings(asked)
    with studio.client.gate("chat.postMessage", is_after=True) as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        studio.slack.faults.add("chat.update", error="edit_window_closed", times=1)
        await studio.touch(copy)
        await studio.paint(1, painter=studio.other)
        assert await studio.postings(asked, Role.NOTICE) == []
    await studio.painter.drain(10)

    await studio.pass_by(30)

    stale = f"Slack does not let us change the card for {copy.address}: edit_window_closed. {DEAD}"
    assert [shown(line) for line in studio.dms()] == [APPROVED, f" It is over: {TITLE}{stale}"]


async def _dies(**_: object) -> bool:
    raise ConnectionError("the process is gone")
