"""asyncpg's connections and its pool of them, with our errors.

SQLAlchemy's pool was measured beside it: its greenlets cost a third of a decision's CPU. Nothing is asked of a
connection before it is used; one that turns out broken is thrown away with all that are as old, and its call repeated.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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


class Pool:
    """asyncpg's pool. What it asks for between two calls is left out: we leave nothing behind in a connection."""

    def __init__(self, url: str, *, size: int, patience: float, **options: Any) -> None:
        """`patience`: seconds that a call waits for a connection. `options`: of `asyncpg.connect`."""
        self._patience = patience
        self._out = 0
        self._opening: asyncio.Future[Any] | None = None
        self._pool = asyncpg.create_pool(
            url,
            min_size=0,
            max_size=size,
            max_inactive_connection_lifetime=_RECYCLE_SECONDS,
            reset=_nothing,
            **options,
        )

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
        connection = await self._acquire()
        session = PostgresSession(connection)
        is_sound = False
        self._out += 1
        try:
            yield session
            is_sound = session.is_sound
        except Exception as error:
            is_sound = session.is_sound
            if not is_sound and isinstance(error, Lost):
                # What broke one has most likely broken all that are as old.
                await self._pool.expire_connections()
            raise
        finally:
            self._out -= 1
            if not is_sound:
                # The pool itself takes back what it has seen broken; then there is nothing to end.
                with contextlib.suppress(asyncpg.InterfaceError):
                    connection.terminate()
            await self._pool.release(connection)

    async def close(self) -> None:
        """Close what is idle, and wait a moment for what is out."""
        if self._opening is None:
            return
        try:
            await asyncio.wait_for(self._pool.close(), _CLOSE_SECONDS)
        except TimeoutError:
            self._pool.terminate()

    async def _acquire(self) -> Any:
        try:
            await self._open()
            # Not asyncpg's own timeout: it makes a task for each call.
            async with asyncio.timeout(self._patience):
                return await self._pool.acquire()
        except TimeoutError as error:
            raise errors.Unconfirmed("no connection to the database came free; call again") from error
        except _BROKEN as error:
            raise Lost from error

    async def _open(self) -> None:
        """Once: with no connection to be made it only sets itself up."""
        if self._opening is None:
            self._opening = asyncio.ensure_future(_started(self._pool))
        await asyncio.shield(self._opening)


async def _started(pool: Any) -> None:
    await pool


async def _nothing(_: Any) -> None:
    """Asyncpg would ask the server to forget what a session may leave behind, once more for each call."""
