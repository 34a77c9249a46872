"""The compare-and-sets on keys and installations."""

from functools import cached_property
from typing import Any

from sqlalchemy import Dialect, bindparam, update
from sqlalchemy.dialects import postgresql, sqlite

from store.sql.claims import given
from store.sql.statement import Statement
from store.sql.tables import Time, installations, keys

_REFRESHED = ("enterprise_id", "app_id", "bot_user_id", "bot_id", "team_name", "team_url")


class KeyClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._insert: Any = postgresql.insert if dialect.name == "postgresql" else sqlite.insert

    @cached_property
    def create(self) -> Statement:
        """Store a key unless its name is taken."""
        values = {c.name: given(keys, c.name) for c in keys.c}
        stored = self._insert(keys).values(values).on_conflict_do_nothing()
        return Statement(stored.returning(keys.c.id), self._dialect)

    @cached_property
    def revoke(self) -> Statement:
        """End a key that is not revoked yet."""
        named = (keys.c.tenant == given(keys, "tenant"), keys.c.name == given(keys, "name"))
        revoked = update(keys).where(*named, keys.c.revoked_at.is_(None)).values(revoked_at=bindparam("at", type_=Time))
        return Statement(revoked.returning(keys.c.id), self._dialect)

    @cached_property
    def bind(self) -> Statement:
        """Bind a tenant that is not bound, or refresh the names of the same workspace; no row for another one."""
        c = installations.c
        bound = self._insert(installations).values({each.name: given(installations, each.name) for each in c})
        refreshed = bound.on_conflict_do_update(
            index_elements=["tenant"],
            set_={name: bound.excluded[name] for name in _REFRESHED},
            where=c.team_id == bound.excluded.team_id,
        )
        return Statement(refreshed.returning(installations), self._dialect)
