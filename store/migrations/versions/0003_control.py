"""Policies, stops, timers; what asks say beside the action, and what happens to them on the way."""

from alembic import op

from store.migrations import frozen

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        for table in ("interactions", "postings"):
            frozen.rebuild(bind, table, frozen.statements(f"{revision}_{table}", "sqlite"))
    frozen.run(bind, revision)


def downgrade() -> None:
    raise NotImplementedError("what was asked under a policy cannot be kept without it")
