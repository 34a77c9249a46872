from collections.abc import AsyncIterator

import pytest
from app_double import App
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.clock import ManualClock
from sandbox.server import Sandbox
from tests.browser import browser, chromium  # noqa: F401 - fixtures


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def app() -> AsyncIterator[App]:
    async with App() as running:
        yield running


@pytest.fixture
async def slack(app: App, clock: ManualClock) -> AsyncIterator[Sandbox]:
    async with Sandbox(bot_url=app.url, clock=clock, ack_seconds=0.5, retry_delays=(0.0, 0.0, 0.0)) as running:
        yield running


@pytest.fixture
def web(slack: Sandbox) -> AsyncWebClient:
    """Slack's own client."""
    return AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, retry_handlers=[])
