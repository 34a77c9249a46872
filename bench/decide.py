"""Deciding and claiming by our store beside raw asyncpg: CPU of a process that does nothing else, 8 at a time."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types

from bench import asked, raw
from bench.base import POSTGRES, Base, copies, ids, like
from bench.figures import Aim, Spread, ratios
from bench.processes import worker
from bench.setting import Setting
from store.ids import new_token
from store.open import open_store
from store.types import Actor, ActorKind, Decision, Surface

_CONCURRENT = 8
_WARM = 30
_ROUNDS, _QUICK_ROUNDS = 5, 3
OURS, TRANSACTION, ONCE, WHOLE = "ours", "transaction", "statement", "whole"
NAMES = {
    OURS: "our store",
    TRANSACTION: "raw transaction (row, event)",
    WHOLE: "raw transaction (row, event, cards, notify)",
    ONCE: "raw single statement (all of it)",
}
Step = Callable[[str], Awaitable[bool]]


async def measure(setting: Setting) -> None:
    rounds, count = setting.some(_ROUNDS, _QUICK_ROUNDS), setting.some(600, 200)
    for kind in setting.bases.kinds:
        setting.report.title(f"Decide, then claim, on {kind}: {rounds} rounds of {count} at {_CONCURRENT}")
        base = await setting.bases.make(kind, "decide")
        store = await open_store(base.url)
        try:
            approval = await asked.ask(store)
            await asked.painted(store)
        finally:
            await store.close()
        names = (OURS, TRANSACTION, WHOLE, ONCE) if kind == POSTGRES else (OURS,)
        for name in names:
            await copies(base, of=approval.id, tag=_tag(name), count=_WARM + rounds * count)
        await base.settled()
        found = await _rounds(setting, base, approval.digest, names, count=count)
        await _check(setting, base, names, len(found[OURS]) * count + _WARM)
        _tell(setting, kind, found)


async def _rounds(
    setting: Setting, base: Base, digest: str, names: tuple[str, ...], *, count: int
) -> dict[str, list[dict[str, float]]]:
    """Per name, per round: CPU microseconds and operations a second, for deciding and for claiming."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    async with worker("bench.decide") as child:

        async def one(name: str, first: int, many: int) -> dict[str, float]:
            job = {"url": base.url, "name": name, "digest": digest, "ids": ids(_tag(name), first, many)}
            result: dict[str, float] = await child.ask(job)
            return result

        for name in names:
            await one(name, 1, _WARM)
        for turn in setting.turns(_ROUNDS, _QUICK_ROUNDS, seconds=25):
            for name in names:
                found[name].append(await one(name, 1 + _WARM + turn * count, count))
    return found


def _tag(name: str) -> str:
    return f"DEC{name[:11].upper():0<11}"


async def _check(setting: Setting, base: Base, names: tuple[str, ...], count: int) -> None:
    for name in names:
        rows = await base.run(
            "SELECT (SELECT count(*) FROM interactions WHERE id LIKE $1 AND claimed_at IS NOT NULL AND version = 3),"
            " (SELECT count(*) FROM events WHERE interaction_id LIKE $1)",
            like(_tag(name)),
        )
        if tuple(rows[0]) != (count, 2 * count):
            setting.report.violation(f"{NAMES[name]}: {count} decided and claimed, found {tuple(rows[0])}")


def _tell(setting: Setting, kind: str, found: dict[str, list[dict[str, float]]]) -> None:
    columns = (("decide_cpu", 0), ("claim_cpu", 0), ("decide_rate", 0), ("claim_rate", 0))
    head = ["", "decide CPU µs", "claim CPU µs", "decides/s", "claims/s"]
    rows = [
        [NAMES[name], *(Spread.of(each[what] for each in rounds).text(digits) for what, digits in columns)]
        for name, rounds in found.items()
    ]
    setting.report.table(head, rows)
    if kind != POSTGRES:
        return
    setting.report.note("\nours by the other:")
    both = {name: [each["decide_cpu"] + each["claim_cpu"] for each in rounds] for name, rounds in found.items()}
    compared = []
    for name in (TRANSACTION, WHOLE, ONCE):
        per = [
            ratios([each[what] for each in found[OURS]], [each[what] for each in found[name]]).text()
            for what, _ in columns
        ]
        compared.append([NAMES[name], *per])
    setting.report.table(head, compared)
    setting.report.aim(Aim.most("decide + claim CPU by a raw transaction", ratios(both[OURS], both[TRANSACTION]), 1.5))
    setting.report.aim(Aim.most("the same, by one that writes the same rows", ratios(both[OURS], both[WHOLE]), 1.5))


# --- in the worker's process


async def _all(step: Step, targets: list[str]) -> tuple[float, float]:
    """CPU microseconds per operation, operations a second; every one must win."""
    waiting = iter(targets)

    async def doer() -> None:
        for id_ in waiting:
            assert await step(id_)

    wall, used = time.perf_counter(), time.process_time()
    await asyncio.gather(*(doer() for _ in range(_CONCURRENT)))
    wall, used = time.perf_counter() - wall, time.process_time() - used
    return used / len(targets) * 1e6, len(targets) / wall


async def _work(job: dict[str, Any]) -> dict[str, float]:
    measured = _ours if job["name"] == OURS else _raw
    return await measured(job)


async def _ours(job: dict[str, Any]) -> dict[str, float]:
    store = await open_store(job["url"])
    actor = Actor(kind=ActorKind.SLACK_USER, id=asked.ANA)

    async def decide(id_: str) -> bool:
        at = raw.now()
        outcome = await store.decide_approval(
            tenant=asked.TENANT, id=id_, actor=actor, decision=Decision.ALLOW_ONCE, at=at, surface=Surface.CARD
        )
        return not outcome.already_resolved

    async def claim(id_: str) -> bool:
        outcome = await store.claim_approval(
            tenant=asked.TENANT, id=id_, claim_id=new_token(), digest=job["digest"], at=raw.now()
        )
        return outcome.execute

    try:
        return await _both(decide, claim, job["ids"])
    finally:
        await store.close()


async def _raw(job: dict[str, Any]) -> dict[str, float]:
    connections: asyncio.Queue[asyncpg.Connection] = asyncio.Queue()
    for _ in range(_CONCURRENT):
        connections.put_nowait(await asyncpg.connect(job["url"]))
    decides, claims = {
        TRANSACTION: (raw.decide_in_transaction, raw.claim_in_transaction),
        WHOLE: (raw.decide_whole, raw.claim_whole),
        ONCE: (raw.decide_at_once, raw.claim_at_once),
    }[job["name"]]

    def decision(id_: str) -> raw.Decision:
        return raw.Decision(tenant=asked.TENANT, id=id_, user=asked.ANA, at=raw.now(), attempt=new_token())

    async def decide(id_: str) -> bool:
        connection = connections.get_nowait()
        try:
            return await decides(connection, decision(id_))
        finally:
            connections.put_nowait(connection)

    async def claim(id_: str) -> bool:
        connection = connections.get_nowait()
        try:
            return await claims(connection, decision(id_), job["digest"])
        finally:
            connections.put_nowait(connection)

    try:
        return await _both(decide, claim, job["ids"])
    finally:
        while not connections.empty():
            await connections.get_nowait().close()


async def _both(decide: Step, claim: Step, targets: list[str]) -> dict[str, float]:
    # Connections and statements are ready after the first few.
    warm, rest = targets[:_CONCURRENT], targets[_CONCURRENT:]
    await _all(decide, warm)
    await _all(claim, warm)
    decide_cpu, decide_rate = await _all(decide, rest)
    claim_cpu, claim_rate = await _all(claim, rest)
    return {"decide_cpu": decide_cpu, "decide_rate": decide_rate, "claim_cpu": claim_cpu, "claim_rate": claim_rate}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(asyncio.run(_work(json.loads(line)))), flush=True)


if __name__ == "__main__":
    main()
