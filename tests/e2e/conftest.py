"""One place a test, on each database that `serve` runs on."""

import pytest

from tests.e2e.house import place


@pytest.fixture(params=["memory"])
async def database(request, tmp_path):
    return "memory://"


@pytest.fixture
async def here(database):
    async with place(database) as found:
        yield found
