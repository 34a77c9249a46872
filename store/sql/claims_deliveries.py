"""Statements on messages and their deliveries."""

from functools import cached_property
from typing import Any

from sqlalchemy import Dialect, Integer, bindparam, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from store.deliveries import KEPT
from store.sql.claims import given
from store.sql.statement import Statement
from store.sql.tables import deliveries, interactions, messages

_ATTEMPT = (deliveries.c.tenant, deliveries.c.message_id, deliveries.c.attempt)


class DeliveryClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._insert: Any = postgresql.insert if dialect.name == "postgresql" else sqlite.insert

    @cached_property
    def begin(self) -> Statement:
        """Count one more attempt of a message, which is written with its first; no row where its interaction is none."""
        names = ("tenant", "id", "interaction_id", "wake", "body")
        known = (
            interactions.c.tenant == given(messages, "tenant"),
            interactions.c.id == given(messages, "interaction_id"),
        )
        one = bindparam(None, 1, type_=Integer)
        source = select(*(given(messages, name) for name in names), one).where(*known)
        new = self._insert(messages).from_select([*names, "begun"], source)
        counted = new.on_conflict_do_update(index_elements=["tenant", "id"], set_={"begun": messages.c.begun + 1})
        return self._compiled(counted.returning(messages))

    @cached_property
    def note(self) -> Statement:
        """One attempt, before it is made."""
        values = {c.name: given(deliveries, c.name) for c in deliveries.c}
        return self._compiled(insert(deliveries).values(values))

    @cached_property
    def forget(self) -> Statement:
        """Attempts of a message before the newest ones."""
        c = deliveries.c
        mine = (c.tenant == given(deliveries, "tenant"), c.message_id == given(deliveries, "message_id"))
        return self._compiled(delete(deliveries).where(*mine, c.attempt <= given(deliveries, "attempt") - KEPT))

    @cached_property
    def end(self) -> Statement:
        """What came of an attempt."""
        mine = [column == given(deliveries, column.name) for column in _ATTEMPT]
        said = {name: given(deliveries, name) for name in ("status", "error", "duration_ms")}
        return self._compiled(update(deliveries).where(*mine).values(said))

    @cached_property
    def of_token(self) -> Statement:
        """The attempt that a call whose reply was lost had begun."""
        names = ("tenant", "message_id", "token")
        mine = [deliveries.c[name] == given(deliveries, name) for name in names]
        return self._compiled(select(deliveries).where(*mine))

    @cached_property
    def of_interaction(self) -> Statement:
        """Newest first."""
        mine = [deliveries.c[name] == given(deliveries, name) for name in ("tenant", "interaction_id")]
        return self._compiled(self._newest(*mine))

    @cached_property
    def of_tenant(self) -> Statement:
        """Newest first."""
        return self._compiled(self._newest(deliveries.c.tenant == given(deliveries, "tenant")))

    @cached_property
    def last_message(self) -> Statement:
        """The message of an interaction with the highest wake."""
        m = messages.c
        mine = (m.tenant == given(messages, "tenant"), m.interaction_id == given(messages, "interaction_id"))
        return self._compiled(select(messages).where(*mine).order_by(m.wake.desc()).limit(1))

    @cached_property
    def message(self) -> Statement:
        """One message, by its id."""
        mine = [messages.c[name] == given(messages, name) for name in ("tenant", "id", "interaction_id")]
        return self._compiled(select(messages).where(*mine))

    def _newest(self, *mine: Any) -> Any:
        c = deliveries.c
        order = (c.at.desc(), c.message_id.desc(), c.attempt.desc())
        return select(deliveries).where(*mine).order_by(*order).limit(bindparam("limit", type_=Integer))

    def _compiled(self, core: Any) -> Statement:
        return Statement(core, self._dialect)
