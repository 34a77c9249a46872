"""How an attempt at a run ends. The runtime ends code in one way only: it cancels it, as asyncio does."""

import asyncio
from dataclasses import dataclass
from typing import Any, NoReturn

from signoff.runtime.errors import RunError
from signoff.runtime.logs import say


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """`error`: what is written; None: nothing is."""

    error: RunError | None
    why: str


class Fate:
    """Of one attempt, which lives in one task. The first end stands, and none comes once the finish is under way."""

    __slots__ = ("_task", "end", "is_finishing")

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self.end: End | None = None
        self.is_finishing = False

    def begin(self) -> None:
        """In the task of the attempt."""
        self._task = asyncio.current_task()

    @property
    def is_cancelled_from_outside(self) -> bool:
        """By the end of the worker itself: not by this, and not by the code."""
        return self.end is None and self._task is not None and self._task.cancelling() > 0

    def cancel(self, error: RunError | None, why: str) -> None:
        """From outside of the code."""
        if self.end is None and not self.is_finishing:
            self.end = End(error=error, why=why)
            if self._task is not None:
                self._task.cancel(why)

    def abandon(self) -> None:
        """Leave even the finish."""
        self.cancel(None, "left")
        if self.is_finishing and self._task is not None:
            self._task.cancel()

    def stop_here(self, error: RunError | None, why: str = "") -> NoReturn:
        """End the code that calls this, here. Of several tasks of one run, the others end with it."""
        why = why or str(error)
        if self.end is None and not self.is_finishing:
            self.end = End(error=error, why=why)
            if self._task is not None and asyncio.current_task() is not self._task:
                self._task.cancel(why)
        raise asyncio.CancelledError(why)

    def check(self) -> None:
        """Nothing more is done for code whose run has ended, even where it goes on after its cancellation."""
        if self.end is not None or self.is_finishing:
            raise asyncio.CancelledError(self.end.why if self.end is not None else "the run is over")

    async def settle(self, run_id: str) -> None:
        """From here on it finishes. A cancellation that was on its way is spent, so that it does not cut that short."""
        self.is_finishing = True
        assert self._task is not None, "an attempt that never began does not finish"
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            say("late_cancellation", run_id=run_id)
        while self._task.uncancel():
            pass
