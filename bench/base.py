"""A database to measure on: a few interactions made through the store, any number of copies of them made by SQL."""

import asyncio
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types
from sqlalchemy import Table

from bench.postgres import Cluster
from store.schema import statements
from store.sql.tables import interactions, postings

POSTGRES, SQLITE = "PostgreSQL", "SQLite"


@dataclass(frozen=True, kw_only=True, slots=True)
class Base:
    """`kind` is POSTGRES or SQLITE; `name`: of the database, or its file."""

    kind: str
    name: str
    url: str

    @property
    def is_postgres(self) -> bool:
        return self.kind == POSTGRES

    async def run(self, sql: str, *arguments: Any) -> list[Sequence[Any]]:
        """One statement and its rows; parameters are $1, $2 on both."""
        if self.is_postgres:
            connection = await asyncpg.connect(self.url)
            try:
                return [tuple(row) for row in await connection.fetch(sql, *arguments)]
            finally:
                await connection.close()
        return await asyncio.to_thread(self._run, sql, arguments)

    def _run(self, sql: str, arguments: Sequence[Any]) -> list[Sequence[Any]]:
        with closing(sqlite3.connect(self.name, timeout=30, isolation_level=None)) as connection:
            for place in range(len(arguments), 0, -1):
                sql = sql.replace(f"${place}", f"?{place}")
            return connection.execute(sql, arguments).fetchall()

    async def settled(self) -> None:
        """As after a while of life: statistics and visibility are there, nothing waits to be written."""
        if self.is_postgres:
            await self.run("VACUUM ANALYZE")
            await self.run("CHECKPOINT")
        else:
            await self.run("PRAGMA wal_checkpoint(TRUNCATE)")


class Bases:
    """Makes databases. `cluster` None: SQLite only."""

    def __init__(self, folder: Path, cluster: Cluster | None) -> None:
        self._folder = folder
        self._cluster = cluster

    @property
    def kinds(self) -> tuple[str, ...]:
        return (SQLITE,) if self._cluster is None else (POSTGRES, SQLITE)

    async def make(self, kind: str, name: str) -> Base:
        """Empty, with the schema in it."""
        made = await self._new(kind, name, template=None)
        if made.is_postgres:
            connection = await asyncpg.connect(made.url)
            try:
                for statement in statements("postgresql"):
                    await connection.execute(statement)
            finally:
                await connection.close()
        else:
            for statement in ("PRAGMA journal_mode = WAL", *statements("sqlite")):
                await made.run(statement)
        return made

    async def empty(self, name: str) -> str:
        """The address of a database of Postgres with nothing in it."""
        return (await self._new(POSTGRES, name, template=None)).url

    async def copy(self, base: Base, name: str) -> Base:
        """The same again; nobody may be connected to the first."""
        return await self._new(base.kind, name, template=base)

    async def _new(self, kind: str, name: str, *, template: Base | None) -> Base:
        if kind == POSTGRES:
            assert self._cluster is not None
            url = await self._cluster.create(name, template=None if template is None else template.name)
            return Base(kind=kind, name=name, url=url)
        file = self._folder / f"{name}.db"
        if template is not None:
            shutil.copy(template.name, file)
        return Base(kind=kind, name=str(file), url=f"sqlite:///{file}")


def ids(tag: str, first: int, count: int) -> list[str]:
    """Of the copies with this tag, which begin with 1."""
    return [f"apr_{tag}{number:012d}" for number in range(first, first + count)]


def like(tag: str) -> str:
    return f"apr_{tag}%"


async def copies(base: Base, *, of: str, tag: str, count: int, changed: Mapping[str, str] | None = None) -> None:
    """`count` interactions like `of`, each with its postings. `changed`: columns by SQL, in which `g.n` counts from 1.

    Triggers of foreign keys are off meanwhile: what is copied is whole.
    """
    number = "lpad(g.n::text, 12, '0')" if base.is_postgres else "printf('%012d', g.n)"
    id_ = f"'apr_{tag}' || {number}"
    own = {"id": id_, "run_id": id_, "operation_id": id_, "code": f"{number} || '{tag}'", **(changed or {})}
    messages = {"id": f"'pst_{tag}' || {number} || t.role", "interaction_id": id_}
    whole = [
        _copy(interactions, own, of=f"t.id = '{of}'", count=count, is_postgres=base.is_postgres),
        _copy(postings, messages, of=f"t.interaction_id = '{of}'", count=count, is_postgres=base.is_postgres),
    ]
    if not base.is_postgres:
        for statement in whole:
            await base.run(statement)
        return
    connection = await asyncpg.connect(base.url)
    try:
        await connection.execute("SET session_replication_role = replica")
        for statement in whole:
            await connection.execute(statement)
    finally:
        await connection.close()


def _copy(table: Table, changed: Mapping[str, str], *, of: str, count: int, is_postgres: bool) -> str:
    names = [column.name for column in table.columns]
    values = ", ".join(changed.get(name, f"t.{name}") for name in names)
    insert = f"INSERT INTO {table.name} ({', '.join(names)})"
    if is_postgres:
        return f"{insert} SELECT {values} FROM {table.name} AS t, generate_series(1, {count}) AS g(n) WHERE {of}"
    series = f"WITH RECURSIVE g(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM g WHERE n < {count})"
    return f"{insert} {series} SELECT {values} FROM {table.name} AS t, g WHERE {of}"


def shifted(base: Base, column: str, *, sign: str, unit: str) -> str:
    """A time of the copied row moved by `g.n` units (`seconds`, `minutes`)."""
    if base.is_postgres:
        return f"t.{column} {sign} g.n * interval '1 {unit}'"
    return f"strftime('%Y-%m-%dT%H:%M:%S', t.{column}, '{sign}' || g.n || ' {unit}') || '.000000+00:00'"
