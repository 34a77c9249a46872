"""Addresses of databases, as people and platforms write them."""

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit


def sqlite_path(url: str) -> Path:
    """`sqlite:///relative.db` and `sqlite:////absolute.db`, also with `+aiosqlite`.

    Raises:
        ValueError: it names no file.
    """
    parts = urlsplit(url)
    name = unquote(parts.path[1:])
    if parts.scheme not in {"sqlite", "sqlite+aiosqlite"} or parts.netloc or not name or name == ":memory:":
        raise ValueError("a SQLite address is sqlite:///relative/file.db or sqlite:////absolute/file.db")
    return Path(name)


def postgres_url(url: str) -> str:
    """As asyncpg takes it: `postgresql://…`, with `sslmode` in libpq's words.

    Raises:
        ValueError: no Postgres address.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql", "postgresql+asyncpg", "postgres+asyncpg"}:
        raise ValueError("a Postgres address is postgresql://user:password@host:5432/name")
    query = [("sslmode" if name == "ssl" else name, value) for name, value in parse_qsl(parts.query)]
    return urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(query), ""))
