"""Fixtures that all tests may use: a Postgres, and a database in it."""

import os
from collections.abc import Iterator

import pytest

from tests import postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server; its tests are skipped where there is none, and fail where CI says there must be."""
    try:
        running = postgres.server()
        url = running.__enter__()
    except postgres.Unavailable as reason:
        if os.environ.get("CI"):
            pytest.fail(str(reason))
        pytest.skip(str(reason))
    try:
        yield url
    finally:
        running.__exit__(None, None, None)


@pytest.fixture(scope="session")
def _databases(postgres_server: str) -> Iterator[tuple[str, str]]:
    with postgres.databases(postgres_server) as made:
        yield made


@pytest.fixture
async def postgres_url(_databases: tuple[str, str]) -> str:
    """A migrated, empty database: one for each worker, emptied before each test."""
    _, url = _databases
    await postgres.empty(url)
    return url


@pytest.fixture
async def fresh_postgres_url(postgres_server: str, _databases: tuple[str, str]) -> str:
    """A database of its own, for tests that do worse things to it."""
    template, _ = _databases
    return await postgres.fresh(postgres_server, template)


@pytest.fixture
async def bare_postgres_url(postgres_server: str) -> str:
    """A database without a schema."""
    return await postgres.fresh(postgres_server, "template0")
