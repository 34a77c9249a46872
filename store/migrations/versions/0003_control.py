"""Policies, stops, timers; what asks say beside the action, and what happens to them on the way."""

from alembic import op

from store.migrations import frozen

revision = "0003"
down_revision = "0002"

_NEW = ("timers", "policies", "stops")
_ALTERED = ("interactions", "postings")


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        for table in _ALTERED:
            frozen.rebuild(bind, table, frozen.statements(f"{revision}_{table}", "sqlite"))
    frozen.run(bind, revision)


def downgrade() -> None:
    """Only of what holds no asks: an edited input, a spent claim, a policy would be forgotten, and something else run.

    Raises:
        RuntimeError: something was asked.
    """
    bind = op.get_bind()
    if bind.exec_driver_sql("SELECT 1 FROM interactions LIMIT 1").first() is not None:
        raise RuntimeError("what was asked under a policy cannot be kept without it")
    # With no rows in them, tables are simply made anew as they were; drafts hang on interactions.
    for table in (*_NEW, "drafts", *reversed(_ALTERED)):
        op.drop_table(table)
    for statement in frozen.statements("0001", bind.dialect.name):
        words = statement.split("(")[0].split()
        if words[-1] in _ALTERED:
            bind.exec_driver_sql(statement)
    frozen.run(bind, "0002")
