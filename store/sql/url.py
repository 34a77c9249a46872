"""Addresses of databases, as people and platforms write them."""

from pathlib import Path
from urllib.parse import unquote, urlsplit


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
