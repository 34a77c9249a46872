"""Two processes claim the same approval at the same moment: one of them runs."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from blocks import ids
from tests.e2e.house import ANA, DEPLOYS
from tests.sdk.either import DEPLOY, TITLE

TOP = Path(__file__).parents[2]
PROCESSES = 4
PROGRAM = f"""
import json, sys, signoff

with signoff.Signoff() as so:
    asked = so.request_approval({TITLE!r}, **{DEPLOY!r})
    print("asked", flush=True)
    found = so.wait(asked)
    sys.stdin.readline()
    with so.execution(found) as action:
        ran = action.input if action.execute else None
    print(json.dumps({{"id": asked.id, "ran": ran, "why": type(action.refusal).__name__}}))
"""


@pytest.mark.parametrize("database", ["sqlite", "postgres"], indirect=True)
async def test_of_all_processes_of_a_run_one_asks_and_one_runs(here) -> None:
    given = {"SIGNOFF_URL": here.house.url, "SIGNOFF_KEY": here.token, "SIGNOFF_RUN_ID": "run-1"}
    racers = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            PROGRAM,
            env={"PYTHONPATH": str(TOP / "sdk"), **given},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(PROCESSES)
    ]
    for racer in racers:
        assert await racer.stdout.readline() == b"asked\n"
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    said = await asyncio.gather(*(racer.communicate(b"go\n") for racer in racers))

    results = [json.loads(out) for out, _ in said]
    assert len({result["id"] for result in results}) == 1
    assert len(here.cards(DEPLOYS)) == 1
    assert sorted(str(result["ran"]) for result in results) == ["None"] * (PROCESSES - 1) + [str(DEPLOY["input"])]
    assert sorted(result["why"] for result in results) == ["AlreadyRan"] * (PROCESSES - 1) + ["NoneType"]
