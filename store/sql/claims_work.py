"""The leases on work rows: one pattern of taking and finishing, for painting and for telling."""

from functools import cached_property
from typing import Any

from sqlalchemy import (
    ARRAY,
    Boolean,
    ColumnElement,
    Dialect,
    Integer,
    Table,
    Text,
    and_,
    any_,
    bindparam,
    column,
    false,
    func,
    insert,
    null,
    or_,
    select,
    tuple_,
    update,
)

from store.sql.claims import given, same_interaction
from store.sql.statement import Statement
from store.sql.tables import Time, interactions, postings

#: What telling writes; the lease goes with it.
TELLING = (
    "told_at",
    "resume_due_at",
    "resume_attempts",
    "resume_wakes",
    "resume_woken_from",
    "resume_error",
    "stuck_at",
    "stuck_due_at",
)
_PAINTING = tuple(
    c.name for c in postings.c if c.name not in {"tenant", "id", "interaction_id", "role", "about", "turn"}
)


def _now() -> ColumnElement[Any]:
    return bindparam("now", type_=Time)


def _until() -> ColumnElement[Any]:
    return bindparam("until", type_=Time)


def _token() -> ColumnElement[Any]:
    return bindparam("token", type_=Text)


def take(table: Table, *, due: Any, order: ColumnElement[Any], values: dict[str, Any]) -> Any:
    """Change the first rows that are due and that nobody else is just taking; two callers never get the same.

    The choice is a CTE, so that it is made once; without SKIP LOCKED (SQLite) there is one writer at a time.
    """
    key = (table.c.tenant, table.c.id)
    chosen = (
        select(*key)
        .where(due)
        .order_by(order, *key)
        .limit(bindparam("limit", type_=Integer))
        .with_for_update(skip_locked=True)
        .cte("chosen")
    )
    mine = tuple_(*key).in_(select(chosen.c.tenant, chosen.c.id))
    return update(table).where(mine).values(values).returning(table)


def _free(lease_until: ColumnElement[Any]) -> ColumnElement[bool]:
    """Nobody's, or lapsed."""
    return or_(lease_until.is_(None), lease_until <= _now())


class WorkClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._is_postgres = dialect.name == "postgresql"

    @cached_property
    def take_postings(self) -> Statement:
        """Lease the postings that are behind, due, not given up, and free."""
        c = postings.c
        due = and_(c.wanted > c.painted, ~c.given_up, c.due_at <= _now(), _free(c.leased_until))
        values = {"lease": _token(), "leased_until": _until()}
        return self._compiled(take(postings, due=due, order=c.due_at, values=values))

    @cached_property
    def lock_posting(self) -> Statement:
        """Read a posting and keep it until this transaction ends."""
        c = postings.c
        mine = (c.tenant == given(postings, "tenant"), c.id == given(postings, "id"))
        return self._compiled(select(postings).where(*mine).with_for_update())

    @cached_property
    def put_posting(self) -> Statement:
        """Write a posting that this transaction holds; with it its lease, or none."""
        c = postings.c
        values = {name: given(postings, name) for name in _PAINTING}
        mine = (c.tenant == given(postings, "tenant"), c.id == given(postings, "id"))
        return self._compiled(update(postings).where(*mine).values(values))

    @cached_property
    def add_posting(self) -> Statement:
        """One more posting."""
        return self._compiled(insert(postings).values({c.name: given(postings, c.name) for c in postings.c}))

    @cached_property
    def fill_posting(self) -> Statement:
        """Write where an asked-for posting turned out to be; whoever is painting it keeps its lease."""
        c = postings.c
        found = {name: given(postings, name) for name in ("channel", "ts", "failed_at", "given_up", "error")}
        mine = (c.tenant == given(postings, "tenant"), c.id == given(postings, "id"))
        return self._compiled(update(postings).where(*mine).values(found))

    @cached_property
    def see_posting(self) -> Statement:
        """`work.seen` in SQL: a copy that somebody clicked on is there, and behind."""
        c = postings.c
        names = ("tenant", "interaction_id", "channel", "ts")
        seen = {"wanted": c.wanted + 1, "failed_at": null(), "given_up": false(), "error": null(), "attempts": 0}
        changed = update(postings).where(*(c[name] == given(postings, name) for name in names)).values(seen)
        return self._compiled(changed.returning(c.id))

    @cached_property
    def take_resumptions(self) -> Statement:
        """Lease the runs that are to be told, and that the caller can tell: its handlers, webhooks if it does them."""
        c = interactions.c
        handlers = bindparam("handlers", type_=ARRAY(Text) if self._is_postgres else Text)
        listed: Any
        if self._is_postgres:
            listed = c.resume_target == any_(handlers)
        else:
            each = func.json_each(handlers).table_valued(column("value", Text))
            listed = c.resume_target.in_(select(each.c.value))
        mine = or_(
            and_(c.resume_kind == "handler", listed),
            and_(c.resume_kind == "webhook", bindparam("webhooks", type_=Boolean)),
        )
        due = and_(c.resume_due_at.is_not(None), c.resume_due_at <= _now(), _free(c.resume_leased_until), mine)
        values = {"resume_lease": _token(), "resume_leased_until": _until()}
        return self._compiled(take(interactions, due=due, order=c.resume_due_at, values=values))

    @cached_property
    def renew_resumption(self) -> Statement:
        """Hold a lease longer, if it is still ours."""
        held = interactions.c.resume_lease == _token()
        changed = update(interactions).where(*same_interaction(), held).values(resume_leased_until=_until())
        return self._compiled(changed.returning(interactions.c.id))

    @cached_property
    def lock_resumption(self) -> Statement:
        """Read what is leased, if it is still ours, and keep it until this transaction ends."""
        held = interactions.c.resume_lease == _token()
        return self._compiled(select(interactions).where(*same_interaction(), held).with_for_update(key_share=True))

    @cached_property
    def finish_resumption(self) -> Statement:
        """Write how telling went, and release the lease."""
        values = {name: given(interactions, name) for name in TELLING}
        released = {"resume_lease": null(), "resume_leased_until": null()}
        return self._compiled(update(interactions).where(*same_interaction()).values({**values, **released}))

    @cached_property
    def wake(self) -> Statement:
        """Write that telling starts anew; whoever is telling just now keeps its lease."""
        values = {name: given(interactions, name) for name in TELLING}
        return self._compiled(update(interactions).where(*same_interaction()).values(values))

    @cached_property
    def stick(self) -> Statement:
        """Mark as stuck what has waited for its run beyond its patience."""
        c = interactions.c
        due = and_(c.stuck_due_at.is_not(None), c.stuck_due_at <= _now(), _free(c.resume_leased_until))
        return self._compiled(
            take(interactions, due=due, order=c.stuck_due_at, values={"stuck_at": _now(), "stuck_due_at": null()})
        )

    @cached_property
    def lapse(self) -> Statement:
        """Note that nobody claimed in the window: from now on a claim executes nothing."""
        c = interactions.c
        due = and_(c.lapse_due_at.is_not(None), c.lapse_due_at <= _now())
        values = {"lapsed_at": _now(), "lapse_due_at": null()}
        return self._compiled(take(interactions, due=due, order=c.lapse_due_at, values=values))

    @cached_property
    def place_posting(self) -> Statement:
        """Note where a posting is going to land, while it is ours."""
        c = postings.c
        mine = (c.tenant == given(postings, "tenant"), c.id == given(postings, "id"), c.lease == _token())
        changed = update(postings).where(*mine).values(channel=given(postings, "channel"))
        return self._compiled(changed.returning(c.id))

    def _compiled(self, core: Any) -> Statement:
        return Statement(core, self._dialect)
