"""One store of each kind for every test of the contract; each is closed with no connection out."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from store.open import open_store
from store.protocol import Store

KINDS = ("memory", "sqlite", "postgres")


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/store.db"


@pytest.fixture
async def store(store_url: str) -> AsyncIterator[Store]:
    opened = await open_store(store_url)
    yield opened
    database = getattr(opened, "_database", None)
    assert database is None or database.is_idle
    await opened.close()
