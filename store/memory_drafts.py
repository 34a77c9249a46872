"""Drafts of the memory backend."""

from datetime import datetime
from itertools import islice

from store.drafts import Draft, fits
from store.memory_rows import Rows

_Key = tuple[str, str, str]


class MemoryDrafts:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._drafts: dict[_Key, Draft] = {}

    async def keep_draft(self, *, tenant: str, interaction_id: str, person: str, draft: Draft, at: datetime) -> bool:  # noqa: ARG002  # nothing here asks when
        key = tenant, interaction_id, person
        kept = self._drafts.get(key, Draft()).with_later(draft)
        if not self._is_open(key) or not fits(kept):
            return False
        self._drafts[key] = kept
        return True

    async def find_draft(self, *, tenant: str, interaction_id: str, person: str) -> Draft | None:
        key = tenant, interaction_id, person
        return self._drafts.get(key) if self._is_open(key) else None

    async def drop_drafts(self, *, limit: int = 100) -> int:
        over = list(islice((key for key in self._drafts if not self._is_open(key)), limit))
        for key in over:
            del self._drafts[key]
        return len(over)

    def _is_open(self, key: _Key) -> bool:
        return key[:2] in self._rows.open
