"""Stopping tools, letting them go on, and saying what happened: by whoever has the database at hand."""

import click

from bot.commands import TENANT, Command, say, say_all, with_store


@click.command(cls=Command)
@click.argument("tool", required=False)
@click.option("--reason", help="Cards say it.")
@TENANT
def stop(tool: str | None, reason: str | None, tenant: str) -> None:
    """Stop a tool ('deploy.*': all that begin so), or everything: no claim executes until `go`."""
    from bot.stop_console import stop_line

    say(with_store(lambda store: stop_line(store, tenant, tool, reason)))


@click.command(cls=Command)
@click.argument("tool", required=False)
@TENANT
def go(tool: str | None, tenant: str) -> None:
    """End the stop of a tool, written as it was stopped, or all stops."""
    from bot.stop_console import go_lines

    say_all(with_store(lambda store: go_lines(store, tenant, tool)))


@click.command(cls=Command)
@TENANT
def stops(tenant: str) -> None:
    """List what is stopped, oldest first."""
    from bot.stop_console import stop_lines

    say_all(with_store(lambda store: stop_lines(store, tenant)))


@click.command(cls=Command)
@click.argument("id", metavar="ID")
@click.option("--happened", "said", flag_value="happened", help="Its effect took place.")
@click.option("--did-not", "said", flag_value="did not", help="It did not; one new claim may run it.")
@TENANT
def settle(id: str, said: str | None, tenant: str) -> None:
    """Say what became of an execution that went silent: --happened or --did-not."""
    if said is None:
        raise click.UsageError("Say --happened or --did-not.")
    from bot.stop_console import settle_line

    say(with_store(lambda store: settle_line(store, tenant, id, happened=said == "happened")))
