"""What all commands are made of: options that many share, and one sentence for what its reader can mend."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from signoff.cli.exits import Exit
from signoff.cli.spans import Span
from signoff.cli.ways import Misused, Way, sentence

F = TypeVar("F", bound=Callable[..., Any])

#: Where the words after `--` are kept, for the command that takes some.
AFTER = "signoff.after"


class Command(click.Command):
    """Turns what a reader can mend into one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except Exception as error:
            said = sentence(error)
            if said is None:
                raise
            words, code = said
            raise (Misused if code is Exit.USAGE else _Said)(words) from error


class WithCommand(Command):
    """Whatever stands after the first `--` is a command line of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            place = args.index("--")
            ctx.meta[AFTER] = tuple(args[place + 1 :])
            args = args[:place]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        options, *arguments = super().collect_usage_pieces(ctx)
        return [*arguments, options, "[-- COMMAND…]"]


class Group(click.Group):
    command_class = Command
    group_class = type


class _Said(click.ClickException):
    """One sentence, and how to end."""


def ended(code: int) -> None:
    """End with this exit code."""
    sys.stdout.flush()
    raise click.exceptions.Exit(int(code))


def reached(command: F) -> F:
    """Options of everything that talks to the service."""
    for option in (
        click.option("--key", metavar="KEY", help="A key of Signoff. Better in SIGNOFF_KEY: others see command lines."),
        click.option("--url", metavar="URL", help="Where Signoff is; or SIGNOFF_URL. Default: http://127.0.0.1:8300"),
    ):
        command = option(command)
    return command


def asks(command: F) -> F:
    """Options of everything that asks."""
    options = (
        click.option("--channel", "to", multiple=True, metavar="C…|#NAME", help="A channel for the card; may repeat."),
        click.option("--to", "also_to", multiple=True, metavar="NAME", help="Anyone or anywhere: #deploys, @ana, ana@acme.example."),
        click.option("--policy", metavar="NAME", help="The policy to ask under; it may say who decides, and where."),
        click.option("--expires", type=Span(never="never"), metavar="SPAN", help="When it is too late to decide: 24h, 30m, or never."),
        click.option("--wait", "seconds", type=Span(may_be_zero=True), metavar="SPAN", help="How long to wait: 2h, 0 to look only. Default: as long as it is open."),
        click.option("--run", "run_id", metavar="ID", help="Which run asks; or SIGNOFF_RUN_ID. In CI it is known."),
        click.option("--operation", "operation_id", metavar="ID", help="This ask within the run. Default: told by its content."),
        click.option("--on-cancel", type=click.Choice(["auto", "withdraw", "leave"]), default="auto", show_default=True, help="When this is cancelled while it waits: auto withdraws in CI, and leaves the ask open elsewhere."),
        click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON on standard output."),
        click.option("--quiet", "is_quiet", is_flag=True, help="Say nothing on standard error but errors."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return reached(command)


def way(given: Mapping[str, Any]) -> Way:
    return Way(url=given["url"], key=given["key"])


def is_ci(environment: Mapping[str, str] = os.environ) -> bool:
    """As CI systems say it themselves."""
    return environment.get("CI", "").lower() not in {"", "0", "false", "no"} or any(
        environment.get(sign) for sign in ("GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL", "BUILDKITE", "TF_BUILD")
    )
