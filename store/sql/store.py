"""The whole contract over one database."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from store.sql.control import SqlControl
from store.sql.courses import SqlCourses
from store.sql.drafts import SqlDrafts
from store.sql.finds import SqlFinds
from store.sql.keys import SqlKeys
from store.sql.postings import SqlPostings
from store.sql.resumptions import SqlResumptions
from store.sql.runs import SqlRuns


class SqlStore(SqlCourses, SqlControl, SqlFinds, SqlPostings, SqlResumptions, SqlRuns, SqlDrafts, SqlKeys):
    async def now(self) -> datetime:
        return await self._database.now()

    async def ping(self) -> None:
        await self.find_interaction(tenant="", id="")

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        return self._database.changes()

    async def close(self) -> None:
        """Let what callers left behind finish, then close every connection."""
        await self._calls.finish()
        await self._database.close()
