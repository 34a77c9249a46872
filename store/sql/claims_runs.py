"""Statements on hosted runs. What its holder writes is fenced by the token of the lease."""

from functools import cached_property
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Dialect,
    Integer,
    Select,
    Text,
    Update,
    and_,
    any_,
    bindparam,
    column,
    func,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from store.cursors_runs import RunFilters
from store.runs import RunStatus
from store.sql.claims import given
from store.sql.claims_work import take
from store.sql.statement import Statement
from store.sql.tables import Time, runs

#: What the holder of a run may change.
_HELD = (
    *("state_json", "saves", "cursor", "action_id", "action_kind", "action_request", "action_at"),
    *("interaction_id", "delivered_at", "delivered_to", "begun_at", "free_at", "lease"),
    *("finished_at", "finished_by", "outcome_json", "error_code", "error_message", "error_retryable"),
)
_STOP = ("stop_at", "stopper_kind", "stopper_id", "stopper_name", "stop_reason")
_c = runs.c
_OPEN = and_(_c.action_id.is_not(None), _c.delivered_at.is_(None))
_GOES_ON = _c.finished_at.is_(None)
_IS: dict[RunStatus, ColumnElement[bool]] = {
    RunStatus.QUEUED: and_(_GOES_ON, ~_OPEN, _c.begun_at.is_(None)),
    RunStatus.RUNNING: and_(_GOES_ON, ~_OPEN, _c.begun_at.is_not(None)),
    RunStatus.WAITING: and_(_GOES_ON, _OPEN),
    RunStatus.COMPLETED: _c.outcome_json.is_not(None),
    RunStatus.FAILED: _c.error_code.is_not(None),
}
_MINE = (_c.tenant == given(runs, "tenant"), _c.id == given(runs, "id"))


class RunClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._is_postgres = dialect.name == "postgresql"
        self._insert: Any = postgresql.insert if self._is_postgres else sqlite.insert
        self._lists: dict[tuple[bool, RunStatus | None, bool], Statement] = {}

    @cached_property
    def start(self) -> Statement:
        """Store a run unless its id is taken; no row then."""
        stored = self._insert(runs).values({c.name: given(runs, c.name) for c in _c}).on_conflict_do_nothing()
        return self._compiled(stored.returning(_c.id))

    @cached_property
    def find(self) -> Statement:
        return self._compiled(select(runs).where(*_MINE))

    @cached_property
    def among(self) -> Statement:
        """Some by their ids."""
        return self._compiled(select(runs).where(_c.tenant == given(runs, "tenant"), self._is_in(_c.id, "ids")))

    @cached_property
    def lock(self) -> Statement:
        """Read a run and keep it until this transaction ends."""
        return self._compiled(select(runs).where(*_MINE).with_for_update())

    @cached_property
    def put(self) -> Statement:
        """Write what its holder did, while the lease is its."""
        held = _c.lease == bindparam("token", type_=Text)
        values = {name: given(runs, name) for name in _HELD}
        return self._compiled(update(runs).where(*_MINE, held).values(values).returning(_c.id))

    @cached_property
    def stop(self) -> Statement:
        """Want it to end, if it goes on and nobody did."""
        values = {name: given(runs, name) for name in _STOP}
        wanted = update(runs).where(*_MINE, _GOES_ON, _c.stop_at.is_(None)).values(values)
        return self._compiled(wanted.returning(_c.id))

    @cached_property
    def lease(self) -> Statement:
        """Take free runs of these codes that are not to stop."""
        due = and_(_c.tenant == given(runs, "tenant"), self._is_in(_c.code, "codes"), _c.stop_at.is_(None), _free())
        values = {"lease": bindparam("token", type_=Text), "free_at": _until(), "worker": given(runs, "worker")}
        return self._compiled(take(runs, due=due, order=_c.free_at, values=values))

    @cached_property
    def lease_stopping(self) -> Statement:
        """Take free runs that are to stop: of all tenants, or one."""
        tenant, run_id = bindparam("tenant", type_=Text), bindparam("id", type_=Text)
        named = (or_(tenant.is_(None), _c.tenant == tenant), or_(run_id.is_(None), _c.id == run_id))
        due = and_(_c.stop_at.is_not(None), _free(), *named)
        values = {"lease": bindparam("token", type_=Text), "free_at": _until()}
        return self._compiled(take(runs, due=due, order=_c.free_at, values=values))

    @cached_property
    def renew(self) -> Statement:
        """Hold longer all that are still held by these tokens, and mark them as begun. Locked in one order for all."""
        key = (_c.tenant, _c.id)
        chosen = self._held(*key).order_by(*key).with_for_update(of=runs).cte("chosen")
        mine = tuple_(*key).in_(select(chosen.c.tenant, chosen.c.id))
        begun = func.coalesce(_c.begun_at, bindparam("now", type_=Time))
        renewed: Update = update(runs).where(mine).values(free_at=_until(), begun_at=begun)
        return self._compiled(renewed.returning(*_TOLD))

    @cached_property
    def release(self) -> Statement:
        """Free what is still held by these tokens."""
        key = (_c.tenant, _c.id)
        chosen = self._held(*key).where(_GOES_ON).order_by(*key).with_for_update(of=runs).cte("chosen")
        mine = tuple_(*key).in_(select(chosen.c.tenant, chosen.c.id))
        return self._compiled(update(runs).where(mine).values(free_at=bindparam("now", type_=Time)).returning(_c.id))

    @cached_property
    def held(self) -> Statement:
        """What is held by these tokens."""
        return self._compiled(self._held(*_TOLD))

    @cached_property
    def finished_among(self) -> Statement:
        """Of some runs of any tenant, those that are finished."""
        asked, (tenant, run_id) = self._asked("tenants", "ids")
        both = asked.join(runs, and_(_c.tenant == tenant, _c.id == run_id))
        return self._compiled(select(_c.tenant, _c.id).select_from(both).where(_c.finished_at.is_not(None)))

    def listed(self, filters: RunFilters, *, after: bool) -> Statement:
        """A page of a list; the statement depends on which filters there are, never on the names in them."""
        shape = (filters.code is not None, filters.status, after)
        if shape not in self._lists:
            self._lists[shape] = self._compiled(self._page(filters, after=after))
        return self._lists[shape]

    def _page(self, filters: RunFilters, *, after: bool) -> Select[Any]:
        shown: list[Any] = [_c.tenant == given(runs, "tenant")]
        if filters.code is not None:
            shown.append(_c.code == given(runs, "code"))
        if filters.status is not None:
            shown.append(_IS[filters.status])
        position = tuple_(_c.created_at, _c.id)
        if after:
            last = tuple_(bindparam("last_at", type_=Time), bindparam("last_id", type_=_c.id.type))
            shown.append(position < last)
        order = [each.desc() for each in position.clauses]
        return select(*_SHOWN).where(*shown).order_by(*order).limit(bindparam("limit", type_=Integer))

    def _held(self, *columns: Any) -> Select[Any]:
        """Of some runs, those that these tokens hold. The tenant is said for each, or SQLite would walk all of one."""
        asked, (tenant, run_id, token) = self._asked("tenants", "ids", "tokens")
        both = asked.join(runs, and_(_c.tenant == tenant, _c.id == run_id, _c.lease == token))
        return select(*columns).select_from(both)

    def _is_in(self, column_: ColumnElement[Any], name: str) -> ColumnElement[bool]:
        """Whether it is one of the list of this name."""
        texts: Any = bindparam(name, type_=ARRAY(Text) if self._is_postgres else Text)
        if self._is_postgres:
            return column_ == any_(texts)
        return column_.in_(select(func.json_each(texts).table_valued(column("value", Text)).c.value))

    def _asked(self, *names: str) -> tuple[Any, list[ColumnElement[Any]]]:
        """Rows given by the call, as a table, and its columns: a list for each, or on SQLite all as JSON (`asked`)."""
        if self._is_postgres:
            lists = (bindparam(name, type_=ARRAY(Text)) for name in names)
            unnested: Any = func.unnest(*lists).table_valued(*(column(name, Text) for name in names), name="asked")
            unnested = unnested.render_derived()
            return unnested, [unnested.c[name] for name in names]
        each = func.json_each(bindparam("asked", type_=Text)).table_valued(column("value", Text), name="asked")
        return each, [func.json_extract(each.c.value, f"$[{place}]") for place in range(len(names))]

    def _compiled(self, core: Any) -> Statement:
        return Statement(core, self._dialect)


#: What lists show.
_SHOWN = [c for c in _c if c.name not in {"audience", "input_json", "state_json", "action_request", "outcome_json"}]
#: What holders are told: no inputs and no states, as there may be many.
_TOLD = (_c.id, _c.free_at, _c.begun_at, _c.stop_at, _c.action_id, _c.interaction_id, _c.delivered_at)


def _until() -> ColumnElement[Any]:
    return bindparam("until", type_=Time)


def _free() -> ColumnElement[bool]:
    return and_(_c.free_at.is_not(None), _c.free_at <= bindparam("now", type_=Time))
