"""Codes that the tests host: each asks, acts once by appending a line to a file, and saves how far it is."""

import asyncio
import contextlib
import os
from pathlib import Path

from signoff import Expired, Withdrawn
from signoff.runtime import Access, Confirmation, Proposal, Runtime, Saved

runtime = Runtime()

DEPLOY = Proposal(title="Deploy api 1.4.2", tool_name="deploy", input={"service": "api", "version": "1.4.2"})
REGION = {
    "id": "region",
    "question": "Which region?",
    "options": [{"id": "eu", "label": "Europe"}, {"id": "us", "label": "United States"}],
    "is_skippable": False,
}


def append_effect(line: str) -> None:
    with Path(os.environ["EFFECTS"]).open("a") as effects:
        effects.write(f"{line}\n")


async def act(answer: Confirmation, access: Access):
    """What follows a yes or a no, in the code and in its recover alike."""
    async with answer.execution() as action:
        if action.execute:
            append_effect(access.run_id)
        status = action.status
    await access.state.update({**access.state.value, "is_confirmed": answer.is_confirmed})
    return {"outcome": "confirmed" if answer.is_confirmed else "revise", "status": status, "feedback": answer.feedback}


@runtime.code("deploy")
async def deploy(input, access):
    """Confirms, then acts; goes on after a restart."""
    return await act(await access.interaction.confirm(DEPLOY), access)


@deploy.recover
async def deploy_recover(saved: Saved, access):
    return await act(saved.confirmation, access)


@runtime.code("deploy once")
async def deploy_once(input, access):
    """The same, and cannot go on after a restart."""
    return await act(await access.interaction.confirm(DEPLOY), access)


@runtime.code("choose")
async def choose(input, access):
    """Asks, and saves the answer; goes on after a restart, and asks a second time, something else."""
    [answer] = await access.interaction.ask_questions([REGION])
    await access.state.update({"region": answer.answer})
    return await _with_feedback(answer.answer, access)


async def _with_feedback(region, access):
    answer = await access.interaction.confirm(f"Use {region}?")
    return {"region": region, "is_confirmed": answer.is_confirmed}


@choose.recover
async def choose_recover(saved: Saved, access):
    if saved.action.kind == "user_ask_questions":
        [answer] = saved.answers
        await access.state.update({"region": answer.answer})
        return await _with_feedback(answer.answer, access)
    return {"region": access.state.value["region"], "is_confirmed": saved.confirmation.is_confirmed}


@runtime.code("ended")
async def ended(input, access):
    """What ends without an answer is no no."""
    try:
        answer = await access.interaction.confirm("Go?")
    except (Expired, Withdrawn) as error:
        return {"raised": type(error).__name__}
    return {"is_confirmed": answer.is_confirmed}


@ended.recover
async def ended_recover(saved: Saved, access):
    try:
        return {"is_confirmed": saved.confirmation.is_confirmed}
    except (Expired, Withdrawn) as error:
        return {"recovered": type(error).__name__}


@runtime.code("confirm only")
async def confirm_only(input, access):
    """Never opens its execution: the decision is all that it wants."""
    answer = await access.interaction.confirm("Go?")
    return {"is_confirmed": answer.is_confirmed}


@runtime.code("two at once")
async def two_at_once(input, access):
    await asyncio.gather(access.interaction.confirm("One?"), access.interaction.confirm("Two?"))


@runtime.code("hand in late")
async def hand_in_late(input, access):
    """Opens its execution after the next ask has taken the yes for done."""
    answer = await access.interaction.confirm(DEPLOY)
    await access.interaction.ask_questions([REGION])
    async with answer.execution():
        append_effect("late")


@runtime.code("open twice")
async def open_twice(input, access):
    answer = await access.interaction.confirm(DEPLOY)
    for _ in range(2):
        async with answer.execution() as action:
            append_effect(f"{access.run_id} {action.execute}")


@runtime.code("big state")
async def big_state(input, access):
    """Its state cannot be saved, and it does not want to know."""
    await access.state.update({"size": 0})
    try:
        await access.state.update({"text": "x" * input["bytes"]})
    except Exception:  # noqa: BLE001 - as careless code does
        append_effect("caught")
    append_effect("went on")
    return {"outcome": "saved"}


@runtime.code("swallows")
async def swallows(input, access):
    """Does not take its end for one."""
    with contextlib.suppress(asyncio.CancelledError):
        await access.state.update({"when": {1, 2}})
    for value in (1, 2):
        with contextlib.suppress(asyncio.CancelledError):
            await access.state.update(value)
            append_effect("saved")
    with contextlib.suppress(asyncio.CancelledError):
        await access.interaction.confirm("Still there?")
        append_effect("asked")
    return {"outcome": "saved"}


@runtime.code("fails")
async def fails(input, access):
    raise ValueError(f"no such {input}")


@runtime.code("no JSON")
async def no_json(input, access):
    return {"when": {1, 2}}


@runtime.code("bad question")
async def bad_question(input, access):
    await access.interaction.ask_questions([{"id": "a", "question": "Which?", "options": ["x", "x"]}])


@runtime.code("runs long")
async def runs_long(input, access):
    """Says that it runs, and ends only when it is told to."""
    append_effect("running")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        append_effect("cancelled")
        # Cancelled code may clean up, and must not save any more.
        try:
            await access.state.update({"saved": "late"})
        except asyncio.CancelledError:
            append_effect("refused")
        raise


@runtime.code("echo")
async def echo(input, access):
    return {"input": input, "state": access.state.value, "run_id": access.run_id}
