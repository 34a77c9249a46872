"""The compare-and-sets on timers, policies and stops."""

from functools import cached_property
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Dialect,
    and_,
    bindparam,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from store.sql.claims import given
from store.sql.statement import Statement
from store.sql.tables import interactions, policies, stops, timers
from store.terms import EVERY_TOOL


class ControlClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._insert: Any = postgresql.insert if dialect.name == "postgresql" else sqlite.insert

    @cached_property
    def take_timer(self) -> Statement:
        """Take a timer as it was read; no row where somebody else has taken or moved it."""
        c = timers.c
        as_read = (c[each.name] == given(timers, each.name) for each in c)
        return self._compiled(delete(timers).where(*as_read).returning(c.kind))

    @cached_property
    def set_policy(self) -> Statement:
        """The next revision of a name; no row where somebody else made that revision."""
        values = {c.name: given(policies, c.name) for c in policies.c}
        stored = self._insert(policies).values(values).on_conflict_do_nothing()
        return self._compiled(stored.returning(policies.c.revision))

    @cached_property
    def add_stop(self) -> Statement:
        """Stop a tool, unless it is stopped; no row then."""
        names = [c.name for c in stops.c if not c.name.startswith("end")]
        stored = self._insert(stops).values({name: given(stops, name) for name in names}).on_conflict_do_nothing()
        return self._compiled(stored.returning(stops.c.id))

    @cached_property
    def end_stops(self) -> Statement:
        """End the stop of a tool, or all of a tenant."""
        c = stops.c
        tool = bindparam("tool", type_=c.tool.type)
        mine = and_(c.tenant == given(stops, "tenant"), c.ended_at.is_(None), or_(tool.is_(None), c.tool == tool))
        names = ("ended_at", "ender_kind", "ender_id", "ender_name")
        return self._compiled(
            update(stops).where(mine).values({name: given(stops, name) for name in names}).returning(stops)
        )

    @cached_property
    def lock_held_up(self) -> Statement:
        """What a stop of these tools holds up: open approvals, kept by this transaction, in one order for all."""
        c = interactions.c
        is_open = or_(c.resolved_at.is_(None), and_(c.decided_at.is_not(None), c.claimed_at.is_(None)))
        mine = and_(c.tenant == given(interactions, "tenant"), c.kind == "approval", is_open)
        named = names_tool(bindparam("tool", type_=stops.c.tool.type), c.tool_name)
        found = select(interactions).where(mine, named).order_by(c.id)
        return self._compiled(found.with_for_update(key_share=True))

    def _compiled(self, core: Any) -> Statement:
        return Statement(core, self._dialect)


def names_tool(pattern: ColumnElement[str], tool_name: ColumnElement[str]) -> ColumnElement[bool]:
    """`terms.matches` in SQL; a stop of everything is about confirmations, too."""
    length = func.length(pattern)
    begins = func.substr(tool_name, 1, length - 1) == func.substr(pattern, 1, length - 1)
    is_beginning = func.substr(pattern, length, 1) == literal(EVERY_TOOL)
    return or_(pattern == literal(EVERY_TOOL), case((is_beginning, begins), else_=tool_name == pattern))
