"""What the store needs of a database, and how a call survives a broken connection and an impatient caller."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from sqlalchemy import Dialect

from store import errors
from store.ids import new_token
from store.sql.statement import Row, Statement

T = TypeVar("T")


class Lost(Exception):
    """The connection broke. Whether the last statement was committed is unknown; repeating may help."""


class Session(Protocol):
    """A connection, as long as it is ours."""

    async def rows(self, statement: Statement, **values: Any) -> list[Row]:
        """Run it; what it returns, if it returns rows.

        Raises:
            Lost: the connection broke.
            Unconfirmed: the database refused for now (busy, timed out).
        """
        ...

    async def row(self, statement: Statement, **values: Any) -> Row | None:
        """The first row."""
        ...


class Database(Protocol):
    dialect: Dialect

    def read(self) -> AbstractAsyncContextManager[Session]: ...

    def write(self) -> AbstractAsyncContextManager[Session]:
        """On Postgres each statement commits by itself; on SQLite all are one transaction."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Session]:
        """All statements are one transaction, committed at the end, undone by an exception."""
        ...

    def hot(self) -> AbstractAsyncContextManager[Session]:
        """As `write`, for calls that a person or a run waits for: with less patience, and not behind the work."""
        ...

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]: ...

    def announce(self, id: str) -> None:
        """Tell other processes that this interaction changed; called once it is committed."""
        ...

    async def now(self) -> datetime: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call of a caller. Its token is written with what it does, so that a repeat knows its own work."""

    token: str
    is_repeated: bool = False


class Calls:
    """Runs calls to their end: a cancelled caller leaves no half-done one, a broken connection gets one repeat."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def write(self, call: Callable[[Attempt], Awaitable[T]]) -> T:
        """Not stopped by the caller's cancellation: a commit that is under way is not torn."""
        task = asyncio.create_task(_twice(call), name=f"store: {call.__qualname__}")
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return await asyncio.shield(task)

    async def read(self, call: Callable[[Attempt], Awaitable[T]]) -> T:
        return await _twice(call)

    async def finish(self) -> None:
        """Wait for what callers left behind."""
        if self._running:
            await asyncio.wait(self._running)


async def _twice(call: Callable[[Attempt], Awaitable[T]]) -> T:
    first = Attempt(new_token())
    try:
        return await call(first)
    except Lost:
        pass
    try:
        return await call(Attempt(first.token, is_repeated=True))
    except Lost as error:
        raise errors.Unconfirmed("the database did not say whether this was done; call again") from error
