"""The one execution that a confirmed proposal authorizes, as hosted code gets it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from signoff.async_execution import AsyncAction, AsyncExecution
from signoff.errors import AlreadyRan, Changed, Denied, NoGo, NotStartedInTime, Stopped
from signoff.executing import Executing
from signoff.runtime.work import Work
from signoff.types import Approval, Json, Stop

_FINAL = frozenset({"succeeded", "failed"})
#: Why nothing runs, in a word.
_STATUS: dict[type[NoGo], str] = {
    Denied: "denied",
    Stopped: "stopped",
    Changed: "changed",
    NotStartedInTime: "lapsed",
}


class InFlight(Exception):
    """Another attempt claimed it and did not say how it ended: nobody knows whether the effect happened."""


def is_in_flight(asked: Approval) -> bool:
    return asked.progress is not None and asked.progress.status not in _FINAL


class RunExecution:
    """Run only on `execute`, and then run `input`: as it was approved, None for a proposal without a tool.

    `status`: `claimed` where it is ours; else why there is nothing to run: `succeeded` or `failed` (another attempt ran
    it), `denied`, `stopped` (an operator stopped the tool), `lapsed` (too long after the decision).
    """

    def __init__(self, action: AsyncAction | None) -> None:
        """`action` None: after a no."""
        self._action = action

    @property
    def execute(self) -> bool:
        return self._action is not None and self._action.execute

    @property
    def status(self) -> str:
        if self._action is None:
            return "denied"
        refusal = self._action.refusal
        if isinstance(refusal, AlreadyRan):
            return refusal.status or "claimed"
        return "claimed" if refusal is None else _STATUS.get(type(refusal), "lapsed")

    @property
    def input(self) -> Json:
        """Raises NoGo where nothing may run."""
        return None if self._action is None else self._action.input

    @property
    def detail(self) -> str | None:
        """What the card says beside "done"."""
        return None if self._action is None else self._action.detail

    @detail.setter
    def detail(self, words: str | None) -> None:
        if self._action is not None:
            self._action.detail = words

    async def running(self, detail: str | None = None) -> Stop | None:
        """Say on the card how far it is. Returns what asks it to end, if something does."""
        return None if self._action is None else await self._action.running(detail)


@asynccontextmanager
async def executing(
    work: Work, asked: Approval, how: Executing, *, step: Callable[[str], None]
) -> AsyncIterator[RunExecution]:
    """Claim, and report how it went.

    Raises:
        InFlight: before anything ran.
        SignoffError: it could not be claimed, or what was done could not be reported.
    """
    async with AsyncExecution(wire=work.wire, io=work, approval=asked, how=how) as action:
        if isinstance(action.refusal, AlreadyRan) and is_in_flight(action.approval):
            raise InFlight
        if action.execute:
            step("claimed")
        yield RunExecution(action)
        if action.execute:
            step("effect_done")
    if action.execute:
        step("reported")
