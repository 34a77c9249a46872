"""What a call's outcome is taken for, and that drawing a big card lets everything else go on."""

import asyncio
import json
import socket
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from bot.slack.client import Failed, SlackClient, Trouble, open_session
from tests.paint.studio import DEPLOYS


@pytest.mark.parametrize(
    ("fault", "trouble"),
    [
        ({"down": True}, Trouble.RETRY),
        ({"status": 503}, Trouble.RETRY),
        ({"html": True}, Trouble.RETRY),
        ({"status": 403}, Trouble.REFUSED),
        ({"error": "internal_error"}, Trouble.RETRY),
        ({"error": "a_word_of_next_year"}, Trouble.REFUSED),
        ({"error": "message_not_found"}, Trouble.GONE),
        ({"error": "edit_window_closed"}, Trouble.FROZEN),
        ({"error": "missing_scope"}, Trouble.WORKSPACE),
        ({"status": 429, "retry_after": 7}, Trouble.LIMITED),
    ],
)
async def test_an_outcome_says_what_to_do_about_it_and_which_method_it_was(studio, fault, trouble) -> None:
    studio.slack.faults.add("chat.postMessage", **fault, times=1)

    outcome = await studio.client.call("chat.postMessage", channel=DEPLOYS, text="hello")

    assert isinstance(outcome, Failed)
    assert (outcome.trouble, outcome.method) == (trouble, "chat.postMessage")
    assert outcome.retry_after == fault.get("retry_after")


async def test_a_connection_that_was_never_made_did_nothing() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/api/"
        async with open_session() as session:
            outcome = await SlackClient(token="xoxb-0", base_url=url, session=session).call("chat.postMessage")

    assert isinstance(outcome, Failed)
    assert outcome.trouble is Trouble.DOWN


class Beside(ThreadPoolExecutor):
    """The loop's own threads. `given`: how often something was done on one of them."""

    given = 0

    def submit(self, *what: Any, **more: Any) -> Future[Any]:
        self.given += 1
        return super().submit(*what, **more)


@pytest.mark.parametrize(("keys", "beside"), [(2_000, 1), (5, 0)], ids=["big", "small"])
async def test_a_big_input_is_drawn_beside_the_event_loop_and_a_small_one_at_once(studio, keys, beside) -> None:
    asked = await studio.ask(input_json=json.dumps({f"key_{number}": "x" * 90 for number in range(keys)}))
    await studio.paint()
    copy = await studio.posting(asked)
    threads = Beside()
    asyncio.get_running_loop().set_default_executor(threads)

    drawn = await studio.painter._cards.render(asked, copy)

    assert threads.given == beside
    assert "key_0" in json.dumps(drawn.payload())
