"""One answer for every request, within Slack's time: what takes longer goes on, and the person is told that in words."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import structlog

log = structlog.get_logger("signoff.answering")

#: Slack gives 3 seconds; what is not done by then is answered as unconfirmed.
BUDGET = 2.5

Body = dict[str, Any]
#: Body and arrival in, the JSON body of a 200 out (None: an empty one). Both doors use it.
Answer = Callable[[Body, datetime], Awaitable[Body | None]]
#: The same at once, for what cannot be waited for.
Late = Callable[[Body, datetime], Body | None]


class Answering:
    """Holds what is being worked on, so that neither a caller that hangs up nor a shutdown cuts a commit in half."""

    def __init__(self, *, handle: Answer, late: Late, budget: float = BUDGET) -> None:
        """`budget`: seconds. `late` never raises."""
        self._handle = handle
        self._late = late
        self._budget = budget
        self._working: set[asyncio.Future[Body | None]] = set()

    async def answer(self, body: Body, arrived: datetime) -> Body | None:
        """Never raises, and takes no longer than the budget."""
        work = asyncio.ensure_future(self._handle(body, arrived))
        self._working.add(work)
        work.add_done_callback(self._done)
        # Waited for, not awaited: cancelling this must not cancel that.
        await asyncio.wait({work}, timeout=self._budget)
        if not work.done():
            log.warning("budget_spent", seconds=self._budget)
            return self._late(body, arrived)
        if work.cancelled() or work.exception() is not None:
            return self._late(body, arrived)
        return work.result()

    async def drain(self, seconds: float) -> None:
        """Let what is being worked on end for so long, then cut it off."""
        if self._working:
            await asyncio.wait(self._working, timeout=seconds)
        left = list(self._working)
        for work in left:
            work.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _done(self, work: asyncio.Future[Body | None]) -> None:
        self._working.discard(work)
        error = None if work.cancelled() else work.exception()
        if error is not None:
            log.error("request_failed", exc_info=error)
