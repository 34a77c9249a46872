"""The only clock of this package: for the memory backend, where nobody gave it one."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)
