"""One attempt at one run: from its lease until it is finished, lost, or left to another worker.

Once it has ended, whatever its code goes on to do, nothing of it is written but how the run ended.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from signoff.errors import Refused, SignoffError
from signoff.executing import Executing
from signoff.runtime import errors
from signoff.runtime.access import Access
from signoff.runtime.answers import Confirmation, RunAnswer, answers_of, confirmation_of, resolved
from signoff.runtime.checkpoints import Checkpoints
from signoff.runtime.code import Code
from signoff.runtime.errors import RunError
from signoff.runtime.execution import InFlight, RunExecution, executing, is_in_flight
from signoff.runtime.fate import Fate
from signoff.runtime.logs import say, warn
from signoff.runtime.saved import saved_of
from signoff.runtime.slots import Slots
from signoff.runtime.values import NotJson, from_json, to_json
from signoff.runtime.wire import Action, ActionKind, Leased
from signoff.runtime.work import Work
from signoff.types import Approval, QuestionSet

#: Told of each named step of a run, with the run's id, so that tests can end the process there.
OnStep = Callable[[str, str], None]

_LONGEST_CLAIM_ID = 200
_MOST_MESSAGE = 2000
_NOT_TAKEN = frozenset({400, 413, 422})


@dataclass(frozen=True, kw_only=True, slots=True)
class Host:
    """What all attempts of one worker share. `report_within`: seconds."""

    work: Work
    slots: Slots
    worker: str
    report_within: int
    on_step: OnStep


class Attempt:
    __slots__ = (
        "_action",
        "_checkpoints",
        "_fate",
        "_has_slot",
        "_host",
        "_input",
        "_is_asking",
        "_is_draining",
        "_is_new",
        "_listen",
        "_newest",
        "_opened",
        "_waits_for",
        "code",
        "has_been_told",
        "run_id",
        "token",
    )

    def __init__(self, host: Host, code: Code, leased: Leased, *, listen: Callable[["Attempt"], None]) -> None:
        """`listen` is called when the run may have news that nobody listens for yet."""
        self._host = host
        self._listen = listen
        self.code = code
        self.run_id = leased.run_id
        self.token = leased.token
        #: It knows its news already: until it has acted on them, there is nothing to listen for.
        self.has_been_told = False
        self._fate = Fate()
        self._checkpoints = Checkpoints(host.work, leased, self._fate)
        self._is_new = leased.is_new
        # Dropped as soon as they are used: a worker may have thousands of runs that wait.
        self._input: bytes | None = bytes(leased.input)
        self._action = leased.action
        self._waits_for: tuple[str, asyncio.Future[Action]] | None = None
        # Operations: the newest one, and the one whose execution was opened.
        self._newest: str | None = None
        self._opened: str | None = None
        self._is_asking = self._has_slot = self._is_draining = False

    # What the worker tells it.

    def answered(self, action: Action) -> None:
        # Where nobody waits for it, nobody has to hear it again, either.
        self.has_been_told = True
        if self._waits_for is not None:
            id, answer = self._waits_for
            if id == action.id and not answer.done():
                answer.set_result(action)

    def stop(self) -> None:
        self.has_been_told = True
        self._fate.cancel(errors.stopped(), "stopped")

    def lose(self) -> None:
        self._fate.cancel(None, "lease lost")

    def drain(self) -> None:
        """Leave it at its next wait, at once where it waits already. Nothing is written: who leases it next goes on."""
        self._is_draining = True
        if self._waits_for is not None:
            self.leave()

    def leave(self) -> None:
        """Leave it where it stands."""
        self._fate.abandon()

    # Its life.

    async def live(self) -> None:
        """Run the code, and write how it ended. Returns when there is nothing more to do for this attempt."""
        self._fate.begin()
        try:
            written = await self._written()
        finally:
            if self._has_slot:
                self._give_slot()
            if self._waits_for is not None:
                # A task that the code left behind.
                self._waits_for[1].cancel()
        if written is None:
            self._say_left()
            return
        await self._fate.settle(self.run_id)
        await self._finish(written)

    async def _written(self) -> dict[str, Any] | None:
        """What to finish the run with; None: nothing. Raises CancelledError: the worker itself ends."""
        error: RunError
        try:
            outcome = await self._run_code()
            to_json(outcome, what="the outcome")
        except NotJson as wrong:
            error = RunError("RUN_FAILED", str(wrong))
        except asyncio.CancelledError:
            if self._fate.is_cancelled_from_outside:
                raise
            error = RunError("RUN_FAILED", "the code cancelled itself")
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as raised:  # noqa: BLE001 - whatever the code raises, sys.exit too, is how the run failed
            error = self._raised(raised)
        else:
            if self._fate.end is None:
                return {"outcome": outcome}
        if self._fate.end is not None:
            if self._fate.end.error is None:
                return None
            error = self._fate.end.error
        return _error(error)

    def _raised(self, raised: BaseException) -> RunError:
        error = errors.failed(raised)
        if self._fate.end is None:
            # What Signoff says needs no trace; what the code does wrong, does.
            trace = None if isinstance(raised, SignoffError) else raised
            warn("run_raised", run_id=self.run_id, code=self.code.name, why=error, error=trace)
        return error

    async def _run_code(self) -> Any:
        access = Access(self)
        if self._is_new:
            await self._take_slot()
            self.step("started")
            return await self.code(self._its_input(), access)
        action = await self._answer_of(await self._recoverable())
        assert self.code.recovery is not None, "what has no recover is not recoverable"
        return await self.code.recovery(saved_of(action, lambda: self._answer(action)), access)

    def _its_input(self) -> Any:
        raw, self._input = self._input, None
        return from_json(raw or b"null")

    async def _recoverable(self) -> Action:
        action, self._action, self._input = self._action, None, None
        if action is None:
            self._interrupt("it had started and had asked nothing yet: nobody knows how far it came")
        if self.code.recovery is None:
            self._interrupt(f"its worker ended, and the code {self.code.name!r} has no recover")
        asked = action.interaction
        if isinstance(asked, Approval) and is_in_flight(asked):
            self._interrupt("its worker ended while the effect was under way: nobody knows whether it happened")
        if asked is None:
            # The crash came between the intent and the ask: the same call repairs it.
            action = await self._checkpoints.ask_again(action)
        return action

    async def _finish(self, body: dict[str, Any]) -> None:
        self.step("finishing")
        try:
            async with self._checkpoints.alone:  # not beside a checkpoint of a task that the code left behind
                await self._host.work.finish(self.run_id, self.token, **body)
        except Refused as refused:
            other = _instead(refused) if "outcome" in body else None
            if other is not None:
                await self._finish(_error(other))
            elif refused.code == "lease_lost":
                self._say_left()
            else:
                warn("finish_refused", run_id=self.run_id, why=refused)
            return
        error = body.get("error")
        say("run_finished", run_id=self.run_id, code=self.code.name, error=error and error["code"])
        self.step("finished")

    def _say_left(self) -> None:
        end = self._fate.end
        say("run_left", run_id=self.run_id, why="lease lost" if end is None else end.why)

    # What its code asks of it, through its access.

    def step(self, name: str) -> None:
        self._host.on_step(name, self.run_id)

    async def ask(self, kind: ActionKind, request: dict[str, Any]) -> list[RunAnswer] | Confirmation:
        """Ask people, and wait; the answer is marked as handed over before the code has it.

        Raises:
            RunError: CONFLICT, something is asked already; RUN_FAILED, the server does not take this request.
            Expired, Withdrawn.
        """
        self._fate.check()
        if self._is_asking:
            raise errors.conflict(
                "this run waits for an answer already: ask one after the other, or several questions in one ask_questions"
            )
        self._is_asking = True
        try:
            asked = self._asked(kind, request)
            del request
            return self._answer(await self._answer_of(await asked))
        finally:
            self._is_asking = False

    async def _asked(self, kind: ActionKind, request: dict[str, Any]) -> Action:
        action = await self._checkpoints.ask(kind, request)
        self.step("asked")
        return action

    @property
    def state(self) -> bytes:
        """JSON of the newest checkpoint."""
        return self._checkpoints.state

    async def save(self, state: Any) -> None:
        await self._checkpoints.save(state)
        self.step("checkpointed")

    def _answer(self, action: Action) -> list[RunAnswer] | Confirmation:
        """Raises Expired, Withdrawn."""
        asked = resolved(action)
        if isinstance(asked, QuestionSet):
            return answers_of(asked)
        return confirmation_of(asked, lambda: self._execution(action.operation_id, asked))

    @asynccontextmanager
    async def _execution(self, operation_id: str, asked: Approval) -> AsyncIterator[RunExecution]:
        self._fate.check()
        if asked.state != "approved":
            yield RunExecution(None)
            return
        if self._opened == operation_id:
            raise errors.conflict("this execution was opened before, and there is one: open it once")
        if self._newest != operation_id:
            raise errors.conflict("the next ask took this yes for done: open execution() before asking again")
        self._opened = operation_id
        how: Executing = {
            "claim_id": _claim_id(self.run_id, operation_id, self.token),
            "worker": self._host.worker,
            "report_within": self._host.report_within,
        }
        try:
            async with executing(self._host.work, asked, how, step=self.step) as execution:
                yield execution
        except InFlight:
            self._interrupt("the effect was under way in another attempt: nobody knows whether it happened")

    # Between the two.

    async def _answer_of(self, saved: Action) -> Action:
        """`saved` is held no longer than needed: this is where runs wait."""
        id, action = saved.id, saved if saved.is_resolved else None
        self._newest = saved.operation_id
        del saved
        if action is None:
            action = await self._wait(id)
        if not self._has_slot:
            await self._take_slot()
        self.step("answered")
        if action.delivered_at is None:
            await self._checkpoints.deliver(id)
            self.step("delivered")
        self._hear()
        return action

    async def _wait(self, id: str) -> Action:
        if self._is_draining:
            self._fate.stop_here(None, "left")
        if self._has_slot:
            self._give_slot()
        answer: asyncio.Future[Action] = asyncio.get_running_loop().create_future()
        self._waits_for = (id, answer)
        self._hear()
        self.step("waiting")
        try:
            return await answer
        finally:
            self._waits_for = None

    def _hear(self) -> None:
        """Whatever was told is done with: listen for what is next."""
        if self.has_been_told:
            self.has_been_told = False
            self._listen(self)

    def _interrupt(self, why: str) -> NoReturn:
        self._fate.stop_here(errors.interrupted(why))

    async def _take_slot(self) -> None:
        await self._host.slots.take()
        self._has_slot = True

    def _give_slot(self) -> None:
        self._has_slot = False
        self._host.slots.give()


def _claim_id(run_id: str, operation_id: str, token: str) -> str:
    """No other attempt has the same. Hashed where the names are longer than a claim_id may be."""
    plain = f"{run_id}/{operation_id}/{token}"
    return plain if len(plain) <= _LONGEST_CLAIM_ID else hashlib.sha256(plain.encode()).hexdigest()


def _error(error: RunError) -> dict[str, Any]:
    return {"error": {"code": error.code, "message": error.message[:_MOST_MESSAGE], "retryable": error.retryable}}


def _instead(refused: Refused) -> RunError | None:
    """How a run ends whose outcome is not taken."""
    if refused.code == "stopping":
        return errors.stopped()
    if refused.status in _NOT_TAKEN:
        return RunError("RUN_FAILED", f"the outcome cannot be saved: {refused}")
    return None
