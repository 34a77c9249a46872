"""Drafts on SQL."""

import json
from datetime import datetime

from store.drafts import Draft, entered, read_entered
from store.sql import rows
from store.sql.engine import Attempt
from store.sql.part import Part


class SqlDrafts(Part):
    async def keep_draft(self, *, tenant: str, interaction_id: str, person: str, draft: Draft, at: datetime) -> bool:
        mine = {"tenant": tenant, "interaction_id": interaction_id, "person": person}
        values = {**mine, "entered": rows.dump(entered(draft)), "kept_at": at}

        async def call(_: Attempt) -> bool:
            # Not `hot`: whoever decides does not wait behind what others type.
            async with self._database.write() as session:
                return await session.row(self._draft_claims.keep, **values) is not None

        return await self._calls.write(call)

    async def find_draft(self, *, tenant: str, interaction_id: str, person: str) -> Draft | None:
        mine = {"tenant": tenant, "interaction_id": interaction_id, "person": person}

        async def call(_: Attempt) -> Draft | None:
            async with self._database.read() as session:
                found = await session.row(self._draft_claims.find, **mine)
            return None if found is None else read_entered(json.loads(found["entered"]))

        return await self._calls.read(call)

    async def drop_drafts(self, *, limit: int = 100) -> int:
        async def call(_: Attempt) -> int:
            async with self._database.write() as session:
                return len(await session.rows(self._draft_claims.drop, limit=limit))

        return await self._calls.write(call)
