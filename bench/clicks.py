"""Clicks through the whole path, beside the limit and beside Bolt alone: every click its own approval, counted after."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import asked
from bench.base import POSTGRES, Base, copies, ids, like
from bench.figures import Aim, Spread, percentile, ratios
from bench.processes import Server, Worker, server, worker
from bench.setting import Setting
from bot.slack.errands import RECORDED_AFTER
from sandbox import seed
from store.open import open_store

_TAG = "BENCH0CLICKS00"
_WARM = 40
#: Until the service has looked whether the card of the last click was painted.
_FOLLOWS = RECORDED_AFTER + 0.4
_PAINTED_EACH = 0.25
_CONCURRENT = 16
_ROUNDS, _QUICK_ROUNDS = 5, 2
OURS, LIMIT, ACK = "ours", "limit", "Bolt, our settings, only ack"
ACK_DEFAULTS, DECIDE_DEFAULTS = "Bolt's defaults, only ack", "Bolt's defaults, same decide"
AIOSQLITE = "limit with aiosqlite"


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One server, one round. `rate`: clicks a second; `cpu`: of the server, microseconds per click."""

    alone_p50: float
    rate: float
    cpu: float
    p99: float


@dataclass(kw_only=True)
class Candidate:
    name: str
    server: Server
    base: Base | None
    #: Seconds that work goes on after a click was answered; its CPU belongs to the click.
    follows: float = 0.0
    used: int = 0
    rounds: list[Round] = field(default_factory=list)

    def of(self, what: str) -> list[float]:
        return [getattr(each, what) for each in self.rounds]


@dataclass(frozen=True, kw_only=True, slots=True)
class Clicker:
    """Sends clicks by the load generator's process."""

    load: Worker
    template: Path
    given: str

    async def click(self, candidate: Candidate, count: int, *, concurrency: int) -> dict[str, Any]:
        targets = ids(_TAG, candidate.used + 1, count)
        candidate.used += count
        result: dict[str, Any] = await self.load.ask(
            {
                "port": candidate.server.port,
                "template": str(self.template),
                "given": self.given,
                "ids": targets,
                "secret": seed.SIGNING_SECRET,
                "concurrency": concurrency,
            }
        )
        if result["statuses"] != {"200": count}:
            raise RuntimeError(f"{candidate.name}: {result['statuses']}")
        return result


async def measure(setting: Setting) -> None:
    for kind in setting.bases.kinds:
        await _on(setting, kind)


async def _on(setting: Setting, kind: str) -> None:
    alone, many = setting.some(100, 60), setting.some(480, 320)
    rounds = setting.some(_ROUNDS, _QUICK_ROUNDS)
    setting.report.title(f"Clicks on {kind}: {rounds} rounds of {alone} one at a time and {many} at {_CONCURRENT}")
    template = await setting.bases.make(kind, "clicks")
    with tempfile.NamedTemporaryFile(prefix="bench-click-") as file:
        store = await open_store(template.url)
        try:
            approval = await asked.ask(store)
            await asked.painted(store)
        finally:
            await store.close()
        file.write(asked.click(approval))
        file.flush()
        await copies(template, of=approval.id, tag=_TAG, count=_WARM + rounds * (alone + many))
        await template.settled()
        async with AsyncExitStack() as stack:
            load = await stack.enter_async_context(worker("bench.load"))
            clicker = Clicker(load=load, template=Path(file.name), given=approval.id)
            candidates = await _candidates(setting, template, stack)
            for each in candidates:
                async with _painting(each):
                    await clicker.click(each, _WARM, concurrency=_CONCURRENT)
                    await asyncio.sleep(each.follows)
                if not await _counted(setting, each):
                    return
            for _ in setting.turns(_ROUNDS, _QUICK_ROUNDS, seconds=45):
                for each in candidates:
                    each.rounds.append(await _round(clicker, each, alone, many))
            for each in candidates:
                await _counted(setting, each)
    _tell(setting, kind, candidates)


async def _candidates(setting: Setting, template: Base, stack: AsyncExitStack) -> list[Candidate]:
    async def started(name: str, *arguments: str, copy: str | None) -> Candidate:
        base = None if copy is None else await setting.bases.copy(template, f"clicks_{copy}")
        url = "memory://" if base is None else base.url
        if base is not None:
            arguments = tuple(each.format(url=url) for each in arguments)
        running = await stack.enter_async_context(server(*arguments, **setting.environment(url)))
        return Candidate(name=name, server=running, base=base)

    ours = await started(OURS, "bot", "serve", "--no-worker", copy="ours")
    ours.follows = _FOLLOWS
    found = [ours]
    if template.kind == POSTGRES:
        found.append(await started(LIMIT, "bench.servers.bare", "{url}", "asyncpg", copy="limit"))
    else:
        found.append(await started(LIMIT, "bench.servers.bare", "{url}", "sqlite3", copy="limit"))
        found.append(await started(AIOSQLITE, "bench.servers.bare", "{url}", "aiosqlite", copy="aiosqlite"))
    found.append(await started(ACK, "bench.servers.bolt", "ack", copy=None))
    found.append(await started(ACK_DEFAULTS, "bench.servers.bolt", "ack-defaults", copy=None))
    found.append(await started(DECIDE_DEFAULTS, "bench.servers.bolt", "decide-defaults", copy="defaults"))
    return found


async def _round(clicker: Clicker, candidate: Candidate, alone: int, many: int) -> Round:
    async with _painting(candidate):
        before = candidate.server.cpu()
        one_by_one = await clicker.click(candidate, alone, concurrency=1)
        together = await clicker.click(candidate, many, concurrency=_CONCURRENT)
        await asyncio.sleep(candidate.follows)
        used = candidate.server.cpu() - before
    return Round(
        alone_p50=percentile(one_by_one["latencies"], 0.5),
        rate=many / together["seconds"],
        cpu=used / (alone + many) * 1e6,
        p99=percentile(together["latencies"], 0.99),
    )


@asynccontextmanager
async def _painting(candidate: Candidate) -> AsyncIterator[None]:
    """In place of a worker whose cards Slack takes at once: without it each click is followed by a private note."""
    if candidate.base is None or not candidate.follows:
        yield
        return
    base = candidate.base

    async def paint() -> None:
        while True:
            await asyncio.sleep(_PAINTED_EACH)
            await base.run("UPDATE postings SET painted = wanted WHERE wanted > painted")

    painter = asyncio.create_task(paint(), name="painter")
    try:
        yield
    finally:
        painter.cancel()
        await asyncio.gather(painter, return_exceptions=True)


async def _counted(setting: Setting, candidate: Candidate) -> bool:
    """Exactly one decision for each click, its event with it, its card behind. A 200 alone proves nothing: a click
    that failed is answered too, with a private note."""
    if candidate.base is None:
        return True
    found = await candidate.base.run(
        "SELECT (SELECT count(*) FROM interactions WHERE id LIKE $1 AND decided_at IS NOT NULL AND version = 2),"
        " (SELECT count(*) FROM events WHERE interaction_id LIKE $1 AND action = 'approved'),"
        " (SELECT count(*) FROM postings WHERE interaction_id LIKE $1 AND wanted = 2)",
        like(_TAG),
    )
    is_exact = tuple(found[0]) == (candidate.used,) * 3
    if not is_exact:
        setting.report.violation(f"{candidate.name}: {candidate.used} clicks, found {tuple(found[0])}")
    return is_exact


def _tell(setting: Setting, kind: str, candidates: Sequence[Candidate]) -> None:
    rows = []
    for each in candidates:
        columns = (("rate", 0), ("p99", 1), ("cpu", 0), ("alone_p50", 2))
        rows.append([each.name, *(Spread.of(each.of(what)).text(digits) for what, digits in columns)])
    head = ["", f"clicks/s at {_CONCURRENT}", "p99 ms", "CPU µs/click", "p50 ms alone"]
    setting.report.table(head, rows)
    ours, *others = candidates
    setting.report.note("\nours by the other, the median of rounds (least–most):")
    compared = [
        [each.name, *(ratios(ours.of(what), each.of(what)).text() for what in ("rate", "p99", "cpu", "alone_p50"))]
        for each in others
    ]
    setting.report.table(head, compared)
    by = {each.name: each for each in candidates}
    rate = ratios(ours.of("rate"), by[LIMIT].of("rate"))
    slow = ratios(ours.of("alone_p50"), by[DECIDE_DEFAULTS].of("alone_p50"))
    setting.report.aim(Aim.least(f"clicks/s at 16, {kind}, by the limit", rate, 0.6 if kind == POSTGRES else 0.5))
    setting.report.aim(Aim.most(f"click p50 alone, {kind}, by Bolt's defaults", slow, 0.2))
