"""What goes with an interaction: its postings and its timers, each a queue of its own, and the drafts of answers."""

from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Index, Integer, PrimaryKeyConstraint, Table, Text, text

from store.drafts import MAX_DRAFT
from store.sql.tables.base import Jsonb, Sorted, Time, check, metadata, partial, required

postings = Table(
    "postings",
    metadata,
    required("tenant", Sorted),
    required("id", Sorted),
    required("interaction_id", Sorted),
    required("role", Text),
    required("address", Text),
    Column("about", Text),
    required("turn", Integer, "0"),
    required("is_copy", Boolean),
    Column("channel", Text),
    Column("thread_ts", Text),
    Column("ts", Text),
    Column("permalink", Text),
    required("wanted", Integer),
    required("painted", Integer),
    required("due_at", Time),
    required("attempts", Integer),
    Column("error", Text),
    Column("failed_at", Time),
    # Failed for good: not tried again.
    required("given_up", Boolean),
    Column("lease", Text),
    Column("leased_until", Time),
    PrimaryKeyConstraint("tenant", "id", name="pk_postings"),
    ForeignKeyConstraint(
        ["tenant", "interaction_id"],
        ["interactions.tenant", "interactions.id"],
        name="fk_postings_interaction",
        ondelete="CASCADE",
    ),
    check("ck_postings_role", "role IN ('card', 'outcome', 'reminder', 'notice')"),
    check(
        "ck_postings_about",
        "about IS NULL OR (role = 'outcome' AND about IN ('resolved', 'ran', 'unknown', 'taken_back'))"
        " OR (role = 'reminder' AND about IN ('reminded', 'escalated', 'warned'))",
    ),
    check("ck_postings_painted", "painted >= 0 AND wanted >= painted"),
    check("ck_postings_given_up_failed", "NOT given_up OR failed_at IS NOT NULL"),
    check("ck_postings_place_whole", "ts IS NULL OR channel IS NOT NULL"),
    check("ck_postings_lease_whole", "(lease IS NULL) = (leased_until IS NULL)"),
)
Index("ix_postings_interaction", postings.c.tenant, postings.c.interaction_id)
partial(
    "uq_postings_asked",
    postings.c.tenant,
    postings.c.interaction_id,
    postings.c.role,
    postings.c.address,
    postings.c.turn,
    unique=True,
    where=text("NOT is_copy AND (about IS NULL OR role = 'reminder')"),
)
partial(
    "uq_postings_about",
    postings.c.tenant,
    postings.c.interaction_id,
    postings.c.about,
    unique=True,
    where=text("NOT is_copy AND about IS NOT NULL AND role = 'outcome'"),
)
partial(
    "uq_postings_place",
    postings.c.tenant,
    postings.c.interaction_id,
    postings.c.channel,
    postings.c.ts,
    unique=True,
    where=text("ts IS NOT NULL"),
)
# SQLite uses a partial index only where the query says the same, word for word.
partial(
    "ix_postings_behind",
    postings.c.due_at,
    where=text("wanted > painted AND NOT given_up"),
    sqlite_where=text("wanted > painted AND given_up = 0"),
)

timers = Table(
    "timers",
    metadata,
    required("tenant", Sorted),
    required("interaction_id", Sorted),
    required("kind", Text),
    required("due_at", Time),
    required("turn", Integer),
    PrimaryKeyConstraint("tenant", "interaction_id", "kind", name="pk_timers"),
    ForeignKeyConstraint(
        ["tenant", "interaction_id"],
        ["interactions.tenant", "interactions.id"],
        name="fk_timers_interaction",
        ondelete="CASCADE",
    ),
    check("ck_timers_kind", "kind IN ('remind', 'escalate', 'warn')"),
)
Index("ix_timers_due", timers.c.due_at)

# What people entered into forms and did not submit; gone soon after the interaction is resolved.
drafts = Table(
    "drafts",
    metadata,
    required("tenant", Sorted),
    required("interaction_id", Sorted),
    required("person", Sorted),
    # `{"0": [2, 5], "0.text": "…"}`: by question, as its place; flat, so that a later one is merged in one statement.
    required("entered", Jsonb),
    required("kept_at", Time),
    PrimaryKeyConstraint("tenant", "interaction_id", "person", name="pk_drafts"),
    ForeignKeyConstraint(
        ["tenant", "interaction_id"],
        ["interactions.tenant", "interactions.id"],
        name="fk_drafts_interaction",
        ondelete="CASCADE",
    ),
    check("ck_drafts_size", f"length(CAST(entered AS TEXT)) <= {MAX_DRAFT}"),
)
