"""Finding and listing interactions on SQL."""

from collections.abc import Collection, Sequence

from store import cursors
from store.outcomes import Page
from store.sql import rows
from store.sql.engine import Attempt
from store.sql.part import Part
from store.sql.statement import Statement
from store.types import Approval, Interaction, Kind, QuestionSet, State

_CODES = 10


class SqlFinds(Part):
    async def find_interaction(self, *, tenant: str, id: str) -> Interaction | None:
        return await self._one(self._queries.find, tenant=tenant, id=id)

    async def find_interactions(self, *, tenant: str, ids: Collection[str]) -> Sequence[Interaction]:
        listed = list(ids) if self._is_postgres else rows.dump(list(ids))
        return await self._many(self._queries.among, tenant=tenant, ids=listed)

    async def find_by_code(self, *, tenant: str, code: str) -> Sequence[Interaction]:
        low = rows.code(code)
        # Ids are ASCII; what is not finds nothing, and has no next letter to end the range with.
        if not low or not low.isascii() or "\x00" in low:
            return ()
        high = low[:-1] + chr(ord(low[-1]) + 1)
        found = await self._many(self._queries.find_by_code, tenant=tenant, low=low, high=high, limit=_CODES)
        return [each for each in found if code.upper() in {each.id.upper(), each.short_code.upper()}]

    async def find_approval(self, *, tenant: str, id: str) -> Approval | None:
        found = await self._one(self._queries.find, tenant=tenant, id=id)
        return found if isinstance(found, Approval) else None

    async def find_pending_approval(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> Approval | None:
        return await self._approval(self._queries.pending_of_run, tenant, run_id, operation_id)

    async def find_decided_approval(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> Approval | None:
        return await self._approval(self._queries.decided_of_run, tenant, run_id, operation_id)

    async def find_pending_question(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> QuestionSet | None:
        return await self._question(self._queries.pending_of_run, tenant, run_id, operation_id)

    async def find_answered_question(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> QuestionSet | None:
        return await self._question(self._queries.answered_of_run, tenant, run_id, operation_id)

    async def list_pending(self, *, tenant: str, limit: int = 1000) -> Sequence[Interaction]:
        return await self._many(self._queries.pending, tenant=tenant, limit=limit)

    async def list_stuck(self, *, tenant: str, limit: int = 100) -> Sequence[Interaction]:
        return await self._many(self._queries.stuck, tenant=tenant, limit=limit)

    async def list_unknown(self, *, tenant: str, limit: int = 100) -> Sequence[Approval]:
        found = await self._many(self._queries.unknown, tenant=tenant, limit=limit)
        return [each for each in found if isinstance(each, Approval)]

    async def list_requested(self, *, tenant: str, user: str, limit: int = 100) -> Sequence[Interaction]:
        return await self._many(self._queries.requested, tenant=tenant, requested_by=user, limit=limit)

    async def find_precedent(self, *, approval: Approval) -> Approval | None:
        if approval.tool_name is None:
            return None
        of = {"tool_name": approval.tool_name, "asker_id": approval.asked_by.id, "before": approval.created_at}
        found = await self._one(self._queries.precedent, tenant=approval.tenant, **of, limit=1)
        return found if isinstance(found, Approval) else None

    async def list_interactions(
        self,
        *,
        tenant: str,
        states: Collection[State] = (),
        kind: Kind | None = None,
        claimed: bool | None = None,
        run_id: str | None = None,
        operation_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        shown = cursors.filters(
            tenant=tenant, states=states, kind=kind, claimed=claimed, run_id=run_id, operation_id=operation_id
        )
        last_at, last_id = (None, None) if cursor is None else cursors.read(shown, cursor)
        named = {"kind": kind and kind.value, "run_id": run_id, "operation_id": operation_id}
        statement = self._queries.listed(shown, after=cursor is not None)
        found = await self._many(statement, tenant=tenant, **named, last_at=last_at, last_id=last_id, limit=limit + 1)
        return cursors.page(shown, found, limit=limit)

    async def _approval(
        self, statement: Statement, tenant: str, run_id: str, operation_id: str | None
    ) -> Approval | None:
        mine = {"tenant": tenant, "run_id": run_id, "operation_id": operation_id}
        found = await self._one(statement, kind=Kind.APPROVAL.value, **mine)
        return found if isinstance(found, Approval) else None

    async def _question(
        self, statement: Statement, tenant: str, run_id: str, operation_id: str | None
    ) -> QuestionSet | None:
        mine = {"tenant": tenant, "run_id": run_id, "operation_id": operation_id}
        found = await self._one(statement, kind=Kind.QUESTION.value, **mine)
        return found if isinstance(found, QuestionSet) else None

    async def _one(self, statement: Statement, **values: object) -> Interaction | None:
        found = await self._many(statement, **values)
        return found[0] if found else None

    async def _many(self, statement: Statement, **values: object) -> Sequence[Interaction]:
        async def call(_: Attempt) -> Sequence[Interaction]:
            async with self._database.read() as session:
                return tuple(rows.interaction(row) for row in await session.rows(statement, **values))

        return await self._calls.read(call)
