"""The approved command as a process: its output passes through as it is, its last lines are kept, signals reach it."""

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from signal import Signals
from typing import IO

from signoff.cli.exits import SIGNALLED, Exit
from signoff.cli.tail import Tail

_CHUNK = 65_536
#: What a command can have left in a pipe when it ends; more comes from what it left running.
_MOST_LEFT = 1_048_576
#: A terminal sends these to the command by itself.
_FROM_TERMINAL = frozenset({signal.SIGINT, getattr(signal, "SIGQUIT", signal.SIGINT)})


class CannotStart(Exception):
    """`code`: what shells end with in this case."""

    def __init__(self, command: str, error: OSError) -> None:
        self.code = Exit.NOT_FOUND if isinstance(error, FileNotFoundError) else Exit.NOT_EXECUTABLE
        why = "there is no such command" if self.code == Exit.NOT_FOUND else (error.strerror or str(error)).lower()
        super().__init__(f"{command} could not be started: {why}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """`code`: of the command, or 128 and the number of the signal that ended it."""

    code: int
    signal: Signals | None

    @property
    def words(self) -> str:
        return f"exit code {self.code}" if self.signal is None else f"ended by {self.signal.name}"


class Child:
    """A running command. On a terminal it stays in our process group, so that it may read and be interrupted there;
    elsewhere it leads a group of its own, so that each signal reaches it, and what it started, once.
    """

    def __init__(self, command: Sequence[str], *, tail: Tail, all_to_stderr: bool) -> None:
        """Raises CannotStart."""
        self._is_foreground = _is_foreground()
        self._done, self._tell_done = os.pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - running what was asked for is what this is for
                list(command),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                process_group=None if self._is_foreground else 0,
            )
        except (OSError, ValueError) as error:
            os.close(self._done)
            os.close(self._tell_done)
            raise CannotStart(command[0], error if isinstance(error, OSError) else OSError(str(error))) from error
        self._is_over = False
        sys.stdout.flush()
        sys.stderr.flush()
        out = 2 if all_to_stderr else 1
        self._pumps = [
            threading.Thread(target=self._pump, args=(source, target, tail), daemon=True)
            for source, target in ((self._process.stdout, out), (self._process.stderr, 2))
        ]
        for pump in self._pumps:
            pump.start()

    def send(self, number: int) -> None:
        """Pass a signal on."""
        if self._is_over or (self._is_foreground and number in _FROM_TERMINAL):
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._is_foreground:
                os.kill(self._process.pid, number)
            else:
                os.killpg(self._process.pid, number)

    def wait(self) -> Ended:
        """Blocks until the command has ended and all that it wrote has passed; what it left running is left alone."""
        code = self._process.wait()
        self._is_over = True
        os.close(self._tell_done)
        for pump in self._pumps:
            pump.join()
        os.close(self._done)
        if code < 0:
            return Ended(code=SIGNALLED - code, signal=Signals(-code))
        return Ended(code=code, signal=None)

    def _pump(self, source: IO[bytes], target: int, tail: Tail) -> None:
        """Until the command has closed it; or, where it left somebody behind who holds it open, until it is empty."""
        is_done, left = False, _MOST_LEFT
        with source:
            while left > 0:
                if not is_done and self._done in select.select([source.fileno(), self._done], [], [])[0]:
                    is_done = True
                    os.set_blocking(source.fileno(), False)
                chunk = source.read(_CHUNK)
                if not chunk:
                    return
                left -= len(chunk) if is_done else 0
                tail.feed(chunk)
                # Where nobody reads any more, the next write of the command fails, as if nothing stood between.
                if not _write(target, chunk):
                    return


def _is_foreground() -> bool:
    """Whether a person sits at a terminal, and we are what it listens to."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _write(target: int, chunk: bytes) -> bool:
    """All of it; false where nobody reads any more."""
    view = memoryview(chunk)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])
        except OSError:
            return False
    return True
