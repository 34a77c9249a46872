"""One place a test, on each database that `serve` runs on."""

import pytest

from tests.e2e.house import place


@pytest.fixture(params=["sqlite"])
def database(request, tmp_path):
    return f"sqlite:///{tmp_path / 'signoff.db'}"


@pytest.fixture
def real_database(database):
    return database


@pytest.fixture
async def here(database):
    async with place(database) as found:
        yield found
