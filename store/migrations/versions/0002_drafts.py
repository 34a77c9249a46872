"""What people entered into forms and did not submit."""

from alembic import op

from store.migrations import frozen

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    frozen.run(op.get_bind(), revision)


def downgrade() -> None:
    op.drop_table("drafts")
