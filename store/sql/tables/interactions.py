"""One row per interaction of either kind. State is derived from timestamps and held together by named checks."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from store.sql.tables.base import Json, Jsonb, Sorted, Time, check, metadata, partial, required

_ENDINGS = ("decided_at", "answered_at", "expired_at", "withdrawn_at", "superseded_at")
_ENDED = f"coalesce({', '.join(_ENDINGS)})"
_COUNT = " + ".join(f"CASE WHEN {ending} IS NULL THEN 0 ELSE 1 END" for ending in _ENDINGS)

interactions = Table(
    "interactions",
    metadata,
    required("tenant", Sorted),
    required("id", Sorted),
    # The id from behind, in upper case: whoever knows its last letters finds it by an index.
    required("code", Sorted),
    required("kind", Text),
    required("run_id", Text),
    required("operation_id", Text),
    required("title", Text),
    required("request_digest", Text),
    required("created_at", Time),
    # Without a deadline: the end of time, so that it sorts last and is never due.
    required("deadline", Time),
    required("asker_kind", Text),
    required("asker_id", Text),
    required("asker_name", Text),
    Column("requested_by", Text),
    required("approvers", Json),
    required("quorum", Integer),
    required("denials", Integer, "1"),
    # Policy, reminders, escalation: what it is asked under.
    required("terms", Json, "'{}'"),
    required("destination", Json),
    required("resume_kind", Text),
    Column("resume_target", Text),
    Column("supersedes", Text),
    # What an approval is about.
    Column("digest", Text),
    Column("body", Text),
    Column("tool_name", Text),
    Column("input_json", Text),
    Column("action_details", Text),
    Column("facts", Json),
    Column("links", Json),
    Column("input_schema", Text),
    Column("fingerprint", Text),
    # What whoever asked keeps with it.
    Column("record", Text),
    Column("risk", Text),
    Column("run_within_us", BigInteger),
    # What a question set asks.
    Column("questions", Json),
    # What became of it. `version` counts its transitions; every compare-and-set raises it.
    required("version", Integer),
    Column("votes", Jsonb),
    Column("decision", Text),
    Column("feedback", Text),
    Column("edited_input", Text),
    Column("edited_digest", Text),
    Column("answers", Json),
    # Reminders, hops, more time, what a person said of an unknown execution.
    required("course", Jsonb, "'{}'"),
    # When a person said that an unknown execution did not happen: the claim window opens anew.
    Column("reopened_at", Time),
    *(Column(ending, Time) for ending in _ENDINGS),
    Column("resolved_at", Time),
    Column("resolver_kind", Text),
    Column("resolver_id", Text),
    Column("resolver_name", Text),
    Column("reason", Text),
    Column("superseded_by", Text),
    Column("claimed_at", Time),
    Column("claim_id", Text),
    Column("claim_executes", Boolean),
    Column("claimed_by", Text),
    Column("execution_status", Text),
    Column("execution_at", Time),
    Column("execution_started_at", Time),
    Column("execution_detail", Text),
    Column("report_within", Integer),
    Column("report_due_at", Time),
    # The queue of telling its run.
    Column("told_at", Time),
    Column("resume_due_at", Time),
    required("resume_attempts", Integer, "0"),
    required("resume_wakes", Integer, "0"),
    required("resume_woken_from", Integer, "0"),
    Column("resume_error", Text),
    Column("stuck_at", Time),
    Column("stuck_due_at", Time),
    # Approved, and not claimed within its window.
    Column("lapsed_at", Time),
    Column("lapse_due_at", Time),
    Column("resume_lease", Text),
    Column("resume_leased_until", Time),
    PrimaryKeyConstraint("tenant", "id", name="pk_interactions"),
    UniqueConstraint("tenant", "run_id", "operation_id", name="uq_interactions_operation"),
    check("ck_interactions_kind", "kind IN ('question', 'approval')"),
    check("ck_interactions_ends_once", f"{_COUNT} <= 1"),
    check(
        "ck_interactions_resolved_when_ended",
        f"(resolved_at IS NULL AND {_ENDED} IS NULL)"
        f" OR (resolved_at IS NOT NULL AND {_ENDED} IS NOT NULL AND resolved_at = {_ENDED})",
    ),
    check("ck_interactions_resolver_named", "(resolved_at IS NULL) = (resolver_kind IS NULL)"),
    check("ck_interactions_decision_dated", "(decision IS NULL) = (decided_at IS NULL)"),
    check(
        "ck_interactions_decision_known",
        "decision IS NULL OR decision IN ('allow-once', 'allow-conversation', 'allow-always', 'deny')",
    ),
    check("ck_interactions_answers_dated", "(answers IS NULL) = (answered_at IS NULL)"),
    check("ck_interactions_successor_named", "(superseded_by IS NULL) = (superseded_at IS NULL)"),
    check("ck_interactions_claim_after_decision", "claimed_at IS NULL OR decided_at IS NOT NULL"),
    check(
        "ck_interactions_claim_whole",
        "(claimed_at IS NULL) = (claim_id IS NULL) AND (claimed_at IS NULL) = (claim_executes IS NULL)",
    ),
    check(
        "ck_interactions_execution_of_claim", "execution_status IS NULL OR (claimed_at IS NOT NULL AND claim_executes)"
    ),
    check(
        "ck_interactions_execution_known",
        "execution_status IS NULL OR (execution_at IS NOT NULL AND execution_started_at IS NOT NULL"
        " AND execution_status IN ('claimed', 'running', 'succeeded', 'failed', 'unknown'))",
    ),
    check(
        "ck_interactions_approval_whole",
        "kind <> 'approval' OR (digest IS NOT NULL AND risk IN ('low', 'medium', 'high') AND run_within_us IS NOT NULL"
        " AND votes IS NOT NULL AND questions IS NULL AND answered_at IS NULL)",
    ),
    check(
        "ck_interactions_question_whole",
        "kind <> 'question' OR (questions IS NOT NULL AND digest IS NULL AND votes IS NULL"
        " AND decided_at IS NULL AND superseded_at IS NULL)",
    ),
    check("ck_interactions_quorum", "quorum >= 1"),
    check("ck_interactions_denials", "denials >= 1"),
    check(
        "ck_interactions_edited_whole",
        "(edited_input IS NULL) = (edited_digest IS NULL) AND (edited_digest IS NULL OR decided_at IS NOT NULL)",
    ),
    check("ck_interactions_resume_kind", "resume_kind IN ('handler', 'webhook', 'pull')"),
    check("ck_interactions_resume_target", "(resume_kind = 'pull') = (resume_target IS NULL)"),
    check(
        "ck_interactions_telling_after_end",
        "resolved_at IS NOT NULL OR (resume_due_at IS NULL AND told_at IS NULL AND stuck_at IS NULL"
        " AND stuck_due_at IS NULL AND resume_lease IS NULL)",
    ),
    check(
        "ck_interactions_lapse_of_approved", "lapse_due_at IS NULL OR (decided_at IS NOT NULL AND claimed_at IS NULL)"
    ),
    check(
        "ck_interactions_claim_ends_telling",
        "claimed_at IS NULL OR (resume_due_at IS NULL AND stuck_at IS NULL AND stuck_due_at IS NULL)",
    ),
    check("ck_interactions_lease_whole", "(resume_lease IS NULL) = (resume_leased_until IS NULL)"),
)

_PENDING = text("resolved_at IS NULL")
_UNCLAIMED = text("decided_at IS NOT NULL AND claimed_at IS NULL")
_TO_TELL = text("resume_due_at IS NOT NULL")
_TO_STICK = text("stuck_due_at IS NOT NULL")
_TO_LAPSE = text("lapse_due_at IS NOT NULL")
_TO_REPORT = text("report_due_at IS NOT NULL")


# What lists show: pending by deadline, all newest first.
partial("ix_interactions_pending", interactions.c.tenant, interactions.c.deadline, interactions.c.id, where=_PENDING)
Index("ix_interactions_newest", interactions.c.tenant, interactions.c.created_at, interactions.c.id)
Index("ix_interactions_code", interactions.c.tenant, interactions.c.code)
# What runs look for.
partial(
    "ix_interactions_unclaimed",
    interactions.c.tenant,
    interactions.c.run_id,
    interactions.c.decided_at,
    interactions.c.id,
    where=_UNCLAIMED,
)
# What people look for: what they asked, and what needs a person's eye.
partial(
    "ix_interactions_requested",
    interactions.c.tenant,
    interactions.c.requested_by,
    interactions.c.created_at,
    interactions.c.id,
    where=text("requested_by IS NOT NULL"),
)
partial(
    "ix_interactions_stuck",
    interactions.c.tenant,
    interactions.c.stuck_at,
    interactions.c.id,
    where=text("stuck_at IS NOT NULL"),
)
partial(
    "ix_interactions_unknown",
    interactions.c.tenant,
    interactions.c.execution_at,
    interactions.c.id,
    where=text("execution_status = 'unknown'"),
)
partial(
    "ix_interactions_recorded",
    interactions.c.tenant,
    interactions.c.id,
    where=text("resolved_at IS NULL AND record IS NOT NULL"),
)
# What was approved before, of one tool and key.
partial(
    "ix_interactions_precedent",
    interactions.c.tenant,
    interactions.c.tool_name,
    interactions.c.asker_id,
    interactions.c.resolved_at,
    interactions.c.id,
    where=text("decided_at IS NOT NULL AND tool_name IS NOT NULL"),
)
# What sweeps look for, of all tenants.
partial("ix_interactions_expiring", interactions.c.deadline, where=_PENDING)
partial("ix_interactions_telling", interactions.c.resume_due_at, where=_TO_TELL)
partial("ix_interactions_sticking", interactions.c.stuck_due_at, where=_TO_STICK)
partial("ix_interactions_lapsing", interactions.c.lapse_due_at, where=_TO_LAPSE)
partial("ix_interactions_reporting", interactions.c.report_due_at, where=_TO_REPORT)
