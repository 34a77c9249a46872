"""Hosted runs as a test sees them: started over HTTP, hosted by a process or a task, answered by people in the sandbox."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from blocks import ids
from bot.console import Wanted, create_key
from signoff.runtime import Call, Limits, Runtime
from signoff.runtime.serve import http_call
from signoff.settings import Settings
from tests.e2e.house import ANA, BEN, DEPLOYS, Place, Reply

#: For leases of two seconds.
#: People, and a key that decides for them.
DECIDED = {"channels": [DEPLOYS], "approvers": {"users": [ANA], "keys": ["decider"]}}
QUICK = Limits(grace=0.5, retry_for=0.5, lease_wait=1, report_within=1)
TOP = Path(__file__).parents[3]
AUDIENCE = {"channels": [DEPLOYS], "approvers": {"users": [ANA, BEN]}, "respondents": {"users": [ANA, BEN]}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Steps:
    """What a worker said of its runs: steps from this process, `step run_id` from another one."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self._more = asyncio.Event()

    def __call__(self, step: str, run_id: str) -> None:
        self.say(step)

    def say(self, words: str) -> None:
        self.said.append(words)
        self._more.set()

    async def reached(self, step: str, *, count: int = 1) -> None:
        await self.until(lambda said: said.count(step) >= count)

    async def until(self, is_so: Callable[[list[str]], bool], *, within: float = 20) -> None:
        async with asyncio.timeout(within):
            while not is_so(self.said):
                self._more.clear()
                await self._more.wait()


class Line:
    """Stands between a worker and the server. While `is_cut`, no call of these paths gets through; others go on."""

    def __init__(self, *, paths: str = "/v1/") -> None:
        self.is_cut = False
        self._paths = paths

    def __call__(self, call: Call) -> Call:
        async def through(method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
            if self.is_cut and path.startswith(self._paths):
                raise ConnectionResetError("cut")
            return await call(method, path, body)

        return through


@dataclass(kw_only=True)
class Hosting:
    """A worker process, and what it says."""

    process: asyncio.subprocess.Process
    steps: Steps
    reading: asyncio.Task[None]

    async def gone(self) -> int:
        code = await asyncio.wait_for(self.process.wait(), 30)
        await self.reading
        return code

    def kill(self) -> None:
        self.process.kill()

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await self.gone()


@dataclass(kw_only=True)
class Stage:
    place: Place
    worker_token: str
    effects_file: Path

    @property
    def effects(self) -> list[str]:
        """Lines that codes appended."""
        return self.effects_file.read_text().splitlines() if self.effects_file.exists() else []

    async def start(self, code: str, run_id: str | None = None, **body: Any) -> dict[str, Any]:
        sent = {"code": code, "state": {}, "audience": AUDIENCE, **body}
        reply = await self.place.api("POST", "/v1/runs", sent if run_id is None else {"run_id": run_id, **sent})
        assert reply.status in {200, 201}, reply
        return dict(reply.json)

    async def read(self, run_id: str, *, wait: int = 0) -> dict[str, Any]:
        reply = await self.place.api("GET", f"/v1/runs/{quote(run_id, safe='')}?wait={wait}")
        assert reply.status == 200, reply
        return dict(reply.json)

    async def finished(self, run_id: str) -> dict[str, Any]:
        run = await self.read(run_id, wait=30)
        assert run["status"] in {"completed", "failed"}, run
        return run

    async def stop(self, run_id: str, **body: Any) -> Reply:
        return await self.place.api("POST", f"/v1/runs/{quote(run_id, safe='')}/stop", body)

    async def lapse(self, run_id: str) -> None:
        """As if the time of its lease were over."""
        store = self.place.house.store
        run = await store.find_run(tenant="default", run_id=run_id)
        assert run is not None
        if run.lease is not None:
            await store.release_runs(tenant="default", tokens={run_id: run.lease.token}, now=await store.now())

    async def work(self, what: str, body: Any) -> Reply:
        """One call as a worker makes it."""
        return await self.place.api("POST", f"/v1/work/{what}", body, token=self.worker_token)

    async def interactions(self, run_id: str) -> list[dict[str, Any]]:
        reply = await self.place.api("GET", f"/v1/interactions?run_id={quote(run_id, safe='')}")
        return list(reply.json["items"])

    async def click(self, action: str = ids.APPROVE, *, count: int = 1) -> None:
        """Ana presses a button of the newest of so many cards."""
        card = await self.place.card(DEPLOYS, count=count)
        clicked = await self.place.slack.person(ANA).click(DEPLOYS, card.ts, action)
        assert clicked.ok, clicked

    async def decide_all(self, run_ids: list[str]) -> None:
        """Approve what these runs wait for, as a key that they name, eight at a time."""
        wanted = Wanted(
            tenant="default", name="decider", scopes="decide", any_approvers=False, expires=None, owner=None, both=False
        )
        token = await create_key(self.place.house.store, wanted)
        limit = asyncio.Semaphore(8)

        async def decide(run_id: str) -> None:
            async with limit:
                asked = (await self.read(run_id))["action"]["interaction_id"]
                path = f"/v1/approvals/{asked}/decide"
                reply = await self.place.api("POST", path, {"decision": "allow-once"}, token=token)
                assert reply.status == 200, reply

        await asyncio.gather(*(decide(run_id) for run_id in run_ids))

    @asynccontextmanager
    async def process(self, **environment: str) -> AsyncIterator[Hosting]:
        """A worker process, which is gone at the end; `KILL_AT` says where it kills itself."""
        given = {"EFFECTS": str(self.effects_file), **environment}
        async with worker(self.place.house.url, self.worker_token, "tests.sdk.runtime.hosted", **given) as hosting:
            yield hosting

    @asynccontextmanager
    async def hosting(self, runtime: Runtime, **how: Any) -> AsyncIterator[asyncio.Task[None]]:
        """A worker in this process, over HTTP; `through` stands between the two."""
        through = how.pop("through", lambda call: call)
        given = {"limits": QUICK, "worker": "w", **how}
        async with http_call(Settings(url=self.place.house.url, key=self.worker_token)) as call:
            working = asyncio.create_task(runtime.work(call=through(call), **given))
            try:
                yield working
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)


@asynccontextmanager
async def worker(url: str, token: str, *command: str, folder: Path = TOP, **environment: str) -> AsyncIterator[Hosting]:
    """A process of `python -m command`, which is gone at the end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIGNOFF_")}
    given = {
        "SIGNOFF_URL": url,
        "SIGNOFF_KEY": token,
        "PYTHONPATH": os.pathsep.join([str(TOP), str(TOP / "sdk")]),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *command),
        cwd=folder,
        env={**kept, **given, **environment},
        stdout=asyncio.subprocess.PIPE,
    )
    steps = Steps()
    reading = asyncio.create_task(_read(process, steps))
    try:
        yield Hosting(process=process, steps=steps, reading=reading)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await reading


async def _read(process: asyncio.subprocess.Process, steps: Steps) -> None:
    assert process.stdout is not None
    while raw := await process.stdout.readline():
        steps.say(raw.decode().strip())


async def stage(place: Place, effects_file: Path) -> Stage:
    wanted = Wanted(
        tenant="default",
        name="worker",
        scopes="work,ask",
        any_approvers=True,
        expires=None,
        owner=None,
        both=False,
    )
    return Stage(place=place, worker_token=await create_key(place.house.store, wanted), effects_file=effects_file)
