"""Interactions, postings, events, keys, installations: as the files beside this one say, frozen with it."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    bind = op.get_bind()
    frozen = Path(__file__).with_name(f"0001_{bind.dialect.name}.sql").read_text(encoding="utf-8")
    for statement in frozen.split(";\n"):
        if statement.strip():
            bind.exec_driver_sql(statement)


def downgrade() -> None:
    for table in ("postings", "events", "keys", "installations", "interactions"):
        op.drop_table(table)
