"""One place a test, on each database that `serve` runs on."""

import pytest

from tests.e2e.house import place


@pytest.fixture(params=["memory"])
async def here(request, tmp_path):
    async with place("memory://") as found:
        yield found
