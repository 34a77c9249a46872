"""The server dies while a worker waits: the same coroutine goes on once it is back on the same database."""

import json
import os

import pytest

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, DEPLOYS, place
from tests.e2e.process import call, command, make_key, serving
from tests.sdk.runtime.stage import AUDIENCE, DECIDED, free_port, stage, worker

#: A thousand take a minute or two.
MANY = 1000 if os.environ.get("CI") else 150

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


@pytest.fixture
async def roomy(database, tmp_path):
    """The service with leases as long as they are."""
    async with place(database) as found:
        yield await stage(found, tmp_path / "effects.txt")


async def worker_key(slack, database) -> str:
    code, out, err = await command(
        slack, database, "keys", "create", "--scopes", "work,ask", "--name", "worker", "--any-approvers"
    )
    assert code == 0, err
    return out.strip()


async def test_a_server_that_was_killed_and_is_back_hands_the_answer_to_the_code_that_waits(
    slack, database, tmp_path
) -> None:
    effects, port = tmp_path / "effects.txt", free_port()
    async with serving(slack, database, PORT=str(port)) as first:
        key, token = await make_key(slack, database), await worker_key(slack, database)
        async with worker(first.url, token, "tests.sdk.runtime.hosted", EFFECTS=str(effects)) as hosting:
            start = {"code": "deploy once", "run_id": "run", "state": {}, "audience": AUDIENCE}
            await call("POST", f"{first.url}/v1/runs", key, start)
            await hosting.steps.reached("waiting run")
            first.kill()
            await first.gone()
            async with serving(slack, database, PORT=str(port)) as second:
                card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS), timeout=60))[0]
                assert (await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)).ok
                await hosting.steps.until(lambda said: "finished run" in said, within=60)
                run = (await call("GET", f"{second.url}/v1/runs/run", key)).json

    assert run["outcome"]["outcome"] == "confirmed"
    assert effects.read_text() == "run\n"
    assert hosting.steps.said.count("asked run") == 1


async def test_very_many_runs_wait_in_one_worker_and_each_goes_on_once(roomy) -> None:
    run_ids = [f"run {number}" for number in range(MANY)]
    command = ("tests.sdk.runtime.waiting", str(MANY))
    async with worker(roomy.place.house.url, roomy.worker_token, *command) as hosting:
        for run_id in run_ids:
            await roomy.start("wait", run_id, audience=DECIDED)
        await hosting.steps.until(lambda said: len(said) == 1, within=240)
        await roomy.decide_all(run_ids)
        await hosting.steps.until(lambda said: len(said) == 2, within=240)

    weighed, timed = (json.loads(line) for line in hosting.steps.said)
    assert (weighed["waiting"], timed["finished"]) == (MANY, MANY)
    for run_id in run_ids:
        run = await roomy.read(run_id)
        assert (run["outcome"], run["cursor"]) == ({"is_confirmed": True}, 1)
        assert run["action"]["interaction"]["execution"]["status"] == "succeeded"
