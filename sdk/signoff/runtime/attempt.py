"""One attempt at one run: from its lease until it is finished, lost, or left to another worker.

The runtime ends code in one way only: it cancels it, as asyncio does. Whatever the code does with that, nothing of this
attempt is written from then on but how the run ended.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from signoff.errors import Refused, SignoffError
from signoff.runtime import errors
from signoff.runtime.access import Access
from signoff.runtime.answers import Confirmation, RunAnswer, answers_of, confirmation_of, resolved
from signoff.runtime.asking import as_asked
from signoff.runtime.code import Code
from signoff.runtime.errors import RunError
from signoff.runtime.execution import Claims, Execution, InFlight, is_in_flight
from signoff.runtime.logs import say, warn
from signoff.runtime.saved import Saved, SavedAction
from signoff.runtime.slots import Slots
from signoff.runtime.values import NotJson, from_json, to_json
from signoff.runtime.wire import Action, ActionKind, Leased, Run
from signoff.runtime.work import Work, is_passing
from signoff.types import Approval, QuestionSet

#: Told of each named step of a run, so that tests can end the process there.
OnStep = Callable[[str, str], None]

_LONGEST_CLAIM_ID = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """What all attempts of one worker share."""

    work: Work
    slots: Slots
    worker: str
    report_within: int
    on_step: OnStep


@dataclass(frozen=True, kw_only=True, slots=True)
class _End:
    """How the runtime ended an attempt. `error`: what is written; None: nothing is."""

    error: RunError | None
    why: str


class Attempt:
    __slots__ = (
        "_busy",
        "_end",
        "_has_slot",
        "_host",
        "_is_checkpointed",
        "_is_draining",
        "_is_finishing",
        "_listen",
        "_opened",
        "_run",
        "_saving",
        "_task",
        "_told",
        "_waits_for",
        "code",
        "run_id",
        "state",
        "token",
    )

    def __init__(self, host: Host, code: Code, leased: Leased, *, listen: Callable[[], None]) -> None:
        """`listen` is called when the run may have news that nobody listens for yet."""
        self._host = host
        self._listen = listen
        self.code = code
        self.run_id = leased.run_id
        self.token = leased.token
        #: JSON of the last checkpoint.
        self.state = bytes(leased.state)
        # Since the newest answer came, which a checkpoint takes for done.
        self._is_checkpointed = False
        self._opened: str | None = None
        self._run: Leased | None = leased
        self._task: asyncio.Task[Any] | None = None
        self._end: _End | None = None
        self._waits_for: tuple[str, asyncio.Future[Action]] | None = None
        self._saving = asyncio.Lock()
        self._busy = self._has_slot = self._is_finishing = self._is_draining = self._told = False

    # What the worker tells it.

    @property
    def has_been_told(self) -> bool:
        """It knows its news already: until it has acted on them, there is nothing to listen for."""
        return self._told

    @property
    def is_waiting(self) -> bool:
        return self._waits_for is not None

    def answered(self, action: Action) -> None:
        if self._waits_for is not None:
            id, answer = self._waits_for
            if id == action.id and not answer.done():
                self._told = True
                answer.set_result(action)

    def stop(self) -> None:
        self._told = True
        self._cancel(errors.stopped(), "stopped")

    def lose(self) -> None:
        self._cancel(None, "lease lost")

    def drain(self) -> None:
        """Leave it at its next wait, at once where it waits already. Nothing is written: who leases it next goes on."""
        self._is_draining = True
        if self._waits_for is not None:
            self.leave()

    def leave(self) -> None:
        """Leave it where it stands."""
        if self._is_finishing and self._task is not None:
            self._task.cancel()
        self._cancel(None, "left")

    def _cancel(self, error: RunError | None, why: str) -> None:
        if self._end is None and not self._is_finishing:
            self._end = _End(error=error, why=why)
            if self._task is not None:
                self._task.cancel(why)

    # Its life.

    async def live(self) -> None:
        """Run the code, and write how it ended. Returns when there is nothing more to do for this attempt."""
        self._task = asyncio.current_task()
        try:
            written = await self._written()
        finally:
            if self._has_slot:
                self._give_slot()
            if self._waits_for is not None:
                # A task that the code left behind.
                self._waits_for[1].cancel()
        if written is None:
            end = self._end
            say("run_left", run_id=self.run_id, why="cancelled" if end is None else end.why)
            return
        await self._calm()
        await self._finish(written)

    async def _written(self) -> dict[str, Any] | None:
        """What to finish the run with; None: nothing. Raises CancelledError: the worker itself ends."""
        error: RunError
        try:
            outcome = await self._run_code()
            to_json(outcome, what="the outcome")
        except asyncio.CancelledError:
            if self._end is None and self._task is not None and self._task.cancelling():
                raise
            error = RunError("RUN_FAILED", "the code cancelled itself")
        except Exception as raised:  # noqa: BLE001 - whatever the code raises is how the run failed
            error = errors.failed(raised)
            if self._end is None:
                warn("run_raised", run_id=self.run_id, code=self.code.name, error=raised)
        else:
            if self._end is None:
                return {"outcome": outcome}
        if self._end is not None:
            if self._end.error is None:
                return None
            error = self._end.error
        return _error(error)

    async def _run_code(self) -> Any:
        leased, self._run = self._run, None
        assert leased is not None
        access = Access(self)
        if leased.is_new:
            await self._take_slot()
            self.step("started")
            return await self.code(from_json(bytes(leased.input)), access)
        action = await self._recoverable(leased.action)
        action = await self._answer_of(action)
        assert self.code.recovery is not None
        return await self.code.recovery(self._saved(action), access)

    async def _recoverable(self, action: Action | None) -> Action:
        if action is None:
            self.end(errors.interrupted("it had started and had asked nothing yet: nobody knows how far it came"))
        if self.code.recovery is None:
            self.end(errors.interrupted(f"its worker ended, and the code {self.code.name!r} has no recover"))
        asked = action.interaction
        if isinstance(asked, Approval) and is_in_flight(asked):
            self.end(
                errors.interrupted("its worker ended while the effect was under way: nobody knows whether it happened")
            )
        if asked is None:
            # The crash came between the intent and the ask: the same call repairs it.
            run = await self._checkpoint(action={"kind": action.kind, "request": action.request})
            action = _action(run)
        return action

    async def _calm(self) -> None:
        """A cancellation that was on its way when the code ended is spent here, so that the finish is not cut short."""
        self._is_finishing = True
        assert self._task is not None
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            say("late_cancellation", run_id=self.run_id)
        while self._task.uncancel():
            pass

    async def _finish(self, body: dict[str, Any]) -> None:
        self.step("finishing")
        try:
            async with self._saving:  # not beside a checkpoint of a task that the code left behind
                await self._host.work.finish(self.run_id, self.token, **body)
        except Refused as refused:
            if refused.code == "lease_lost":
                say("run_left", run_id=self.run_id, why="lease lost")
                return
            other = _instead(refused) if "outcome" in body else None
            if other is None:
                warn("finish_refused", run_id=self.run_id, why=refused)
                return
            await self._finish(_error(other))
            return
        error = body.get("error")
        say("run_finished", run_id=self.run_id, code=self.code.name, error=error and error["code"])
        self.step("finished")

    # What its code asks of it, through its access.

    def answer(self, action: Action) -> list[RunAnswer] | Confirmation:
        """Raises Expired, Withdrawn."""
        asked = resolved(action)
        if isinstance(asked, QuestionSet):
            return answers_of(asked)
        return confirmation_of(asked, lambda: self._execution(action, asked))

    def _saved(self, action: Action) -> Saved:
        saved = SavedAction(
            id=action.id,
            kind=action.kind,
            request=as_asked(action.request),
            cursor=action.cursor,
            operation_id=action.operation_id,
        )
        return Saved(saved, lambda: self.answer(action))

    @asynccontextmanager
    async def _execution(self, action: Action, asked: Approval) -> AsyncIterator[Execution]:
        self.check()
        if asked.state != "approved":
            yield Execution(status="denied")
            return
        if self._opened == action.id:
            raise errors.conflict("this execution was opened before, and there is one: open it once")
        if self._is_checkpointed:
            raise errors.conflict(
                "a checkpoint since the answer took the yes for done: open execution() before state.update and before the next ask"
            )
        self._opened = action.id
        claims = Claims(
            self._host.work,
            asked,
            claim_id=_claim_id(self.run_id, action.operation_id, self.token),
            worker=self._host.worker,
            report_within=self._host.report_within,
        )
        try:
            async with claims.execution(self.step) as execution:
                yield execution
        except InFlight:
            self.end(
                errors.interrupted("the effect was under way in another attempt: nobody knows whether it happened")
            )
        except SignoffError as error:
            raise RunError("RUN_FAILED", f"the execution could not be claimed or reported: {error}") from error

    def step(self, name: str) -> None:
        self._host.on_step(name, self.run_id)

    def check(self) -> None:
        """Nothing more is done for code whose run has ended, even where it goes on after its cancellation."""
        if self._end is not None or self._is_finishing:
            raise asyncio.CancelledError(self._end.why if self._end is not None else "the run is over")

    def end(self, error: RunError | None, why: str = "") -> NoReturn:
        """End the code that calls this, here. Of several tasks of one run, the others end with it."""
        why = why or str(error)
        if self._end is None and not self._is_finishing:
            self._end = _End(error=error, why=why)
            if self._task is not None and asyncio.current_task() is not self._task:
                self._task.cancel(why)
        raise asyncio.CancelledError(why)

    async def ask(self, kind: ActionKind, request: dict[str, Any]) -> list[RunAnswer] | Confirmation:
        """Ask people, and wait; the answer is marked as handed over before the code has it.

        Raises:
            RunError: CONFLICT, something is asked already; RUN_FAILED, the server does not take this request.
            Expired, Withdrawn.
        """
        self.check()
        if self._busy:
            raise errors.conflict(
                "this run waits for an answer already: ask one after the other, or several questions in one ask_questions"
            )
        self._busy = True
        try:
            run = await self._checkpoint(action={"kind": kind, "request": request})
            self.step("asked")
            return self.answer(await self._answer_of(_action(run)))
        finally:
            self._busy = False

    async def save(self, value: Any) -> None:
        self.check()
        try:
            encoded = to_json(value, what="the state")
        except NotJson as wrong:
            self.end(errors.not_saved(str(wrong), retryable=False))
        await self._checkpoint(state=value)
        self.state = encoded
        self._is_checkpointed = True
        self.step("checkpointed")

    async def _answer_of(self, action: Action) -> Action:
        if not action.is_resolved:
            action = await self._wait(action)
        if not self._has_slot:
            await self._take_slot()
        self.step("answered")
        if action.delivered_at is None:
            await self._checkpoint(delivered=action.id)
            self.step("delivered")
        self._is_checkpointed = False
        if self._told:
            self._told = False
            self._listen()
        return action

    async def _wait(self, action: Action) -> Action:
        if self._is_draining:
            self.end(None, "left")
        if self._has_slot:
            self._give_slot()
        answer: asyncio.Future[Action] = asyncio.get_running_loop().create_future()
        self._waits_for = (action.id, answer)
        self._listen()
        self.step("waiting")
        try:
            return await answer
        finally:
            self._waits_for = None

    async def _checkpoint(self, **one: Any) -> Run:
        """Save one thing, or end the code: what cannot be saved must not go on as if it were."""
        async with self._saving:
            self.check()
            try:
                return await self._host.work.checkpoint(self.run_id, self.token, **one)
            except SignoffError as error:
                self._not_saved(error, is_ask="action" in one)

    def _not_saved(self, error: SignoffError, *, is_ask: bool) -> NoReturn:
        if not isinstance(error, Refused) or is_passing(error):
            self.end(errors.not_saved(f"a checkpoint was not confirmed: {error}", retryable=True))
        if error.code in {"lease_lost", "not_found"}:
            self.end(None, "lease lost")
        if error.code == "stopping":
            self.end(errors.stopped())
        if error.code == "conflict":
            raise errors.conflict(error.detail) from error
        if is_ask:
            # Nothing was asked: the request is at fault, and the code may know better.
            raise RunError("RUN_FAILED", f"this cannot be asked: {error}") from error
        self.end(errors.not_saved(f"a checkpoint was refused: {error}", retryable=False))

    async def _take_slot(self) -> None:
        await self._host.slots.take()
        self._has_slot = True

    def _give_slot(self) -> None:
        self._has_slot = False
        self._host.slots.give()


def _action(run: Run) -> Action:
    assert run.action is not None, "the server saved an action and shows none"
    return run.action


def _claim_id(run_id: str, operation_id: str, token: str) -> str:
    """No other attempt has the same. Hashed where the names are longer than a claim_id may be."""
    plain = f"{run_id}/{operation_id}/{token}"
    return plain if len(plain) <= _LONGEST_CLAIM_ID else hashlib.sha256(plain.encode()).hexdigest()


def _error(error: RunError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message[:2000], "retryable": error.retryable}}


def _instead(refused: Refused) -> RunError | None:
    """How a run ends whose outcome is not taken."""
    if refused.code == "stopping":
        return errors.stopped()
    if refused.status in {400, 413, 422}:
        return RunError("RUN_FAILED", f"the outcome cannot be saved: {refused}")
    return None
