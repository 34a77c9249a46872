"""One place a test, on each database that `serve` runs on."""

import pytest

from tests.browser import browser, chromium  # noqa: F401 - fixtures
from tests.e2e.house import place


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'signoff.db'}"


@pytest.fixture
async def here(database):
    async with place(database) as found:
        yield found
