"""A studio for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.paint.studio import Studio, open_studio


@pytest.fixture
async def studio() -> AsyncIterator[Studio]:
    async with open_studio() as opened:
        yield opened
