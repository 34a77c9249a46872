"""From an address to a store. What a database needs is loaded only when one is opened."""

from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

from store.memory import MemoryStore
from store.protocol import Store


async def open_store(url: str, *, serving: bool = False, now: Callable[[], datetime] | None = None) -> Store:
    """Open `memory://`, `sqlite:///file.db`, `sqlite:////abs/file.db` or `postgresql://…`; the caller closes it.

    `serving`: this process serves. On SQLite it takes the file's lock, for as long as it lives. `now` stands in for
    the clock of the database.

    Raises:
        ValueError: no address of a store.
        AlreadyServing: another process serves this SQLite file.
        SchemaOutdated: the Postgres database is not at this version's schema.
    """
    scheme = url.partition(":")[0]
    if scheme == "memory":
        return MemoryStore(now=now)
    if scheme.startswith("sqlite"):
        return await _sqlite(url, serving=serving, now=now)
    if scheme.startswith("postgres"):
        return await _postgres(url, now=now)
    raise ValueError(f"no store for {scheme!r}: use memory://, sqlite:///file.db or postgresql://user@host/name")


async def _sqlite(url: str, *, serving: bool, now: Callable[[], datetime] | None) -> Store:
    from store.sql.sqlite import SqliteDatabase, lock_file
    from store.sql.sqlite_file import prepare, release
    from store.sql.store import SqlStore
    from store.sql.url import sqlite_path

    path: Path = sqlite_path(url)
    lock = lock_file(path) if serving else None
    try:
        if not prepare(path):
            from store.migrate import upgrade_file

            # Not under another process that serves it.
            with nullcontext() if lock else lock_file(path):
                upgrade_file(path)
        if serving:
            release(path)
        database = SqliteDatabase(path, now=now, lock=lock)
        await database.open()
    except BaseException:
        if lock is not None:
            lock.close()
        raise
    return SqlStore(database)


async def _postgres(url: str, *, now: Callable[[], datetime] | None) -> Store:
    from store.sql.hot import PostgresStore
    from store.sql.postgres import PostgresDatabase
    from store.sql.url import postgres_url

    database = PostgresDatabase(postgres_url(url), now=now)
    try:
        await database.check_schema()
    except BaseException:
        await database.close()
        raise
    return PostgresStore(database)
