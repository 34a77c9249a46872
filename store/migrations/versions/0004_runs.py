"""Hosted runs."""

from alembic import op

from store.migrations import frozen

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    frozen.run(op.get_bind(), revision)


def downgrade() -> None:
    """Only where no run is: what it waits for would be asked for nobody.

    Raises:
        RuntimeError: a run was started.
    """
    if op.get_bind().exec_driver_sql("SELECT 1 FROM runs LIMIT 1").first() is not None:
        raise RuntimeError("hosted runs cannot be kept without their table")
    op.drop_table("runs")
