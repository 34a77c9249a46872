"""`signoff-bot policy`: who may approve what, owned by operators. Imports lazily, as all commands."""

from typing import Any

import click

from bot.commands import TENANT, Group, run, say, say_all, with_store

_PEOPLE = click.IntRange(1, 20)


@click.group(cls=Group)
def policy() -> None:
    """Policies: who may approve what, how many, where cards go."""


@policy.command("set")
@click.argument("name")
@click.option("--approvers", required=True, metavar="@…,U…,S…", help="People, groups, and keys as key:NAME.")
@click.option("--quorum", type=_PEOPLE, default=1, show_default=True, help="Approvals that decide, of distinct people.")
@click.option("--denials", type=_PEOPLE, default=1, show_default=True, help="Denials that decide.")
@click.option("--tools", metavar="NAME,…", help="Only these tools; 'deploy.*' is all that begin so. Else everything.")
@click.option(
    "--to", metavar="#…,C…,@…,U…", help="Channels and people that get its cards, beside those that an ask names."
)
@click.option("--max-expires", metavar="4h", help="The longest an ask waits.")
@click.option("--on-expiry", type=click.Choice(["expire", "deny"]), default="expire", show_default=True)
@click.option("--allow-requester/--no-requester", default=False, show_default=True, help="May who asked decide, too?")
@click.option("--require-reason", is_flag=True, help="A denial needs a reason.")
@click.option("--remind-after", metavar="30m", help="Remind so long after the ask; then after twice as long, …")
@click.option("--remind-most", type=click.IntRange(1, 10), help="Reminders in all.  [default: 3]")
@click.option("--hours", metavar="09:00-18:00", help="Remind only then.")
@click.option("--zone", metavar="Europe/Berlin", help="The time zone of --hours.")
@click.option("--days", metavar="mon-fri", help="The days of --hours.  [default: mon-fri]")
@click.option("--escalate", multiple=True, metavar="after=1h,@…,S…,U…", help="Then these may decide, too. May repeat.")
@click.option("--extension", metavar="4h", help="Time that an approver may add, once.")
@click.option("--edit", is_flag=True, help="The approver may change the input, where its schema came with the ask.")
@TENANT
def policy_set(**given: Any) -> None:
    """Set all of a policy: what is left out has its default. Each change is a revision, kept for ever."""
    from bot.policy_console import set_lines
    from bot.policy_names import names_channels, names_people
    from bot.policy_options import Said, checked

    said, team = Said(**given), None
    named: tuple[str, ...] = ()
    if names_people(said) or names_channels(said):
        # Only then: it loads aiohttp.
        from bot.policy_lookup import look_up

        found = run(look_up(said))
        said, named, team = found.resolved.said, found.resolved.lines, found.team
    # Before a file is made for it.
    checked(said)
    say_all([*with_store(lambda store: set_lines(store, said, team=team), makes_file=True), *named])


@policy.command("list")
@TENANT
def policy_list(tenant: str) -> None:
    """List policies, a line each."""
    from bot.policy_console import list_lines

    say_all(with_store(lambda store: list_lines(store, tenant)))


@policy.command("show")
@click.argument("name")
@click.option("--revision", type=click.IntRange(min=1), help="As it was then.")
@click.option("--json", "is_json", is_flag=True, help="For programs.")
@TENANT
def policy_show(*, name: str, revision: int | None, is_json: bool, tenant: str) -> None:
    """Show what a policy says, and the keys that are bound to it."""
    from bot.policy_console import show_lines, shown_as_json

    if is_json:
        click.echo(with_store(lambda store: shown_as_json(store, tenant, name, revision)))
        return
    say_all(with_store(lambda store: show_lines(store, tenant, name, revision)))


@policy.command("remove")
@click.argument("name")
@TENANT
def policy_remove(name: str, tenant: str) -> None:
    """Nobody asks under it any more. What was asked goes on; its revisions are kept."""
    from bot.policy_console import remove_line

    say(with_store(lambda store: remove_line(store, tenant, name)))


@policy.command("history")
@click.argument("name")
@TENANT
def policy_history(name: str, tenant: str) -> None:
    """List its revisions, newest first: who set what, and when."""
    from bot.policy_console import history_lines

    say_all(with_store(lambda store: history_lines(store, tenant, name)))
