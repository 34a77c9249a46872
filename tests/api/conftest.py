"""The API on a real server, with a real client, over each store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.site import Site, open_site
from tests.parts import STORES, Parts, open_parts, store_url


@pytest.fixture(params=STORES)
async def parts(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Parts]:
    async with open_parts(store_url(request.param, tmp_path)) as opened:
        yield opened


@pytest.fixture
async def site(parts: Parts) -> AsyncIterator[Site]:
    async with open_site(parts) as running:
        yield running
