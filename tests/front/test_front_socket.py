"""The websocket of Socket Mode: one ticket, one try; every envelope answered where it came in; closed last."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from prometheus_client import CollectorRegistry

from bot.clock import SystemClock
from bot.slack.answering import Answer, Answering
from bot.slack.connection import Connection
from bot.slack.socket import Socket
from tests.front.slack_double import SlackDouble, Talk, slack_double, stay_silent, turn_away
from tests.front.stage import click

SOON = 10


async def echo(body: dict[str, Any], _: object) -> dict[str, Any]:
    return {"heard": body}


class Slow:
    """An answer that a test lets go."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()

    async def answer(self, body: dict[str, Any], _: object) -> dict[str, Any]:
        self.begun.set()
        await self.go_on.wait()
        return {"heard": body}


@asynccontextmanager
async def holding(slack: SlackDouble, answer: Answer = echo, **more: Any) -> AsyncIterator[Socket]:
    socket = Socket(app_token="xapp-1-test", base_url=slack.url, answer=answer, clock=SystemClock(), **more)
    socket.start()
    try:
        yield socket
    finally:
        await asyncio.wait_for(socket.stop(0), SOON)


async def soon(queue: asyncio.Queue[Any]) -> Any:
    return await asyncio.wait_for(queue.get(), SOON)


@pytest.mark.parametrize("first", [None, turn_away, stay_silent], ids=["refused", "turned away", "without a hello"])
async def test_a_connection_that_fails_is_tried_again_with_a_ticket_of_its_own(first) -> None:
    talk = Talk()
    async with slack_double(first, talk.meet) as slack, holding(slack, patience=0.3):
        used = [await soon(slack.used), await soon(slack.used)]
        await talk.envelope("e1", {"n": 1})
        answer = await soon(talk.received)

    assert used == ["t1", "t2"]
    assert answer == {"envelope_id": "e1", "payload": {"heard": {"n": 1}}}
    assert slack.used.empty()


async def test_a_connection_that_goes_silent_without_a_close_is_replaced_by_one_with_a_new_ticket(monkeypatch) -> None:
    monkeypatch.setattr(Connection, "HEARTBEAT", 0.2)
    talk, is_over = Talk(), asyncio.Event()

    async def fall_silent(websocket: web.WebSocketResponse) -> None:
        """Greets; then reads nothing, so that no ping is answered."""
        await websocket.send_json({"type": "hello"})
        await is_over.wait()

    async with slack_double(fall_silent, talk.meet) as slack, holding(slack) as socket:
        used = [await soon(slack.used), await soon(slack.used)]
        await talk.envelope("e1", {"n": 1})
        answer = await soon(talk.received)
        connected = socket.is_connected
        is_over.set()

    assert used == ["t1", "t2"]
    assert (answer["envelope_id"], connected) == ("e1", True)


async def test_what_is_being_answered_at_a_shutdown_is_answered_before_the_socket_closes() -> None:
    talk, slow = Talk(), Slow()
    async with slack_double(talk.meet) as slack, holding(slack, slow.answer) as socket:
        await talk.envelope("e1", {"n": 1})
        await slow.begun.wait()
        stopping = asyncio.create_task(socket.stop(SOON))
        await asyncio.sleep(0)
        await talk.envelope("e2", {"n": 2})
        # It would close within this, were there nothing to wait for.
        ended, _ = await asyncio.wait({stopping}, timeout=0.2)
        assert not ended
        slow.go_on.set()
        answer = await soon(talk.received)
        await stopping
        await asyncio.wait_for(talk.closed.wait(), SOON)

    assert answer["envelope_id"] == "e1"
    assert talk.received.empty()


async def test_an_answer_goes_out_on_the_websocket_that_asked_also_after_a_refresh() -> None:
    old, new, slow = Talk(), Talk(), Slow()
    async with slack_double(old.meet, new.meet) as slack, holding(slack, slow.answer):
        await old.envelope("e1", {"n": 1})
        await slow.begun.wait()
        await old.disconnect()
        await new.opened
        slow.go_on.set()
        answer = await soon(old.received)

    assert answer["envelope_id"] == "e1"
    assert new.received.empty()


async def test_an_answer_whose_websocket_is_gone_ends_nothing_else() -> None:
    old, new, slow = Talk(), Talk(), Slow()
    async with slack_double(old.meet, new.meet) as slack, holding(slack, slow.answer):
        await old.envelope("e1", {"n": 1})
        await slow.begun.wait()
        await (await old.opened).close()
        slow.go_on.set()
        await new.opened
        await new.envelope("e2", {"n": 2})
        answer = await soon(new.received)

    assert answer["envelope_id"] == "e2"


@pytest.mark.parametrize(
    "text", ["{bad", "[]", "null", '{"envelope_id": "e0"}', '{"envelope_id": "e0", "payload": []}']
)
async def test_what_cannot_be_read_is_passed_over(text) -> None:
    talk = Talk()
    async with slack_double(talk.meet) as slack, holding(slack):
        await (await talk.opened).send_str(text)
        await talk.envelope("e1", {"n": 1})
        answer = await soon(talk.received)

    assert answer["envelope_id"] == "e1"


async def test_the_metrics_show_whether_it_is_connected_and_when_it_last_heard_anything() -> None:
    talk, registry = Talk(), CollectorRegistry()
    async with slack_double(talk.meet) as slack, holding(slack) as socket:
        socket.show(registry)
        before = registry.get_sample_value("signoff_socket_last_envelope_seconds")
        await talk.envelope("e1", {"n": 1})
        await soon(talk.received)
        connected = registry.get_sample_value("signoff_socket_connected")
        last = registry.get_sample_value("signoff_socket_last_envelope_seconds")
        await socket.stop(0)
        after = registry.get_sample_value("signoff_socket_connected")

    assert (before, connected, after) == (0, 1, 0)
    assert last == socket.last_envelope_at.timestamp()


async def test_a_click_over_the_socket_that_takes_too_long_is_acknowledged_and_told_in_words(hurried) -> None:
    asked = await hurried.asked()
    hurried.store.hold()
    socket = Socket(
        app_token=hurried.slack.app_token,
        base_url=hurried.slack.api_url,
        answer=hurried.answering.answer,
        clock=hurried.parts.clock,
    )
    socket.start()
    await hurried.slack.wait_for(lambda _: len(hurried.slack.sockets))

    ack = await hurried.slack.sockets.deliver("interactive", click(asked), accepts=False)
    note = await hurried.note()
    hurried.store.gate.set()
    await socket.stop(5)

    assert ack.payload is None
    assert "We could not confirm your click." in note


async def test_a_stop_lets_the_inner_work_of_an_answer_end() -> None:
    talk, slow = Talk(), Slow()
    answering = Answering(handle=slow.answer, late=lambda *_: {"late": True}, budget=0.05)
    async with slack_double(talk.meet) as slack, holding(slack, answering.answer) as socket:
        await talk.envelope("e1", {"n": 1})
        late = await soon(talk.received)
        await socket.stop(SOON)
        slow.go_on.set()
        await answering.drain(SOON)

    assert late["payload"] == {"late": True}
    assert not answering._working
