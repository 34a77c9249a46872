"""The API on a real server, with a real client, over each store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.site import Site, open_site
from tests.parts import STORES, Parts, make_template, open_parts, store_url


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(params=STORES)
async def parts(request: pytest.FixtureRequest, tmp_path: Path, template: Path) -> AsyncIterator[Parts]:
    async with open_parts(store_url(request.param, tmp_path, template)) as opened:
        yield opened


@pytest.fixture
async def site(parts: Parts) -> AsyncIterator[Site]:
    async with open_site(parts) as running:
        yield running
