"""`kill -9` of the worker at every point between ask and finish: asked once, done at most once, ended as it must be."""

import pytest

from blocks import ids
from tests.e2e.house import DEPLOYS, has_buttons

#: Where the worker kills itself, once the answer can be given only later.
BEFORE_THE_ANSWER = ["asked", "waiting"]
AFTER_THE_ANSWER = ["answered", "delivered", "claimed", "effect_done", "reported", "checkpointed", "finishing"]
#: The first option of the questions.
EUROPE = ids.suffixed(ids.PICK, 0)
#: The claim is taken, and nobody said how it went.
UNKNOWN = {"claimed", "effect_done"}


async def killed_at(here, step: str, *, code: str, run_id: str = "run") -> None:
    """A worker takes the run, and dies at this step; Ana approves as soon as that is possible, if it has to be."""
    await here.start(code, run_id)
    async with here.process(KILL_AT=step, REPORT_WITHIN="1") as worker:
        if step in AFTER_THE_ANSWER:
            await here.click()
        assert await worker.gone() == -9
        assert worker.steps.said[-1] == f"{step} {run_id}"
    await here.lapse(run_id)


@pytest.mark.parametrize("step", BEFORE_THE_ANSWER + AFTER_THE_ANSWER)
async def test_a_killed_run_asks_once_acts_at_most_once_and_ends_as_the_contract_says(here, step) -> None:
    await killed_at(here, step, code="deploy")

    async with here.process() as worker:
        if step in BEFORE_THE_ANSWER:
            await here.click()
        run = await here.finished("run")

    assert len(await here.interactions("run")) == 1
    assert len(here.place.cards(DEPLOYS)) == 1
    assert "asked run" not in worker.steps.said
    if step in UNKNOWN:
        assert run["error"]["code"] == "RUN_INTERRUPTED"
        assert here.effects == (["run"] if step == "effect_done" else [])
        await here.place.shows(here.place.cards(DEPLOYS)[0], "Did it happen?")
    else:
        assert run["outcome"] == {"outcome": "confirmed", "status": status_after(step), "feedback": None}
        assert run["state"] == {"is_confirmed": True}
        assert here.effects == ["run"]
        await here.place.shows(here.place.cards(DEPLOYS)[0], "Done")


def status_after(step: str) -> str:
    """What the recovered code sees of its execution."""
    return "succeeded" if step in {"reported", "checkpointed", "finishing"} else "claimed"


@pytest.mark.parametrize("step", ["asked", "waiting", "answered", "delivered"])
async def test_without_recover_a_killed_run_is_interrupted_and_its_card_waits_for_nobody(here, step) -> None:
    await killed_at(here, step, code="deploy once")

    async with here.process():
        run = await here.finished("run")

    [asked] = await here.interactions("run")
    [card] = here.place.cards(DEPLOYS)
    await here.place.slack.wait_for(lambda _: not has_buttons(card))
    assert (run["status"], run["error"]["code"]) == ("failed", "RUN_INTERRUPTED")
    assert "no recover" in run["error"]["message"]
    assert asked["state"] == ("withdrawn" if step in BEFORE_THE_ANSWER else "approved")
    assert here.effects == []


async def test_killed_before_it_asked_anything_a_run_is_interrupted(here) -> None:
    await killed_at(here, "started", code="deploy")

    async with here.process():
        run = await here.finished("run")

    assert run["error"]["code"] == "RUN_INTERRUPTED"
    assert await here.interactions("run") == []


@pytest.mark.parametrize("step", ["asked:2", "waiting:2", "answered:2", "delivered:2"])
async def test_a_run_that_asked_twice_goes_on_at_its_second_question(here, step) -> None:
    await here.start("choose", "run")
    async with here.process(KILL_AT=step) as first:
        await here.click(EUROPE)
        if step in {"answered:2", "delivered:2"}:
            await here.click(count=2)
        assert await first.gone() == -9
    await here.lapse("run")

    async with here.process() as second:
        if step in {"asked:2", "waiting:2"}:
            await here.click(count=2)
        run = await here.finished("run")

    assert run["outcome"] == {"region": "Europe", "is_confirmed": True}
    assert [each["operation_id"] for each in await here.interactions("run")] == ["action-2", "action-1"]
    assert "asked run" not in second.steps.said


@pytest.mark.parametrize("step", ["asked", "waiting", "answered", "delivered", "checkpointed"])
async def test_a_run_killed_at_its_questions_goes_on_with_the_answer_that_was_accepted(here, step) -> None:
    await here.start("choose", "run")
    async with here.process(KILL_AT=step) as first:
        if step not in {"asked", "waiting"}:
            await here.click(EUROPE)
        assert await first.gone() == -9
    await here.lapse("run")

    async with here.process() as second:
        if step in {"asked", "waiting"}:
            await here.click(EUROPE)
        await here.click(count=2)
        run = await here.finished("run")

    assert run["outcome"] == {"region": "Europe", "is_confirmed": True}
    assert second.steps.said.count("asked run") == 1
    assert len(await here.interactions("run")) == 2
