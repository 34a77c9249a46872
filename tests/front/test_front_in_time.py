"""Whatever is slow or broken behind the doors, a person gets words: never Slack's own error, never a guess."""

import asyncio
from urllib.parse import urlencode

from bot.slack.answering import Answering
from tests.front.stage import click, command, submission

UNSURE = "We could not confirm your click."


async def test_a_click_that_takes_too_long_is_told_so_and_still_counts(hurried) -> None:
    asked = await hurried.asked()
    hurried.store.hold()

    reply = await hurried.post(click(asked))

    assert (reply.status, reply.text) == (200, "")
    assert UNSURE in await hurried.note()
    assert await hurried.state(asked) == "pending"
    hurried.store.gate.set()
    await hurried.answering.drain(5)
    assert await hurried.state(asked) == "approved"


async def test_a_form_that_takes_too_long_shows_so_in_its_place_with_what_was_typed(hurried) -> None:
    asked = await hurried.asked()
    hurried.store.hold()

    reply = await hurried.post(submission(asked, reason="Freeze until Monday."))

    assert (reply.status, reply.json["response_action"]) == (200, "update")
    assert UNSURE in reply.text
    assert "Freeze until Monday." in reply.text


async def test_a_command_that_takes_too_long_is_answered_in_words(hurried) -> None:
    hurried.store.hold()

    reply = await hurried.send(urlencode(command()).encode())

    assert (reply.status, reply.json["response_type"]) == (200, "ephemeral")
    assert UNSURE in reply.text


async def test_a_choice_in_a_form_that_takes_too_long_needs_no_words(hurried) -> None:
    hurried.store.hold()

    reply = await hurried.post({"type": "view_closed", "view": {"type": "modal", "callback_id": "so.review"}})

    assert (reply.status, reply.text) == (200, "")


async def test_a_click_while_nobody_can_read_whose_it_is_changes_nothing_and_does_not_say_gone(stage) -> None:
    asked = await stage.asked()
    stage.store.away = {"find_installation_of_team"}

    clicked = await stage.post(click(asked))
    submitted = await stage.post(submission(asked))
    commanded = await stage.send(urlencode(command()).encode())

    assert [clicked.status, submitted.status, commanded.status] == [200, 200, 200]
    assert UNSURE in await stage.note()
    assert UNSURE in submitted.text
    assert "not here any more" not in submitted.text + commanded.text
    assert commanded.json["response_type"] == "ephemeral"
    assert await stage.state(asked) == "pending"


async def test_the_next_click_after_the_database_is_back_decides(stage) -> None:
    asked = await stage.asked()
    stage.store.away = {"find_installation_of_team"}
    await stage.post(click(asked))
    stage.store.away = set()

    await stage.post(click(asked))

    assert await stage.state(asked) == "approved"


async def test_a_caller_that_hangs_up_cuts_no_commit(stage) -> None:
    asked = await stage.asked()
    stage.store.hold()
    calling = asyncio.create_task(stage.post(click(asked)))
    await stage.store.reached.wait()
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)

    stage.store.gate.set()
    await stage.answering.drain(5)

    assert await stage.state(asked) == "approved"


async def test_a_click_in_flight_at_a_shutdown_is_answered_and_stored(stage) -> None:
    asked = await stage.asked()
    stage.store.hold()
    calling = asyncio.create_task(stage.post(click(asked)))
    await stage.store.reached.wait()

    ending = asyncio.create_task(stage.runner.cleanup())
    await asyncio.sleep(0)
    stage.store.gate.set()
    reply = await calling
    await ending

    assert reply.status == 200
    assert await stage.state(asked) == "approved"


async def test_what_does_not_end_at_a_shutdown_is_cut_off_in_time() -> None:
    begun, cut = asyncio.Event(), asyncio.Event()

    async def stay(*_: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cut.set()

    answering = Answering(handle=stay, late=lambda *_: {"late": True}, budget=60)
    waiting = asyncio.create_task(answering.answer({}, None))  # type: ignore[arg-type]  # nothing looks at the time
    await begun.wait()

    await answering.drain(0)

    assert cut.is_set()
    assert await waiting == {"late": True}


async def test_a_request_that_breaks_is_answered_as_unconfirmed() -> None:
    async def breaks(*_: object) -> None:
        raise RuntimeError("something around it")

    answering = Answering(handle=breaks, late=lambda *_: {"late": True})

    assert await answering.answer({}, None) == {"late": True}  # type: ignore[arg-type]  # as above
