"""Runs that wait for a person, a thousand in one process, and go on: hosted by ours, and done by others, on one Postgres."""

import asyncio
import json
import os
import socket
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bench import asked, machine
from bench.base import POSTGRES, Base
from bench.figures import Aim, Spread, ratios
from bench.peers import harness
from bench.processes import TOP, environment, process, server
from bench.setting import Setting
from bot.console import Wanted, create_key
from store.open import open_store

PEERS = {"procrastinate": "procrastinate_runs", "DBOS": "dbos_runs", "LangGraph": "langgraph_runs"}
IN_SERVICE, OVER_HTTP = "ours, hosted by the service", "ours, a worker over HTTP"
#: What design asks: runs/s at least, and p50 from the decision to the run's own code at most, by the peer.
AIMS = {"procrastinate": (3.0, 0.6), "DBOS": (6.0, 0.25), "LangGraph": (5.0, 0.8)}
_PEERS_PYTHON = TOP / ".venv" / "peers" / "bin" / "python"
_DECIDERS = 16
_DECIDER = "decider"
_UNASKED = 0.002
#: What a peer may take, start to end.
_PATIENCE = 600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    runs: int
    alone: int


@dataclass(kw_only=True)
class Hosted:
    """Our candidate: over the HTTP API, as any program would. `worker`: the process in which the runs wait."""

    url: str
    worker: int
    session: aiohttp.ClientSession
    decider: str
    asked: dict[int, str]

    def resident_kib(self) -> int:
        return int(machine.resident_mib(self.worker) * 1024)

    async def start(self, number: int) -> None:
        audience = {"channels": [asked.CHANNEL], "approvers": {"users": [asked.ANA], "keys": [_DECIDER]}}
        body = {"code": "wait", "run_id": f"run-{number}", "input": number, "audience": audience}
        await self._call("POST", "/v1/runs", body)
        while number not in self.asked:
            found = await self._call("GET", f"/v1/interactions?run_id=run-{number}")
            if found["items"]:
                self.asked[number] = found["items"][0]["id"]
            else:
                await asyncio.sleep(_UNASKED)

    async def decide(self, number: int) -> None:
        headers = {"Authorization": f"Bearer {self.decider}"}
        path = f"/v1/approvals/{self.asked[number]}/decide"
        await self._call("POST", path, {"decision": "allow-once"}, headers=headers)

    async def _call(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        async with self.session.request(method, self.url + path, json=body, headers=headers) as reply:
            assert reply.status < 300, await reply.text()
            return await reply.json()


async def measure(setting: Setting) -> None:
    if POSTGRES not in setting.bases.kinds:
        setting.report.note("runs: needs Postgres")
        return
    load = Load(runs=setting.some(1000, 200), alone=setting.some(50, 15))
    setting.report.title(f"{load.runs} runs that wait for a person, and go on, on {POSTGRES}")
    peers = PEERS if _PEERS_PYTHON.exists() else {}
    if not peers:
        setting.report.note("without the others: `make bench` installs them in .venv/peers")
    found: dict[str, list[harness.Result]] = {}
    for turn in setting.turns(3, 1, seconds=300):
        for name in (IN_SERVICE, OVER_HTTP):
            found.setdefault(name, []).append(await _ours(setting, name, load, turn))
        for name, module in peers.items():
            found.setdefault(name, []).append(await _peer(setting, module, load, turn))
    for name, results in found.items():
        if wrong := sum(each.wrong for each in results):
            setting.report.violation(f"{name}: {wrong} runs did not go on exactly once")
    _tell(setting, found)


def _tell(setting: Setting, found: Mapping[str, list[harness.Result]]) -> None:
    columns = {"started": 0, "resumed": 0, "latency": 1, "waiting": 1}
    head = ["", "started/s", "resumed and finished/s", "decision → run, p50 ms", "KiB for each that waits"]
    rows = [
        [
            name,
            *(Spread.of(asdict(each)[column] for each in results).text(digits) for column, digits in columns.items()),
        ]
        for name, results in found.items()
    ]
    setting.report.table(head, rows)
    for name in (IN_SERVICE, OVER_HTTP):
        for peer, (rate, latency) in AIMS.items():
            if peer in found:
                ours, theirs = found[name], found[peer]
                resumed = ratios([each.resumed for each in ours], [each.resumed for each in theirs])
                waited = ratios([each.latency for each in ours], [each.latency for each in theirs])
                setting.report.aim(Aim.least(f"{name}: runs/s by {peer}", resumed, rate))
                setting.report.aim(Aim.most(f"{name}: decision → run by {peer}", waited, latency))


async def _ours(setting: Setting, name: str, load: Load, turn: int) -> harness.Result:
    base = await setting.bases.make(POSTGRES, f"runs_{turn}_{'in' if name == IN_SERVICE else 'out'}")
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-runs-")))
        effects = harness.Effects()
        _listen(stack, folder / "said", effects)
        hosted = await stack.enter_async_context(_hosted(setting, base, folder / "said", is_inside=name == IN_SERVICE))
        return await harness.time_it(
            hosted, effects, runs=load.runs, alone=load.alone, deciders=_DECIDERS, resident_kib=hosted.resident_kib
        )


def _listen(stack: AsyncExitStack, path: Path, effects: harness.Effects) -> None:
    """Each datagram is a run's number."""
    said = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK))
    said.bind(str(path))
    loop = asyncio.get_running_loop()

    def hear() -> None:
        effects.happened(int(said.recv(100)))

    loop.add_reader(said, hear)
    stack.callback(loop.remove_reader, said)


@asynccontextmanager
async def _hosted(setting: Setting, base: Base, said: Path, *, is_inside: bool) -> AsyncIterator[Hosted]:
    asking, working, deciding = await _keys(base)
    given = setting.environment(base.url, SIGNOFF_BENCH_SOCKET=str(said))
    if is_inside:
        given |= {"SIGNOFF_APP": "bench.hosted:runtime"}
    async with AsyncExitStack() as stack:
        site = await stack.enter_async_context(server("bot", "serve", **given))
        worker = site.pid
        if not is_inside:
            more = {"SIGNOFF_URL": site.url, "SIGNOFF_KEY": working, "SIGNOFF_BENCH_SOCKET": str(said)}
            hosting = process("signoff.runtime", "bench.hosted:runtime", **more)
            worker = (await stack.enter_async_context(hosting)).running.pid
        headers = {"Authorization": f"Bearer {asking}"}
        session = await stack.enter_async_context(aiohttp.ClientSession(headers=headers))
        yield Hosted(url=site.url, worker=worker, session=session, decider=deciding, asked={})


async def _keys(base: Base) -> tuple[str, str, str]:
    """To ask with, to work with, to decide with."""
    store = await open_store(base.url)
    try:
        return (
            await create_key(store, _wanted("bench", "ask,read", any_approvers=True)),
            await create_key(store, _wanted("worker", "work,ask")),
            await create_key(store, _wanted(_DECIDER, "decide")),
        )
    finally:
        await store.close()


def _wanted(name: str, scopes: str, *, any_approvers: bool = False) -> Wanted:
    return Wanted(
        tenant=asked.TENANT,
        name=name,
        scopes=scopes,
        any_approvers=any_approvers,
        expires=None,
        owner=None,
        both=False,
    )


async def _peer(setting: Setting, module: str, load: Load, turn: int) -> harness.Result:
    url = await setting.bases.empty(f"{module}_{turn}")
    command = [str(_PEERS_PYTHON), "-m", f"bench.peers.{module}", url]
    command += ["--runs", str(load.runs), "--alone", str(load.alone), "--deciders", str(_DECIDERS)]
    # Whatever they would send elsewhere stays here.
    quiet = {"LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1"}
    running = await asyncio.create_subprocess_exec(
        *command,
        cwd=TOP,
        env={**environment(**quiet), "PATH": os.environ["PATH"]},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        out, _ = await asyncio.wait_for(running.communicate(), _PATIENCE)
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()
    assert running.returncode == 0, f"{module} ended with {running.returncode}"
    return harness.Result(**json.loads(out.splitlines()[-1]))
