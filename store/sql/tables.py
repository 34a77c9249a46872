"""The tables: one row per interaction of either kind, its postings, its events, its drafts; keys and installations.

State is derived from timestamps and held together by named checks. Every primary key starts with the tenant; the
partial indexes of the sweeps do not, as a sweep serves all tenants.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSON, JSONB

from store.drafts import MAX_DRAFT

metadata = MetaData()

#: A text whose order counts: by code point, as Python and SQLite sort it.
_Sorted = Text().with_variant(Text(collation="C"), "postgresql")
#: On SQLite a text of fixed width in UTC with microseconds, so that it sorts (`store.sql.rows.time_text`).
Time = DateTime(timezone=True).with_variant(Text(), "sqlite")
Json = JSON().with_variant(Text(), "sqlite")
Votes = JSONB().with_variant(Text(), "sqlite")
Entered = JSONB().with_variant(Text(), "sqlite")


def _required(name: str, type_: Any, default: str | None = None) -> Column[Any]:
    return Column(name, type_, nullable=False, server_default=None if default is None else text(default))


def _check(name: str, condition: str) -> CheckConstraint:
    return CheckConstraint(condition, name=name)


_ENDINGS = ("decided_at", "answered_at", "expired_at", "withdrawn_at", "superseded_at")
_ENDED = f"coalesce({', '.join(_ENDINGS)})"
_COUNT = " + ".join(f"CASE WHEN {ending} IS NULL THEN 0 ELSE 1 END" for ending in _ENDINGS)

interactions = Table(
    "interactions",
    metadata,
    _required("tenant", _Sorted),
    _required("id", _Sorted),
    # The id from behind, in upper case: whoever knows its last letters finds it by an index.
    _required("code", _Sorted),
    _required("kind", Text),
    _required("run_id", Text),
    _required("operation_id", Text),
    _required("title", Text),
    _required("request_digest", Text),
    _required("created_at", Time),
    # Without a deadline: the end of time, so that it sorts last and is never due.
    _required("deadline", Time),
    _required("asker_kind", Text),
    _required("asker_id", Text),
    _required("asker_name", Text),
    Column("requested_by", Text),
    _required("approvers", Json),
    _required("quorum", Integer),
    _required("destination", Json),
    _required("resume_kind", Text),
    Column("resume_target", Text),
    Column("supersedes", Text),
    # What an approval is about.
    Column("digest", Text),
    Column("body", Text),
    Column("tool_name", Text),
    Column("input_json", Text),
    Column("risk", Text),
    Column("run_within_us", BigInteger),
    # What a question set asks.
    Column("questions", Json),
    # What became of it. `version` counts its transitions; every compare-and-set raises it.
    _required("version", Integer),
    Column("votes", Votes),
    Column("decision", Text),
    Column("feedback", Text),
    Column("answers", Json),
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
    _required("resume_attempts", Integer, "0"),
    _required("resume_wakes", Integer, "0"),
    _required("resume_woken_from", Integer, "0"),
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
    _check("ck_interactions_kind", "kind IN ('question', 'approval')"),
    _check("ck_interactions_ends_once", f"{_COUNT} <= 1"),
    _check(
        "ck_interactions_resolved_when_ended",
        f"(resolved_at IS NULL AND {_ENDED} IS NULL)"
        f" OR (resolved_at IS NOT NULL AND {_ENDED} IS NOT NULL AND resolved_at = {_ENDED})",
    ),
    _check("ck_interactions_resolver_named", "(resolved_at IS NULL) = (resolver_kind IS NULL)"),
    _check("ck_interactions_decision_dated", "(decision IS NULL) = (decided_at IS NULL)"),
    _check(
        "ck_interactions_decision_known",
        "decision IS NULL OR decision IN ('allow-once', 'allow-conversation', 'allow-always', 'deny')",
    ),
    _check("ck_interactions_answers_dated", "(answers IS NULL) = (answered_at IS NULL)"),
    _check("ck_interactions_successor_named", "(superseded_by IS NULL) = (superseded_at IS NULL)"),
    _check("ck_interactions_claim_after_decision", "claimed_at IS NULL OR decided_at IS NOT NULL"),
    _check(
        "ck_interactions_claim_whole",
        "(claimed_at IS NULL) = (claim_id IS NULL) AND (claimed_at IS NULL) = (claim_executes IS NULL)",
    ),
    _check(
        "ck_interactions_execution_of_claim", "execution_status IS NULL OR (claimed_at IS NOT NULL AND claim_executes)"
    ),
    _check(
        "ck_interactions_execution_known",
        "execution_status IS NULL OR (execution_at IS NOT NULL AND execution_started_at IS NOT NULL"
        " AND execution_status IN ('claimed', 'running', 'succeeded', 'failed', 'unknown'))",
    ),
    _check(
        "ck_interactions_approval_whole",
        "kind <> 'approval' OR (digest IS NOT NULL AND risk IN ('low', 'medium', 'high') AND run_within_us IS NOT NULL"
        " AND votes IS NOT NULL AND questions IS NULL AND answered_at IS NULL)",
    ),
    _check(
        "ck_interactions_question_whole",
        "kind <> 'question' OR (questions IS NOT NULL AND digest IS NULL AND votes IS NULL"
        " AND decided_at IS NULL AND superseded_at IS NULL)",
    ),
    _check("ck_interactions_quorum", "quorum >= 1"),
    _check("ck_interactions_resume_kind", "resume_kind IN ('handler', 'webhook', 'pull')"),
    _check("ck_interactions_resume_target", "(resume_kind = 'pull') = (resume_target IS NULL)"),
    _check(
        "ck_interactions_telling_after_end",
        "resolved_at IS NOT NULL OR (resume_due_at IS NULL AND told_at IS NULL AND stuck_at IS NULL"
        " AND stuck_due_at IS NULL AND resume_lease IS NULL)",
    ),
    _check(
        "ck_interactions_lapse_of_approved", "lapse_due_at IS NULL OR (decided_at IS NOT NULL AND claimed_at IS NULL)"
    ),
    _check(
        "ck_interactions_claim_ends_telling",
        "claimed_at IS NULL OR (resume_due_at IS NULL AND stuck_at IS NULL AND stuck_due_at IS NULL)",
    ),
    _check("ck_interactions_lease_whole", "(resume_lease IS NULL) = (resume_leased_until IS NULL)"),
)

_PENDING = text("resolved_at IS NULL")
_UNCLAIMED = text("decided_at IS NOT NULL AND claimed_at IS NULL")
_TO_TELL = text("resume_due_at IS NOT NULL")
_TO_STICK = text("stuck_due_at IS NOT NULL")
_TO_LAPSE = text("lapse_due_at IS NOT NULL")


def _partial(name: str, *columns: Any, where: Any) -> Index:
    return Index(name, *columns, postgresql_where=where, sqlite_where=where)


# What lists show: pending by deadline, all newest first.
_partial("ix_interactions_pending", interactions.c.tenant, interactions.c.deadline, interactions.c.id, where=_PENDING)
Index("ix_interactions_newest", interactions.c.tenant, interactions.c.created_at, interactions.c.id)
Index("ix_interactions_code", interactions.c.tenant, interactions.c.code)
# What runs look for.
_partial(
    "ix_interactions_unclaimed",
    interactions.c.tenant,
    interactions.c.run_id,
    interactions.c.decided_at,
    interactions.c.id,
    where=_UNCLAIMED,
)
# What sweeps look for, of all tenants.
_partial("ix_interactions_expiring", interactions.c.deadline, where=_PENDING)
_partial("ix_interactions_telling", interactions.c.resume_due_at, where=_TO_TELL)
_partial("ix_interactions_sticking", interactions.c.stuck_due_at, where=_TO_STICK)
_partial("ix_interactions_lapsing", interactions.c.lapse_due_at, where=_TO_LAPSE)

postings = Table(
    "postings",
    metadata,
    _required("tenant", _Sorted),
    _required("id", _Sorted),
    _required("interaction_id", _Sorted),
    _required("role", Text),
    _required("address", Text),
    Column("about", Text),
    _required("is_copy", Boolean),
    Column("channel", Text),
    Column("thread_ts", Text),
    Column("ts", Text),
    Column("permalink", Text),
    _required("wanted", Integer),
    _required("painted", Integer),
    _required("due_at", Time),
    _required("attempts", Integer),
    Column("error", Text),
    Column("failed_at", Time),
    # Failed for good: not tried again.
    _required("given_up", Boolean),
    Column("lease", Text),
    Column("leased_until", Time),
    PrimaryKeyConstraint("tenant", "id", name="pk_postings"),
    ForeignKeyConstraint(
        ["tenant", "interaction_id"],
        ["interactions.tenant", "interactions.id"],
        name="fk_postings_interaction",
        ondelete="CASCADE",
    ),
    _check("ck_postings_role", "role IN ('card', 'outcome', 'reminder', 'notice')"),
    _check("ck_postings_about", "about IS NULL OR (role = 'outcome' AND about IN ('resolved', 'ran'))"),
    _check("ck_postings_painted", "painted >= 0 AND wanted >= painted"),
    _check("ck_postings_given_up_failed", "NOT given_up OR failed_at IS NOT NULL"),
    _check("ck_postings_place_whole", "ts IS NULL OR channel IS NOT NULL"),
    _check("ck_postings_lease_whole", "(lease IS NULL) = (leased_until IS NULL)"),
)
Index("ix_postings_interaction", postings.c.tenant, postings.c.interaction_id)
Index(
    "uq_postings_asked",
    postings.c.tenant,
    postings.c.interaction_id,
    postings.c.role,
    postings.c.address,
    unique=True,
    postgresql_where=text("NOT is_copy AND about IS NULL"),
    sqlite_where=text("NOT is_copy AND about IS NULL"),
)
Index(
    "uq_postings_about",
    postings.c.tenant,
    postings.c.interaction_id,
    postings.c.about,
    unique=True,
    postgresql_where=text("NOT is_copy AND about IS NOT NULL"),
    sqlite_where=text("NOT is_copy AND about IS NOT NULL"),
)
Index(
    "uq_postings_place",
    postings.c.tenant,
    postings.c.interaction_id,
    postings.c.channel,
    postings.c.ts,
    unique=True,
    postgresql_where=text("ts IS NOT NULL"),
    sqlite_where=text("ts IS NOT NULL"),
)
# SQLite uses a partial index only where the query says the same, word for word.
Index(
    "ix_postings_behind",
    postings.c.due_at,
    postgresql_where=text("wanted > painted AND NOT given_up"),
    sqlite_where=text("wanted > painted AND given_up = 0"),
)

events = Table(
    "events",
    metadata,
    _required("tenant", _Sorted),
    _required("interaction_id", _Sorted),
    # The interaction's version that this transition made.
    _required("seq", Integer),
    _required("at", Time),
    _required("action", Text),
    _required("actor_kind", Text),
    _required("actor_id", Text),
    _required("actor_name", Text),
    _required("surface", Text),
    _required("old_state", Text),
    _required("new_state", Text),
    _required("details", Json),
    # Made by the call that wrote it: after a lost reply it finds out what it had done.
    _required("attempt", Text),
    PrimaryKeyConstraint("tenant", "interaction_id", "seq", name="pk_events"),
)

# What people entered into forms and did not submit; gone soon after the interaction is resolved.
drafts = Table(
    "drafts",
    metadata,
    _required("tenant", _Sorted),
    _required("interaction_id", _Sorted),
    _required("person", _Sorted),
    # `{"0": [2, 5], "0.text": "…"}`: by question, as its place; flat, so that a later one is merged in one statement.
    _required("entered", Entered),
    _required("kept_at", Time),
    PrimaryKeyConstraint("tenant", "interaction_id", "person", name="pk_drafts"),
    ForeignKeyConstraint(
        ["tenant", "interaction_id"],
        ["interactions.tenant", "interactions.id"],
        name="fk_drafts_interaction",
        ondelete="CASCADE",
    ),
    _check("ck_drafts_size", f"length(CAST(entered AS TEXT)) <= {MAX_DRAFT}"),
)

keys = Table(
    "keys",
    metadata,
    _required("tenant", _Sorted),
    _required("id", _Sorted),
    _required("name", Text),
    _required("secret_sha256", Text),
    _required("scopes", Json),
    _required("created_at", Time),
    Column("expires_at", Time),
    Column("revoked_at", Time),
    _required("any_approvers", Boolean),
    Column("owner", Text),
    _required("policies", Json),
    PrimaryKeyConstraint("tenant", "id", name="pk_keys"),
    UniqueConstraint("secret_sha256", name="uq_keys_secret"),
)
Index(
    "uq_keys_name",
    keys.c.tenant,
    keys.c.name,
    unique=True,
    postgresql_where=text("revoked_at IS NULL"),
    sqlite_where=text("revoked_at IS NULL"),
)

installations = Table(
    "installations",
    metadata,
    _required("tenant", _Sorted),
    _required("team_id", Text),
    Column("enterprise_id", Text),
    Column("app_id", Text),
    _required("bot_user_id", Text),
    Column("bot_id", Text),
    _required("team_name", Text),
    Column("team_url", Text),
    _required("bound_at", Time),
    PrimaryKeyConstraint("tenant", name="pk_installations"),
)
Index("ix_installations_team", installations.c.team_id)
