"""Cursors of the list of runs, as in `store.cursors`."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from store import cursors
from store.runs import Run, RunPage, RunStatus, RunSummary


@dataclass(frozen=True, kw_only=True, slots=True)
class RunFilters:
    """What a list of runs shows, newest first."""

    tenant: str
    code: str | None
    status: RunStatus | None

    def shows(self, run: Run) -> bool:
        """Whether the list holds it (backends with a query say the same in SQL)."""
        return run.tenant == self.tenant and self.code in {None, run.code} and self.status in {None, run.status}

    def mark(self) -> str:
        return hashlib.sha256(json.dumps([self.tenant, self.code, self.status]).encode()).hexdigest()[:12]


def position(run: Run | RunSummary) -> tuple[datetime, str]:
    return run.created_at, run.id


def page(filters: RunFilters, found: Sequence[RunSummary], *, limit: int) -> RunPage:
    """A page of `limit` from at most one more than that."""
    items = tuple(found[:limit])
    has_more = len(found) > limit and bool(items)
    return RunPage(items=items, next_cursor=cursors.pack(filters.mark(), position(items[-1])) if has_more else None)


def read(filters: RunFilters, cursor: str) -> tuple[datetime, str]:
    """The position after which the page starts. Raises BadCursor."""
    return cursors.unpack(filters.mark(), cursor)
