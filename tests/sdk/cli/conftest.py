"""The service, the sandbox Slack, and a machine on which `signoff` is run."""

import signal

import pytest

from tests.e2e.house import place
from tests.sdk.cli.shell import Pipeline

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever starts the tests in the background has it ignored, and no shell that inherits that can trap it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
async def machine(here, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    made = Pipeline(folder=home, url=str(here.house.url), token=here.token)
    yield made
    await made.close()
