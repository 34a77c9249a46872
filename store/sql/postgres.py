"""Postgres: asyncpg's connections out of two pools, one for people who wait and one for the rest."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime

from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql import asyncpg as dialects

from store import errors
from store.migrations import HEAD, REVISIONS
from store.sql.announcer import Announcer
from store.sql.engine import Lost
from store.sql.listener import listening
from store.sql.pool import Pool, PostgresSession

_CONNECT_SECONDS = 5
#: Of each of the two pools; connections are made when they are first needed.
_POOL_SIZE = 10
#: Milliseconds of one statement, of people who wait and of the rest; seconds of waiting for a free connection.
_HOT = (1500, 1.0)
_WORK = (5000, 5.0)


class PostgresDatabase:
    """`url` as asyncpg takes it (`store.sql.url.postgres_url`)."""

    dialect: Dialect = dialects.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it so

    def __init__(self, url: str, *, now: Callable[[], datetime] | None) -> None:
        self._url = url
        self._now = now
        self._work = _pool(url, *_WORK)
        self._hot = _pool(url, *_HOT)
        # Of its own: whoever decides does not wait behind an announcement.
        self._announcing = _pool(url, *_WORK, size=1)
        self._announcer = Announcer(self._announcing.session)

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

    def announce(self, id: str) -> None:
        self._announcer.announce(id)

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
        stands = "is empty" if found is None else f"is at schema {found}, not {HEAD}"
        raise errors.SchemaOutdated(f"the database {stands}: run `signoff-bot migrate`")

    @property
    def is_idle(self) -> bool:
        """No connection is out."""
        return self._work.is_idle and self._hot.is_idle

    async def close(self) -> None:
        await self._announcer.close()
        await self._announcing.close()
        await self._work.close()
        await self._hot.close()


async def version(session: PostgresSession) -> str | None:
    """The revision that the database is at; None for an empty one."""
    ((table,),) = await session.run("SELECT to_regclass('alembic_version')::text")
    if table is None:
        return None
    rows = await session.run("SELECT version_num FROM alembic_version")
    return str(rows[0]["version_num"]) if rows else None


def _pool(url: str, statement_ms: int, patience: float, *, size: int = _POOL_SIZE) -> Pool:
    settings = {
        "application_name": "signoff",
        "statement_timeout": str(statement_ms),
        "lock_timeout": "1000",
        "idle_in_transaction_session_timeout": "10000",
        "jit": "off",
    }

    # Ours waits a little longer than the server's own timeout, whose error says more.
    command_timeout = statement_ms / 1000 + 0.5
    return Pool(
        url,
        size=size,
        patience=patience,
        timeout=_CONNECT_SECONDS,
        command_timeout=command_timeout,
        server_settings=settings,
    )
