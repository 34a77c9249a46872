"""Sweeps, lists and look-ups walk an index of what they look for, never the history."""

import pytest

from store import cursors
from store.open import open_store
from store.types import State

EVERYTHING = {"states": (), "kind": None, "claimed": None, "run_id": None, "operation_id": None}
DECIDED = {"states": (State.APPROVED, State.DENIED), "claimed": False}


def listed(queries, *, after=False, **filters):
    return queries.listed(cursors.filters(tenant="t", **{**EVERYTHING, **filters}), after=after)


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
    assert not [step for step in steps if step.startswith(("SCAN interactions", "SCAN postings"))]
