"""Interactions, postings, events, keys, installations: as the files beside this one say, frozen with it."""

from alembic import op

from store.migrations import frozen

revision = "0001"
down_revision = None


def upgrade() -> None:
    frozen.run(op.get_bind(), revision)


def downgrade() -> None:
    for table in ("postings", "events", "keys", "installations", "interactions"):
        op.drop_table(table)
