"""Hosted runs on SQL."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from store import cursors_runs, errors
from store.ids import new_id, new_token
from store.rules import hosting
from store.runs import (
    STARTED,
    ActionKind,
    Ending,
    HeldRun,
    Run,
    RunAction,
    RunPage,
    RunStatus,
    RunStop,
    StartedRun,
    Tokens,
    hint,
)
from store.sql import rows, rows_runs
from store.sql.engine import Attempt
from store.sql.part import Part
from store.sql.statement import Statement


class SqlRuns(Part):
    async def start_run(self, *, run: Run) -> StartedRun:
        async def call(attempt: Attempt) -> StartedRun:
            async with self._database.write() as session:
                if await session.row(self._run_claims.start, **rows_runs.run_values(run)) is not None:
                    self._database.announce(STARTED)
                    return StartedRun(created=True, run=run)
                found = await session.row(self._run_claims.find, tenant=run.tenant, id=run.id)
            if found is None:
                raise errors.Unconfirmed("the run that stood in the way is gone; call again")
            standing = hosting.same_start(run, rows_runs.run(found))
            was_mine = attempt.is_repeated and standing.created_at == run.created_at
            return StartedRun(created=was_mine, run=standing)

        return await self._calls.write(call)

    async def find_run(self, *, tenant: str, run_id: str) -> Run | None:
        found = await self._found_runs(self._run_claims.find, tenant=tenant, id=run_id)
        return found[0] if found else None

    async def find_runs(self, *, tenant: str, run_ids: Collection[str]) -> Sequence[Run]:
        listed = list(run_ids) if self._is_postgres else rows.dump(list(run_ids))
        return await self._found_runs(self._run_claims.among, tenant=tenant, ids=listed)

    async def list_runs(
        self,
        *,
        tenant: str,
        code: str | None = None,
        status: RunStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> RunPage:
        shown = cursors_runs.RunFilters(tenant=tenant, code=code, status=status)
        last_at, last_id = (None, None) if cursor is None else cursors_runs.read(shown, cursor)
        statement = self._run_claims.listed(shown, after=cursor is not None)
        where = {"tenant": tenant, "code": code, "last_at": last_at, "last_id": last_id}

        async def call(_: Attempt) -> RunPage:
            async with self._database.read() as session:
                found = [rows_runs.summary(row) for row in await session.rows(statement, **where, limit=limit + 1)]
            return cursors_runs.page(shown, found, limit=limit)

        return await self._calls.read(call)

    async def lease_runs(
        self, *, tenant: str, codes: Collection[str], worker: str, now: datetime, until: datetime, limit: int
    ) -> Sequence[Run]:
        listed = list(codes) if self._is_postgres else rows.dump(list(codes))
        named = {"tenant": tenant, "codes": listed, "worker": worker}
        return await self._lease_free(self._run_claims.lease, **named, now=now, until=until, limit=limit)

    async def lease_stopping(
        self, *, now: datetime, until: datetime, limit: int, tenant: str | None = None, run_id: str | None = None
    ) -> Sequence[Run]:
        named = {"tenant": tenant, "id": run_id}
        return await self._lease_free(self._run_claims.lease_stopping, **named, now=now, until=until, limit=limit)

    async def renew_runs(self, *, tenant: str, tokens: Tokens, now: datetime, until: datetime) -> Sequence[HeldRun]:
        async def call(_: Attempt) -> Sequence[HeldRun]:
            async with self._database.write() as session:
                found = await session.rows(
                    self._run_claims.renew, **self._held_by(tenant, tokens), now=now, until=until
                )
            return [rows_runs.held(row) for row in found]

        return await self._calls.write(call)

    async def release_runs(self, *, tenant: str, tokens: Tokens, now: datetime) -> Collection[str]:
        async def call(_: Attempt) -> Collection[str]:
            async with self._database.write() as session:
                released = await session.rows(self._run_claims.release, **self._held_by(tenant, tokens), now=now)
            if released:
                self._database.announce(STARTED)
            return [row["id"] for row in released]

        return await self._calls.write(call)

    async def held_runs(self, *, tenant: str, tokens: Tokens) -> Sequence[HeldRun]:
        async def call(_: Attempt) -> Sequence[HeldRun]:
            async with self._database.read() as session:
                found = await session.rows(self._run_claims.held, **self._held_by(tenant, tokens))
            return [rows_runs.held(row) for row in found]

        return await self._calls.read(call)

    async def save_state(
        self, *, tenant: str, run_id: str, token: str, state_json: str, at: datetime, saves: int | None = None
    ) -> Run:
        def rule(run: Run) -> Run:
            return hosting.save_state(run, token=token, state_json=state_json, at=at, saves=saves)

        return await self._change_run(tenant, run_id, token, rule)

    async def save_action(
        self,
        *,
        tenant: str,
        run_id: str,
        token: str,
        kind: ActionKind,
        request_json: str,
        at: datetime,
        cursor: int | None = None,
    ) -> Run:
        action = RunAction(id=new_id("act", now=at), kind=kind, request_json=request_json, cursor=0, created_at=at)

        def rule(run: Run) -> Run:
            return hosting.save_action(run, token=token, action=action, at=at, cursor=cursor)

        return await self._change_run(tenant, run_id, token, rule)

    async def note_asked(self, *, tenant: str, run_id: str, token: str, cursor: int, interaction_id: str) -> Run:
        def rule(run: Run) -> Run:
            return hosting.note_asked(run, token=token, cursor=cursor, interaction_id=interaction_id)

        return await self._change_run(tenant, run_id, token, rule, is_news=True)

    async def drop_action(self, *, tenant: str, run_id: str, token: str, cursor: int) -> Run:
        def rule(run: Run) -> Run:
            return hosting.drop_action(run, token=token, cursor=cursor)

        return await self._change_run(tenant, run_id, token, rule)

    async def mark_delivered(self, *, tenant: str, run_id: str, token: str, action_id: str, at: datetime) -> Run:
        def rule(run: Run) -> Run:
            return hosting.mark_delivered(run, token=token, action_id=action_id, at=at)

        return await self._change_run(tenant, run_id, token, rule)

    async def finish_run(self, *, tenant: str, run_id: str, token: str, ending: Ending, at: datetime) -> Run:
        def rule(run: Run) -> Run:
            return hosting.finish_run(run, token=token, ending=ending, at=at)

        return await self._change_run(tenant, run_id, token, rule, is_news=True)

    async def stop_run(self, *, tenant: str, run_id: str, stop: RunStop) -> Run:
        async def call(_: Attempt) -> Run:
            async with self._database.write() as session:
                values = {"tenant": tenant, "id": run_id, **rows_runs.stop_values(stop)}
                stopped = await session.row(self._run_claims.stop, **values)
                found = await session.row(self._run_claims.find, tenant=tenant, id=run_id)
            if stopped is not None:
                self._database.announce(hint(run_id))
            if found is None:
                raise errors.NotFound(id=run_id)
            return rows_runs.run(found)

        return await self._calls.write(call)

    async def finished_among(self, *, ids: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        async def call(_: Attempt) -> Collection[tuple[str, str]]:
            async with self._database.read() as session:
                found = await session.rows(self._run_claims.finished_among, **self._listed(ids, "tenants", "ids"))
            return {(row["tenant"], row["id"]) for row in found}

        return await self._calls.read(call)

    async def _lease_free(self, statement: Statement, **values: Any) -> Sequence[Run]:
        async def call(_: Attempt) -> Sequence[Run]:
            async with self._database.write() as session:
                taken = await session.rows(statement, **values, token=new_token())
            return sorted((rows_runs.run(row) for row in taken), key=cursors_runs.position)

        return await self._calls.write(call)

    async def _change_run(
        self, tenant: str, run_id: str, token: str, rule: Callable[[Run], Run], *, is_news: bool = False
    ) -> Run:
        """What its holder does, under the row's lock; `is_news`: others wait for it."""

        async def call(_: Attempt) -> Run:
            mine = {"tenant": tenant, "id": run_id}
            async with self._database.transaction() as session:
                found = await session.row(self._run_claims.lock, **mine)
                if found is None:
                    raise errors.NotFound(id=run_id)
                before = rows_runs.run(found)
                after = rule(before)
                if after is before:
                    return before
                if await session.row(self._run_claims.put, **mine, **rows_runs.held_values(after), token=token) is None:
                    raise errors.LeaseLost(run_id=run_id)
            if is_news:
                self._database.announce(hint(run_id))
            return after

        return await self._calls.write(call)

    async def _found_runs(self, statement: Statement, **values: Any) -> Sequence[Run]:
        async def call(_: Attempt) -> Sequence[Run]:
            async with self._database.read() as session:
                return [rows_runs.run(row) for row in await session.rows(statement, **values)]

        return await self._calls.read(call)

    def _held_by(self, tenant: str, tokens: Tokens) -> dict[str, Any]:
        named = [(tenant, run_id, token) for run_id, token in tokens.items()]
        return self._listed(named, "tenants", "ids", "tokens")

    def _listed(self, asked: Collection[tuple[str, ...]], *names: str) -> dict[str, Any]:
        """As `RunClaims` takes rows."""
        if not self._is_postgres:
            return {"asked": rows.dump([list(each) for each in asked])}
        return {name: [each[place] for each in asked] for place, name in enumerate(names)}
