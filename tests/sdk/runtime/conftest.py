"""A stage for hosted runs, on each database that the service runs on."""

import os

import pytest

from tests.e2e.house import place
from tests.sdk.runtime.stage import stage


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'signoff.db'}"


@pytest.fixture
async def here(database, tmp_path):
    """The service, with leases of two seconds."""
    effects = tmp_path / "effects.txt"
    os.environ["EFFECTS"] = str(effects)
    async with place(database, SIGNOFF_RUN_LEASE=2) as found:
        yield await stage(found, effects)
