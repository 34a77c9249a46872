"""Cursors of lists: where a page ended, by the values that order the list, so that inserts never shift a page."""

import base64
import binascii
import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from store import errors
from store.outcomes import Page
from store.types import Approval, Interaction, Kind, State

#: Stands for "no deadline" in orders: later than any. Not the very last instant, which drivers read as infinity.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Filters:
    """What a list shows. Exactly the pending ones go by deadline, everything else newest first."""

    tenant: str
    states: frozenset[State]
    kind: Kind | None
    claimed: bool | None
    run_id: str | None
    operation_id: str | None

    @property
    def by_deadline(self) -> bool:
        return self.states == {State.PENDING}

    def position(self, interaction: Interaction) -> tuple[datetime, str]:
        """What the list is ordered by: ascending by deadline, descending by age."""
        if self.by_deadline:
            return interaction.expires_at or NEVER, interaction.id
        return interaction.created_at, interaction.id

    def shows(self, interaction: Interaction) -> bool:
        """Whether the list holds it (backends with a query say the same in SQL)."""
        approval = interaction if isinstance(interaction, Approval) else None
        return (
            interaction.tenant == self.tenant
            and (not self.states or interaction.state in self.states)
            and self.kind in {None, interaction.kind}
            and self.run_id in {None, interaction.run_id}
            and self.operation_id in {None, interaction.operation_id}
            and (
                self.claimed is None
                or (approval is not None and approval.state.is_decided and (approval.claim is not None) is self.claimed)
            )
        )

    def is_after(self, interaction: Interaction, position: tuple[datetime, str]) -> bool:
        mine = self.position(interaction)
        return mine > position if self.by_deadline else mine < position

    def mark(self) -> str:
        """Tells lists apart: a cursor of one is refused by the others."""
        parts = [self.tenant, sorted(self.states), self.kind, self.claimed, self.run_id, self.operation_id]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def filters(
    *,
    tenant: str,
    states: Collection[State],
    kind: Kind | None,
    claimed: bool | None,
    run_id: str | None,
    operation_id: str | None,
) -> Filters:
    return Filters(
        tenant=tenant,
        states=frozenset(states),
        kind=kind,
        claimed=claimed,
        run_id=run_id,
        operation_id=operation_id,
    )


def write(filters: Filters, last: Interaction) -> str:
    return pack(filters.mark(), filters.position(last))


def page(filters: Filters, found: Sequence[Interaction], *, limit: int) -> Page:
    """A page of `limit` from at most one more than that."""
    items = tuple(found[:limit])
    has_more = len(found) > limit and bool(items)
    return Page(items=items, next_cursor=write(filters, items[-1]) if has_more else None)


def read(filters: Filters, cursor: str) -> tuple[datetime, str]:
    """The position after which the page starts. Raises BadCursor: not made by `write` for the same filters."""
    return unpack(filters.mark(), cursor)


def pack(mark: str, position: tuple[datetime, str]) -> str:
    """`mark`: tells the list from others."""
    at, last_id = position
    text = json.dumps([mark, at.isoformat(), last_id], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def unpack(mark: str, cursor: str) -> tuple[datetime, str]:
    """What `pack` made a cursor of.

    Raises:
        BadCursor: it did not, or with another mark.
    """
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        found, at, last_id = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        position = datetime.fromisoformat(at), last_id
        known = found == mark and isinstance(last_id, str) and position[0].tzinfo is not None
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise errors.BadCursor("this is no cursor of this list") from error
    if not known or "\x00" in last_id:
        raise errors.BadCursor("this is no cursor of this list")
    return position
