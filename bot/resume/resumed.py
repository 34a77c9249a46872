"""What a handler gets: the resolved interaction, and the one execution that it authorizes."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import structlog

from bot.service import Service
from store.errors import Unconfirmed
from store.ids import new_token
from store.outcomes import Claimed
from store.types import Answer, Approval, Decision, ExecutionStatus, Interaction, QuestionSet, Stop

log = structlog.get_logger("signoff.resume")

#: Seconds within which each report follows the last, where a handler says nothing else; a third of it apart.
REPORT_WITHIN = 60
#: How often an unconfirmed claim or report is repeated, with the same claim_id.
_TRIES = 3
_MOST_DETAIL = 3000


class Action:
    """The execution, claimed or not. Run only on `execute`; set `detail` to say more on the card than "done".

    `stopped`: an operator stopped this tool. Before the claim nothing is claimed then, and the run is told anew once it
    goes on; what already runs should end where it can, and learns it with each report.
    """

    def __init__(self, *, service: Service, outcome: Claimed, claim_id: str) -> None:
        self._service = service
        self._claim_id = claim_id
        self.claimed = outcome.claimed
        self.execute = outcome.execute
        self.approval = outcome.approval
        self.stopped = outcome.stopped
        self.detail: str | None = None
        self._progress: str | None = None

    @property
    def input(self) -> Any:
        """What to run the tool with, as it was approved; None for a confirmation."""
        text = self.approval.approved_input
        return None if text is None else json.loads(text)

    async def running(self, detail: str | None = None) -> Stop | None:
        """Say on the card that it is under way, and how far. Returns what asks it to end, if something does."""
        self._progress = detail
        await self._report(ExecutionStatus.RUNNING, detail)
        return self.stopped

    async def _report(self, status: ExecutionStatus, detail: str | None) -> None:
        for left in reversed(range(_TRIES)):
            try:
                reported = await self._service.report(
                    tenant=self.approval.tenant,
                    id=self.approval.id,
                    claim_id=self._claim_id,
                    status=status,
                    detail=None if detail is None else detail[:_MOST_DETAIL],
                )
            except Unconfirmed:
                if not left:
                    raise
            else:
                self.stopped = reported.stopped
                return

    async def keep_running(self, *, over: asyncio.Event, report_within: int | None) -> None:
        """Report at once, and then often enough to keep the promise, until it is over. Losing a report loses little."""
        while True:
            try:
                await self._report(ExecutionStatus.RUNNING, self._progress)
            except Exception:
                log.exception("running_not_reported", interaction=self.approval.id)
            if report_within is None:
                return
            try:
                await asyncio.wait_for(over.wait(), report_within / 3)
            except TimeoutError:
                continue
            return

    async def ended(self, failure: Exception | None) -> None:
        """Report the end, once."""
        if failure is None:
            await self._report(ExecutionStatus.SUCCEEDED, self.detail)
        else:
            await self._report(ExecutionStatus.FAILED, self.detail or f"{type(failure).__name__}: {failure}")


class Resumed:
    """One resolved interaction, handed to its handler. The handler claims; nobody does it in its place."""

    def __init__(self, *, interaction: Interaction, service: Service, worker: str) -> None:
        self.interaction = interaction
        self._service = service
        self._worker = worker
        self._has_claimed = False

    @property
    def answers(self) -> Mapping[str, Answer] | None:
        """By question id; None for an approval, and for questions that ended without an answer."""
        return self.interaction.answers if isinstance(self.interaction, QuestionSet) else None

    @property
    def decision(self) -> Decision | None:
        """None for questions, and for an approval that ended without a decision."""
        return self.interaction.decision if isinstance(self.interaction, Approval) else None

    @property
    def has_claimed(self) -> bool:
        return self._has_claimed

    @asynccontextmanager
    async def execution(
        self, worker: str | None = None, *, report_within: int | None = REPORT_WITHIN, revalidate: str | None = None
    ) -> AsyncIterator[Action]:
        """Claim, and report how it went: `async with resumed.execution() as action: if action.execute: …`.

        Entering never raises for a claim that was refused: a denial, an expiry, what is stopped, and what another
        worker took have `execute` False. An exception inside is reported as failed and goes on; a cancellation is not
        reported, since nobody knows what it interrupted. `report_within` (seconds) promises reports, which are then
        made by themselves, three in that time: who dies is shown as unknown within it. None promises nothing. `revalidate`: of the world as it is now,
        where the ask came with one.

        Raises:
            TypeError: of questions, which are answered and not executed.
            DigestMismatch, Unconfirmed: as `Interactions.claim_approval`.
        """
        approval = self.interaction
        if not isinstance(approval, Approval):
            raise TypeError("only an approval is executed; questions have answers")
        action = await self._claim(approval, worker or self._worker, report_within=report_within, revalidate=revalidate)
        if not action.execute:
            yield action
            return
        over = asyncio.Event()
        beside = asyncio.create_task(
            action.keep_running(over=over, report_within=report_within), name=f"running {approval.id}"
        )
        try:
            yield action
        except Exception as error:
            over.set()
            await beside
            await action.ended(error)
            raise
        except BaseException:
            beside.cancel()
            await asyncio.gather(beside, return_exceptions=True)
            raise
        over.set()
        await beside
        await action.ended(None)

    async def _claim(
        self, approval: Approval, worker: str, *, report_within: int | None, revalidate: str | None
    ) -> Action:
        # One id for each telling, never derived: two processes that tell at the same time must not share a claim.
        claim_id = f"clm_{new_token()}"
        left = _TRIES
        while True:
            left -= 1
            try:
                outcome = await self._service.claim(
                    tenant=approval.tenant,
                    id=approval.id,
                    claim_id=claim_id,
                    # What is run is read from the claim: as it was approved, whoever changed it.
                    digest=approval.approved_digest,
                    worker=worker,
                    report_within=report_within,
                    fingerprint=revalidate,
                )
            except Unconfirmed:
                if not left:
                    raise
            else:
                self._has_claimed = self._has_claimed or outcome.claimed
                return Action(service=self._service, outcome=outcome, claim_id=claim_id)
