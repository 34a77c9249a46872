"""Telling other processes what changed: NOTIFY after the commit, several at once, never on the way of a decision.

Inside the deciding statement it would take a lock of the whole cluster until the commit, so that commits wait for one
another: at sixteen deciders that cost four fifths of the throughput. What is lost here is found a second later.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from store.sql.pool import PostgresSession

#: The channel on which other processes hear which interaction changed.
CHANNEL = "signoff"
_TELL = f"SELECT pg_notify('{CHANNEL}', id) FROM unnest($1::text[]) AS id"  # noqa: S608  # a constant
_log = logging.getLogger(__name__)


class Announcer:
    def __init__(self, session: Callable[[], AbstractAsyncContextManager[PostgresSession]]) -> None:
        self._session = session
        self._ids: set[str] = set()
        self._telling: asyncio.Task[None] | None = None

    def announce(self, id: str) -> None:
        """At once where nothing is being told; else with all that comes until that is done."""
        self._ids.add(id)
        if self._telling is None or self._telling.done():
            self._telling = asyncio.create_task(self._tell(), name="store: announce")

    async def close(self) -> None:
        """What was announced is told before this returns."""
        if self._telling is not None:
            await asyncio.wait([self._telling])

    async def _tell(self) -> None:
        while self._ids:
            ids, self._ids = sorted(self._ids), set()
            try:
                async with self._session() as session:
                    await session.run(_TELL, ids)
            except Exception:  # noqa: BLE001  # whatever it is, it is only a hint
                # A hint only: whoever listens also looks once a second.
                _log.exception("changes_not_announced")
