"""The service with the sandbox Slack, on SQLite unless a test says otherwise, and a client of each kind."""

import asyncio
import threading
from contextlib import AsyncExitStack

import pytest

from signoff import AsyncSignoff, Signoff
from tests.e2e.house import CHIDI, place
from tests.sdk.either import Either

KINDS = {"sync": Signoff, "async": AsyncSignoff}


@pytest.fixture
def database(request, tmp_path):
    """SQLite, or what a test names: `parametrize("database", ["sqlite", "postgres"], indirect=True)`."""
    if getattr(request, "param", "sqlite") == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'signoff.db'}"


@pytest.fixture
async def here(database):
    async with place(database, SIGNOFF_OPERATORS=CHIDI) as found:
        yield found


@pytest.fixture(params=KINDS)
def kind(request):
    """The class of a client."""
    return KINDS[request.param]


@pytest.fixture
async def so(here, kind):
    """A client, to be awaited whatever its kind."""
    client = Either(kind(url=here.house.url, key=here.token, patience=5, environment={}))
    yield client
    await client.close()


@pytest.fixture
def here_in_a_thread(tmp_path):
    """The same service on a loop of its own, beside a test that blocks; and how to do something on that loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="service")
    thread.start()

    def call(work):
        return asyncio.run_coroutine_threadsafe(work, loop).result(30)

    stack = AsyncExitStack()
    try:
        yield call(stack.enter_async_context(place(f"sqlite:///{tmp_path / 'signoff.db'}"))), call
    finally:
        call(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
