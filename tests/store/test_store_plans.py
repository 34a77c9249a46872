"""Sweeps, lists and look-ups walk an index of what they look for, never the history."""

import pytest

from store import cursors
from store.cursors_runs import RunFilters
from store.open import open_store
from store.runs import RunStatus
from store.types import State

EVERYTHING = {"states": (), "kind": None, "claimed": None, "run_id": None, "operation_id": None}
DECIDED = {"states": (State.APPROVED, State.DENIED), "claimed": False}

TABLES = ("interactions", "postings", "timers", "messages", "deliveries", "runs")
#: Each of those that are named, and not all of a tenant.
OF_RUNS = "runs USING INDEX sqlite_autoindex_runs_1 (tenant=? AND id=?)"


def listed(queries, *, after=False, **filters):
    return queries.listed(cursors.filters(tenant="t", **{**EVERYTHING, **filters}), after=after)


def runs(store, *, code=None, status=None):
    return store._run_claims.listed(RunFilters(tenant="t", code=code, status=status), after=True)


STATEMENTS = {
    "due": (lambda store: store._queries.due, "ix_interactions_expiring"),
    "pending": (lambda store: store._queries.pending, "ix_interactions_pending"),
    "code": (lambda store: store._queries.find_by_code, "ix_interactions_code"),
    "decided of a run": (lambda store: store._queries.decided_of_run, "ix_interactions_unclaimed"),
    "newest": (lambda store: listed(store._queries), "ix_interactions_newest"),
    "the next newest": (lambda store: listed(store._queries, after=True), "ix_interactions_newest"),
    "by deadline": (
        lambda store: listed(store._queries, states=(State.PENDING,), after=True),
        "ix_interactions_pending",
    ),
    "of a run": (lambda store: listed(store._queries, run_id="r"), "run_id=?"),
    "the next of a run": (lambda store: listed(store._queries, run_id="r", after=True), "run_id=?"),
    "to execute": (lambda store: listed(store._queries, run_id="r", **DECIDED), "run_id=?"),
    "to tell": (lambda store: store._work_claims.take_resumptions, "ix_interactions_telling"),
    "stuck": (lambda store: store._work_claims.stick, "ix_interactions_sticking"),
    "to paint": (lambda store: store._work_claims.take_postings, "ix_postings_behind"),
    "postings": (lambda store: store._queries.postings, "ix_postings_interaction"),
    "want": (lambda store: store._claims.want, "ix_postings_interaction"),
    "a draft": (lambda store: store._draft_claims.find, "sqlite_autoindex_drafts_1"),
    "to keep a draft": (lambda store: store._draft_claims.keep, "sqlite_autoindex_interactions_1"),
    "drafts to drop": (lambda store: store._draft_claims.drop, "sqlite_autoindex_interactions_1"),
    "stuck of a tenant": (lambda store: store._queries.stuck, "ix_interactions_stuck"),
    "unknown": (lambda store: store._queries.unknown, "ix_interactions_unknown"),
    "requested": (lambda store: store._queries.requested, "ix_interactions_requested"),
    "precedent": (lambda store: store._queries.precedent, "ix_interactions_precedent"),
    "overdue reports": (lambda store: store._queries.overdue, "ix_interactions_reporting"),
    "to lapse": (lambda store: store._work_claims.lapse, "ix_interactions_lapsing"),
    "due timers": (lambda store: store._queries.due_timers, "ix_timers_due"),
    "a timer": (lambda store: store._control_claims.take_timer, "sqlite_autoindex_timers_1"),
    "stops": (lambda store: store._queries.stops, "uq_stops_holding"),
    "policies": (lambda store: store._queries.policies, "sqlite_autoindex_policies_1"),
    "recorded": (lambda store: store._queries.recorded, "ix_interactions_recorded"),
    "deliveries of an interaction": (lambda store: store._delivery_claims.of_interaction, "ix_deliveries_interaction"),
    "newest deliveries": (lambda store: store._delivery_claims.of_tenant, "ix_deliveries_newest"),
    "the newest message": (lambda store: store._delivery_claims.last_message, "ix_messages_interaction"),
    "attempts to forget": (lambda store: store._delivery_claims.forget, "sqlite_autoindex_deliveries_1"),
    "runs to lease": (lambda store: store._run_claims.lease, "ix_runs_free"),
    "runs to end": (lambda store: store._run_claims.lease_stopping, "ix_runs_stopping"),
    "runs to renew": (lambda store: store._run_claims.renew, OF_RUNS),
    "held runs": (lambda store: store._run_claims.held, OF_RUNS),
    "finished runs": (lambda store: store._run_claims.finished_among, OF_RUNS),
    "newest runs": (runs, "ix_runs_newest"),
    "runs of a code": (lambda store: runs(store, code="ship"), "ix_runs_code"),
    "waiting runs": (lambda store: runs(store, status=RunStatus.WAITING), "ix_runs_unfinished"),
    "failed runs": (lambda store: runs(store, status=RunStatus.FAILED), "ix_runs_with_error"),
    "some by their ids": (lambda store: store._queries.among, "sqlite_autoindex_interactions_1"),
    "resolved": (lambda store: store._queries.resolved_among, "sqlite_autoindex_interactions_1"),
}


@pytest.mark.parametrize("name", STATEMENTS)
async def test_sqlite_walks_the_index_of_what_is_looked_for(tmp_path, name) -> None:
    make, index = STATEMENTS[name]
    store = await open_store(f"sqlite:///{tmp_path}/store.db")
    statement = make(store)

    async with store._database.read() as session:
        plan = await session.run(f"EXPLAIN QUERY PLAN {statement.sql}", [None] * len(statement._names))
    await store.close()

    steps = [row["detail"] for row in plan]
    assert any(index in step for step in steps), steps
    assert not [step for step in steps if step.startswith(tuple(f"SCAN {table}" for table in TABLES))]


@pytest.mark.parametrize(
    "name",
    [
        "stuck of a tenant",
        "unknown",
        "requested",
        "precedent",
        "due timers",
        "recorded",
        "newest deliveries",
        "deliveries of an interaction",
        "runs of a code",
        "waiting runs",
        "failed runs",
    ],
)
async def test_sqlite_lists_in_the_order_of_the_index(tmp_path, name) -> None:
    make, _ = STATEMENTS[name]
    store = await open_store(f"sqlite:///{tmp_path}/store.db")
    statement = make(store)

    async with store._database.read() as session:
        plan = await session.run(f"EXPLAIN QUERY PLAN {statement.sql}", [None] * len(statement._names))
    await store.close()

    sorts = [row["detail"] for row in plan if "TEMP B-TREE FOR ORDER BY" in row["detail"]]
    assert not sorts


ON_POSTGRES = {
    name: STATEMENTS[name]
    for name in (
        *("stuck of a tenant", "unknown", "requested", "precedent", "overdue reports", "to lapse"),
        *("due timers", "stops", "recorded", "newest deliveries", "deliveries of an interaction"),
        *("runs to lease", "runs to end", "waiting runs", "failed runs"),
    )
}


@pytest.mark.parametrize("name", ON_POSTGRES)
async def test_postgres_walks_the_index_of_what_is_looked_for(postgres_url, name) -> None:
    """With tables that are too small for it to matter, it is told that walking all of one is dear."""
    make, index = ON_POSTGRES[name]
    store = await open_store(postgres_url)
    statement = make(store)
    types = ", ".join(["unknown"] * len(statement._names))
    values = ", ".join(["NULL"] * len(statement._names))

    async with store._database.transaction() as session:
        await session.run("SET LOCAL enable_seqscan = off")
        await session.run("SET LOCAL enable_bitmapscan = off")
        await session.run("SET LOCAL plan_cache_mode = force_generic_plan")
        await session.run(f"PREPARE looked_for ({types}) AS {statement.sql}")
        plan = await session.run(f"EXPLAIN EXECUTE looked_for ({values})")
        await session.run("DEALLOCATE looked_for")
    await store.close()

    steps = [row[0] for row in plan]
    assert any(index in step for step in steps), steps
    assert not [step for step in steps if "Seq Scan" in step]
