"""`signoff start`, `runs`, `show` and `stop-run`: hosted runs from a shell."""

import json
import signal

import pytest

from blocks import ids
from signoff.runtime import Proposal, Runtime
from tests.sdk.runtime.stage import stage

START = ("start", "release", "--run", "release-1", "--to", "#deploys", "--approver", "@ana")
INPUT = ("--input", '{"version": "1.4.2"}')
runtime = Runtime()


@runtime.code("release")
async def release(input, access):
    answer = await access.interaction.confirm(Proposal(title=f"Release {input['version']}"))
    if not answer.is_confirmed:
        raise RuntimeError(f"no:\n{answer.feedback}")
    return {"released": input["version"]}


@pytest.fixture
async def hosted(here, tmp_path):
    """A worker that has the code."""
    theirs = await stage(here, tmp_path / "effects.txt")
    async with theirs.hosting(runtime):
        yield theirs


async def test_a_run_is_started_once_and_shown(machine) -> None:
    first = await machine.run(*START, *INPUT, "--state", "[1]")
    again = await machine.run(*START, *INPUT, "--state", "[1]", "--json")
    other = await machine.run(*START, "--input", "2")
    shown = await machine.run("show", "release-1")

    assert (first.code, first.out, first.err) == (0, "release-1 is queued.\n", "")
    assert (again.code, json.loads(again.out)["input"], json.loads(again.out)["state"]) == (
        0,
        {"version": "1.4.2"},
        [1],
    )
    assert (other.code, other.out) == (1, "")
    assert "Start it in the same words, or name another --run." in other.err
    assert [line.split(None, 1) for line in shown.out.splitlines()][:3] == [
        ["run", "release-1"],
        ["code", "release"],
        ["status", "queued"],
    ]


async def test_a_wait_prints_the_outcome(here, machine, hosted) -> None:
    waiting = await machine.start(*START, *INPUT, "--wait", "60s")
    await hosted.click()
    said = await waiting.ended()
    shown = await machine.run("show", "release-1")

    assert (said.code, json.loads(said.out)) == (0, {"released": "1.4.2"})
    assert "approved" in shown.out
    assert 'outcome    {"released": "1.4.2"}' in shown.out


async def test_a_run_that_fails_is_1_and_says_why_on_one_line(here, machine, hosted) -> None:
    waiting = await machine.start(*START, *INPUT, "--wait", "60s")
    await hosted.click(ids.DENY)
    said = await waiting.ended()
    listed = await machine.run("runs", "--status", "failed")

    assert (said.code, said.out) == (1, "")
    assert said.lines[-1] == "release-1 failed: RUN_FAILED: RuntimeError: no: None"
    assert "RUN_FAILED: RuntimeError: no: None" in listed.out


async def test_a_wait_that_is_over_or_interrupted_leaves_the_run(machine) -> None:
    over = await machine.run(*START, "--wait", "0")
    waiting = await machine.start(*START, "--wait", "10m")
    await waiting.says("is queued")
    waiting.send(signal.SIGINT)
    left = await waiting.ended()

    assert (over.code, left.code) == (14, 130)
    for said in (over, left):
        assert said.lines[-1] == "Look at it: signoff show release-1. End it: signoff stop-run release-1"
    assert '"status": "queued"' in (await machine.run("show", "release-1", "--json")).out


async def test_runs_are_listed_and_stopped(machine) -> None:
    assert (await machine.run("runs")).out == "No runs.\n"
    await machine.run(*START)
    await machine.run(*START, "--run", "release-2")

    stopped = await machine.run("stop-run", "release-2", "--reason", "The build was pulled")
    again = await machine.run("stop-run", "release-2", "--json")
    listed = await machine.run("runs")
    more = await machine.run("runs", "--limit", "1", "--json")
    nothing = await machine.run("stop-run", "release-3")

    assert (stopped.code, stopped.out) == (0, "release-2 is stopped.\n")
    assert (again.code, json.loads(again.out)["stopped"]) == (0, True)
    lines = listed.out.splitlines()
    assert lines[0].split() == ["RUN", "CODE", "STATUS", "STARTED", "ENDED"]
    assert [line.split()[:3] for line in lines[1:]] == [
        ["release-2", "release", "failed"],
        ["release-1", "release", "queued"],
    ]
    assert "RUN_STOPPED: The build was pulled" in lines[1]
    assert [run["run_id"] for run in json.loads(more.out)] == ["release-2"]
    assert "There are more" in more.err
    assert nothing.code == 1
    assert "`signoff runs`" in nothing.err


async def test_a_run_that_had_ended_otherwise_is_not_stopped(machine, hosted) -> None:
    waiting = await machine.start(*START, *INPUT, "--wait", "60s")
    await hosted.click()
    await waiting.ended()

    said = await machine.run("stop-run", "release-1")

    assert (said.code, said.err) == (1, "release-1 had ended before: it completed\n")


async def test_what_is_missing_is_said_in_options(machine) -> None:
    nobody = await machine.run("start", "release", "--run", "r", "--to", "#deploys")
    nowhere = await machine.run("start", "release", "--run", "r", "--approver", "@ana")
    unnamed = await machine.run("start", "release", "--to", "#deploys", "--approver", "@ana")
    unknown = await machine.run(*START, "--approver", "@anna")
    broken = await machine.run(*START, "--state", "{")

    for said in (nobody, nowhere, unnamed, unknown, broken):
        assert (said.code, said.out) == (2, "")
    assert "--approver" in nobody.err
    assert "--channel or --to" in nowhere.err
    assert "--run deploy-812" in unnamed.err
    assert "'@anna' is not the name of exactly one person or user group" in unknown.err
    assert "--state is not JSON" in broken.err
