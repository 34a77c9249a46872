"""The one execution that an approval authorizes: claimed on entering, reported while it runs and when it ends."""

import logging
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from signoff import outcomes
from signoff.errors import NoGo, NotClaimant, SignoffError
from signoff.executing import AnyAction, Course, Executing
from signoff.types import Approval, Json, Stop
from signoff.wire import Wire

if TYPE_CHECKING:
    from signoff.driving import Threaded

log = logging.getLogger("signoff")


class Action(AnyAction):
    __doc__ = AnyAction.__doc__

    def __init__(self, course: Course, io: "Threaded", *, input: Json, refusal: NoGo | None) -> None:
        super().__init__(approval=course.approval, input=input, refusal=refusal)
        self._course, self._io = course, io

    def running(self, detail: str | None = None) -> Stop | None:
        """Say on the card how far it is. Returns what asks it to end, if something does.

        Raises:
            NotClaimant: somebody said that this execution is over: end it.
        """
        self.stopped = self._io.drive(self._course.said(detail, self.refusal))
        return self.stopped


class Execution:
    """`with`: see `Signoff.execution`."""

    def __init__(self, *, wire: Wire, io: "Threaded", approval: Approval, how: Executing) -> None:
        self._course = Course(wire, approval, how)
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
            is_lost = False
            try:
                self._action.stopped = self._io.drive(self._course.running()).stopped
            except NotClaimant:
                return
            except Exception:
                is_lost = True
                log.warning("%s: running could not be reported", self._course.approval.id, exc_info=True)
            pause = self._course.pause(is_lost=is_lost)
            if pause is None or self._over.wait(pause):
                return
