"""What was sent to webhooks, and sending it again."""

import click

from bot.commands import TENANT, Command, say, say_all, with_store


@click.command(cls=Command)
@click.argument("id", metavar="[ID]", required=False)
@TENANT
def deliveries(id: str | None, tenant: str) -> None:
    """List what was sent to webhooks, newest first: of one request, or the last 100 of all."""
    from bot.delivery_console import delivery_lines

    say_all(with_store(lambda store: delivery_lines(store, tenant, id)))


@click.command(cls=Command)
@click.argument("id", metavar="ID")
@click.option("--message", metavar="ID", help="A certain message, as `deliveries` names it; else the last one.")
@TENANT
def replay(id: str, message: str | None, tenant: str) -> None:
    """Send a message to its webhook again: same id, same bytes, whatever came of it before.

    Takes SIGNOFF_WEBHOOK_SECRET and SIGNOFF_WEBHOOK_ALLOW as `serve` has them. Exit code 1 where it was not taken.
    """
    from bot.delivery_console import replay_line
    from bot.settings import load_webhook_settings

    settings = load_webhook_settings()
    say(with_store(lambda store: replay_line(store, tenant, id, message_id=message, settings=settings)))
