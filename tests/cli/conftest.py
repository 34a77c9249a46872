"""A folder, a shell in it, and a Slack to be configured for."""

import pytest

from sandbox.server import Sandbox
from tests.cli.shell import Shell


@pytest.fixture
def shell(tmp_path):
    return Shell(folder=tmp_path)


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


@pytest.fixture
def configured(shell, slack):
    """A shell whose environment has all that `serve` needs."""
    shell.environment = {
        "PORT": "0",
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_URL": slack.api_url,
    }
    return shell
