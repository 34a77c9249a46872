"""`runs`, and what `show` says of one."""

import re
from collections.abc import AsyncIterator

import pytest

from bot.hosted import RunStart
from store.runs import ActionKind, Audience, Ending, Run, RunError, RunErrorCode, RunStop, StartedRun
from store.types import Actor, ActorKind, Approvers, Destination, Key
from tests.cli.shell import Shell
from tests.parts import Parts, open_parts

AUDIENCE = Audience(
    destination=Destination(channels=("C0DEPLOY",)),
    approvers=Approvers(users=("U0ANA",)),
    respondents=Approvers(users=("U0ANA",)),
)


@pytest.fixture
async def parts(shell: Shell) -> AsyncIterator[Parts]:
    async with open_parts(shell.database) as opened:
        yield opened


@pytest.fixture
async def key(parts: Parts) -> Key:
    return (await parts.key())[0]


async def leased(parts: Parts, key: Key, run_id: str, code: str = "ship") -> Run:
    start = RunStart(code=code, run_id=run_id, audience=AUDIENCE, input_json='{"week": 49}')
    assert isinstance(await parts.service.start_run(key=key, start=start), StartedRun)
    (run,) = await parts.service.lease_runs(
        tenant="default", codes=[code], worker="pod-7", room=1, seconds=0, is_gone=lambda: False
    )
    return run


async def test_runs_are_listed_and_shown(shell: Shell, parts: Parts, key: Key) -> None:
    failed, waiting = await leased(parts, key, "run-1"), await leased(parts, key, "run-2", "other")
    error = RunError(code=RunErrorCode.FAILED, message="it raised\nagain")
    named = {"tenant": "default", "token": failed.lease.token}
    await parts.service.finish_run(**named, run_id="run-1", ending=Ending(error=error))
    asked = await parts.service.ask_for_run(
        tenant="default",
        run_id="run-2",
        token=waiting.lease.token,
        kind=ActionKind.CONFIRMATION,
        request_json='{"title":"Ship?"}',
    )
    stop = RunStop(at=parts.clock.now(), actor=Actor(kind=ActorKind.API_KEY, id="key_1", name="ops"), reason="late")
    await parts.store.stop_run(tenant="default", run_id="run-2", stop=stop)

    listed = await shell.run("runs")
    some = await shell.run("runs", "--status", "failed")
    few = await shell.run("runs", "--limit", "1")
    shown, over = await shell.run("show", "run-2"), await shell.run("show", "run-1")

    assert [line.split()[0] for line in listed.out.splitlines()] == ["run-2", "run-1"]
    assert re.fullmatch(r"run-1 +failed +\S+ \S+ UTC +ship +RUN_FAILED: it raised again\n", some.out)
    assert few.out.splitlines()[1].startswith("There are more")
    assert (await shell.run("runs", "--code", "none")).out == "No runs.\n"
    assert shown.out.splitlines()[0] == "run-2  run  waiting"
    assert "started by ci-bot at" in shown.out
    assert 'input      {"week": 49}' in shown.out
    assert re.search(r"held by    pod-7 until .* UTC", shown.out)
    assert f"asked      action-1 user_ask_confirmation {asked.action.interaction_id}" in shown.out
    assert re.search(r"to stop    .* by ops: late", shown.out)
    assert re.search(r"ended      .* UTC · RUN_FAILED: it raised again", over.out)


async def test_a_status_that_no_run_has_is_refused(shell: Shell, parts: Parts) -> None:
    assert (await shell.run("runs", "--status", "gone")).code == 2
