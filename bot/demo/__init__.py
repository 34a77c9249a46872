"""The demo: a sandbox Slack, the service on SQLite, and three example runs, in one process on this machine."""

import asyncio
import secrets
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import click

from bot.settings import HalfConfigured

#: Chidi, of the sandbox's people.
OPERATOR = "U07CHIDI3EZ"

WELCOME = """
  Signoff is running.   Open  {page}

    1  #deploys   a deployment waits for your Approve or Deny
    2  #reports   a report asks which regions to include: choose several, then Submit
    3  #general   a mailing to 3,812 customers: try "Deny with reason…"
    4  anywhere   type /pending
    5  as Chidi   the operator: type /signoff stop deploy.* too many errors, and /signoff go

  You can be any of several people (top left). What the runs do appears below. Ctrl-C ends it.
"""

YOURS = """
  For a program of your own, paste this into another terminal. It ends with the demo.

    export SIGNOFF_URL={url}
    export SIGNOFF_KEY={key}
    export SIGNOFF_WEBHOOK_SECRET={secret}
"""


def run_demo(*, port: int, bot_port: int, examples: bool) -> None:
    """Until Ctrl-C.

    Raises:
        HalfConfigured: a port is taken.
    """
    with tempfile.TemporaryDirectory(prefix="signoff-demo-") as folder:
        asyncio.run(_demo(Path(folder), port=port, bot_port=bot_port, examples=examples))


async def _demo(folder: Path, *, port: int, bot_port: int, examples: bool) -> None:
    from bot.demo.client import Client
    from bot.demo.runs import Runs
    from bot.log import configure_logging
    from bot.process import stop_signal
    from bot.settings import Settings
    from bot.wiring import running
    from sandbox.server import Sandbox

    configure_logging("WARNING")
    # Before the address is printed: whoever reads it may press Ctrl-C at once.
    stop = stop_signal()
    async with AsyncExitStack() as stack:
        slack = await _started(stack, Sandbox(port=port), "--port", port)
        secret = f"whsec_{_base64(secrets.token_bytes(32))}"
        settings = Settings.model_validate(_environment(slack, folder, bot_port=bot_port, secret=secret))
        house = await _started(stack, running(settings), "--bot-port", bot_port)
        slack.bot_url = f"{house.url}/slack/events"
        click.echo(WELCOME.format(page=f"{slack.url}/?hints"))
        key = await _key(house.store, name="my-program", scopes="ask,read,work")
        click.echo(YOURS.format(url=house.url, key=key, secret=secret))
        if examples:
            token = await _key(house.store, name="demo", scopes="ask,read")
            client = await stack.enter_async_context(Client(url=str(house.url), token=token))
            runs = await stack.enter_async_context(Runs(client=client, secret=secret))
            await runs.start()
        await stop.wait()


async def _started(stack: AsyncExitStack, context: Any, option: str, port: int) -> Any:
    try:
        return await stack.enter_async_context(context)
    except OSError as error:
        raise HalfConfigured(f"port {port} is taken ({error.strerror}); choose another with {option}") from None


def _environment(slack: Any, folder: Path, *, bot_port: int, secret: str) -> dict[str, Any]:
    """All that `serve` would read from the environment, so that nothing of the real one is mixed in."""
    return {
        "DATABASE_URL": f"sqlite:///{folder / 'signoff.db'}",
        "HOST": "127.0.0.1",
        "PORT": bot_port,
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_APP_TOKEN": "",
        "SLACK_API_URL": slack.api_url,
        "SIGNOFF_OPERATORS": OPERATOR,
        "SIGNOFF_APP": "bot.demo.handlers",
        "SIGNOFF_WEBHOOK_SECRET": secret,
        "SIGNOFF_WEBHOOK_ALLOW": "127.0.0.0/8",
    }


async def _key(store: Any, *, name: str, scopes: str) -> str:
    from bot.console import Wanted, create_key

    wanted = Wanted(
        tenant="default", name=name, scopes=scopes, any_approvers=True, expires=None, owner=None, both=False
    )
    return await create_key(store, wanted)


def _base64(given: bytes) -> str:
    import base64

    return base64.b64encode(given).decode()
