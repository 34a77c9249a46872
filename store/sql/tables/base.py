"""What the tables share: their types, and how columns, checks and partial indexes are written."""

from typing import Any

from sqlalchemy import CheckConstraint, Column, DateTime, Index, MetaData, Text, text
from sqlalchemy.dialects.postgresql import JSON, JSONB

metadata = MetaData()

#: A text whose order counts: by code point, as Python and SQLite sort it.
Sorted = Text().with_variant(Text(collation="C"), "postgresql")
#: On SQLite a text of fixed width in UTC with microseconds, so that it sorts (`store.sql.rows.time_text`).
Time = DateTime(timezone=True).with_variant(Text(), "sqlite")
Json = JSON().with_variant(Text(), "sqlite")
#: JSON that statements look into.
Jsonb = JSONB().with_variant(Text(), "sqlite")


def required(name: str, type_: Any, default: str | None = None) -> Column[Any]:
    return Column(name, type_, nullable=False, server_default=None if default is None else text(default))


def check(name: str, condition: str) -> CheckConstraint:
    return CheckConstraint(condition, name=name)


def partial(name: str, *columns: Any, where: Any, sqlite_where: Any = None, unique: bool = False) -> Index:
    """SQLite uses it only where the query says the same, word for word: sometimes it needs its own words."""
    theirs = where if sqlite_where is None else sqlite_where
    return Index(name, *columns, unique=unique, postgresql_where=where, sqlite_where=theirs)
