"""Slack refuses: what is tried again and when, what is told, and that nothing is silent or endless."""

import pytest

from bot.refusals import (
    OLD_COPY_AGAIN,
    OLD_COPY_FOR,
    PLACE_AGAIN,
    PLACE_TRIES,
    REFUSED_TRIES,
    WORKSPACE_PAUSE,
    backoff,
)
from store.types import PostingState, Question, Role
from tests.blocks.cases import questions
from tests.paint.studio import ANA, ARCHIVED, BEN, DANA, DEPLOYS, GENERAL, NOT_A_MEMBER, REPORTS, has_buttons, shown

STALE = "Slack does not let us change the card. Buttons that it still shows do nothing."
FROZEN = ["cant_update_message", "edit_window_closed", "is_inactive"]


async def test_a_place_that_fails_is_failed_visibly_and_tried_each_minute_while_people_wait(studio) -> None:
    asked = await studio.ask(channels=(NOT_A_MEMBER,))
    await studio.pass_by(10)
    failed = await studio.posting(asked)
    assert (failed.state, failed.error) == (PostingState.FAILED, "not_in_channel")
    calls = len(studio.called("chat.postMessage"))

    await studio.pass_by(int(10 * PLACE_AGAIN))

    assert len(studio.called("chat.postMessage")) - calls == 10
    assert (await studio.posting(asked)).state is PostingState.FAILED


async def test_an_invited_app_posts_the_card_within_the_two_minutes_that_it_promised(studio) -> None:
    asked = await studio.ask(channels=(NOT_A_MEMBER,))
    await studio.pass_by(10)
    assert "within two minutes" in shown(studio.dms()[0])
    studio.slack.workspace.channels[NOT_A_MEMBER].members.add(studio.slack.workspace.bot_user)

    await studio.pass_by(120)

    assert has_buttons(studio.messages(NOT_A_MEMBER)[0])
    found = await studio.posting(asked)
    assert (found.state, found.error, found.failed_at) == (PostingState.POSTED, None, None)
    (notice,) = studio.dms()
    assert "The card is there now" in shown(notice)


async def test_a_place_that_never_saw_the_card_is_let_go_once_it_is_decided(studio) -> None:
    asked = await studio.ask(channels=(ARCHIVED, DEPLOYS))
    await studio.pass_by(10)
    await studio.approve(asked)
    await studio.paint(PLACE_AGAIN)
    calls = len(studio.called())

    await studio.pass_by(3 * int(OLD_COPY_AGAIN), step=60)

    assert len(studio.called()) == calls
    assert [copy.state for copy in await studio.postings(asked)] == [PostingState.FAILED, PostingState.POSTED]
    (notice,) = studio.dms()
    assert shown(notice) == f" It is over: Deploy api 1.4.2 to productionIts card never reached {ARCHIVED}."


async def test_one_message_tells_of_every_place_that_failed(studio) -> None:
    asked = await studio.ask(channels=(NOT_A_MEMBER, REPORTS))
    await studio.pass_by(10)
    (notice,) = studio.dms()
    assert f"Nobody in {NOT_A_MEMBER} can see this yet" in shown(notice)
    assert REPORTS not in shown(notice)
    studio.slack.faults.add("chat.update", error="channel_not_found", times=3)
    (standing,) = [copy for copy in await studio.postings(asked) if copy.ts is not None]
    await studio.touch(standing)

    await studio.pass_by(20)

    assert studio.dms() == [notice]
    assert f"Nobody in {NOT_A_MEMBER} can see this yet" in shown(notice)
    assert f"change the card in {REPORTS}: channel_not_found" in shown(notice)


async def test_a_message_that_became_untrue_on_its_way_is_put_right(studio) -> None:
    asked = await studio.ask(channels=(NOT_A_MEMBER,))
    await studio.paint()
    await studio.paint(1)
    studio.clock.advance(2)
    await studio.painter.start_due()
    await studio.painter.drain(10)
    with studio.client.gate("chat.postMessage", is_after=True) as gate:
        await studio.painter.start_due()
        await gate.reached.wait()
        found = {"channel": NOT_A_MEMBER, "ts": "1.000001"}
        await studio.store.adopt(tenant=asked.tenant, interaction_id=asked.id, **found, now=studio.clock.now())
    await studio.painter.drain(10)
    assert f"Nobody in {NOT_A_MEMBER}" in shown(studio.dms()[0])

    await studio.paint(3)

    (notice,) = studio.dms()
    assert "The card is there now" in shown(notice)


async def test_what_was_shown_as_failed_stays_so_while_slack_is_busy(studio) -> None:
    asked = await studio.ask(channels=(ARCHIVED,))
    await studio.pass_by(10)
    studio.slack.faults.add("chat.postMessage", status=429, retry_after=30, times=1)

    await studio.pass_by(70)

    copy = await studio.posting(asked)
    assert (copy.state, copy.attempts) == (PostingState.FAILED, PLACE_TRIES)
    assert copy.error in {"ratelimited", "is_archived"}


async def test_an_old_card_out_of_reach_is_tried_each_hour_for_a_week(studio) -> None:
    asked = await studio.ask(requested_by=None)
    await studio.paint()
    await studio.approve(asked)
    studio.slack.faults.add("chat.update", error="channel_not_found")
    await studio.pass_by(10)
    calls = len(studio.called("chat.update"))

    await studio.pass_by(int(OLD_COPY_FOR.total_seconds()), step=int(OLD_COPY_AGAIN))
    tries = len(studio.called("chat.update")) - calls
    await studio.pass_by(10 * int(OLD_COPY_AGAIN), step=int(OLD_COPY_AGAIN))

    assert tries == OLD_COPY_FOR.total_seconds() // OLD_COPY_AGAIN
    assert len(studio.called("chat.update")) - calls - tries <= 1


async def test_who_cannot_be_written_to_is_not_told_and_the_log_alone_alarms(studio) -> None:
    studio.slack.faults.add("conversations.open", error="missing_scope")
    asked = await studio.ask(users=(ANA,))

    await studio.pass_by(30)

    channel, person = await studio.postings(asked)
    assert (channel.state, person.state, person.error) == (PostingState.POSTED, PostingState.FAILED, "missing_scope")
    assert (await studio.posting(asked, Role.NOTICE)).state is PostingState.FAILED


async def test_a_missing_scope_for_messages_stops_everything_for_a_minute_and_no_longer(studio) -> None:
    fault = studio.slack.faults.add("chat.postMessage", error="missing_scope")
    asked = await studio.ask()
    await studio.paint()
    await studio.ask(channels=(REPORTS,))
    await studio.pass_by(int(WORKSPACE_PAUSE) - 1)
    assert len(studio.called()) == 1
    assert (await studio.posting(asked)).error == "missing_scope"
    studio.slack.faults.remove(fault)

    await studio.pass_by(5)

    assert [len(studio.messages(channel)) for channel in (DEPLOYS, REPORTS)] == [1, 1]


async def test_a_429_pauses_its_method_in_every_channel_and_no_other_method(studio) -> None:
    known = await studio.ask()
    await studio.paint()
    studio.slack.faults.add("chat.postMessage", status=429, retry_after=30, times=1)
    waiting = [await studio.ask(channels=(channel,)) for channel in (REPORTS, GENERAL)]
    await studio.paint(1)
    await studio.pass_by(3)
    await studio.approve(known)

    await studio.pass_by(25)

    assert not has_buttons(studio.messages()[0])
    assert len(studio.called("chat.postMessage")) <= 3
    assert [(await studio.posting(asked)).attempts for asked in waiting] == [0, 0]
    await studio.pass_by(5)
    assert [len(studio.messages(channel)) for channel in (REPORTS, GENERAL)] == [1, 1]


async def test_a_card_that_only_waits_for_its_turn_shows_no_error(studio) -> None:
    asked = [await studio.ask() for _ in range(8)]

    await studio.paint()

    copies = [await studio.posting(each) for each in asked]
    assert {copy.state for copy in copies} == {PostingState.WAITING, PostingState.POSTED}
    assert {copy.error for copy in copies} == {None}


@pytest.mark.parametrize("word", ["message_limit_exceeded", "ekm_access_denied", "a_word_of_next_year"])
async def test_a_refusal_without_a_remedy_backs_off_then_alarms_and_is_never_given_up(studio, word) -> None:
    fault = studio.slack.faults.add("chat.postMessage", error=word)
    asked = await studio.ask()
    await studio.pass_by(70)
    assert len(studio.called("chat.postMessage")) <= 2 * REFUSED_TRIES
    failed = await studio.posting(asked)
    assert (failed.state, failed.error) == (PostingState.FAILED, word)
    studio.slack.faults.remove(fault)

    await studio.pass_by(600, step=10)

    assert has_buttons(studio.messages()[0])
    assert "The card is there now" in shown(studio.dms()[0])


async def test_what_slack_does_not_take_whole_is_posted_plain(studio) -> None:
    studio.slack.faults.add("chat.postMessage", error="invalid_blocks", times=1)
    asked = await studio.ask()

    await studio.paint()

    (card,) = studio.messages()
    assert "could not be drawn whole" in shown(card)
    assert f"Waiting for {ANA} or {BEN}" in shown(card)
    assert (await studio.posting(asked)).state is PostingState.POSTED
    await studio.approve(asked)
    await studio.paint(1)
    assert "Approved" in shown(card)


async def test_what_slack_does_not_take_with_its_mentions_names_who_decides(studio) -> None:
    studio.slack.faults.add("chat.postMessage", error="invalid_blocks", times=2)
    asked = await studio.ask()

    await studio.paint()

    (card,) = studio.messages()
    assert "It waits for a decision from Ana Ruiz or Ben Okafor." in shown(card)
    assert (await studio.posting(asked)).state is PostingState.POSTED


async def test_a_plain_question_can_be_answered(studio) -> None:
    asked = questions(Question(id="region", prompt="Which region?"), created_at=studio.clock.now())
    await studio.store.create_question(question=asked)
    copy = await studio.store.adopt(
        tenant=asked.tenant, interaction_id=asked.id, channel=DEPLOYS, ts="1.000001", now=studio.clock.now()
    )
    studio.slack.faults.add("chat.update", error="invalid_blocks", times=1)
    studio.slack.faults.add("chat.update", error="message_not_found", times=1)
    await studio.touch(copy)

    await studio.paint(5)

    assert f"Waiting for an answer from {ANA}" in shown(studio.messages()[0])
    assert "Answer…" in shown(studio.messages()[0])


async def test_what_slack_takes_neither_whole_nor_plain_is_told(studio) -> None:
    studio.slack.faults.add("chat.postMessage", error="invalid_blocks", times=3)
    asked = await studio.ask()
    await studio.paint()
    assert (await studio.posting(asked)).state is PostingState.FAILED

    await studio.pass_by(5)

    assert "Slack refused the card for" in shown(studio.dms()[0])


async def test_an_open_card_that_was_deleted_is_posted_anew_once_in_its_thread(studio) -> None:
    await studio.ask()
    await studio.paint()
    parent = studio.messages()[0]
    asked = await studio.ask(thread_ts=parent.ts)
    await studio.paint(5)
    first = await studio.posting(asked)
    studio.slack.faults.add("chat.update", error="message_not_found", times=1)
    await studio.touch(first)

    await studio.pass_by(120)

    anew = await studio.posting(asked)
    assert anew.ts not in {None, first.ts}
    posts = studio.called("chat.postMessage")
    assert len(posts) == 3
    flags = ("channel", "thread_ts", "unfurl_links", "unfurl_media", "link_names", "parse")
    assert [posts[2][name] for name in flags] == [posts[1][name] for name in flags]
    assert posts[2]["thread_ts"] == parent.ts


async def test_a_closed_card_that_was_deleted_is_let_go(studio) -> None:
    asked = await studio.ask()
    await studio.paint()
    await studio.approve(asked)
    studio.slack.faults.add("chat.update", error="message_not_found")

    await studio.pass_by(120)

    assert len(studio.called("chat.postMessage")) == 1 + len(studio.told())
    assert len(studio.called("chat.update")) == 1


@pytest.mark.parametrize("word", FROZEN)
async def test_a_card_that_cannot_be_edited_keeps_its_error_and_its_thread_says_the_outcome_once(studio, word) -> None:
    asked = await studio.ask()
    await studio.paint()
    card = studio.messages()[0]
    studio.slack.faults.add("chat.update", error=word)
    await studio.approve(asked)
    await studio.pass_by(10)
    await studio.touch(await studio.posting(asked))

    await studio.pass_by(600, step=10)

    assert has_buttons(card)
    (told,) = studio.told()
    assert told.thread_ts == card.ts
    assert shown(told) == f"{DANA} Approved by Ana Ruiz. {STALE}"
    assert [*studio.messages(), *studio.dms()] == [card]
    failed = await studio.posting(asked)
    assert (failed.state, failed.error, failed.ts) == (PostingState.FAILED, word, card.ts)
    assert len(studio.called("chat.update")) <= 4


async def test_a_pending_card_that_cannot_be_edited_gets_its_outcome_when_there_is_one(studio) -> None:
    asked = await studio.ask(users=(BEN,))
    await studio.paint()
    studio.slack.faults.add("chat.update", error="edit_window_closed")
    for copy in await studio.postings(asked):
        await studio.touch(copy)
    await studio.pass_by(10)
    assert len(studio.messages()) == 1
    assert "Its buttons still count" in shown(studio.dms()[0])
    await studio.approve(asked)

    await studio.pass_by(70)

    assert [shown(told) for told in studio.told()] == [f"{DANA} Approved by Ana Ruiz. {STALE}"]
    assert shown(studio.dms(BEN)[1]) == f"Approved by Ana Ruiz. {STALE}"
    assert len(studio.dms()) == 1


async def test_a_fault_of_our_own_is_seen_in_the_api_and_heals(studio) -> None:
    asked = await studio.ask()
    real = studio.store.find_interaction
    studio.store.find_interaction = _broken
    await studio.pass_by(70)
    failed = await studio.posting(asked)
    assert (failed.state, failed.error) == (PostingState.FAILED, "(internal)")
    studio.store.find_interaction = real

    await studio.pass_by(70)

    assert (await studio.posting(asked)).state is PostingState.POSTED


async def _broken(**_: object) -> None:
    raise ConnectionError("the database went away")


def test_backing_off_has_no_end_and_no_overflow() -> None:
    assert [backoff(attempts) for attempts in (0, 1, 2, 8, 9, 5000)] == [1, 2, 4, 256, 300, 300]
