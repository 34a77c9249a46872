"""Hosted runs of the memory backend."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from store import cursors_runs, errors
from store.ids import new_id, new_token
from store.rules import hosting
from store.runs import ActionKind, Ending, HeldRun, Run, RunAction, RunPage, RunStatus, RunStop, StartedRun, Tokens
from store.types import Lease

_Key = tuple[str, str]


class MemoryRuns:
    def __init__(self) -> None:
        self._runs: dict[_Key, Run] = {}

    async def start_run(self, *, run: Run) -> StartedRun:
        standing = self._runs.get((run.tenant, run.id))
        if standing is not None:
            return StartedRun(created=False, run=hosting.same_start(run, standing))
        return StartedRun(created=True, run=self._put_run(run))

    async def find_run(self, *, tenant: str, run_id: str) -> Run | None:
        return self._runs.get((tenant, run_id))

    async def find_runs(self, *, tenant: str, run_ids: Collection[str]) -> Sequence[Run]:
        return [run for run_id in run_ids if (run := self._runs.get((tenant, run_id))) is not None]

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
        found = sorted(
            (run for run in self._runs.values() if shown.shows(run)), key=cursors_runs.position, reverse=True
        )
        if cursor is not None:
            after = cursors_runs.read(shown, cursor)
            found = [run for run in found if cursors_runs.position(run) < after]
        return cursors_runs.page(shown, [run.summary for run in found[: limit + 1]], limit=limit)

    async def lease_runs(
        self, *, tenant: str, codes: Collection[str], worker: str, now: datetime, until: datetime, limit: int
    ) -> Sequence[Run]:
        mine = (run for run in self._runs.values() if run.tenant == tenant and run.code in codes and run.stop is None)
        return self._lease_free(mine, worker=worker, now=now, until=until, limit=limit)

    async def lease_stopping(
        self, *, now: datetime, until: datetime, limit: int, tenant: str | None = None, run_id: str | None = None
    ) -> Sequence[Run]:
        named = (run for run in self._runs.values() if tenant in {None, run.tenant} and run_id in {None, run.id})
        stopping = (run for run in named if run.stop is not None)
        return self._lease_free(stopping, worker=None, now=now, until=until, limit=limit)

    async def renew_runs(self, *, tenant: str, tokens: Tokens, now: datetime, until: datetime) -> Sequence[HeldRun]:
        renewed = [self._renew_run(run, now, until) for run in self._held_by(tenant, tokens)]
        return [hosting.held(run) for run in renewed]

    async def release_runs(self, *, tenant: str, tokens: Tokens, now: datetime) -> Collection[str]:
        released = [run for run in self._held_by(tenant, tokens) if not run.is_finished]
        for run in released:
            assert run.lease is not None
            self._put_run(replace(run, lease=replace(run.lease, until=now)))
        return [run.id for run in released]

    async def held_runs(self, *, tenant: str, tokens: Tokens) -> Sequence[HeldRun]:
        return [hosting.held(run) for run in self._held_by(tenant, tokens)]

    async def save_state(
        self, *, tenant: str, run_id: str, token: str, state_json: str, at: datetime, saves: int | None = None
    ) -> Run:
        def rule(run: Run) -> Run:
            return hosting.save_state(run, token=token, state_json=state_json, at=at, saves=saves)

        return self._change_run(tenant, run_id, rule)

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

        return self._change_run(tenant, run_id, rule)

    async def note_asked(self, *, tenant: str, run_id: str, token: str, cursor: int, interaction_id: str) -> Run:
        def rule(run: Run) -> Run:
            return hosting.note_asked(run, token=token, cursor=cursor, interaction_id=interaction_id)

        return self._change_run(tenant, run_id, rule)

    async def drop_action(self, *, tenant: str, run_id: str, token: str, cursor: int) -> Run:
        return self._change_run(tenant, run_id, lambda run: hosting.drop_action(run, token=token, cursor=cursor))

    async def mark_delivered(self, *, tenant: str, run_id: str, token: str, action_id: str, at: datetime) -> Run:
        def rule(run: Run) -> Run:
            return hosting.mark_delivered(run, token=token, action_id=action_id, at=at)

        return self._change_run(tenant, run_id, rule)

    async def finish_run(self, *, tenant: str, run_id: str, token: str, ending: Ending, at: datetime) -> Run:
        return self._change_run(tenant, run_id, lambda run: hosting.finish_run(run, token=token, ending=ending, at=at))

    async def stop_run(self, *, tenant: str, run_id: str, stop: RunStop) -> Run:
        return self._change_run(tenant, run_id, lambda run: hosting.stop_run(run, stop=stop))

    async def finished_among(self, *, ids: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        return {key for key in ids if key in self._runs and self._runs[key].is_finished}

    def _lease_free(
        self, runs: Iterable[Run], *, worker: str | None, now: datetime, until: datetime, limit: int
    ) -> Sequence[Run]:
        free = sorted((run for run in runs if not run.is_finished and run.is_free(now)), key=_turn)
        lease = Lease(token=new_token(), until=until)
        taken = sorted(free[:limit], key=cursors_runs.position)
        return [self._put_run(replace(run, worker=worker or run.worker, lease=lease)) for run in taken]

    def _held_by(self, tenant: str, tokens: Tokens) -> Iterable[Run]:
        for run_id, token in tokens.items():
            run = self._runs.get((tenant, run_id))
            if run is not None and run.lease is not None and run.lease.token == token:
                yield run

    def _renew_run(self, run: Run, now: datetime, until: datetime) -> Run:
        assert run.lease is not None
        return self._put_run(replace(run, lease=replace(run.lease, until=until), begun_at=run.begun_at or now))

    def _change_run(self, tenant: str, run_id: str, rule: Callable[[Run], Run]) -> Run:
        run = self._runs.get((tenant, run_id))
        if run is None:
            raise errors.NotFound(id=run_id)
        return self._put_run(rule(run))

    def _put_run(self, run: Run) -> Run:
        self._runs[run.tenant, run.id] = run
        return run


def _turn(run: Run) -> tuple[datetime, str, str]:
    return run.created_at if run.lease is None else run.lease.until, run.tenant, run.id
