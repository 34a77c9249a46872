"""What is only read."""

from functools import cached_property
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Dialect,
    Integer,
    Select,
    Text,
    and_,
    any_,
    bindparam,
    column,
    func,
    literal_column,
    not_,
    or_,
    select,
    text,
    tuple_,
)

from store.cursors import Filters
from store.sql.claims import given, same_interaction
from store.sql.statement import Statement
from store.sql.tables import Time, events, installations, interactions, keys, policies, postings, stops, timers
from store.types import ALLOWS, State

_c = interactions.c
_ALLOWED = or_(*(_c.decision == decision.value for decision in sorted(ALLOWS)))
_IS: dict[State, ColumnElement[bool]] = {
    State.PENDING: _c.resolved_at.is_(None),
    State.ANSWERED: _c.answered_at.is_not(None),
    State.APPROVED: and_(_c.decided_at.is_not(None), _ALLOWED),
    State.DENIED: and_(_c.decided_at.is_not(None), not_(_ALLOWED)),
    State.EXPIRED: _c.expired_at.is_not(None),
    State.WITHDRAWN: _c.withdrawn_at.is_not(None),
    State.SUPERSEDED: _c.superseded_at.is_not(None),
}
_UNCLAIMED = and_(_c.decided_at.is_not(None), _c.claimed_at.is_(None))
_limit = bindparam("limit", type_=Integer)


class Queries:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._is_postgres = dialect.name == "postgresql"
        self._lists: dict[Any, Statement] = {}

    @cached_property
    def find(self) -> Statement:
        return self._compiled(select(interactions).where(*same_interaction()))

    @cached_property
    def find_operation(self) -> Statement:
        named = [_c[name] == given(interactions, name) for name in ("tenant", "run_id", "operation_id")]
        return self._compiled(select(interactions).where(*named))

    @cached_property
    def find_by_code(self) -> Statement:
        """Whose id, read from behind, starts with the code: a range of the index."""
        low, high = bindparam("low", type_=_c.code.type), bindparam("high", type_=_c.code.type)
        found = select(interactions).where(_c.tenant == given(interactions, "tenant"), _c.code >= low, _c.code < high)
        return self._compiled(found.order_by(_c.created_at.desc(), _c.id.desc()).limit(_limit))

    @cached_property
    def due(self) -> Statement:
        """Pending and past the deadline, of all tenants."""
        late = (_c.resolved_at.is_(None), _c.deadline <= bindparam("now", type_=Time))
        return self._compiled(select(interactions).where(*late).order_by(_c.deadline, _c.id).limit(_limit))

    @cached_property
    def pending(self) -> Statement:
        mine = (_c.tenant == given(interactions, "tenant"), _c.resolved_at.is_(None))
        return self._compiled(select(interactions).where(*mine).order_by(_c.deadline, _c.id).limit(_limit))

    @cached_property
    def pending_of_run(self) -> Statement:
        return self._of_run(_c.resolved_at.is_(None), order=(_c.deadline, _c.id))

    @cached_property
    def decided_of_run(self) -> Statement:
        return self._of_run(_UNCLAIMED, order=(_c.decided_at, _c.id))

    @cached_property
    def answered_of_run(self) -> Statement:
        return self._of_run(_c.answered_at.is_not(None), order=(_c.answered_at.desc(), _c.id.desc()))

    @cached_property
    def stuck(self) -> Statement:
        return self._of_tenant(_c.stuck_at.is_not(None), order=(_c.stuck_at, _c.id))

    @cached_property
    def unknown(self) -> Statement:
        # The index is used where the words are the same: no bound value.
        return self._of_tenant(text("execution_status = 'unknown'"), order=(_c.execution_at, _c.id))

    @cached_property
    def requested(self) -> Statement:
        mine = _c.requested_by == given(interactions, "requested_by")
        return self._of_tenant(mine, order=(_c.created_at.desc(), _c.id.desc()))

    @cached_property
    def precedent(self) -> Statement:
        """The newest allowed approval of a tool and key, decided before an instant."""
        of = [_c[name] == given(interactions, name) for name in ("tool_name", "asker_id")]
        before = _c.resolved_at < bindparam("before", type_=Time)
        allowed = and_(*of, _c.tool_name.is_not(None), _IS[State.APPROVED], before)
        return self._of_tenant(allowed, order=(_c.resolved_at.desc(), _c.id.desc()))

    @cached_property
    def overdue(self) -> Statement:
        """Executions whose promised report is overdue, of all tenants."""
        late = (_c.report_due_at.is_not(None), _c.report_due_at <= bindparam("now", type_=Time))
        return self._compiled(select(interactions).where(*late).order_by(_c.report_due_at, _c.id).limit(_limit))

    @cached_property
    def due_timers(self) -> Statement:
        """Of all tenants, the longest due first."""
        c = timers.c
        due = select(timers).where(c.due_at <= bindparam("now", type_=Time))
        return self._compiled(due.order_by(c.due_at, c.tenant, c.interaction_id, c.kind).limit(_limit))

    @cached_property
    def stops(self) -> Statement:
        """Those that hold, oldest first."""
        c = stops.c
        held = select(stops).where(c.tenant == given(stops, "tenant"), c.ended_at.is_(None))
        return self._compiled(held.order_by(c.at, c.id))

    @cached_property
    def stop(self) -> Statement:
        """One, whether or not it has ended."""
        named = [stops.c[name] == given(stops, name) for name in ("tenant", "id")]
        return self._compiled(select(stops).where(*named))

    @cached_property
    def ended_stops(self) -> Statement:
        """Of a tool, or all of a tenant, that somebody ended at an instant."""
        c = stops.c
        names = ("tenant", "ended_at", "ender_kind", "ender_id")
        tool = bindparam("tool", type_=c.tool.type)
        ended = (*(c[name] == given(stops, name) for name in names), or_(tool.is_(None), c.tool == tool))
        return self._compiled(select(stops).where(*ended))

    @cached_property
    def policies(self) -> Statement:
        """All revisions of a tenant, or of one name, newest first."""
        c, name = policies.c, bindparam("name", type_=Text)
        mine = select(policies).where(c.tenant == given(policies, "tenant"), or_(name.is_(None), c.name == name))
        return self._compiled(mine.order_by(c.name, c.revision.desc()))

    def listed(self, filters: Filters, *, after: bool) -> Statement:
        """A page of a list; the statement depends on which filters there are, never on their values."""
        named = (filters.kind is None, filters.run_id is None, filters.operation_id is None)
        shape = (filters.states, filters.claimed, named, after)
        if shape not in self._lists:
            self._lists[shape] = self._compiled(self._page(filters, after=after))
        return self._lists[shape]

    @cached_property
    def resolved_among(self) -> Statement:
        if self._is_postgres:
            lists = (bindparam(name, type_=ARRAY(Text)) for name in ("tenants", "ids"))
            asked: Any = func.unnest(*lists).table_valued(column("tenant", Text), column("id", Text), name="asked")
            asked = asked.render_derived()
            tenant, id_ = asked.c.tenant, asked.c.id
        else:
            asked = func.json_each(bindparam("pairs", type_=Text)).table_valued(column("value", Text), name="asked")
            tenant, id_ = (func.json_extract(asked.c.value, f"$[{place}]") for place in (0, 1))
        both = asked.join(interactions, and_(_c.tenant == tenant, _c.id == id_))
        return self._compiled(select(_c.tenant, _c.id).select_from(both).where(_c.resolved_at.is_not(None)))

    @cached_property
    def among(self) -> Statement:
        """Some by their ids."""
        mine = (_c.tenant == given(interactions, "tenant"), self._is_among(_c.id))
        return self._compiled(select(interactions).where(*mine))

    @cached_property
    def postings(self) -> Statement:
        """Of some interactions; sorted by the caller, as an order by id tempts SQLite to walk the primary key."""
        c = postings.c
        mine = (c.tenant == given(postings, "tenant"), self._is_among(c.interaction_id))
        return self._compiled(select(postings).where(*mine))

    @cached_property
    def events(self) -> Statement:
        c = events.c
        mine = (c.tenant == given(events, "tenant"), c.interaction_id == given(events, "interaction_id"))
        return self._compiled(select(events).where(*mine).order_by(c.seq))

    @cached_property
    def attempt(self) -> Statement:
        """Whether a call that lost its reply had done its work."""
        c = events.c
        mine = (c.tenant == given(events, "tenant"), c.interaction_id == given(events, "interaction_id"))
        return self._compiled(select(c.seq).where(*mine, c.attempt == given(events, "attempt")).limit(1))

    @cached_property
    def key_of_secret(self) -> Statement:
        return self._compiled(select(keys).where(keys.c.secret_sha256 == given(keys, "secret_sha256")))

    @cached_property
    def key_of_name(self) -> Statement:
        named = (keys.c.tenant == given(keys, "tenant"), keys.c.name == given(keys, "name"))
        return self._compiled(select(keys).where(*named, keys.c.revoked_at.is_(None)))

    @cached_property
    def keys(self) -> Statement:
        mine = select(keys).where(keys.c.tenant == given(keys, "tenant"))
        return self._compiled(mine.order_by(keys.c.created_at, keys.c.id))

    @cached_property
    def installation(self) -> Statement:
        c = installations.c
        return self._compiled(select(installations).where(c.tenant == given(installations, "tenant")))

    @cached_property
    def installation_of_team(self) -> Statement:
        c = installations.c
        found = select(installations).where(c.team_id == given(installations, "team_id"))
        return self._compiled(found.order_by(c.bound_at, c.tenant).limit(1))

    def _of_tenant(self, condition: Any, *, order: tuple[Any, ...]) -> Statement:
        mine = select(interactions).where(_c.tenant == given(interactions, "tenant"), condition)
        return self._compiled(mine.order_by(*order).limit(_limit))

    def _is_among(self, id_: ColumnElement[Any]) -> ColumnElement[bool]:
        """Whether it is one of the list `ids`."""
        ids: Any = bindparam("ids", type_=ARRAY(Text) if self._is_postgres else Text)
        if self._is_postgres:
            return id_ == any_(ids)
        return id_.in_(select(func.json_each(ids).table_valued(column("value", Text)).c.value))

    def _of_run(self, condition: ColumnElement[bool], *, order: tuple[Any, ...]) -> Statement:
        """The first of a run that is so; of one operation, if it is named."""
        operation = bindparam("operation_id", type_=Text)
        mine = (
            _c.tenant == given(interactions, "tenant"),
            _c.run_id == given(interactions, "run_id"),
            _c.kind == given(interactions, "kind"),
            or_(operation.is_(None), _c.operation_id == operation),
        )
        return self._compiled(select(interactions).where(*mine, condition).order_by(*order).limit(1))

    def _page(self, filters: Filters, *, after: bool) -> Select[Any]:
        names = ("kind", "run_id", "operation_id")
        wanted = [name for name in names if getattr(filters, name) is not None]
        shown: list[Any] = [_c[name] == given(interactions, name) for name in ("tenant", *wanted)]
        if filters.states:
            shown.append(or_(*(_IS[state] for state in sorted(filters.states))))
        if filters.claimed is not None:
            shown.append(_c.claimed_at.is_not(None) if filters.claimed else _UNCLAIMED)
        position = tuple_(_c.deadline if filters.by_deadline else self._age(filters), _c.id)
        last = tuple_(bindparam("last_at", type_=Time), bindparam("last_id", type_=_c.id.type))
        if after:
            shown.append(position > last if filters.by_deadline else position < last)
        order: list[Any] = [each if filters.by_deadline else each.desc() for each in position.clauses]
        return select(interactions).where(*shown).order_by(*order).limit(_limit)

    def _age(self, filters: Filters) -> ColumnElement[Any]:
        """When it was asked. Of one run it is a computed value: SQLite, which keeps no statistics, would otherwise
        walk the whole history in this order instead of sorting the few of the run.
        """
        if self._is_postgres or filters.run_id is None:
            return _c.created_at
        return _c.created_at.op("||")(literal_column("''"))

    def _compiled(self, core: Any) -> Statement:
        return Statement(core, self._dialect)
