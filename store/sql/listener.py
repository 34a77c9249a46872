"""Hearing of other processes' changes: LISTEN on a connection of its own, mended when it goes silent.

A notification is a hint. What is sent while the connection is down is lost, and nothing depends on it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types

from store.sql.announcer import CHANNEL

_log = logging.getLogger(__name__)
_CONNECT_SECONDS = 5
_MEND_SECONDS = 1
#: Hints beyond this many unread are dropped.
_UNREAD = 10_000


@dataclass(frozen=True, slots=True)
class Pulse:
    """A dead peer is noticed by asking: so often, with so much patience. Seconds."""

    every: float = 10
    patience: float = 2


_PULSE = Pulse()


class _Ids:
    def __init__(self) -> None:
        self._unread: asyncio.Queue[str] = asyncio.Queue(_UNREAD)

    def heard(self, _connection: Any, _pid: int, _channel: str, payload: Any) -> None:
        with suppress(asyncio.QueueFull):
            self._unread.put_nowait(str(payload))

    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        return await self._unread.get()


@asynccontextmanager
async def listening(url: str, *, pulse: Pulse = _PULSE) -> AsyncIterator[AsyncIterator[str]]:
    """Ids as they come. Entered once the channel is open, or once it is clear that it has to be mended first."""
    ids = _Ids()
    opened = asyncio.Event()
    keeper = asyncio.create_task(_keep(url, ids, opened, pulse), name="store: listen")
    try:
        await opened.wait()
        yield ids
    finally:
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper


async def _keep(url: str, ids: _Ids, opened: asyncio.Event, pulse: Pulse) -> None:
    while True:
        try:
            await _listen(url, ids, opened, pulse)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            _log.warning("listening_interrupted", extra={"reason": type(error).__name__})
        opened.set()
        await asyncio.sleep(_MEND_SECONDS)


async def _listen(url: str, ids: _Ids, opened: asyncio.Event, pulse: Pulse) -> None:
    """Listen until the connection is closed or stops answering (TimeoutError is an OSError)."""
    connection = await asyncpg.connect(url, timeout=_CONNECT_SECONDS, server_settings={"application_name": "signoff"})
    is_closed = asyncio.Event()
    connection.add_termination_listener(lambda _: is_closed.set())
    try:
        await connection.add_listener(CHANNEL, ids.heard)
        opened.set()
        while not is_closed.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(is_closed.wait(), pulse.every)
                return
            await connection.execute("SELECT 1", timeout=pulse.patience)
    finally:
        connection.terminate()
