"""From a click to the code that waits for it, one at a time: a client in `GET ?wait=`, here or at another replica,
and a handler in the service. Cards are painted as always."""

import asyncio
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bench import asked
from bench.base import POSTGRES, Base
from bench.figures import Aim, Spread, percentile
from bench.load import Connection, signed
from bench.processes import Server, server
from bench.setting import Setting
from bot.console import Wanted, create_key
from sandbox import seed
from store.open import open_store

_WARM = 3
#: Where cards go, in turn: a channel takes one message a second, and each ask needs two.
_CHANNELS = (seed.DEPLOYS, seed.REPORTS, seed.GENERAL)
_PEOPLE = (seed.ANA, seed.BEN, seed.CHIDI, seed.DANA, seed.GUEST)
#: How long a waiting request has to be parked before the click: far longer than it takes.
_PARKED = 0.02


@dataclass(kw_only=True)
class Place:
    """`site` answers clicks; `other` is another replica, where there can be one."""

    site: Server
    other: Server | None
    session: aiohttp.ClientSession
    clicks: Connection
    said: socket.socket
    asked: int = 0

    async def ask(self, resume: dict[str, Any]) -> dict[str, Any]:
        """An approval whose card stands in its channel."""
        self.asked += 1
        address = (*_CHANNELS, *_PEOPLE)[self.asked % (len(_CHANNELS) + len(_PEOPLE))]
        body = {
            **asked.DEPLOY,
            "run_id": f"run-{self.asked}",
            "requested_by": asked.DANA,
            "channels" if address in _CHANNELS else "users": [address],
            "approvers": {"users": [asked.ANA]},
            "resume": resume,
        }
        made = await self._call("POST", f"{self.site.url}/v1/approvals", body)
        while made["postings"][0]["state"] != "posted":
            await asyncio.sleep(0.005)
            made = await self._call("GET", f"{self.site.url}/v1/interactions/{made['id']}")
        return made

    async def click(self, made: dict[str, Any], template: bytes, given: str) -> tuple[int, int]:
        """When it was sent and when it was acknowledged, in nanoseconds."""
        body = template.replace(given.encode(), made["id"].encode())
        posting = made["postings"][0]
        body = body.replace(asked.TS.encode(), posting["ts"].encode())
        body = body.replace(asked.CHANNEL.encode(), posting["channel"].encode())
        request = signed(body, secret=seed.SIGNING_SECRET, host="127.0.0.1")
        sent = time.monotonic_ns()
        status = await self.clicks.send(request)
        assert status == 200, status
        return sent, time.monotonic_ns()

    async def told(self) -> int:
        """When the handler began, in nanoseconds."""
        said = await asyncio.get_running_loop().sock_recv(self.said, 200)
        return int(said.split()[1])

    async def wait(self, at: Server, id: str) -> int:
        """When the waiting client had its answer."""
        found = await self._call("GET", f"{at.url}/v1/interactions/{id}?wait=30")
        assert found["state"] == "approved", found["state"]
        return time.monotonic_ns()

    async def _call(self, method: str, url: str, body: Any = None) -> dict[str, Any]:
        async with self.session.request(method, url, json=body) as reply:
            assert reply.status < 300, await reply.text()
            return dict(await reply.json())


async def measure(setting: Setting) -> None:
    for kind in setting.bases.kinds:
        setting.report.title(f"From the click to whoever waits, on {kind}, one at a time")
        base = await setting.bases.make(kind, "latency")
        template, given, token = await _prepared(base)
        async with _place(setting, base, token) as place:
            found = await _measured(setting, place, template, given)
        _tell(setting, kind, found)


async def _prepared(base: Base) -> tuple[bytes, str, str]:
    """A click on an approval, that approval's id, an API key. The approval itself is withdrawn from the painter."""
    store = await open_store(base.url)
    try:
        wanted = Wanted(
            tenant=asked.TENANT,
            name="bench",
            scopes="ask,read",
            any_approvers=True,
            expires=None,
            owner=None,
            both=False,
        )
        token = await create_key(store, wanted)
        approval = await asked.ask(store)
        await asked.painted(store)
    finally:
        await store.close()
    return asked.click(approval), approval.id, token


@asynccontextmanager
async def _place(setting: Setting, base: Base, token: str) -> AsyncIterator[Place]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-said-"))
        said = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK))
        said.bind(str(Path(folder) / "said"))
        given = setting.environment(
            base.url, SIGNOFF_APP="bench.handlers", SIGNOFF_BENCH_SOCKET=str(Path(folder) / "said")
        )
        site = await stack.enter_async_context(server("bot", "serve", **given))
        other = None
        if base.kind == POSTGRES:
            other = await stack.enter_async_context(server("bot", "serve", "--no-worker", **given))
        headers = {"Authorization": f"Bearer {token}"}
        session = await stack.enter_async_context(aiohttp.ClientSession(headers=headers))
        made = await asyncio.get_running_loop().create_connection(Connection, "127.0.0.1", site.port)
        stack.callback(made[1].close)
        yield Place(site=site, other=other, session=session, clicks=made[1], said=said)


async def _measured(
    setting: Setting, place: Place, template: bytes, given: str
) -> dict[str, list[tuple[float, float]]]:
    """Milliseconds since the click was sent, and since it was acknowledged."""
    found: dict[str, list[tuple[float, float]]] = {}
    waiters = {"waiting client": place.site, "waiting client, another replica": place.other}
    for turn in setting.turns(30 + _WARM, 10 + _WARM, seconds=setting.some(40, 10)):
        for name, at in waiters.items():
            if at is None:
                continue
            made = await place.ask({"pull": True})
            waiting = asyncio.ensure_future(place.wait(at, made["id"]))
            await asyncio.sleep(_PARKED)
            sent, acknowledged = await place.click(made, template, given)
            got = await waiting
            if turn >= _WARM:
                found.setdefault(name, []).append(((got - sent) / 1e6, (got - acknowledged) / 1e6))
                found.setdefault("the click itself", []).append(((acknowledged - sent) / 1e6, 0.0))
        made = await place.ask({"handler": "bench"})
        await asyncio.sleep(_PARKED)
        sent, acknowledged = await place.click(made, template, given)
        began = await asyncio.wait_for(place.told(), 30)
        if turn >= _WARM:
            found.setdefault("handler", []).append(((began - sent) / 1e6, (began - acknowledged) / 1e6))
    return found


def _tell(setting: Setting, kind: str, found: dict[str, list[tuple[float, float]]]) -> None:
    def column(name: str, place: int, share: float) -> str:
        return f"{percentile([each[place] for each in found[name]], share):.1f}"

    shares: Sequence[tuple[int, float]] = ((0, 0.5), (0, 0.99), (1, 0.5), (1, 0.99))
    rows = [[name, *(column(name, place, share) for place, share in shares)] for name in found]
    setting.report.note(f"{len(found['handler'])} each")
    setting.report.table(["ms", "p50 since sent", "p99", "p50 since the 200", "p99"], rows)
    for name, each_click in found.items():
        if name == "the click itself":
            continue
        p50 = percentile([since_sent for since_sent, _ in each_click], 0.5)
        aim = Aim.most(f"click → {name}, p50, {kind}", Spread.of([p50]), 20, unit=" ms", digits=1)
        setting.report.aim(aim)
