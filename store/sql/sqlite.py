"""SQLite: one writer connection, a few readers, in WAL. One process serves; short commands share the file."""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import aiosqlite
from sqlalchemy import Dialect
from sqlalchemy.dialects import sqlite as dialects

from store import errors
from store.silence import silence
from store.sql.statement import Row, Statement

_BUSY_MS = 5000
_READERS = 3
_SETUP = (
    f"PRAGMA busy_timeout = {_BUSY_MS}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)


class SqliteSession:
    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def rows(self, statement: Statement, **values: Any) -> list[Row]:
        return list(await self.run(statement.sql, statement.arguments(values)))

    async def row(self, statement: Statement, **values: Any) -> Row | None:
        rows = await self.rows(statement, **values)
        return rows[0] if rows else None

    async def run(self, sql: str, arguments: list[Any]) -> Any:
        try:
            return await self._connection.execute_fetchall(sql, arguments)
        except sqlite3.OperationalError as error:
            raise _refused(error) from error


class SqliteDatabase:
    """`path` exists and has the schema (`store.sql.sqlite_file`)."""

    dialect: Dialect = dialects.dialect(paramstyle="qmark")

    def __init__(self, path: Path, *, now: Callable[[], datetime] | None, lock: IO[bytes] | None) -> None:
        self._path = path
        self._now = now
        self._lock_file = lock
        self._writer: aiosqlite.Connection | None = None
        self._writing = asyncio.Lock()
        self._readers: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        self._made: list[aiosqlite.Connection] = []

    async def open(self) -> None:
        self._writer = await self._connect()
        for _ in range(_READERS):
            self._readers.put_nowait(await self._connect())

    @asynccontextmanager
    async def read(self) -> AsyncIterator[SqliteSession]:
        connection = await self._readers.get()
        try:
            yield SqliteSession(connection)
        finally:
            self._readers.put_nowait(connection)

    def write(self) -> AbstractAsyncContextManager[SqliteSession]:
        return self.transaction()

    def hot(self) -> AbstractAsyncContextManager[SqliteSession]:
        return self.transaction()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[SqliteSession]:
        """BEGIN IMMEDIATE: whoever may write at all never finds that its reads are stale."""
        if self._writer is None:
            raise RuntimeError("open the database first")
        async with self._writing:
            session = SqliteSession(self._writer)
            await session.run("BEGIN IMMEDIATE", [])
            try:
                yield session
                await session.run("COMMIT", [])
            except BaseException:
                if self._writer.in_transaction:
                    await self._writer.rollback()
                raise

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        return silence()

    def announce(self, id: str) -> None:
        """One process serves, and it knows."""

    async def now(self) -> datetime:
        """SQLite's clock is that of this machine, and so is this."""
        if self._now is not None:
            return self._now()
        async with self.read() as session:
            ((text,),) = await session.run("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')", [])
        return datetime.fromisoformat(text).replace(tzinfo=UTC)

    @property
    def is_idle(self) -> bool:
        """No connection is out."""
        return not self._writing.locked() and self._readers.qsize() == _READERS

    async def close(self) -> None:
        for connection in self._made:
            await connection.close()
        if self._lock_file is not None:
            self._lock_file.close()

    async def _connect(self) -> aiosqlite.Connection:
        connection = await aiosqlite.connect(self._path, isolation_level=None, cached_statements=256)
        self._made.append(connection)
        connection.row_factory = sqlite3.Row
        for pragma in _SETUP:
            await connection.execute_fetchall(pragma)
        return connection


def lock_file(path: Path) -> IO[bytes]:
    """Take the lock of the serving process; it ends with the process, however that ends.

    Raises:
        AlreadyServing: another process holds it.
    """
    lock = open(f"{path}.lock", "ab", opener=private)  # noqa: SIM115  # held for life; Path takes no opener
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise errors.AlreadyServing(
            f"another process serves {path} (it holds {path}.lock): stop it first, or use Postgres for several"
        ) from error
    return lock


def private(path: str, flags: int) -> int:
    """Open for nobody but us: interactions may hold secrets."""
    return os.open(path, flags, 0o600)


def _refused(error: sqlite3.OperationalError) -> Exception:
    if error.sqlite_errorname.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return errors.Unconfirmed("the database file is busy; call again")
    return error
