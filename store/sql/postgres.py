"""Postgres: asyncpg's own connections out of SQLAlchemy's pools, one for people who wait, one for the rest."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types
from sqlalchemy import Dialect
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import greenlet_spawn

from store import errors
from store.migrations import HEAD, REVISIONS
from store.sql.engine import Lost
from store.sql.listener import listening
from store.sql.statement import Row, Statement

_CONNECT_SECONDS = 5
_RECYCLE_SECONDS = 1800
#: Milliseconds of one statement, of people who wait and of the rest; seconds of waiting for a free connection.
_HOT = (1500, 1.0)
_WORK = (5000, 5.0)
_BROKEN = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    OSError,
)
_TOO_SLOW = (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError)
_CONTESTED = (asyncpg.DeadlockDetectedError, asyncpg.SerializationError)


class PostgresSession:
    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self.is_sound = True

    async def rows(self, statement: Statement, **values: Any) -> list[Row]:
        return list(await self.run(statement.sql, *statement.arguments(values)))

    async def row(self, statement: Statement, **values: Any) -> Row | None:
        rows = await self.rows(statement, **values)
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


class PostgresDatabase:
    """`url` as asyncpg takes it (`store.sql.url.postgres_url`)."""

    def __init__(self, url: str, *, now: Callable[[], datetime] | None) -> None:
        self._url = url
        self._now = now
        self._work = _pool(url, *_WORK)
        self._hot = _pool(url, *_HOT)
        self.dialect: Dialect = self._work.dialect

    def read(self) -> AbstractAsyncContextManager[PostgresSession]:
        return _session(self._work)

    def write(self) -> AbstractAsyncContextManager[PostgresSession]:
        return _session(self._work)

    def hot(self) -> AbstractAsyncContextManager[PostgresSession]:
        return _session(self._hot)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PostgresSession]:
        async with _session(self._work) as session:
            await session.run("BEGIN")
            try:
                yield session
                await session.run("COMMIT")
            except BaseException:
                if session.is_sound:
                    await session.run("ROLLBACK")
                raise

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        return listening(self._url)

    async def now(self) -> datetime:
        if self._now is not None:
            return self._now()
        async with self.read() as session:
            ((now,),) = await session.run("SELECT clock_timestamp()")
        return now  # type: ignore[no-any-return]  # a timestamptz

    async def check_schema(self) -> None:
        """Raises:
        SchemaOutdated: the database is not at this version's schema.
        """
        async with self.read() as session:
            found = await version(session)
        if found == HEAD:
            return
        if found is not None and found not in REVISIONS:
            raise errors.SchemaOutdated(
                f"the database is at schema {found}, which this version does not know: use a newer one"
            )
        raise errors.SchemaOutdated(f"the database is at schema {found}, not {HEAD}: run `signoff-bot migrate`")

    @property
    def is_idle(self) -> bool:
        """No connection is out."""
        return not _checked_out(self._work) and not _checked_out(self._hot)

    async def close(self) -> None:
        await self._work.dispose()
        await self._hot.dispose()


async def version(session: PostgresSession) -> str | None:
    """The revision that the database is at; None for an empty one."""
    ((table,),) = await session.run("SELECT to_regclass('alembic_version')::text")
    if table is None:
        return None
    rows = await session.run("SELECT version_num FROM alembic_version")
    return str(rows[0]["version_num"]) if rows else None


def _pool(url: str, statement_ms: int, pool_timeout: float) -> AsyncEngine:
    settings = {
        "application_name": "signoff",
        "statement_timeout": str(statement_ms),
        "lock_timeout": "1000",
        "idle_in_transaction_session_timeout": "10000",
        "jit": "off",
    }

    async def connect() -> asyncpg.Connection:
        # Ours waits a little longer than the server's own timeout, whose error says more.
        patience = statement_ms / 1000 + 0.5
        return await asyncpg.connect(url, timeout=_CONNECT_SECONDS, command_timeout=patience, server_settings=settings)

    return create_async_engine(
        "postgresql+asyncpg://",
        async_creator=connect,
        pool_size=5,
        max_overflow=5,
        pool_timeout=pool_timeout,
        pool_recycle=_RECYCLE_SECONDS,
        # JSON stays text in both directions: `store.sql.rows` reads and writes it.
        json_serializer=str,
        json_deserializer=str,
    )


def _checked_out(engine: AsyncEngine) -> int:
    pool: Any = engine.pool
    return int(pool.checkedout())


@asynccontextmanager
async def _session(pool: AsyncEngine) -> AsyncIterator[PostgresSession]:
    """A connection of the pool; one that broke, or that a cancelled reader left in mid-call, is not given back."""
    fairy = await _sound(pool)
    session = PostgresSession(fairy.driver_connection)
    is_used_up = True
    try:
        yield session
        is_used_up = False
    except Exception:
        is_used_up = not session.is_sound
        raise
    finally:
        await greenlet_spawn(fairy.invalidate if is_used_up else fairy.close)


async def _sound(pool: AsyncEngine) -> Any:
    """A connection that is not known to be closed: after a restart of the server the pool is full of those."""
    try:
        while True:
            fairy: Any = await pool.raw_connection()
            if not fairy.driver_connection.is_closed():
                return fairy
            await greenlet_spawn(fairy.invalidate)
    except NoneFree as error:
        raise errors.Unconfirmed("no connection to the database came free; call again") from error
    except _BROKEN as error:
        raise Lost from error
