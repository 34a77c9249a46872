"""What an execution is made of, whoever drives it: its terms, its requests, and what the run sees of it."""

import logging
import socket
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

from signoff import flows
from signoff.errors import BadReply, NoGo, NotReported, SignoffError, Unreachable
from signoff.types import Approval, Claim, Json, Reported, Stop
from signoff.wire import Flow, Wire

if TYPE_CHECKING:
    from signoff.async_execution import AsyncAction
    from signoff.execution import Action

#: Seconds within which each report follows the last, where nothing else is said; a third of it apart.
REPORT_WITHIN = 60
_IN_TIME, _SOON = 3, 12
_MOST_WORKER = 200

log = logging.getLogger("signoff")


class Executing(TypedDict, total=False):
    """Of an execution: as of a claim, with other defaults.

    `worker`: this machine's name. `claim_id`: made anew. `report_within`: 60 seconds, and None promises nothing.
    `accept_edited`: True, since what is run is `action.input`. `revalidate`: the text for the world as it is now.
    """

    digest: str
    worker: str
    claim_id: str
    report_within: int | None
    accept_edited: bool
    revalidate: str


class AnyAction:
    """The execution, claimed or not. Run only on `execute`, and then run `input`.

    `refusal`: why not, where it may not run. `stopped`: an operator has stopped this tool meanwhile, and asks what
    already runs to end where it can. Set `detail` to say more on the card than "done".
    """

    def __init__(self, *, approval: Approval, input: Json, refusal: NoGo | None) -> None:
        self.approval = approval
        self.refusal = refusal
        self.stopped: Stop | None = None
        self.detail: str | None = None
        self._input = input

    @property
    def execute(self) -> bool:
        return self.refusal is None

    @property
    def input(self) -> Json:
        """As it was approved, whoever changed it; None for a confirmation. Raises NoGo where nothing may run."""
        if self.refusal is not None:
            raise self.refusal
        return self._input


class Course:
    """What both kinds of execution do, as flows."""

    def __init__(self, wire: Wire, approval: Approval, how: Executing) -> None:
        self.wire = wire
        self.approval = approval
        self.claim_id = how.get("claim_id") or flows.new_claim_id()
        self.within = how.get("report_within", REPORT_WITHIN)
        self.progress: str | None = None
        worker = how.get("worker") or _this_machine()
        terms: flows.Claiming = {"accept_edited": how.get("accept_edited", True)}
        if worker is not None:
            terms["worker"] = worker
        if self.within is not None:
            terms["report_within"] = self.within
        if "digest" in how:
            terms["digest"] = how["digest"]
        if "revalidate" in how:
            terms["revalidate"] = how["revalidate"]
        self._terms = terms

    def pause(self, *, is_lost: bool) -> float | None:
        """Seconds to the next report: three in the promised time, a lost one soon again; None: one is enough."""
        if self.within is None:
            return None
        return self.within / (_SOON if is_lost else _IN_TIME)

    def claim(self) -> Flow[Claim]:
        return flows.claim(self.wire, self.approval, claim_id=self.claim_id, terms=self._terms)

    def running(self) -> Flow[Reported]:
        """One try: whoever ends must not wait for it, and the next one is near."""
        return self._report("running", self.progress, patience=0)

    def ended(self, error: Exception | None, detail: str | None) -> Flow[Reported]:
        """Offered for long: losing it makes the outcome unknown."""
        if error is None:
            return self._report("succeeded", detail, patience=self.wire.long_patience)
        return self._report("failed", detail or named(error), patience=self.wire.long_patience)

    def said(self, detail: str | None, refusal: NoGo | None) -> Flow[Stop | None]:
        """What the run itself says of how far it is, and what is repeated from then on.

        Raises NotClaimant: somebody said that this execution is over. A report that is lost loses little.
        """
        if refusal is not None:
            raise refusal
        self.progress = detail
        try:
            reported = yield from self.running()
        except (Unreachable, BadReply):
            log.warning("%s: its progress could not be reported", self.approval.id, exc_info=True)
            return None
        return reported.stopped

    def _report(
        self, status: Literal["running", "succeeded", "failed"], detail: str | None, *, patience: float
    ) -> Flow[Reported]:
        return flows.report(
            self.wire, self.approval, claim_id=self.claim_id, status=status, detail=detail, patience=patience
        )

    def not_reported(self, why: SignoffError, error: Exception | None) -> None:
        """The run's own error is more than ours: it goes on with a note. Raises NotReported where there is none."""
        words = f"{self.approval.id} ran, and its end could not be reported: {why}"
        if error is None:
            raise NotReported(f"{words} Its card will show it as unknown; do not run it again.") from why
        error.add_note(words)


class EitherExecution(Protocol):
    """Of `Signoff` for `with`, of `AsyncSignoff` for `async with`."""

    def __enter__(self) -> "Action": ...
    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None: ...
    async def __aenter__(self) -> "AsyncAction": ...
    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None: ...


def _this_machine() -> str | None:
    """Its name, as the card shows it; None where it has none that may be shown."""
    name = socket.gethostname().strip()[:_MOST_WORKER]
    return name if name and name.isprintable() else None


def named(error: BaseException) -> str:
    """What is reported of an exception."""
    return f"{type(error).__name__}: {sendable(error)}"


def sendable(words: object) -> str:
    """Anything may be in an exception, even words that cannot be had, but not in JSON that every reader takes."""
    try:
        text = str(words)
    except Exception:  # noqa: BLE001 - its own `__str__` is at fault
        text = "(it cannot say why)"
    return text.replace("\x00", "\\0").encode("utf-8", "backslashreplace").decode()
