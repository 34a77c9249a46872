"""Hosted runs, by whoever has the database at hand."""

import click

from bot.commands import TENANT, Command, say_all, with_store

_STATUSES = ("queued", "running", "waiting", "completed", "failed")


@click.command(cls=Command)
@click.option("--code", help="Only those of this code.")
@click.option("--status", type=click.Choice(_STATUSES), help="Only those.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@TENANT
def runs(code: str | None, status: str | None, limit: int, tenant: str) -> None:
    """List hosted runs, newest first; `show RUN` shows one."""
    from bot.run_console import run_lines
    from store.runs import RunStatus

    wanted = None if status is None else RunStatus(status)
    say_all(with_store(lambda store: run_lines(store, tenant, code=code, status=wanted, limit=limit)))
