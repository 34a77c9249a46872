"""What the actions of hosted runs become: asks, claims of what their code left unclaimed, withdrawals."""

from typing import Any

import structlog

from bot.asks import ApprovalAsk
from bot.hosted import ask_of
from bot.keys import IN_HOUSE, in_house, is_live
from bot.usecases.asking import Asking
from bot.usecases.ending import Ending
from bot.usecases.results import PolicyRefused
from bot.usecases.running import Running
from store import errors
from store.runs import ActionKind, Run, RunAction, RunError, hint
from store.types import ExecutionStatus, Interaction, Key, State, Surface

log = structlog.get_logger("signoff.service")

_BATCH = 100
#: Characters of a reason that people read.
_MOST_REASON = 300
_UNHEARD = "the run ended without it"


class Acting(Asking, Running, Ending):
    async def _asked(self, run: Run, token: str) -> Run | PolicyRefused:
        """Ask the run's saved action, unless that was done, and note which interaction it is.

        Safe at any time and any number of times: the same operation is the same interaction. What cannot be asked
        leaves no action behind.

        Raises:
            LeaseLost: the run was taken meanwhile.
            Conflict: somebody else asked this operation of this run.
        """
        action = run.action
        if action is None or not action.is_open or action.interaction_id is not None:
            return run
        named: dict[str, Any] = {"tenant": run.tenant, "run_id": run.id, "token": token, "cursor": action.cursor}
        try:
            asked = await self._ask(run, action)
        except errors.Conflict:
            await self._store.drop_action(**named)
            raise
        if isinstance(asked, PolicyRefused):
            log.warning("action_refused", run=run.id, why=asked.reason)
            await self._store.drop_action(**named)
            return asked
        noted = await self._store.note_asked(**named, interaction_id=asked.id)
        self._hub.tell(run.tenant, hint(run.id))
        return noted

    async def _ask(self, run: Run, action: RunAction) -> Interaction | PolicyRefused:
        key = await self._starter(run)
        if key is None:
            return await self._asked_before(run, action) or _KEY_GONE
        ask = ask_of(run, action)
        if isinstance(ask, ApprovalAsk):
            approval = await self.ask_approval(key=key, ask=ask)
            return approval if isinstance(approval, PolicyRefused) else approval.interaction
        question = await self.ask_question(key=key, ask=ask)
        return question if isinstance(question, PolicyRefused) else question.interaction

    async def _asked_before(self, run: Run, action: RunAction) -> Interaction | None:
        found = await self._store.list_interactions(
            tenant=run.tenant, run_id=run.id, operation_id=action.operation_id, limit=1
        )
        return next((each for each in found.items if each.asked_by.id == run.started_by.id), None)

    async def _starter(self, run: Run) -> Key | None:
        """The key under which the run asks, while it may."""
        now = self._clock.now()
        if run.started_by.id == IN_HOUSE:
            return in_house(tenant=run.tenant, now=now, policy=run.audience.policy)
        for key in await self._store.list_keys(tenant=run.tenant):
            if key.id == run.started_by.id and is_live(key, now=now):
                return key
        return None

    async def _closed(self, run: Run, token: str, error: RunError | None) -> None:
        """Leave nothing open of a run that is about to end: no card waits for nobody, no decision for its run.

        Raises:
            LeaseLost: the run was taken meanwhile.
        """
        try:
            # What may have been asked is asked now: whoever asks it later finds it withdrawn.
            current = await self._asked(run, token)
        except errors.Conflict:
            current = run
        reason = "The run has ended." if error is None else f"{error.code}: {error.message}"
        await self._withdraw_open(run, reason[:_MOST_REASON])
        if isinstance(current, Run):
            await self._honoured(current, error=error)

    async def _withdraw_open(self, run: Run, reason: str) -> None:
        while True:
            page = await self._store.list_interactions(
                tenant=run.tenant, states=(State.PENDING,), run_id=run.id, limit=_BATCH
            )
            for each in page.items:
                at = self._clock.now()
                await self._withdraw(each.tenant, each.id, run.started_by, at=at, surface=Surface.API, reason=reason)
            if page.next_cursor is None:
                return

    async def _honoured(self, run: Run, *, error: RunError | None = None) -> None:
        """Claim the decision of the run's newest action where its code did not, and say how it ended.

        A denial is claimed, a confirmation also reported: it succeeded as its run did. What code executes itself is
        its own to report.
        """
        action = run.action
        if action is None or action.interaction_id is None or action.kind is not ActionKind.CONFIRMATION:
            return
        approval = await self._store.find_approval(tenant=run.tenant, id=action.interaction_id)
        if approval is None or not approval.state.is_decided:
            return
        claim_id = f"{action.operation_id}/unopened"
        named: dict[str, Any] = {"tenant": approval.tenant, "id": approval.id, "claim_id": claim_id}
        if approval.claim is None:
            claimed = await self.claim(
                **named, digest=approval.approved_digest, worker=run.worker, fingerprint=approval.fingerprint
            )
            approval = claimed.approval
        is_ours = approval.claim is not None and approval.claim.claim_id == claim_id
        if not is_ours or approval.execution is None or approval.execution.status.is_final:
            return
        why = error.code.value if error is not None else _UNHEARD if action.is_open else None
        status = ExecutionStatus.SUCCEEDED if why is None else ExecutionStatus.FAILED
        await self.report(**named, status=status, detail=why)


_KEY_GONE = PolicyRefused(reason="The key that started this run has expired or was revoked: start it with another one.")
