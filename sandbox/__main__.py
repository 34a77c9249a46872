"""`python -m sandbox`: a Slack to click on."""

import argparse
import asyncio
import signal
from typing import Final

from sandbox import seed
from sandbox.server import Sandbox

PORT: Final = 8301


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox", description="A Slack workspace that runs on your machine."
    )
    parser.add_argument("--port", type=int, default=PORT, help=f"where to listen; 0 takes a free one (default {PORT})")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--bot-url", help="where the app takes Slack's requests, e.g. http://127.0.0.1:8300/slack/events"
    )
    parser.add_argument("--signing-secret", default=seed.SIGNING_SECRET)
    parser.add_argument("--bot-token", default=seed.BOT_TOKEN)
    parser.add_argument("--app-token", default=seed.APP_TOKEN)
    parser.add_argument(
        "--command", action="append", metavar="/NAME", help="a slash command of the app; give it once for each"
    )
    parser.add_argument(
        "--escape",
        action="append",
        metavar="/NAME",
        help="a slash command that gets ids in place of names; once for each",
    )
    parser.add_argument(
        "--strict-rate",
        action="store_true",
        help="refuse more calls than Slack's tiers allow, and more than one message per second and channel",
    )
    parser.add_argument("--scope", action="append", metavar="NAME", help="a scope of the bot token; once for each")
    parser.add_argument("--enterprise", choices=("workspace", "org"), help="be part of an Enterprise organisation")
    return parser.parse_args(arguments)


async def run(options: argparse.Namespace) -> None:
    """Serve until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    slack = Sandbox(
        port=options.port,
        host=options.host,
        bot_url=options.bot_url,
        bot_token=options.bot_token,
        app_token=options.app_token,
        signing_secret=options.signing_secret,
        strict_rate=options.strict_rate,
        scopes=options.scope,
        enterprise=options.enterprise,
    )
    if options.command:
        slack.workspace.commands[:] = options.command
    slack.workspace.escaped_commands |= set(options.escape or ())
    async with slack:
        print(f"Sandbox Slack on {slack.url}", flush=True)  # noqa: T201 - the one line this command is for
        await stop.wait()


if __name__ == "__main__":
    asyncio.run(run(parse()))
