"""What was sent to receivers of webhooks: messages, and each attempt to deliver one."""

from sqlalchemy import Boolean, Column, ForeignKeyConstraint, Index, Integer, PrimaryKeyConstraint, Table, Text

from store.sql.tables.base import Sorted, Time, metadata, required

messages = Table(
    "messages",
    metadata,
    required("tenant", Sorted),
    required("id", Sorted),
    required("interaction_id", Sorted),
    required("wake", Integer),
    required("body", Text),
    # How many attempts were begun; older ones are not kept.
    required("begun", Integer),
    PrimaryKeyConstraint("tenant", "id", name="pk_messages"),
    ForeignKeyConstraint(
        ["tenant", "interaction_id"],
        ["interactions.tenant", "interactions.id"],
        name="fk_messages_interaction",
        ondelete="CASCADE",
    ),
)
Index("ix_messages_interaction", messages.c.tenant, messages.c.interaction_id, messages.c.wake)

deliveries = Table(
    "deliveries",
    metadata,
    required("tenant", Sorted),
    required("message_id", Sorted),
    required("attempt", Integer),
    # As its message says: lists walk an index of these rows alone.
    required("interaction_id", Sorted),
    required("wake", Integer),
    required("at", Time),
    required("by_hand", Boolean),
    Column("status", Integer),
    Column("error", Text),
    Column("duration_ms", Integer),
    # Made by the call that began it: after a lost reply it finds its own row.
    required("token", Text),
    PrimaryKeyConstraint("tenant", "message_id", "attempt", name="pk_deliveries"),
    ForeignKeyConstraint(
        ["tenant", "message_id"],
        ["messages.tenant", "messages.id"],
        name="fk_deliveries_message",
        ondelete="CASCADE",
    ),
)
Index("ix_deliveries_newest", deliveries.c.tenant, deliveries.c.at, deliveries.c.message_id, deliveries.c.attempt)
Index(
    "ix_deliveries_interaction",
    deliveries.c.tenant,
    deliveries.c.interaction_id,
    deliveries.c.at,
    deliveries.c.message_id,
    deliveries.c.attempt,
)
