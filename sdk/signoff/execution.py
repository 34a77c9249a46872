"""The one execution that an approval authorizes: claimed on entering, reported while it runs and when it ends."""

import asyncio
import logging
import secrets
import socket
import threading
from types import TracebackType
from typing import Literal, Protocol, TypedDict

from signoff import flows, outcomes
from signoff.driving import Looped, Threaded
from signoff.errors import NoGo, NotClaimant, NotReported, SignoffError
from signoff.types import Approval, Claim, Json, Reported, Stop
from signoff.wire import Flow, Wire

log = logging.getLogger("signoff")

#: Seconds within which each report follows the last, where nothing else is said; a third of it apart.
REPORT_WITHIN = 60
_MOST_WORKER = 200


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


class _Action:
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


class _Course:
    """What both kinds of execution do, as flows."""

    def __init__(self, wire: Wire, approval: Approval, how: Executing) -> None:
        self.wire = wire
        self.approval = approval
        self.claim_id = how.get("claim_id") or f"clm_{secrets.token_hex(16)}"
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

    @property
    def pause(self) -> float | None:
        """Seconds between reports, three in the promised time; None: one is enough."""
        return None if self.within is None else self.within / 3

    def claim(self) -> Flow[Claim]:
        return flows.claim(self.wire, self.approval, claim_id=self.claim_id, terms=self._terms)

    def running(self) -> Flow[Reported]:
        """Given up before the next one is due."""
        patience = 0.0 if self.pause is None else self.pause / 2
        return self._report("running", self.progress, patience=patience)

    def ended(self, error: Exception | None, detail: str | None) -> Flow[Reported]:
        if error is None:
            return self._report("succeeded", detail, patience=flows.END_PATIENCE)
        return self._report("failed", detail or _words(error), patience=flows.END_PATIENCE)

    def said(self, detail: str | None, refusal: NoGo | None) -> Flow[Reported]:
        """What the run itself says of how far it is, and what is repeated from then on."""
        if refusal is not None:
            raise refusal
        self.progress = detail
        return self.running()

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


class Action(_Action):
    __doc__ = _Action.__doc__

    def __init__(self, course: "_Course", io: Threaded, *, input: Json, refusal: NoGo | None) -> None:
        super().__init__(approval=course.approval, input=input, refusal=refusal)
        self._course, self._io = course, io

    def running(self, detail: str | None = None) -> Stop | None:
        """Say on the card how far it is. Returns what asks it to end, if something does."""
        self.stopped = self._io.drive(self._course.said(detail, self.refusal)).stopped
        return self.stopped


class AsyncAction(_Action):
    __doc__ = _Action.__doc__

    def __init__(self, course: "_Course", io: Looped, *, input: Json, refusal: NoGo | None) -> None:
        super().__init__(approval=course.approval, input=input, refusal=refusal)
        self._course, self._io = course, io

    async def running(self, detail: str | None = None) -> Stop | None:
        """Say on the card how far it is. Returns what asks it to end, if something does."""
        self.stopped = (await self._io.drive(self._course.said(detail, self.refusal))).stopped
        return self.stopped


class Execution:
    """`with`: see `Signoff.execution`."""

    def __init__(self, *, wire: Wire, io: Threaded, approval: Approval, how: Executing) -> None:
        self._course = _Course(wire, approval, how)
        self._io = io
        self._over = threading.Event()
        self._beside: threading.Thread | None = None

    def __enter__(self) -> Action:
        claim = self._io.drive(self._course.claim())
        self._course.approval = claim.approval
        self._action = Action(self._course, self._io, input=claim.input, refusal=outcomes.of_claim(claim))
        if claim.execute:
            # A daemon: a program that ends without leaving this block must not hang on its reports.
            self._beside = threading.Thread(target=self._keep_running, name=f"running {claim.approval.id}", daemon=True)
            self._beside.start()
        return self._action

    def refused(self, refusal: NoGo) -> Action:
        """An action of nothing: it came to no claim."""
        return Action(self._course, self._io, input=None, refusal=refusal)

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        if self._beside is None:
            return
        self._over.set()
        self._beside.join()
        if error is not None and not isinstance(error, Exception):
            # Nobody knows what was interrupted: it is shown as unknown, and a person says what happened.
            return
        try:
            self._io.drive(self._course.ended(error, self._action.detail))
        except SignoffError as why:
            self._course.not_reported(why, error)

    def _keep_running(self) -> None:
        while True:
            try:
                self._action.stopped = self._io.drive(self._course.running()).stopped
            except NotClaimant:
                return
            except Exception:
                log.warning("%s: running could not be reported", self._course.approval.id, exc_info=True)
            if self._course.pause is None or self._over.wait(self._course.pause):
                return


class AsyncExecution:
    """`async with`: see `Signoff.execution`."""

    def __init__(self, *, wire: Wire, io: Looped, approval: Approval, how: Executing) -> None:
        self._course = _Course(wire, approval, how)
        self._io = io
        self._over = asyncio.Event()
        self._beside: asyncio.Task[None] | None = None

    async def __aenter__(self) -> AsyncAction:
        claim = await self._io.drive(self._course.claim())
        self._course.approval = claim.approval
        self._action = AsyncAction(self._course, self._io, input=claim.input, refusal=outcomes.of_claim(claim))
        if claim.execute:
            self._beside = asyncio.create_task(self._keep_running(), name=f"running {claim.approval.id}")
        return self._action

    def refused(self, refusal: NoGo) -> AsyncAction:
        """An action of nothing: it came to no claim."""
        return AsyncAction(self._course, self._io, input=None, refusal=refusal)

    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        if self._beside is None:
            return
        if error is not None and not isinstance(error, Exception):
            # As above. The report that is under way is not waited for, either.
            self._beside.cancel()
            await asyncio.gather(self._beside, return_exceptions=True)
            return
        self._over.set()
        await self._beside
        try:
            await self._io.drive(self._course.ended(error, self._action.detail))
        except SignoffError as why:
            self._course.not_reported(why, error)

    async def _keep_running(self) -> None:
        while True:
            try:
                self._action.stopped = (await self._io.drive(self._course.running())).stopped
            except NotClaimant:
                return
            except Exception:
                log.warning("%s: running could not be reported", self._course.approval.id, exc_info=True)
            if self._course.pause is None:
                return
            try:
                await asyncio.wait_for(self._over.wait(), self._course.pause)
            except TimeoutError:
                continue
            return


class EitherExecution(Protocol):
    """Of `Signoff` for `with`, of `AsyncSignoff` for `async with`."""

    def __enter__(self) -> Action: ...
    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None: ...
    async def __aenter__(self) -> AsyncAction: ...
    async def __aexit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None: ...


def _this_machine() -> str | None:
    """Its name, as the card shows it; None where it has none that may be shown."""
    name = socket.gethostname().strip()[:_MOST_WORKER]
    return name if name and name.isprintable() else None


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\x00", "\\0").encode("utf-8", "backslashreplace").decode()
