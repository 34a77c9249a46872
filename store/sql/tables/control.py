"""What is written down of transitions, and what operators set: events, keys, installations, policies, stops."""

from sqlalchemy import Boolean, Column, Index, Integer, PrimaryKeyConstraint, Table, Text, UniqueConstraint, text

from store.sql.tables.base import Json, Sorted, Time, check, metadata, partial, required

events = Table(
    "events",
    metadata,
    required("tenant", Sorted),
    required("interaction_id", Sorted),
    # The interaction's version that this transition made.
    required("seq", Integer),
    required("at", Time),
    required("action", Text),
    required("actor_kind", Text),
    required("actor_id", Text),
    required("actor_name", Text),
    required("surface", Text),
    required("old_state", Text),
    required("new_state", Text),
    required("details", Json),
    # Made by the call that wrote it: after a lost reply it finds out what it had done.
    required("attempt", Text),
    PrimaryKeyConstraint("tenant", "interaction_id", "seq", name="pk_events"),
)

keys = Table(
    "keys",
    metadata,
    required("tenant", Sorted),
    required("id", Sorted),
    required("name", Text),
    required("secret_sha256", Text),
    required("scopes", Json),
    required("created_at", Time),
    Column("expires_at", Time),
    Column("revoked_at", Time),
    required("any_approvers", Boolean),
    Column("owner", Text),
    required("policies", Json),
    PrimaryKeyConstraint("tenant", "id", name="pk_keys"),
    UniqueConstraint("secret_sha256", name="uq_keys_secret"),
)
partial(
    "uq_keys_name",
    keys.c.tenant,
    keys.c.name,
    unique=True,
    where=text("revoked_at IS NULL"),
)

installations = Table(
    "installations",
    metadata,
    required("tenant", Sorted),
    required("team_id", Text),
    Column("enterprise_id", Text),
    Column("app_id", Text),
    required("bot_user_id", Text),
    Column("bot_id", Text),
    required("team_name", Text),
    Column("team_url", Text),
    required("bound_at", Time),
    PrimaryKeyConstraint("tenant", name="pk_installations"),
)
Index("ix_installations_team", installations.c.team_id)

policies = Table(
    "policies",
    metadata,
    required("tenant", Sorted),
    required("name", Sorted),
    required("revision", Integer),
    required("set_at", Time),
    required("setter_kind", Text),
    required("setter_id", Text),
    required("setter_name", Text),
    required("spec", Json),
    required("removed", Boolean),
    PrimaryKeyConstraint("tenant", "name", "revision", name="pk_policies"),
    check("ck_policies_revision", "revision >= 1"),
)

stops = Table(
    "stops",
    metadata,
    required("tenant", Sorted),
    required("id", Sorted),
    # A name, or a beginning of names with a star; the star alone stops everything.
    required("tool", Text),
    required("stopper_kind", Text),
    required("stopper_id", Text),
    required("stopper_name", Text),
    required("at", Time),
    Column("reason", Text),
    Column("ended_at", Time),
    Column("ender_kind", Text),
    Column("ender_id", Text),
    Column("ender_name", Text),
    PrimaryKeyConstraint("tenant", "id", name="pk_stops"),
    check("ck_stops_end_named", "(ended_at IS NULL) = (ender_kind IS NULL)"),
)
partial("uq_stops_holding", stops.c.tenant, stops.c.tool, where=text("ended_at IS NULL"), unique=True)
