"""The Postgres of the tests, set up as one that keeps data: fsync on. `TEST_DATABASE_URL` names another."""

from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg  # type: ignore[import-untyped]  # it ships no types

from tests.postgres import Unavailable, at, server

NoPostgres = Unavailable
_SETTINGS = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "4GB",
}


class Cluster:
    """A running server. Databases are made from one another: `template`."""

    def __init__(self, url: str) -> None:
        self._url = url

    async def create(self, name: str, *, template: str | None = None) -> str:
        """The address of a new database; one of that name from an earlier run goes."""
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(f'DROP DATABASE IF EXISTS "bench_{name}" WITH (FORCE)')
            made_from = "" if template is None else f' TEMPLATE "bench_{template}"'
            await connection.execute(f'CREATE DATABASE "bench_{name}"{made_from}')
        finally:
            await connection.close()
        return at(self._url, f"bench_{name}")

    async def described(self) -> str:
        connection = await asyncpg.connect(self._url)
        try:
            asked = ("server_version", "fsync", "synchronous_commit")
            version, fsync, commit = [await connection.fetchval(f"SHOW {name}") for name in asked]
        finally:
            await connection.close()
        return f"PostgreSQL {version.split()[0]}, fsync {fsync}, synchronous_commit {commit}"


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Raises NoPostgres."""
    with server(**_SETTINGS) as url:
        yield Cluster(url)
