from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.parts import STORES, Parts, open_parts, store_url


@pytest.fixture(params=STORES)
async def parts(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Parts]:
    async with open_parts(store_url(request.param, tmp_path)) as opened:
        yield opened
