from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.parts import STORES, Parts, make_template, open_parts, store_url


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_template(tmp_path_factory.mktemp("template"))


@pytest.fixture(params=STORES)
async def parts(request: pytest.FixtureRequest, tmp_path: Path, template: Path) -> AsyncIterator[Parts]:
    async with open_parts(store_url(request.param, tmp_path, template)) as opened:
        yield opened
