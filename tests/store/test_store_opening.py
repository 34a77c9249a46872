"""Addresses, and what opening loads."""

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from store.open import open_store
from store.sql.url import postgres_url, sqlite_path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///signoff.db", "signoff.db"),
        ("sqlite:///data/my%20file.db", "data/my file.db"),
        ("sqlite:////var/lib/signoff.db", "/var/lib/signoff.db"),
        ("sqlite+aiosqlite:///x.db", "x.db"),
    ],
)
def test_sqlite_addresses_name_a_file(url, path) -> None:
    assert sqlite_path(url) == Path(path)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://host/x", "sqlitex:///x"])
def test_sqlite_addresses_without_a_file_are_refused(url) -> None:
    with pytest.raises(ValueError, match="sqlite:///"):
        sqlite_path(url)


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("postgres://u:p@h:1/d", "postgresql://u:p@h:1/d"),
        ("postgresql://u:p%40@h/d", "postgresql://u:p%40@h/d"),
        ("postgresql+asyncpg://h/d?ssl=require", "postgresql://h/d?sslmode=require"),
        (
            "postgres://h/d?sslmode=verify-full&application_name=x",
            "postgresql://h/d?sslmode=verify-full&application_name=x",
        ),
    ],
)
def test_postgres_addresses_come_in_many_spellings(url, normal) -> None:
    assert postgres_url(url) == normal


@pytest.mark.parametrize("url", ["postgresql+psycopg://h/d", "mysql://h/d", ""])
def test_other_addresses_are_refused(url) -> None:
    with pytest.raises(ValueError, match="postgresql://"):
        postgres_url(url)


@pytest.mark.parametrize("url", ["mysql://h/d", "", "redis://h"])
async def test_there_is_no_store_for_other_schemes(url) -> None:
    with pytest.raises(ValueError, match="no store for"):
        await open_store(url)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
async def test_each_spelling_opens(postgres_url, scheme) -> None:  # the fixture, not the function
    store = await open_store(urlsplit(postgres_url)._replace(scheme=scheme, query="sslmode=disable").geturl())

    await store.ping()
    await store.close()


def test_opening_loads_only_what_its_database_needs(tmp_path) -> None:
    program = f"""
import asyncio, sys
from store.open import open_store
def loaded(): return [name for name in ("sqlalchemy", "aiosqlite", "asyncpg", "alembic") if name in sys.modules]
print(loaded())
async def main():
    for url in ("memory://", "sqlite:///{tmp_path}/x.db"):
        store = await open_store(url, serving=True)
        print(loaded())
        await store.close()
asyncio.run(main())
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert said.splitlines() == ["[]", "[]", "['sqlalchemy', 'aiosqlite']"]


def test_serving_a_current_postgres_loads_no_alembic(postgres_url) -> None:  # the fixture
    program = f"""
import asyncio, sys
from store.open import open_store
async def main():
    store = await open_store({postgres_url!r}, serving=True)
    await store.close()
asyncio.run(main())
print("alembic" in sys.modules)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert said == "False\n"
