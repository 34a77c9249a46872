"""One place a test, on each database that `serve` runs on."""

import pytest

from bot.console import Wanted, create_key
from tests.browser import browser, chromium  # noqa: F401 - fixtures
from tests.e2e.house import DANA, place


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'signoff.db'}"


@pytest.fixture
async def here(database):
    async with place(database) as found:
        yield found


@pytest.fixture
async def owned_token(here):
    """A key that Dana answers for."""
    wanted = Wanted(
        tenant="default", name="danas", scopes="ask,read", any_approvers=True, expires=None, owner=DANA, both=False
    )
    return await create_key(here.house.store, wanted)
