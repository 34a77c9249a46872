"""The approved command, run once: claimed before, reported while it runs and when it ends, told of every signal."""

import asyncio
import logging
import os
import shlex
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from signoff import AsyncAction, AsyncSignoff, errors
from signoff.cli.child import CannotStart, Child, Ended
from signoff.cli.exits import SIGNALLED
from signoff.cli.screen import NO, RUNS, WARNING, YES, Screen
from signoff.cli.signals import ENDING, Ending
from signoff.cli.spans import in_words
from signoff.cli.tail import Tail
from signoff.cli.tickets import Ticket
from signoff.cli.words import who
from signoff.executing import Executing
from signoff.plain import one_line
from signoff.types import Approval, Stop

OnStop: TypeAlias = Literal["end", "continue"]

_STOP_EVERY = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """What runs, and how it is spoken of. `lines`: of its output that go into the report."""

    command: Sequence[str]
    worker: str
    report_within: int
    lines: int
    secrets: Sequence[str] = field(repr=False)
    on_stop: OnStop
    to_stderr: bool

    @property
    def words(self) -> str:
        return one_line(shlex.join(self.command))


class _Failed(Exception):
    """The command ran, or could not be started: the report is "failed"."""


class Conduct:
    """One command under one claim."""

    def __init__(self, so: AsyncSignoff, job: Job, *, screen: Screen, ending: Ending) -> None:
        self._so = so
        self._job = job
        self._screen = screen
        self._ending = ending
        self._child: Child | None = None
        self._code: int | None = None
        self._early: list[int] = []

    async def run(self, approval: Approval, ticket: Ticket) -> int | errors.NoGo:
        """The exit code of the command; or why it did not run.

        Once this has begun, signals go to the command. Whoever wanted us to end before it started keeps it from that.
        """
        how: Executing = {
            "claim_id": ticket.claim_id,
            "worker": self._job.worker,
            "report_within": self._job.report_within,
            "accept_edited": False,
        }
        with _reports_told(self._screen), self._ending.handed_to(self._hear):
            try:
                async with self._so.execution(approval, **how) as action:
                    if action.refusal is not None:
                        return action.refusal
                    await self._once(action, ticket)
            except _Failed as failed:
                self._not_reported(*getattr(failed, "__notes__", ()))
            except errors.NotReported as error:
                self._not_reported(str(error))
        assert self._code is not None
        return self._code

    async def _once(self, action: AsyncAction, ticket: Ticket) -> None:
        """Raises _Failed, with `action.detail` set."""
        if self._early or self._ending.signal is not None:
            self._code = self._ending.code if self._ending.signal else SIGNALLED + self._early[0]
            action.detail = "cancelled before it began: nothing ran"
            self._screen.tell("Cancelled before it began. Nothing ran.", mark=WARNING)
            raise _Failed
        ticket.spend()
        begun = time.monotonic()
        tail = Tail(lines=self._job.lines, secrets=self._job.secrets)
        self._screen.tell(self._job.words, mark=RUNS, bold=True)
        try:
            self._child = Child(self._job.command, tail=tail, all_to_stderr=self._job.to_stderr)
        except CannotStart as error:
            self._code, action.detail = error.code, str(error)
            self._screen.tell(str(error), mark=NO)
            raise _Failed from error
        for number in self._early:
            self._child.send(number)
        heeding = asyncio.create_task(self._heed_stop(action, self._child))
        ended = await asyncio.get_running_loop().run_in_executor(None, self._child.wait)
        heeding.cancel()
        with suppress(asyncio.CancelledError):
            await heeding
        self._code = ended.code
        self._conclude(action, ended, tail.text(), seconds=time.monotonic() - begun)

    def _conclude(self, action: AsyncAction, ended: Ended, output: str, *, seconds: float) -> None:
        span = in_words(seconds)
        action.detail = f"{ended.words} after {span}" + (f"\n{output}" if output else "")
        if ended.code == 0:
            self._screen.tell(f"Done in {span}.", mark=YES)
            return
        self._screen.tell(f"Failed after {span}: {ended.words}.", mark=NO)
        raise _Failed

    def _hear(self, number: int) -> None:
        if self._code is not None:
            # It has run: nothing is left to end but our last words to the service.
            os._exit(self._code)
        elif self._child is not None:
            self._child.send(number)
        elif number in ENDING:
            self._early.append(number)

    async def _heed_stop(self, action: AsyncAction, child: Child) -> None:
        """Learnt with each report that it runs."""
        while action.stopped is None:  # noqa: ASYNC110 - the client sets a field, and tells nobody
            await asyncio.sleep(_STOP_EVERY)
        self._screen.tell(_stopped(action.stopped), mark=WARNING)
        if self._job.on_stop == "end":
            self._screen.tell("The command is asked to end (SIGTERM).", mark=WARNING)
            child.send(signal.SIGTERM)

    def _not_reported(self, *notes: str) -> None:
        for note in notes:
            self._screen.tell(note, mark=WARNING)


def _stopped(stop: Stop) -> str:
    what = "Everything" if stop.tool is None else stop.tool
    why = f": {stop.reason}" if stop.reason else ""
    return f"{what} is stopped by {who(stop.by)}{why}"


class _reports_told(logging.Handler):  # noqa: N801 - used as a context
    """While it lasts, the client's warning about a lost report is one sentence on the screen."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(logging.WARNING)
        self._screen = screen
        self._is_told = False

    def __enter__(self) -> None:
        logging.getLogger("signoff").addHandler(self)

    def __exit__(self, *_: object) -> None:
        logging.getLogger("signoff").removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        if not self._is_told:
            self._is_told = True
            words = f"{record.getMessage()}. The command goes on, and it is tried again."
            self._screen.tell(words, mark=WARNING)


#: What may not be claimed now is claimed again after so many seconds.
STOPPED_EVERY = 5.0


def held_up(stop: Stop) -> str:
    return f"{_stopped(stop)}. Approved, and not started: it starts when that ends."
