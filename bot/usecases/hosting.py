"""Hosted runs, as their starters see them: started, read, waited for, stopped."""

import asyncio

import structlog

from bot.asks import ApprovalAsk
from bot.hosted import RunStart, digest_of, probes, starter
from bot.keys import IN_HOUSE, in_house
from bot.usecases.acting import Acting
from bot.usecases.results import PolicyRefused
from store import errors
from store.ids import new_id
from store.runs import STARTED, Ending, Run, RunError, RunErrorCode, RunPage, RunStatus, RunStop, StartedRun, hint
from store.types import Key

log = structlog.get_logger("signoff.service")

_BATCH = 100
_NO_REASON = "The run was stopped."


class Hosting(Acting):
    async def start_run(self, *, key: Key, start: RunStart) -> StartedRun | PolicyRefused:
        """Store the run; a worker that has its code takes it.

        Raises:
            OtherStart: the run was started with other content.
        """
        now = self._clock.now()
        run = Run(
            tenant=key.tenant,
            id=start.run_id or new_id("run", now=now),
            code=start.code,
            request_digest=digest_of(start),
            created_at=now,
            started_by=starter(key),
            audience=start.audience,
            input_json=start.input_json,
            state_json=start.state_json,
        )
        standing = None if start.run_id is None else await self._store.find_run(tenant=key.tenant, run_id=run.id)
        # What was started before is found again, whatever a policy says since.
        refused = await self._refused(key, start) if standing is None else None
        if refused is not None:
            return refused
        outcome = await self._store.start_run(run=run)
        if outcome.created:
            log.info("run_started", run=run.id, code=run.code)
            self._hub.tell(run.tenant, STARTED)
        return outcome

    async def run(self, *, tenant: str, run_id: str) -> Run:
        """Raises NotFound."""
        found = await self._store.find_run(tenant=tenant, run_id=run_id)
        if found is None:
            raise errors.NotFound(id=run_id)
        return found

    async def wait_for_run(self, *, tenant: str, run_id: str, seconds: float) -> Run:
        """Return as soon as it is finished, or as it is after `seconds`. Raises NotFound."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        with self._hub.subscribe(tenant, hint(run_id)) as news:
            run = await self.run(tenant=tenant, run_id=run_id)
            while not run.is_finished and (left := end - loop.time()) > 0:
                await news.changed(within=left)
                run = await self.run(tenant=tenant, run_id=run_id)
        return run

    async def runs(
        self, *, tenant: str, code: str | None, status: RunStatus | None, cursor: str | None, limit: int
    ) -> RunPage:
        """Newest first. Raises BadCursor."""
        return await self._store.list_runs(tenant=tenant, code=code, status=status, cursor=cursor, limit=limit)

    async def stop_run(self, *, key: Key, run_id: str, reason: str | None) -> Run:
        """Want it to end. Whoever holds it hears of it and ends it; what nobody holds is ended here, now.

        Raises:
            NotFound, Unconfirmed.
        """
        now = self._clock.now()
        stop = RunStop(at=now, actor=starter(key), reason=reason or None)
        run = await self._store.stop_run(tenant=key.tenant, run_id=run_id, stop=stop)
        if run.is_finished:
            return run
        log.info("run_stopping", run=run.id, by=key.id)
        self._hub.tell(run.tenant, hint(run.id))
        taken = await self._store.lease_stopping(
            now=now, until=now + self._run_lease, limit=1, tenant=run.tenant, run_id=run.id
        )
        for each in taken:
            return await self._stopped(each)
        return run

    async def end_stopped(self) -> int:
        """End what is to stop and nobody holds any more; returns how many. What fails is tried once its lease is over."""
        total = 0
        while True:
            now = self._clock.now()
            taken = await self._store.lease_stopping(now=now, until=now + self._run_lease, limit=_BATCH)
            for run in taken:
                try:
                    await self._stopped(run)
                except Exception:
                    # The others are to end all the same: the same one would come first each time.
                    log.exception("stopping_failed", run=run.id)
                else:
                    total += 1
            if len(taken) < _BATCH:
                return total

    async def _stopped(self, run: Run) -> Run:
        """End a run that was taken to be ended: withdraw first, so that whoever takes it after a crash does the rest."""
        assert run.lease is not None
        token = run.lease.token
        reason = None if run.stop is None else run.stop.reason
        error = RunError(code=RunErrorCode.STOPPED, message=reason or _NO_REASON)
        await self._closed(run, token, error)
        ended = await self._store.finish_run(
            tenant=run.tenant, run_id=run.id, token=token, ending=Ending(error=error), at=self._clock.now()
        )
        log.info("run_stopped", run=run.id)
        self._hub.tell(run.tenant, hint(run.id))
        return ended

    async def _refused(self, key: Key, start: RunStart) -> PolicyRefused | None:
        """What its asks would be refused for."""
        under = start.audience.policy
        if key.id == IN_HOUSE:
            key = in_house(tenant=key.tenant, now=self._clock.now(), policy=under)
        for probe in probes(start.audience):
            ruled = await self._ruled(key, probe)
            if isinstance(ruled, PolicyRefused):
                what = "confirmations" if isinstance(probe, ApprovalAsk) else "questions"
                return PolicyRefused(reason=f"Its {what} would be refused. {ruled.reason}")
        return None
