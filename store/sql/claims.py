"""The compare-and-sets on interactions, each with its sentence. What Postgres does in one statement: `claims_postgres`."""

from functools import cached_property
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Dialect,
    Insert,
    Integer,
    Select,
    Text,
    Update,
    bindparam,
    case,
    column,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from store.sql.statement import Statement
from store.sql.tables import Time, events, interactions, postings, timers

#: Written when an interaction is asked, and never again.
ASKED = (
    *("tenant", "id", "code", "kind", "run_id", "operation_id", "title", "request_digest", "created_at"),
    *("asker_kind", "asker_id", "asker_name", "requested_by", "approvers", "quorum", "destination"),
    *("denials", "terms", "action_details", "facts", "links", "input_schema", "fingerprint"),
    *("resume_kind", "resume_target", "supersedes"),
    *("digest", "body", "tool_name", "input_json", "risk", "run_within_us", "questions"),
    # These a transition may change.
    *("deadline", "course", "votes"),
)
#: Written by transitions.
BECAME = (
    *("decided_at", "answered_at", "expired_at", "withdrawn_at", "superseded_at", "resolved_at"),
    *("resolver_kind", "resolver_id", "resolver_name", "reason", "superseded_by"),
    *("votes", "decision", "feedback", "edited_input", "edited_digest", "answers"),
    *("deadline", "course", "reopened_at"),
    *("claimed_at", "claim_id", "claim_executes", "claimed_by"),
    *("execution_status", "execution_at", "execution_started_at", "execution_detail", "report_within", "report_due_at"),
    *("resume_due_at", "stuck_at", "stuck_due_at", "lapsed_at", "lapse_due_at"),
)
_EVENT = ("action", "actor_kind", "actor_id", "actor_name", "surface", "old_state", "new_state", "details", "attempt")


def given(table: Any, name: str) -> ColumnElement[Any]:
    """The call's value for a column."""
    return bindparam(name, type_=table.c[name].type)


def same_interaction() -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    c = interactions.c
    return c.tenant == given(interactions, "tenant"), c.id == given(interactions, "id")


def wanted(at: ColumnElement[Any]) -> dict[str, Any]:
    """`work.want` in SQL: what was up to date is due at once, what is behind keeps its turn."""
    c = postings.c
    return {"wanted": c.wanted + 1, "due_at": case((c.wanted > c.painted, c.due_at), else_=at)}


def event_at() -> ColumnElement[Any]:
    return bindparam("event_at", type_=events.c.at.type)


class Claims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._is_postgres = dialect.name == "postgresql"

    @cached_property
    def create(self) -> Statement:
        """Ask unless the operation was asked: the row, its event and its cards; no row when it was there."""
        if not self._is_postgres:
            return self._compiled(self._asked().returning(interactions.c.id))
        asked = self._asked().returning(*self._of_changed()).cte("changed")
        cards, timed = self._cards(asked).cte("cards"), self._timed(asked).cte("timed")
        return self._compiled(self._written(asked).add_cte(self._noted(asked).cte("noted"), cards, timed))

    @cached_property
    def change(self) -> Statement:
        """One transition, if the row is still at the version that was read: the row, its event, its postings."""
        if not self._is_postgres:
            return self._compiled(self._changed().returning(interactions.c.version))
        changed = self._changed().returning(*self._of_changed()).cte("changed")
        noted = self._noted(changed).cte("noted")
        behind = (
            update(postings)
            .where(postings.c.tenant == changed.c.tenant, postings.c.interaction_id == changed.c.id)
            .values(wanted(event_at()))
            .cte("behind")
        )
        return self._compiled(self._written(changed).add_cte(noted, behind))

    @cached_property
    def note(self) -> Statement:
        """The event of a transition, where it takes a statement of its own."""
        values = {name: given(events, name) for name in ("tenant", "interaction_id", "seq", *_EVENT)}
        return self._compiled(insert(events).values({**values, "at": event_at()}))

    @cached_property
    def want(self) -> Statement:
        """All postings of an interaction are behind, where it takes a statement of its own."""
        c = postings.c
        mine = (c.tenant == given(postings, "tenant"), c.interaction_id == given(postings, "interaction_id"))
        return self._compiled(update(postings).where(*mine).values(wanted(event_at())))

    @cached_property
    def card(self) -> Statement:
        """One card of a new interaction, where it takes a statement of its own."""
        return self._compiled(insert(postings).values({c.name: given(postings, c.name) for c in postings.c}))

    @cached_property
    def timer(self) -> Statement:
        """When something is due next, in the place of its last time."""
        on_dialect: Any = postgresql.insert if self._is_postgres else sqlite.insert
        timed = on_dialect(timers).values({c.name: given(timers, c.name) for c in timers.c})
        key = ["tenant", "interaction_id", "kind"]
        moved = {name: timed.excluded[name] for name in ("due_at", "turn")}
        return self._compiled(timed.on_conflict_do_update(index_elements=key, set_=moved))

    @cached_property
    def renew_report(self) -> Statement:
        """Move when a running execution has to report next, if it still runs under this claim. No transition."""
        c = interactions.c
        runs = (c.claim_id == given(interactions, "claim_id"), c.execution_status == "running")
        moved = update(interactions).where(*same_interaction(), *runs)
        return self._compiled(moved.values(report_due_at=given(interactions, "report_due_at")).returning(c.id))

    @cached_property
    def lock(self) -> Statement:
        """Read a row and keep others from changing it until this transaction ends (SQLite: it already does)."""
        found = select(interactions).where(*same_interaction()).with_for_update(key_share=True)
        return self._compiled(found)

    def _asked(self) -> Any:
        on_dialect: Any = postgresql.insert if self._is_postgres else sqlite.insert
        values = {name: given(interactions, name) for name in ASKED}
        asked = on_dialect(interactions).values(**values, version=1)
        return asked.on_conflict_do_nothing(index_elements=["tenant", "run_id", "operation_id"])

    def _changed(self) -> Update:
        c = interactions.c
        seen = c.version == bindparam("seen", type_=Integer)
        values = {name: given(interactions, name) for name in BECAME}
        return update(interactions).where(*same_interaction(), seen).values(**values, version=c.version + 1)

    def _of_changed(self) -> tuple[ColumnElement[Any], ...]:
        c = interactions.c
        return c.tenant, c.id, c.version

    def _noted(self, changed: Any) -> Insert:
        said = [given(events, name) for name in _EVENT]
        source = select(changed.c.tenant, changed.c.id, changed.c.version, event_at(), *said)
        return insert(events).from_select(["tenant", "interaction_id", "seq", "at", *_EVENT], source)

    def _cards(self, asked: Any) -> Insert:
        """One posting for each of the parallel lists of ids, addresses and threads."""
        lists = (bindparam(name, type_=ARRAY(Text)) for name in ("card_ids", "card_addresses", "card_threads"))
        card = func.unnest(*lists).table_valued(
            column("id", Text), column("address", Text), column("thread_ts", Text), name="card", joins_implicitly=True
        )
        # `render_derived`: the columns of unnest are named by their alias only.
        card = card.render_derived()
        fixed = {
            "role": "card",
            "turn": 0,
            "is_copy": False,
            "given_up": False,
            "wanted": 1,
            "painted": 0,
            "attempts": 0,
        }
        literals = [bindparam(None, value, type_=postings.c[name].type) for name, value in fixed.items()]
        source = select(asked.c.tenant, asked.c.id, event_at(), card.c.id, card.c.address, card.c.thread_ts, *literals)
        names = ["tenant", "interaction_id", "due_at", "id", "address", "thread_ts", *fixed]
        return insert(postings).from_select(names, source)

    def _timed(self, asked: Any) -> Insert:
        """One timer for each of the parallel lists of kinds and instants."""
        lists = (bindparam("timer_kinds", type_=ARRAY(Text)), bindparam("timer_due_ats", type_=ARRAY(Time)))
        timer = func.unnest(*lists).table_valued(
            column("kind", Text), column("due_at", Time), name="timer", joins_implicitly=True
        )
        timer = timer.render_derived()
        turn = bindparam(None, 0, type_=timers.c.turn.type)
        source = select(asked.c.tenant, asked.c.id, timer.c.kind, timer.c.due_at, turn)
        return insert(timers).from_select(["tenant", "interaction_id", "kind", "due_at", "turn"], source)

    def _written(self, changed: Any) -> Select[Any]:
        return select(changed.c.version)

    def _compiled(self, core: Any) -> Statement:
        return Statement(core, self._dialect)
