"""Slack is away for a while: every copy is right soon after, and none is there twice but where an answer was lost."""

from store.types import ExecutionStatus
from tests.paint.studio import DANA, DEPLOYS, GENERAL, REPORTS, has_buttons, shown

CHANNELS = (DEPLOYS, REPORTS, GENERAL)
#: Seconds without Slack, and those after which the cards are right; the lines have as long again.
OUTAGE, SOON = 600, 60
#: Approvals decided, claimed and reported meanwhile; asked meanwhile: two hundred transitions.
DECIDED, ASKED = 60, 20


async def test_ten_minutes_without_slack_and_two_hundred_transitions(studio) -> None:
    before = [await studio.ask(channels=(CHANNELS[number % 3],)) for number in range(DECIDED)]
    await studio.pass_by(40)
    assert len(cards(studio)) == DECIDED

    down = studio.slack.faults.add("*", down=True)
    meanwhile = [await studio.ask(channels=(CHANNELS[number % 3],)) for number in range(ASKED)]
    transitions = ASKED
    for asked in before:
        await studio.approve(asked)
        await _run(studio, asked)
        transitions += 3
        await studio.pass_by(OUTAGE // DECIDED, step=5)
    assert (transitions, len(cards(studio))) == (200, DECIDED)
    studio.slack.faults.remove(down)

    await studio.pass_by(SOON)

    assert len(cards(studio)) == DECIDED + ASKED
    assert sorted(has_buttons(card) for card in cards(studio)) == [False] * DECIDED + [True] * ASKED
    assert all(has_buttons(card) or "Done" in shown(card) for card in cards(studio))
    copies = [await studio.posting(asked) for asked in (*before, *meanwhile)]
    assert all(copy.painted == copy.wanted and copy.error is None for copy in copies)

    await studio.pass_by(SOON)

    lines = [line for channel in CHANNELS for line in studio.told(channel)]
    said = [f"{DANA} Approved by Ana Ruiz.", f"{DANA} Done."]
    assert {thread: [shown(line) for line in lines if line.thread_ts == thread] for thread in _threads(lines)} == {
        copy.ts: said for copy in copies[:DECIDED]
    }
    assert studio.dms() == []


async def test_a_card_is_posted_twice_only_where_slacks_answer_was_lost_and_both_are_closed(studio) -> None:
    studio.slack.faults.add("chat.postMessage", drop_reply=True, times=1)
    asked = await studio.ask()
    await studio.pass_by(60)
    lost, known = studio.messages()
    await studio.store.adopt(
        tenant=asked.tenant, interaction_id=asked.id, channel=lost.channel, ts=lost.ts, now=studio.clock.now()
    )
    await studio.approve(asked)

    await studio.pass_by(10)

    assert ["Approved" in shown(copy) for copy in (lost, known)] == [True, True]
    assert len(studio.messages()) == 2


async def test_an_error_page_or_a_500_is_tried_again_and_an_edit_at_least_twice_a_minute(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    studio.slack.faults.add("chat.update", html=True, times=4)
    gone = studio.slack.faults.add("chat.update", status=500)
    await studio.pass_by(OUTAGE, step=5)
    assert has_buttons(studio.messages()[0])
    studio.slack.faults.remove(gone)

    await studio.pass_by(30)

    assert "Approved" in shown(studio.messages()[0])
    assert len(studio.messages()) == 1


async def test_an_approval_that_nobody_used_in_time_says_so_on_its_card(studio) -> None:
    asked = await studio.ask()
    await studio.approve(asked)
    studio.clock.advance(asked.run_within.total_seconds() + 1)
    await studio.store.mark_stuck(now=studio.clock.now())

    await studio.paint(1)

    assert "Not started in time" in shown(studio.messages()[0])


def cards(studio):
    return [card for channel in CHANNELS for card in studio.messages(channel)]


def _threads(lines) -> set[str | None]:
    return {line.thread_ts for line in lines}


async def _run(studio, asked) -> None:
    """Claimed and reported as done: two transitions more."""
    one = {"tenant": asked.tenant, "id": asked.id, "claim_id": f"claim-{asked.id}"}
    await studio.store.claim_approval(**one, digest=asked.digest, at=studio.clock.now())
    await studio.store.report_execution(**one, status=ExecutionStatus.SUCCEEDED, at=studio.clock.now())
