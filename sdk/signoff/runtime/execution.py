"""The one execution that a confirmed proposal authorizes: claimed before it starts, reported while and after it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Literal

from signoff import flows
from signoff.errors import SignoffError
from signoff.flows import Claiming
from signoff.runtime.logs import warn
from signoff.runtime.work import Work
from signoff.types import Approval

_FINAL = frozenset({"succeeded", "failed"})


class InFlight(Exception):
    """Another attempt claimed it and did not say how it ended: nobody knows whether the effect happened."""


def is_in_flight(asked: Approval) -> bool:
    return asked.progress is not None and asked.progress.status not in _FINAL


class Execution:
    """Run only on `execute`. Set `detail` to say more on the card than "done".

    `status`: `claimed` where it is ours; else why there is nothing to run: `succeeded`, `failed` (another attempt ran
    it), `denied`, `stopped` (an operator stopped the tool), `lapsed` (too long after the decision). `input`: what to run
    the tool with, as it was approved.
    """

    def __init__(self, *, status: str, input: Any = None, detail: str | None = None) -> None:
        self.status = status
        self.input = input
        self.detail = detail
        self.progress: str | None = None

    @property
    def execute(self) -> bool:
        return self.status == "claimed"


class Claims:
    """Claims and reports of one approval under one claim_id, which no other attempt has."""

    def __init__(self, work: Work, asked: Approval, *, claim_id: str, worker: str, report_within: int) -> None:
        self._work = work
        self._asked = asked
        self._claim_id = claim_id
        self._worker = worker
        self._report_within = report_within

    @asynccontextmanager
    async def execution(self, step: Callable[[str], None]) -> AsyncIterator[Execution]:
        """Raises InFlight, SignoffError: before anything ran."""
        execution = await self._claim()
        if not execution.execute:
            yield execution
            return
        step("claimed")
        beside = asyncio.create_task(self._keep_running(execution), name=f"running {self._asked.id}")
        try:
            yield execution
        except Exception as error:
            await _ended(beside)
            await self._report("failed", execution.detail or f"{type(error).__name__}: {error}")
            step("reported")
            raise
        except BaseException:
            # Nobody knows what a cancellation interrupted: it is shown as unknown, and a person says what happened.
            await _ended(beside)
            raise
        step("effect_done")
        await _ended(beside)
        await self._report("succeeded", execution.detail)
        step("reported")

    async def _claim(self) -> Execution:
        edited = self._asked.edited
        terms: Claiming = {
            "digest": self._asked.digest if edited is None else edited.digest,
            "worker": self._worker,
            "report_within": self._report_within,
        }
        claim = await self._work.drive(flows.claim(self._work.wire, self._asked, claim_id=self._claim_id, terms=terms))
        if claim.execute:
            return Execution(status="claimed", input=claim.input)
        found = claim.approval.progress
        if claim.claimed or found is None:
            return Execution(status="lapsed" if claim.stopped is None else "stopped")
        if is_in_flight(claim.approval):
            raise InFlight
        return Execution(status=found.status, detail=found.detail)

    async def _keep_running(self, execution: Execution) -> None:
        while True:
            try:
                await self._report("running", execution.progress)
            except SignoffError as error:
                warn("running_not_reported", interaction=self._asked.id, why=error)
            await asyncio.sleep(self._report_within / 3)

    async def _report(self, status: Literal["running", "succeeded", "failed"], detail: str | None) -> None:
        patience = None if status == "running" else flows.END_PATIENCE
        flow = flows.report(
            self._work.wire, self._asked, claim_id=self._claim_id, status=status, detail=detail, patience=patience
        )
        await self._work.drive(flow)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
