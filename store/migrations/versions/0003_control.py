"""Policies, stops, timers; what asks say beside the action, and what happens to them on the way."""

import re

from alembic import op

from store.migrations import frozen

revision = "0003"
down_revision = "0002"

_ADDED = (
    *("denials", "terms", "action_details", "facts", "links", "input_schema", "fingerprint"),
    *("edited_input", "edited_digest", "course", "reopened_at"),
)


def upgrade() -> None:
    bind = op.get_bind()
    if bind.dialect.name == "sqlite":
        for table in ("interactions", "postings"):
            frozen.rebuild(bind, table, frozen.statements(f"{revision}_{table}", "sqlite"))
    frozen.run(bind, revision)


def downgrade() -> None:
    """What was asked under policies loses them; a line about an unknown execution goes."""
    bind = op.get_bind()
    for table in ("timers", "policies", "stops"):
        op.drop_table(table)
    bind.exec_driver_sql("DELETE FROM postings WHERE turn > 0 OR about = 'unknown'")
    first = frozen.statements("0001", bind.dialect.name)
    if bind.dialect.name == "sqlite":
        for table in ("interactions", "postings"):
            frozen.rebuild(bind, table, [each.strip() for each in first if _is_of(each, table)])
        return
    # Their constraints and indexes go with the columns.
    for column in _ADDED:
        op.drop_column("interactions", column)
    for index in ("requested", "stuck", "unknown", "precedent", "reporting"):
        bind.exec_driver_sql(f"DROP INDEX IF EXISTS ix_interactions_{index}")
    op.drop_column("postings", "turn")
    bind.exec_driver_sql(next(each for each in first if "uq_postings_asked" in each))
    op.drop_constraint("ck_postings_about", "postings")
    op.create_check_constraint(
        "ck_postings_about", "postings", "about IS NULL OR (role = 'outcome' AND about IN ('resolved', 'ran'))"
    )


def _is_of(statement: str, table: str) -> bool:
    made = re.match(r"\s*CREATE (?:TABLE|(?:UNIQUE )?INDEX \w+ ON) (\w+)", statement)
    return made is not None and made[1] == table
