"""What migrations are made of: frozen SQL beside them, and another shape for a table of SQLite.

A migration that was released never changes: databases were made with it.
"""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import Connection

_VERSIONS = Path(__file__).parent / "versions"


def run(bind: Connection, name: str) -> None:
    """Each statement of `versions/<name>_<dialect>.sql`."""
    for statement in statements(name, bind.dialect.name):
        bind.exec_driver_sql(statement)


def statements(name: str, dialect: str) -> list[str]:
    frozen = (_VERSIONS / f"{name}_{dialect}.sql").read_text(encoding="utf-8")
    return [statement for statement in frozen.split(";\n") if statement.strip()]


def rebuild(bind: Connection, table: str, shape: list[str], *, fills: Mapping[str, str] | None = None) -> None:
    """Give a table of SQLite another shape, and keep its rows: SQLite cannot alter a check or a constraint.

    `shape`: its new CREATE TABLE, then its indexes, as the schema has them. `fills`: by column that the old shape
    has not, the SQL expression of its value; without one it has its default.

    Raises:
        RuntimeError: foreign keys are enforced (dropping the old table would delete what refers to it), or the new
            rows leave something that refers to nothing.
    """
    if bind.exec_driver_sql("PRAGMA foreign_keys").scalar():
        raise RuntimeError(f"{table} cannot be rebuilt while foreign keys are enforced")
    new = f"{table}_new"
    create, *indexes = shape
    bind.exec_driver_sql(create.replace(f"CREATE TABLE {table} ", f"CREATE TABLE {new} ", 1))
    old_columns = _columns(bind, table)
    values = {name: name for name in _columns(bind, new) if name in old_columns} | dict(fills or {})
    into, of = ", ".join(values), ", ".join(values.values())
    bind.exec_driver_sql(f"INSERT INTO {new} ({into}) SELECT {of} FROM {table}")  # noqa: S608  # names of our own schema
    bind.exec_driver_sql(f"DROP TABLE {table}")
    bind.exec_driver_sql(f"ALTER TABLE {new} RENAME TO {table}")
    for statement in indexes:
        bind.exec_driver_sql(statement)
    if bind.exec_driver_sql("PRAGMA foreign_key_check").fetchall():
        raise RuntimeError(f"rebuilding {table} left rows that refer to nothing")


def _columns(bind: Connection, table: str) -> list[str]:
    return [str(row[1]) for row in bind.exec_driver_sql(f"PRAGMA table_info({table})")]
