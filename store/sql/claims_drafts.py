"""Statements on drafts."""

from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, Dialect, Integer, Text, bindparam, cast, delete, func, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from store.drafts import MAX_DRAFT
from store.sql.claims import given
from store.sql.statement import Statement
from store.sql.tables import drafts, interactions

_KEY = (drafts.c.tenant, drafts.c.interaction_id, drafts.c.person)


class DraftClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._is_postgres = dialect.name == "postgresql"
        self._insert: Any = postgresql.insert if self._is_postgres else sqlite.insert

    @cached_property
    def keep(self) -> Statement:
        """Keep a draft, or what it names of one, while the interaction is pending; a row where it was kept."""
        entered = given(drafts, "entered")
        still = (
            interactions.c.tenant == given(drafts, "tenant"),
            interactions.c.id == given(drafts, "interaction_id"),
            interactions.c.resolved_at.is_(None),
            _fits(entered),
        )
        new = self._insert(drafts).from_select(
            [c.name for c in drafts.c], select(*(given(drafts, c.name) for c in drafts.c)).where(*still)
        )
        both = self._merged(drafts.c.entered, new.excluded.entered)
        kept = new.on_conflict_do_update(
            index_elements=[c.name for c in _KEY],
            set_={"entered": both, "kept_at": new.excluded.kept_at},
            where=_fits(both),
        )
        return Statement(kept.returning(drafts.c.person), self._dialect)

    @cached_property
    def find(self) -> Statement:
        """The draft of one person, while the interaction is pending."""
        mine = [column == given(drafts, column.name) for column in _KEY]
        entered = cast(drafts.c.entered, Text).label("entered")
        found = select(entered).join(interactions, _OF).where(*mine, interactions.c.resolved_at.is_(None))
        return Statement(found, self._dialect)

    @cached_property
    def drop(self) -> Statement:
        """Remove some drafts of what is resolved."""
        over = select(*_KEY).join(interactions, _OF).where(interactions.c.resolved_at.is_not(None))
        some = over.limit(bindparam("limit", type_=Integer))
        return Statement(delete(drafts).where(tuple_(*_KEY).in_(some)).returning(drafts.c.person), self._dialect)

    def _merged(self, old: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
        """Flat objects without a null, for which both mean the same."""
        return old.op("||")(new) if self._is_postgres else func.json_patch(old, new)


_OF = (interactions.c.tenant == drafts.c.tenant) & (interactions.c.id == drafts.c.interaction_id)


def _fits(entered: ColumnElement[Any]) -> ColumnElement[bool]:
    return func.length(cast(entered, Text)) <= MAX_DRAFT
