"""What was sent to receivers of webhooks, and what askers keep with their asks."""

from alembic import op

from store.migrations import frozen

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        frozen.rebuild(bind, "interactions", frozen.statements(f"{revision}_interactions", "sqlite"))
    frozen.run(bind, revision)


def downgrade() -> None:
    """Only where nothing keeps a record: its asker could not get it back.

    Raises:
        RuntimeError: something does.
    """
    bind = op.get_bind()
    if bind.exec_driver_sql("SELECT 1 FROM interactions WHERE record IS NOT NULL LIMIT 1").first() is not None:
        raise RuntimeError("the records of interrupts cannot be kept without their column")
    op.drop_table("deliveries")
    op.drop_table("messages")
    op.drop_index("ix_interactions_recorded", "interactions")
    op.drop_column("interactions", "record")
