"""Interrupts saved by several processes at once, on one database."""

import asyncio
import sys
from pathlib import Path

import pytest

from store.interrupts import Audience, InterruptStore
from store.open import open_store
from store.types import Approvers, Destination, State

AUDIENCE = Audience(approvers=Approvers(users=("U0ANA",)), destination=Destination(channels=("C0AGENTS",)))
SAVES = 12
#: Saves under one id, as fast as it can, once it is told to; says what it had left live.
PROGRAM = f"""
import asyncio, sys
from store.interrupts import InterruptStore
from store.open import open_store
from tests.store.test_store_interrupts_processes import AUDIENCE

async def main(url, name):
    store = await open_store(url)
    interrupts = InterruptStore(store, tenant="default", audience=AUDIENCE)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range({SAVES}):
        record = {{"interruptId": "agent.1", "status": "pending", "request": None, "savedAt": f"{{name}} {{number}}"}}
        await interrupts.save(record)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path}/store.db"


async def started(url: str, name: str) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, url, name),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def test_processes_that_save_at_once_leave_one_live_and_lose_none(url: str) -> None:
    store = await open_store(url)
    processes = [await started(url, name) for name in ("one", "two")]

    await asyncio.gather(*(process.communicate(b"go\n") for process in processes))

    assert [process.returncode for process in processes] == [0, 0]
    page = await store.list_interactions(tenant="default", run_id="agent.1", limit=200)
    newest, *older = page.items
    assert newest.state is State.PENDING
    assert {each.state for each in older} == {State.SUPERSEDED}
    assert len(page.items) == 2 * SAVES
    assert {each.operation_id for each in older} == {"agent.1", *(f"agent.1#{n}" for n in range(2, 2 * SAVES))}
    interrupts = InterruptStore(store, tenant="default", audience=AUDIENCE)
    live = await interrupts.load("agent.1")
    assert live is not None
    assert live["savedAt"] in {f"one {SAVES - 1}", f"two {SAVES - 1}"}
    await store.close()
