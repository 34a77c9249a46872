"""The command line. Imports lazily: `--help`, and whatever only talks to the database, load no Bolt and no aiohttp."""

import sys
from typing import Any

import click

from bot.cli_deliveries import deliveries, replay
from bot.cli_policy import policy
from bot.cli_runs import runs
from bot.cli_stops import go, settle, stop, stops
from bot.commands import TENANT, Group, run, say, say_all, with_store

SCOPES = ("ask", "read", "decide", "work", "admin")


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="signoff-bot", prog_name="signoff-bot")
def main() -> None:
    """Approvals and questions of paused runs, answered in Slack and handed back exactly once.

    Settings come from the environment: DATABASE_URL, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET or SLACK_APP_TOKEN, and
    those that the README lists.
    """


@main.command()
@click.option("--no-worker", is_flag=True, help="Only answer Slack and the API; `work` runs elsewhere.")
@click.option(
    "--app", metavar="MODULE", help="MODULE or MODULE:NAME with @on_resume handlers or a runtime (or SIGNOFF_APP)."
)
def serve(no_worker: bool, app: str | None) -> None:
    """Answer Slack and the API; paint cards, resume runs, host those of --app."""
    from bot.process import serve_until_told

    serve_until_told(web_side=True, worker=not no_worker, app=app)


@main.command()
@click.option(
    "--app", metavar="MODULE", help="MODULE or MODULE:NAME with @on_resume handlers or a runtime (or SIGNOFF_APP)."
)
def work(app: str | None) -> None:
    """Paint cards, resume runs, host those of --app, beside `serve --no-worker`."""
    from bot.process import serve_until_told

    serve_until_told(web_side=False, worker=True, app=app)


@main.command()
@click.option("--port", default=8301, show_default=True, help="Port of the sandbox's page.")
@click.option("--bot-port", default=8300, show_default=True, help="Port of the bot.")
@click.option("--no-examples", is_flag=True, help="Start without the example runs.")
def demo(port: int, bot_port: int, no_examples: bool) -> None:
    """Try everything on this machine: a sandbox Slack, the bot, and three example runs."""
    from bot.demo import run_demo

    run_demo(port=port, bot_port=bot_port, examples=not no_examples)


@main.command()
def migrate() -> None:
    """Bring the database to this version's schema."""
    from bot.console import is_current
    from bot.settings import load_database_settings
    from store.migrate import migrate as upgrade

    url = load_database_settings().database_url
    was_current = run(is_current(url))
    run(upgrade(url))
    click.echo("Nothing to do: the schema is current." if was_current else "Migrated: the schema is current.")


@main.command()
@click.option(
    "--dialect", type=click.Choice(["postgresql", "sqlite", "memory"]), default="postgresql", show_default=True
)
def schema(dialect: str) -> None:
    """Print the schema as SQL, for those who run their own migrations."""
    from store.schema import schema as ddl

    click.echo(ddl(dialect))


@main.command()
@click.option("--url", default="https://signoff.example.com", show_default=True, help="Where Slack reaches `serve`.")
@click.option("--socket-mode", is_flag=True, help="For workspaces that cannot reach it.")
def manifest(url: str, socket_mode: bool) -> None:
    """Print the Slack app manifest to paste at "Create an app from a manifest"."""
    from bot.manifest import render

    click.echo(render(url=url, socket_mode=socket_mode), nl=False)


@main.command()
@click.option("--app", metavar="MODULE", help="Module with @on_resume handlers (or SIGNOFF_APP), as workers have it.")
def doctor(app: str | None) -> None:
    """Check settings, Slack, scopes, database, keys, and what is stuck; exit code 1 when something needs you."""
    from bot.doctor import examine

    findings = run(examine(app))
    for finding in findings:
        say(f"{'ok  ' if finding.is_well else 'MEND'}  {finding.text}")
    sys.exit(0 if all(finding.is_well for finding in findings) else 1)


@main.command()
@TENANT
def pending(tenant: str) -> None:
    """List what waits, oldest deadline first."""
    from bot.console import pending_lines

    say_all(with_store(lambda store: pending_lines(store, tenant)))


@main.command()
@click.argument("id", metavar="ID")
@TENANT
def show(id: str, tenant: str) -> None:
    """Show one interaction, by id or short code: state, people, postings, events; or a hosted run, by its id."""
    from bot.show import show_lines

    say_all(with_store(lambda store: show_lines(store, tenant, id)))


@main.command()
@click.argument("id", metavar="ID")
@TENANT
def wake(id: str, tenant: str) -> None:
    """Tell a run again that its approval is decided."""
    from bot.console import wake_line

    say(with_store(lambda store: wake_line(store, tenant, id)))


@main.group(cls=Group)
def keys() -> None:
    """API keys: who may ask, read and decide."""


@keys.command("create")
@click.option("--scopes", required=True, metavar="SCOPE,…", help=f"Of {', '.join(SCOPES)}.")
@click.option("--name", required=True, help="What cards show for this key.")
@click.option("--policy", metavar="NAME,…", help="Asks come under these policies; the first where they name none.")
@click.option("--any-approvers", is_flag=True, help="Asks may name their own approvers; for keys without a policy.")
@TENANT
@click.option("--expires", metavar="90d", help="Days (d), hours (h) or minutes (m) from now.")
@click.option(
    "--owner", metavar="U…", help="The Slack user who answers for this key: requester of asks that name none."
)
@click.option("--both", is_flag=True, help="Allow `ask` and `decide` on one key.")
def keys_create(**given: Any) -> None:
    """Print a new key, alone, on standard output. It is not shown again."""
    from bot.console import Wanted, create_key, readable

    wanted = Wanted(**given)
    # Before a file is made for it.
    readable(wanted)
    click.echo(with_store(lambda store: create_key(store, wanted), makes_file=True))


@keys.command("list")
@TENANT
def keys_list(tenant: str) -> None:
    """List keys, without their secrets."""
    from bot.console import key_lines

    say_all(with_store(lambda store: key_lines(store, tenant)))


@keys.command("revoke")
@click.argument("name")
@TENANT
def keys_revoke(name: str, tenant: str) -> None:
    """End a key at once."""
    from bot.console import revoke_line

    say(with_store(lambda store: revoke_line(store, tenant, name)))


main.add_command(policy)
for command in (deliveries, replay, stop, go, stops, settle, runs):
    main.add_command(command)
