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
    # What asyncpg makes of a connection that the server has ended, until it has read that it is closed.
    asyncpg.InternalClientError,
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
        self._work = _Pool(url, *_WORK)
        self._hot = _Pool(url, *_HOT)
        self.dialect = self._work.dialect

    def read(self) -> AbstractAsyncContextManager[PostgresSession]:
        return self._work.session()

    def write(self) -> AbstractAsyncContextManager[PostgresSession]:
        return self._work.session()

    def hot(self) -> AbstractAsyncContextManager[PostgresSession]:
        return self._hot.session()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PostgresSession]:
        async with self._work.session() as session:
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
        """Look before anything is done.

        Raises:
            SchemaOutdated: the database is not at this version's schema.
            Unconfirmed: it does not answer.
        """
        try:
            async with self.read() as session:
                found = await version(session)
        except Lost as error:
            raise errors.Unconfirmed("the database cannot be reached") from error
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
        return not self._work.checked_out and not self._hot.checked_out

    async def close(self) -> None:
        await self._work.close()
        await self._hot.close()


async def version(session: PostgresSession) -> str | None:
    """The revision that the database is at; None for an empty one."""
    ((table,),) = await session.run("SELECT to_regclass('alembic_version')::text")
    if table is None:
        return None
    rows = await session.run("SELECT version_num FROM alembic_version")
    return str(rows[0]["version_num"]) if rows else None


class _Pool:
    """SQLAlchemy's pool, handing out asyncpg's own connections; those from before a break are not used again."""

    def __init__(self, url: str, statement_ms: int, pool_timeout: float) -> None:
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
            return await asyncpg.connect(
                url, timeout=_CONNECT_SECONDS, command_timeout=patience, server_settings=settings
            )

        self._breaks = 0
        self._engine: AsyncEngine = create_async_engine(
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
        self.dialect: Dialect = self._engine.dialect

    @asynccontextmanager
    async def session(self) -> AsyncIterator[PostgresSession]:
        """A connection; one that broke, or that a cancelled reader left in mid-call, is not given back."""
        fairy = await self._sound()
        session = PostgresSession(fairy.driver_connection)
        is_used_up = True
        try:
            yield session
            is_used_up = False
        except Exception as error:
            is_used_up = not session.is_sound
            self._breaks += is_used_up and isinstance(error, Lost)
            raise
        finally:
            await greenlet_spawn(fairy.invalidate if is_used_up else fairy.close)

    @property
    def checked_out(self) -> int:
        pool: Any = self._engine.pool
        return int(pool.checkedout())

    async def close(self) -> None:
        await self._engine.dispose()

    async def _sound(self) -> Any:
        """A connection that is not known to be closed, and was made after the last break."""
        try:
            while True:
                fairy: Any = await self._engine.raw_connection()
                is_new = fairy.info.setdefault("breaks", self._breaks) == self._breaks
                if is_new and not fairy.driver_connection.is_closed():
                    return fairy
                await greenlet_spawn(fairy.invalidate)
        except NoneFree as error:
            raise errors.Unconfirmed("no connection to the database came free; call again") from error
        except _BROKEN as error:
            raise Lost from error
        except self.dialect.loaded_dbapi.Error as error:
            # Connecting goes through SQLAlchemy, which wraps what asyncpg says.
            if isinstance(error.__cause__, _BROKEN):
                raise Lost from error
            raise error.__cause__ or error from None
