"""What runs all the time, at a thousand and at a million resolved interactions: it should not notice."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from bench import asked
from bench.base import POSTGRES, Base, copies, shifted
from bench.figures import Aim, Spread, percentile, ratios
from bench.setting import Setting
from store.ids import new_token
from store.open import open_store
from store.protocol import Store
from store.types import Actor, ActorKind, Decision, ExecutionStatus, Kind, Resume, ResumeKind, State, Surface

_PENDING, _DUE = 1000, 20
_ANA = Actor(kind=ActorKind.SLACK_USER, id=asked.ANA)
_ONE = "apr_HISTORY0000000000000000007"
Call = Callable[[int], Awaitable[object]]


@dataclass(kw_only=True)
class Size:
    """One database. `found`: per call, the p50 of each round in milliseconds."""

    history: int
    store: Store
    now: datetime
    run_id: str
    first_deadline: datetime
    turn: int = 0
    found: dict[str, list[float]] = field(default_factory=dict)


async def measure(setting: Setting) -> None:
    for kind in setting.bases.kinds:
        many = setting.some(1_000_000, 50_000) if kind == POSTGRES else setting.some(200_000, 20_000)
        rounds, calls = 5, setting.some(30, 15)
        setting.report.title(
            f"Sweeps and lists on {kind}, {many:,} resolved beside 1,000: p50 ms of {calls}, {rounds} rounds"
        )
        sizes = [await _made(setting, kind, history) for history in (1000, many)]
        try:
            for _ in setting.turns(rounds, rounds, seconds=30):
                for size in sizes:
                    await _round(size, calls)
        finally:
            for size in sizes:
                await size.store.close()
        _tell(setting, kind, sizes)


async def _made(setting: Setting, kind: str, history: int) -> Size:
    """Resolved history, 1000 pending with deadlines a minute apart, 20 runs to be told, 20 cards behind."""
    base = await setting.bases.make(kind, f"sweep_{history}")
    began = time.perf_counter()
    store = await open_store(base.url)
    try:
        live = await _live(store, base, history)
        now = await store.now() + timedelta(seconds=2)
    finally:
        await store.close()
    await base.settled()
    setting.report.note(f"({history:,} resolved rows made in {time.perf_counter() - began:.0f} s)")
    run_id, first_deadline = live
    return Size(
        history=history,
        store=await open_store(base.url),
        now=now,
        run_id=run_id,
        first_deadline=first_deadline,
    )


async def _live(store: Store, base: Base, history: int) -> tuple[str, datetime]:
    """A run with something to claim; the deadline after which one more is late each minute."""
    resolved = await asked.ask(store)
    handler = Resume(kind=ResumeKind.HANDLER, target="bench")
    to_tell = await asked.ask(store, resume=handler)
    pending = await asked.ask(store, expires_in=86400)
    await asked.painted(store)
    for each in (resolved, to_tell):
        await store.decide_approval(
            tenant=each.tenant,
            id=each.id,
            actor=_ANA,
            decision=Decision.ALLOW_ONCE,
            at=await store.now(),
            surface=Surface.CARD,
        )
    tenant, id, claim_id = resolved.tenant, resolved.id, new_token()
    await store.claim_approval(tenant=tenant, id=id, claim_id=claim_id, digest=resolved.digest, at=await store.now())
    succeeded = ExecutionStatus.SUCCEEDED
    await store.report_execution(tenant=tenant, id=id, claim_id=claim_id, status=succeeded, at=await store.now())
    await asked.painted(store)
    behind = await asked.ask(store)
    older = {"created_at": shifted(base, "created_at", sign="-", unit="seconds")}
    await copies(base, of=resolved.id, tag="HISTORY0000000", count=history, changed=older)
    await copies(base, of=to_tell.id, tag="TELL0000000000", count=_DUE)
    await copies(base, of=behind.id, tag="BEHIND00000000", count=_DUE)
    later = {"deadline": shifted(base, "deadline", sign="+", unit="minutes")}
    await copies(base, of=pending.id, tag="PENDING0000000", count=_PENDING, changed=later)
    assert pending.expires_at is not None
    return to_tell.run_id, pending.expires_at


def _calls(size: Size) -> dict[str, Call]:
    """Leases end as they are taken, so that each call finds the same again. Each expiry finds one more minute's."""
    store, now, tenant = size.store, size.now, asked.TENANT

    async def expire(_: int) -> object:
        size.turn += 1
        expired = await store.expire_due(now=size.first_deadline + timedelta(minutes=size.turn), limit=20)
        assert 1 <= len(expired) <= 2, len(expired)
        return expired

    return {
        f"lease {_DUE} resumptions": lambda _: store.lease_resumptions(
            now=now, until=now, limit=_DUE, handlers={"bench"}, webhooks=True
        ),
        f"lease {_DUE} postings": lambda _: store.lease_postings(now=now, until=now, limit=_DUE),
        "expire, nothing due": lambda _: store.expire_due(now=now),
        "expire, one due": expire,
        "stuck, nothing due": lambda _: store.mark_stuck(now=now),
        "list pending, page 1": lambda _: store.list_interactions(tenant=tenant, states={State.PENDING}),
        "list newest, page 1": lambda _: store.list_interactions(tenant=tenant),
        "a run's decided, unclaimed": lambda _: store.list_interactions(
            tenant=tenant,
            kind=Kind.APPROVAL,
            run_id=size.run_id,
            states={State.APPROVED, State.DENIED},
            claimed=False,
        ),
        "all decided, unclaimed": lambda _: store.list_interactions(
            tenant=tenant, states={State.APPROVED, State.DENIED}, claimed=False
        ),
        "list expired, page 1": lambda _: store.list_interactions(tenant=tenant, states={State.EXPIRED}),
        "copies of a card": lambda _: store.find_postings(tenant=tenant, interaction_ids=[_ONE]),
        "find by short code": lambda _: store.find_by_code(tenant=tenant, code="00007"),
    }


#: These read through the history for what is rare in it; shown, not aimed at.
_RARE = ("all decided, unclaimed", "list expired, page 1")


async def _round(size: Size, count: int) -> None:
    for name, call in _calls(size).items():
        if size.turn == 0:
            await call(0)
        many = 5 if name in _RARE else count
        size.found.setdefault(name, []).append(percentile([await _timed(call) for _ in range(many)], 0.5))


async def _timed(call: Call) -> float:
    began = time.perf_counter()
    await call(0)
    return (time.perf_counter() - began) * 1000


def _tell(setting: Setting, kind: str, sizes: list[Size]) -> None:
    small, large = sizes
    found: dict[str, Any] = {name: ratios(large.found[name], small.found[name]) for name in small.found}
    rows = [
        [name, Spread.of(small.found[name]).text(), Spread.of(large.found[name]).text(), ratio.text()]
        for name, ratio in found.items()
    ]
    setting.report.table(["ms", f"{small.history:,}", f"{large.history:,}", "ratio"], rows)
    for name, ratio in found.items():
        if name not in _RARE:
            setting.report.aim(Aim.most(f"{name}, {kind}", ratio, 1.5))
