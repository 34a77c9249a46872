"""Bring a database to this version's schema. The only place, beside the migrations, that loads Alembic."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from store import errors, migrations
from store.sql.url import postgres_url, sqlite_path

#: One migration of a database at a time; the number is ours alone.
_LOCK = 7_431_906_528
_LOCK_WAIT = "10s"
_BUSY_SECONDS = 10


async def migrate(url: str) -> None:
    """Upgrade to the newest schema, in one transaction; does nothing where it is.

    Raises:
        StoreError: another migration is under way.
        ValueError: no address of a database.
    """
    if url.startswith("memory:"):
        return
    if url.startswith("sqlite"):
        await asyncio.to_thread(_sqlite, sqlite_path(url))
    else:
        await _postgres(postgres_url(url))


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _sqlite(path: Path) -> None:
    from store.sql.sqlite_file import prepare

    if not prepare(path):
        upgrade_file(path)


def upgrade_file(path: Path) -> None:
    """Run on a SQLite file what it has not seen yet, all or nothing."""
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None),
        poolclass=NullPool,
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # The driver begins nothing by itself, and DDL is to be undone as a whole.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    with engine.begin() as connection:
        _upgrade(connection)


async def _postgres(url: str) -> None:
    import asyncpg  # type: ignore[import-untyped]  # it ships no types

    async def connect() -> Any:
        return await asyncpg.connect(url, timeout=10, server_settings={"application_name": "signoff-migrate"})

    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_WAIT}'"))
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            await connection.run_sync(_upgrade)
    except DBAPIError as error:
        if isinstance(error.__cause__ and error.__cause__.__cause__, asyncpg.LockNotAvailableError):
            raise errors.StoreError("another migration of this database is under way: wait for it") from error
        raise
    finally:
        await engine.dispose()
