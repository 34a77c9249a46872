"""Runs hosted in the service's own process, without a socket between: the same life, and the same kills."""

import pytest

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, DEPLOYS, plain
from tests.e2e.process import call, make_key, serving
from tests.sdk.runtime.stage import AUDIENCE

APP = ("--app", "tests.sdk.runtime.killed_app:runtime")
START = {"code": "deploy", "run_id": "run", "state": {}, "audience": AUDIENCE}


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


async def click(slack) -> None:
    card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS), timeout=60))[0]
    await slack.wait_for(lambda _: any(block["type"] == "actions" for block in card.blocks), timeout=60)
    await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)


@pytest.mark.parametrize("step", ["asked", "waiting", "answered", "delivered", "effect_done", "reported"])
async def test_a_service_killed_with_its_hosted_run_goes_on_with_it(slack, database, tmp_path, step) -> None:
    effects = tmp_path / "effects.txt"
    environment = {"EFFECTS": str(effects), "REPORT_WITHIN": "1", "SIGNOFF_RUN_LEASE": "2"}
    async with serving(slack, database, arguments=APP, KILL_AT=step, **environment) as first:
        key = await make_key(slack, database)
        started = await call("POST", f"{first.url}/v1/runs", key, START)
        assert started.status == 201, started
        if step not in {"asked", "waiting"}:
            await click(slack)
        assert await first.gone() == -9

    async with serving(slack, database, arguments=APP, **environment) as second:
        if step in {"asked", "waiting"}:
            await click(slack)
        run = (await call("GET", f"{second.url}/v1/runs/run?wait=60", key)).json
        asked = (await call("GET", f"{second.url}/v1/interactions?run_id=run", key)).json["items"]
        [card] = [each for each in slack.workspace.messages(DEPLOYS) if each.blocks[0]["type"] == "header"]
        ending = "Did it happen?" if step == "effect_done" else "Done"
        await slack.wait_for(lambda _: ending in plain(card), timeout=60)

    assert len(asked) == 1
    assert effects.read_text() == "run\n"
    if step == "effect_done":
        assert run["error"]["code"] == "RUN_INTERRUPTED"
    else:
        assert run["outcome"]["outcome"] == "confirmed"


async def test_a_service_that_is_told_to_end_leaves_its_run_to_the_next_one(slack, database, tmp_path) -> None:
    environment = {"EFFECTS": str(tmp_path / "effects.txt"), "SIGNOFF_RUN_LEASE": "2"}
    async with serving(slack, database, arguments=APP, **environment) as first:
        key = await make_key(slack, database)
        await call("POST", f"{first.url}/v1/runs", key, START)
        await slack.wait_for(lambda ws: ws.messages(DEPLOYS), timeout=60)
        assert await first.terminate() == 0

    async with serving(slack, database, arguments=APP, **environment) as second:
        await click(slack)
        run = (await call("GET", f"{second.url}/v1/runs/run?wait=60", key)).json

    assert run["outcome"]["outcome"] == "confirmed"
