import pytest

from tests.front.stage import standing


@pytest.fixture
async def stage():
    async with standing() as found:
        yield found


@pytest.fixture
async def hurried():
    """A stage where a request has a fifth of a second."""
    async with standing(budget=0.2) as found:
        yield found
