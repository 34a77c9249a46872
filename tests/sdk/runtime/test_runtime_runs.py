"""Runs in one worker's life: what people say continues the same coroutine, and how runs end."""

import asyncio

import pytest

from blocks import ids
from signoff.runtime import RunError, Runtime
from tests.e2e.house import DEPLOYS, has_buttons
from tests.sdk.runtime.codes import runtime

EUROPE = ids.suffixed(ids.PICK, 0)


async def test_a_yes_continues_the_code_which_acts_once_and_hands_in_its_outcome(here) -> None:
    await here.start("deploy", "run", state={"attempts": 1})

    async with here.hosting(runtime):
        await here.click()
        run = await here.finished("run")

    assert (run["status"], run["error"]) == ("completed", None)
    assert run["outcome"] == {"outcome": "confirmed", "status": "claimed", "feedback": None}
    assert run["state"] == {"attempts": 1, "is_confirmed": True}
    assert here.effects == ["run"]


async def test_a_no_follows_the_business_route_and_nothing_runs(here) -> None:
    await here.start("deploy", "run")

    async with here.hosting(runtime):
        await here.click(ids.DENY)
        run = await here.finished("run")

    assert run["outcome"] == {"outcome": "revise", "status": "denied", "feedback": None}
    assert here.effects == []


async def test_answers_come_in_order_and_the_run_asks_on(here) -> None:
    await here.start("choose", "run")

    async with here.hosting(runtime):
        await here.click(EUROPE)
        await here.click(count=2)
        run = await here.finished("run")

    assert run["outcome"] == {"region": "Europe", "is_confirmed": True}
    assert run["state"] == {"region": "Europe"}


async def test_code_gets_its_input_its_state_and_its_name(here) -> None:
    await here.start("echo", "run/1 ü", input={"b": [1, None], "a": "x"}, state=[1])

    async with here.hosting(runtime):
        run = await here.finished("run/1 ü")

    assert run["outcome"] == {"input": {"b": [1, None], "a": "x"}, "state": [1], "run_id": "run/1 ü"}


async def test_a_decision_that_nobody_executes_is_not_left_unclaimed(here) -> None:
    await here.start("confirm only", "run")

    async with here.hosting(runtime):
        await here.click()
        await here.finished("run")

    [asked] = await here.interactions("run")
    assert asked["execution"]["status"] == "succeeded"


async def test_an_ask_that_expires_is_raised_and_is_no_no(here) -> None:
    audience = {"channels": [DEPLOYS], "approvers": {"users": ["U07ANA4K2QX"]}, "expires_in": 1}
    await here.start("ended", "run", audience=audience)

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert run["outcome"] == {"raised": "Expired"}


async def test_an_ask_that_is_withdrawn_is_raised_and_is_no_no(here) -> None:
    await here.start("ended", "run")

    async with here.hosting(runtime):
        await here.place.card(DEPLOYS)
        [asked] = await here.interactions("run")
        await here.place.api("POST", f"/v1/interactions/{asked['id']}/withdraw", {})
        run = await here.finished("run")

    assert run["outcome"] == {"raised": "Withdrawn"}


async def test_after_a_restart_what_was_withdrawn_is_raised_where_the_answer_is_read(here) -> None:
    await here.start("ended", "run")
    async with here.process(KILL_AT="waiting") as worker:
        await worker.gone()
    [asked] = await here.interactions("run")
    await here.place.api("POST", f"/v1/interactions/{asked['id']}/withdraw", {})

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert run["outcome"] == {"recovered": "Withdrawn"}


async def test_two_asks_at_once_are_a_conflict_and_no_card_waits(here) -> None:
    await here.start("two at once", "run")

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert run["error"]["code"] == "RUN_FAILED"
    assert "CONFLICT: this run waits for an answer already" in run["error"]["message"]
    assert {each["state"] for each in await here.interactions("run")} <= {"withdrawn"}


async def test_an_execution_is_opened_before_the_next_ask(here) -> None:
    await here.start("hand in late", "run")

    async with here.hosting(runtime):
        await here.click()
        await here.click(EUROPE, count=2)
        run = await here.finished("run")

    assert "CONFLICT: the next ask took this yes for done" in run["error"]["message"]
    assert here.effects == []


async def test_an_execution_is_opened_once(here) -> None:
    await here.start("open twice", "run")

    async with here.hosting(runtime):
        await here.click()
        run = await here.finished("run")

    assert "CONFLICT: this execution was opened before" in run["error"]["message"]
    assert here.effects == ["run True"]


async def test_a_state_that_is_too_large_stops_the_run_whatever_its_code_catches(here) -> None:
    await here.start("big state", "run", input={"bytes": 100_000})

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert (run["error"]["code"], run["error"]["retryable"]) == ("RUN_CHECKPOINT_FAILED", False)
    assert run["state"] == {"size": 0}
    assert here.effects == []


async def test_code_that_swallows_its_end_saves_asks_and_hands_in_nothing_more(here) -> None:
    await here.start("swallows", "run")

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert (run["error"]["code"], run["outcome"]) == ("RUN_CHECKPOINT_FAILED", None)
    assert (run["state"], run["cursor"]) == ({}, 0)
    assert here.effects == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("fails", "ValueError: no such thing"),
        ("no JSON", "the outcome['when'] is of the type set, which is not JSON"),
        ("bad question", "this cannot be asked"),
    ],
)
async def test_code_that_goes_wrong_fails_its_run_and_says_why(here, code, words) -> None:
    await here.start(code, "run", input="thing")

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert (run["status"], run["error"]["code"]) == ("failed", "RUN_FAILED")
    assert words in run["error"]["message"]


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (SystemExit(3), "SystemExit: 3"),
        (BaseExceptionGroup("several", [SystemExit(1)]), "BaseExceptionGroup: several"),
        (Mute(), "Mute: (it cannot say why)"),
        (RunError("RUN_FAILED", 503, retryable="yes"), "503"),  # type: ignore[arg-type]  # as careless code does
    ],
    ids=["exit", "group", "mute", "no text"],
)
async def test_whatever_code_raises_fails_its_run_and_no_other(here, raised, words) -> None:
    odd = Runtime()

    @odd.code("odd")
    async def code(input, access):
        if input == "fine":
            await access.interaction.confirm("Go?")
            return "went on"
        raise raised

    await here.start("odd", "fine", input="fine")
    async with here.hosting(odd):
        await here.place.card(DEPLOYS)
        await here.start("odd", "run")
        run = await here.finished("run")
        await here.click()
        fine = await here.finished("fine")

    assert (run["error"]["code"], run["error"]["message"][: len(words)]) == ("RUN_FAILED", words)
    assert fine["outcome"] == "went on"


async def test_a_stopped_run_that_waits_is_cancelled_and_its_card_closed(here) -> None:
    await here.start("deploy", "run")

    async with here.hosting(runtime):
        card = await here.place.card(DEPLOYS)
        await here.stop("run")
        run = await here.finished("run")

    [asked] = await here.interactions("run")
    await here.place.slack.wait_for(lambda _: not has_buttons(card))
    assert (run["error"]["code"], asked["state"]) == ("RUN_STOPPED", "withdrawn")


async def test_a_stopped_run_that_runs_is_cancelled_and_saves_nothing_more(here) -> None:
    await here.start("runs long", "run")
    started = asyncio.Event()

    async with here.hosting(runtime, on_step=lambda step, _: step == "started" and started.set()):
        await asyncio.wait_for(started.wait(), 10)
        await here.stop("run")
        run = await here.finished("run")

    assert run["error"]["code"] == "RUN_STOPPED"
    assert run["state"] == {}
    assert here.effects == ["running", "cancelled", "refused"]


async def test_a_run_that_nobody_has_is_stopped_by_the_server(here) -> None:
    await here.start("deploy", "run")

    await here.stop("run")

    assert (await here.finished("run"))["error"]["code"] == "RUN_STOPPED"
