"""One row per hosted run, which is also the queue of its work."""

from sqlalchemy import Boolean, Column, Index, Integer, PrimaryKeyConstraint, Table, Text, text

from store.sql.tables.base import Json, Sorted, Time, check, metadata, partial, required

_ACTION = ("action_id", "action_kind", "action_at")

runs = Table(
    "runs",
    metadata,
    required("tenant", Sorted),
    required("id", Sorted),
    required("code", Sorted),
    required("request_digest", Text),
    required("created_at", Time),
    required("starter_kind", Text),
    required("starter_id", Text),
    required("starter_name", Text),
    required("audience", Json),
    # How many states were saved.
    required("saves", Integer, "0"),
    # How many actions there were; the newest one.
    required("cursor", Integer, "0"),
    *(Column(name, Time if name == "action_at" else Text) for name in _ACTION),
    Column("interaction_id", Text),
    Column("delivered_at", Time),
    Column("delivered_to", Text),
    Column("worker", Text),
    # When it may be taken: since its start, or once its lease lapses; never again once it is finished.
    Column("free_at", Time),
    Column("lease", Text),
    Column("begun_at", Time),
    Column("stop_at", Time),
    Column("stopper_kind", Text),
    Column("stopper_id", Text),
    Column("stopper_name", Text),
    Column("stop_reason", Text),
    Column("finished_at", Time),
    Column("finished_by", Text),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("error_retryable", Boolean),
    # JSON as it was sent, keys in the sender's order. Last, as it is large: SQLite reads all of a row before a column.
    required("input_json", Text),
    required("state_json", Text),
    Column("action_request", Text),
    Column("outcome_json", Text),
    PrimaryKeyConstraint("tenant", "id", name="pk_runs"),
    check("ck_runs_free_until_finished", "(finished_at IS NULL) = (free_at IS NOT NULL)"),
    check("ck_runs_lease_until_finished", "lease IS NULL OR finished_at IS NULL"),
    check("ck_runs_finished_by_holder", "(finished_at IS NULL) = (finished_by IS NULL)"),
    check(
        "ck_runs_ends_one_way",
        "(finished_at IS NULL AND outcome_json IS NULL AND error_code IS NULL)"
        " OR (finished_at IS NOT NULL AND (outcome_json IS NULL) = (error_code IS NOT NULL))",
    ),
    check(
        "ck_runs_error_whole",
        "(error_code IS NULL) = (error_message IS NULL) AND (error_code IS NULL) = (error_retryable IS NULL)",
    ),
    check(
        "ck_runs_error_known",
        "error_code IS NULL OR error_code IN ('RUN_FAILED', 'RUN_INTERRUPTED', 'RUN_STOPPED', 'RUN_CHECKPOINT_FAILED')",
    ),
    check("ck_runs_action_counted", "cursor >= 0 AND (action_id IS NULL OR cursor >= 1)"),
    check(
        "ck_runs_action_whole",
        " AND ".join(f"(action_id IS NULL) = ({name} IS NULL)" for name in (*_ACTION[1:], "action_request")),
    ),
    check(
        "ck_runs_action_known",
        "action_kind IS NULL OR action_kind IN ('user_ask_questions', 'user_ask_confirmation')",
    ),
    check("ck_runs_asked_of_action", "interaction_id IS NULL OR action_id IS NOT NULL"),
    check("ck_runs_delivered_after_ask", "delivered_at IS NULL OR interaction_id IS NOT NULL"),
    check("ck_runs_delivered_to_holder", "(delivered_at IS NULL) = (delivered_to IS NULL)"),
    check("ck_runs_stop_named", "(stop_at IS NULL) = (stopper_kind IS NULL)"),
)

# What lists walk, newest first: all, those of one code, what goes on, what failed.
Index("ix_runs_newest", runs.c.tenant, runs.c.created_at, runs.c.id)
Index("ix_runs_code", runs.c.tenant, runs.c.code, runs.c.created_at, runs.c.id)
partial("ix_runs_unfinished", runs.c.tenant, runs.c.created_at, runs.c.id, where=text("finished_at IS NULL"))
partial("ix_runs_with_error", runs.c.tenant, runs.c.created_at, runs.c.id, where=text("error_code IS NOT NULL"))
# What workers pull, by code; what the sweep ends, of all tenants.
partial("ix_runs_free", runs.c.tenant, runs.c.code, runs.c.free_at, where=text("free_at IS NOT NULL"))
partial(
    "ix_runs_stopping",
    runs.c.free_at,
    where=text("stop_at IS NOT NULL AND free_at IS NOT NULL"),
)
