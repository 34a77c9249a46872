"""The API against its own description: schemathesis sends what the description allows and what it forbids.

Operations come from `/openapi.json` of the running service: a new route is tried without being named here.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from bot.api.table import ROUTES
from bot.console import Wanted, create_key
from bot.settings import Settings
from bot.wiring import House, running
from sandbox.server import Sandbox
from store.types import Actor, ActorKind, Approvers, Decision, Policy, Scope, Surface
from tests.e2e.house import ANA, DEPLOY, REGIONS

HERE = Path(__file__).parent
TOP = HERE.parents[1]
EXAMPLES = 25
#: The name of the key that schemathesis comes with.
OURS = "everything"
#: It takes fifteen where nothing else runs.
SECONDS = 240


@pytest.fixture
async def house() -> AsyncIterator[House]:
    """As `serve` runs it, without a worker: what schemathesis asks for is drawn for nobody."""
    async with Sandbox() as slack:
        settings = Settings(
            DATABASE_URL="memory://",
            PORT=0,
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_SIGNING_SECRET=slack.signing_secret,
            SLACK_API_URL=slack.api_url,
        )
        async with running(settings, worker=False) as found:
            yield found


async def key(house: House, name: str, *, policy: str | None = None) -> str:
    """It may do everything, so that nothing is refused before it is looked at."""
    wanted = Wanted(
        tenant="default",
        name=name,
        scopes=",".join(Scope),
        any_approvers=policy is None,
        expires=None,
        owner=None,
        both=True,
        policy=policy,
    )
    return await create_key(house.store, wanted)


async def known(house: House) -> dict[str, list[str]]:
    """Ids of what another key asked: what waits for people and for our key, what was approved, what was denied."""
    await house.store.set_policy(
        policy=Policy(
            tenant="default",
            name="prod",
            revision=0,
            set_at=await house.store.now(),
            set_by=Actor(kind=ActorKind.OPERATOR),
            approvers=Approvers(users=(ANA,), keys=(OURS,)),
        )
    )
    asker = await key(house, "asker", policy="prod")
    found: dict[str, list[str]] = {"approvals": [], "questions": []}
    asks = [("approvals", {**DEPLOY, "approvers": None, "run_id": f"run-{n}"}) for n in range(8)]
    asks += [("questions", {**REGIONS, "respondents": None, "run_id": f"run-{n}"}) for n in range(2)]
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {asker}"}) as session:
        for path, body in asks:
            async with session.post(f"{house.url}/v1/{path}", json=body) as reply:
                found[path].append((await reply.json())["id"])
    for id, decision in zip(
        found["approvals"], (Decision.ALLOW_ONCE, Decision.ALLOW_ONCE, Decision.DENY), strict=False
    ):
        await house.store.decide_approval(
            tenant="default",
            id=id,
            actor=Actor(kind=ActorKind.SLACK_USER, id=ANA),
            decision=decision,
            at=await house.store.now(),
            surface=Surface.CARD,
        )
    return {**found, "interactions": [*found["approvals"], *found["questions"]]}


async def schemathesis(house: House, token: str, ids: dict[str, list[str]], *, folder: Path) -> tuple[int, str]:
    """Exit code and report. What it remembers of a run stays in this folder."""
    command = [
        str(Path(sys.executable).parent / "schemathesis"),
        *("--config-file", str(HERE / "schemathesis.toml"), "run", f"{house.url}/openapi.json"),
        *("--header", f"Authorization: Bearer {token}", "--max-examples", str(EXAMPLES), "--no-color"),
        "--continue-on-failure",
    ]
    environment = {
        **os.environ,
        "SCHEMATHESIS_HOOKS": "tests.openapi.hooks",
        "KNOWN_IDS": json.dumps(ids),
        "PYTHONPATH": str(TOP),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment,
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return process.returncode, said.decode()


@pytest.mark.timeout(300)
async def test_the_api_does_what_its_description_says_and_refuses_what_it_forbids(house: House, tmp_path: Path) -> None:
    ids = await known(house)
    code, said = await schemathesis(house, await key(house, OURS), ids, folder=tmp_path)

    assert code == 0, said
    assert f"Tested: {len(ROUTES)}" in said, said
    assert "Unsupported regex" not in said, said
