"""The file of a SQLite store: made for its owner alone, brought to the schema before it is used."""

import sqlite3
from contextlib import closing
from pathlib import Path

from store import errors
from store.migrations import HEAD, REVISIONS
from store.schema import statements
from store.sql.sqlite import private


def prepare(path: Path) -> bool:
    """Make the file or the schema in it, where they are missing. False where it needs a migration first.

    Raises:
        SchemaOutdated: it was made by a newer version than this.
    """
    with open(path, "ab", opener=private):  # Path takes no opener
        pass
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        found = version(connection)
        if found is None:
            found = _create(connection)
    if found not in REVISIONS:
        raise errors.SchemaOutdated(f"{path} is at schema {found}, which this version does not know: use a newer one")
    return found == HEAD


def release(path: Path) -> None:
    """End all leases: whoever held one is dead, for only one process serves, and that is us."""
    with closing(sqlite3.connect(path, timeout=5)) as connection, connection:
        connection.execute("UPDATE postings SET lease = NULL, leased_until = NULL WHERE lease IS NOT NULL")
        connection.execute(
            "UPDATE interactions SET resume_lease = NULL, resume_leased_until = NULL WHERE resume_lease IS NOT NULL"
        )


def version(connection: sqlite3.Connection) -> str | None:
    """The revision that the file is at; None for an empty one."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone():
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])


def _create(connection: sqlite3.Connection) -> str:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have been here between our look and our lock.
    found = version(connection)
    if found is None:
        for statement in statements("sqlite"):
            connection.execute(statement)
        found = HEAD
    connection.execute("COMMIT")
    return found
