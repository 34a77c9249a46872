"""The same execution on an event loop."""

import asyncio
import logging
from types import TracebackType
from typing import Protocol, TypeVar

from signoff import outcomes
from signoff.errors import NoGo, NotClaimant, SignoffError
from signoff.executing import AnyAction, Course, Executing
from signoff.types import Approval, Json, Stop
from signoff.wire import Flow, Wire

T = TypeVar("T")
log = logging.getLogger("signoff")


class Driver(Protocol):
    """Whoever does the I/O of flows on an event loop: a client, or a worker of hosted runs."""

    async def drive(self, flow: Flow[T]) -> T: ...


class AsyncAction(AnyAction):
    __doc__ = AnyAction.__doc__

    def __init__(self, course: Course, io: Driver, *, input: Json, refusal: NoGo | None) -> None:
        super().__init__(approval=course.approval, input=input, refusal=refusal)
        self._course, self._io = course, io

    async def running(self, detail: str | None = None) -> Stop | None:
        """Say on the card how far it is. Returns what asks it to end, if something does.

        Raises:
            NotClaimant: somebody said that this execution is over: end it.
        """
        self.stopped = await self._io.drive(self._course.said(detail, self.refusal))
        return self.stopped


class AsyncExecution:
    """`async with`: see `Signoff.execution`."""

    def __init__(self, *, wire: Wire, io: Driver, approval: Approval, how: Executing) -> None:
        self._course = Course(wire, approval, how)
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
            # Nobody knows what was interrupted. The report that is under way is not waited for, either.
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
            is_lost = False
            try:
                self._action.stopped = (await self._io.drive(self._course.running())).stopped
            except NotClaimant:
                return
            except Exception:
                is_lost = True
                log.warning("%s: running could not be reported", self._course.approval.id, exc_info=True)
            pause = self._course.pause(is_lost=is_lost)
            if pause is None:
                return
            try:
                await asyncio.wait_for(self._over.wait(), pause)
            except TimeoutError:
                continue
            return
