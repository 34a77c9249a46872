"""asyncpg's connections, kept for the next call: the one used last is used next.

Measured beside SQLAlchemy's pool, whose greenlets cost a third of a decision's CPU. Nothing is asked of a connection
before it is used; one that turns out broken is thrown away with all that are as old, and its call is repeated.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types

from store import errors
from store.sql.engine import Lost
from store.sql.statement import Row, Statement

_RECYCLE_SECONDS = 1800
_CLOSE_SECONDS = 2
_BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    # What asyncpg makes of a connection that the server has ended, until it has read that it is closed.
    asyncpg.InternalClientError,
    OSError,
)
_TOO_SLOW = (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError)
_CONTESTED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


class PostgresSession:
    """A connection, as long as it is ours. `is_sound`: it can be given back."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self.is_sound = True

    async def rows(self, statement: Statement, **values: Any) -> list[Row]:
        return list(await self.run(statement.sql, *statement.arguments(values)))

    async def row(self, statement: Statement, **values: Any) -> Row | None:
        rows = await self.run(statement.sql, *statement.arguments(values))
        return rows[0] if rows else None

    async def run(self, sql: str, *arguments: Any) -> Any:
        try:
            return await self._connection.fetch(sql, *arguments)
        except TimeoutError as error:
            # Nobody knows what the server does with it now: this connection is not used again.
            self.is_sound = False
            raise errors.Unconfirmed("the database did not answer in time; call again") from error
        except _TOO_SLOW as error:
            raise errors.Unconfirmed("the database took too long; call again") from error
        except _CONTESTED as error:
            raise Lost from error
        except _BROKEN as error:
            self.is_sound = False
            raise Lost from error
        except asyncpg.InterfaceError as error:
            if not self._connection.is_closed():
                raise
            self.is_sound = False
            raise Lost from error


@dataclass(frozen=True, slots=True)
class _Kept:
    connection: asyncpg.Connection
    made_at: float
    #: How many breaks there had been when it was made.
    breaks: int


class Pool:
    def __init__(self, connect: Callable[[], Awaitable[Any]], *, size: int, patience: float) -> None:
        self._connect = connect
        self._size = size
        self._patience = patience
        self._places = asyncio.Semaphore(size)
        self._idle: list[_Kept] = []
        self._out = 0
        self._breaks = 0

    @property
    def is_idle(self) -> bool:
        """No connection is out."""
        return self._out == 0

    @asynccontextmanager
    async def session(self) -> AsyncIterator[PostgresSession]:
        """A connection; one that broke, or that a cancelled reader left in mid-call, is not given back.

        Raises:
            Lost: none could be made.
            Unconfirmed: none came free.
        """
        await self._place()
        try:
            kept = await self._take()
            session = PostgresSession(kept.connection)
            is_sound = False
            try:
                yield session
                is_sound = session.is_sound
            except Exception as error:
                is_sound = session.is_sound
                self._breaks += not is_sound and isinstance(error, Lost)
                raise
            finally:
                self._give_back(kept, is_sound=is_sound)
        finally:
            self._out -= 1
            self._places.release()

    async def close(self) -> None:
        """Close what is idle; what is out is closed when it comes back."""
        self._breaks += 1
        while self._idle:
            await _close(self._idle.pop())

    async def _place(self) -> None:
        if self._places.locked():
            try:
                async with asyncio.timeout(self._patience):
                    await self._places.acquire()
            except TimeoutError as error:
                raise errors.Unconfirmed("no connection to the database came free; call again") from error
        else:
            await self._places.acquire()
        self._out += 1

    async def _take(self) -> _Kept:
        now = asyncio.get_running_loop().time()
        while self._idle:
            kept = self._idle.pop()
            if kept.connection.is_closed():
                continue
            if kept.breaks == self._breaks and now - kept.made_at < _RECYCLE_SECONDS:
                return kept
            await _close(kept)
        breaks = self._breaks
        try:
            return _Kept(await self._connect(), now, breaks)
        except _BROKEN as error:
            raise Lost from error

    def _give_back(self, kept: _Kept, *, is_sound: bool) -> None:
        if is_sound and kept.breaks == self._breaks:
            self._idle.append(kept)
        else:
            kept.connection.terminate()


async def _close(kept: _Kept) -> None:
    try:
        await kept.connection.close(timeout=_CLOSE_SECONDS)
    except (*_BROKEN, asyncpg.InterfaceError):
        kept.connection.terminate()
