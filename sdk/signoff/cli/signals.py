"""Signals that reach this process, handed to whoever is in charge of them at the moment."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from signal import Signals
from typing import TypeAlias

from signoff.cli.exits import SIGNALLED

#: What asks this process to end.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
#: What only a running command is told.
_PASSED_ON = tuple(
    getattr(signal, name) for name in ("SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT") if hasattr(signal, name)
)

Handler: TypeAlias = Callable[[int], None]


class Ending:
    """Whether somebody wants us to end. The second time we do, at once."""

    def __init__(self) -> None:
        self.signal: Signals | None = None
        self._wanted = asyncio.Event()
        self._handler: Handler = self.want

    def want(self, number: int) -> None:
        if self.signal is not None:
            sys.stderr.flush()
            os._exit(SIGNALLED + number)
        self.signal = Signals(number)
        self._wanted.set()

    async def wanted(self) -> None:
        await self._wanted.wait()

    @property
    def code(self) -> int:
        return SIGNALLED + (self.signal or signal.SIGTERM)

    @contextmanager
    def handed_to(self, handler: Handler) -> Iterator[None]:
        """For so long they end nothing here, and `handler` gets them all."""
        before, self._handler = self._handler, handler
        try:
            with _caught(_PASSED_ON, handler):
                yield
        finally:
            self._handler = before

    def hear(self, number: int) -> None:
        self._handler(number)


@contextmanager
def heard() -> Iterator[Ending]:
    """For as long as this lasts, no signal ends the process by itself."""
    ending = Ending()
    with _caught(ENDING, ending.hear):
        yield ending


@contextmanager
def _caught(numbers: Sequence[Signals], handler: Handler) -> Iterator[None]:
    """Where the system has no such signals, nothing is caught. Whoever started us may want one to be ignored, as
    `nohup` does: that stays as it is.
    """
    loop = asyncio.get_running_loop()
    caught = []
    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, handler, number)
                caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
