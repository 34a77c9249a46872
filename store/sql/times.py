"""Instants in SQLite: text in UTC with microseconds, of fixed width, so that it sorts as time does."""

from datetime import UTC, datetime
from typing import Any


def time_text(value: Any) -> Any:
    """An instant as text; anything else as it is."""
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        raise ValueError("an instant needs its time zone")
    return value.astimezone(UTC).isoformat(timespec="microseconds")


def read_time(value: Any) -> datetime | None:
    """From either driver: Postgres gives instants, SQLite their texts."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def instant(value: Any) -> datetime:
    """Of a column that is never null."""
    read = read_time(value)
    if read is None:
        raise TypeError("a time is missing where the schema requires one")
    return read
