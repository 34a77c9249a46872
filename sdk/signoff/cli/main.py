"""The commands of `signoff`. Imports lazily: `--help` loads neither httpx nor msgspec."""

import os
import socket
from typing import Any

import click

from signoff import __version__
from signoff.cli import commands
from signoff.cli.commands import asks, ended, reached, way
from signoff.cli.spans import Span

HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
EXIT_CODES = """Exit codes: 0 yes · 1 error · 2 usage · 10 denied · 11 expired, or not started in time · 12 withdrawn or
replaced · 13 already ran · 14 --wait ended, and the ask stays open. With a COMMAND that ran: its own."""


def _machine() -> str:
    """What CI calls this runner, or this machine's own name."""
    name = os.environ.get("RUNNER_NAME") or os.environ.get("CI_RUNNER_DESCRIPTION") or socket.gethostname()
    return "".join(letter for letter in name if letter.isprintable()).strip()[:200] or "signoff"


@click.group(cls=commands.Group, context_settings=HELP)
@click.version_option(__version__, prog_name="signoff")
def main() -> None:
    """Ask people in Slack from a shell or a pipeline, and go on when they say so.

    SIGNOFF_URL and SIGNOFF_KEY say where Signoff is and what opens it.
    """


@main.command(cls=commands.WithCommand, epilog=EXIT_CODES)
@click.argument("title")
@asks
@click.option("--approver", "approvers", multiple=True, metavar="U…|@NAME", help="Who may approve; may repeat.")
@click.option(
    "--group", "groups", multiple=True, metavar="S…|@NAME", help="A user group whose members may approve; may repeat."
)
@click.option("--quorum", type=click.IntRange(1, 20), help="So many have to agree.")
@click.option("--require-reason", is_flag=True, help="A denial needs a reason.")
@click.option("--requested-by", metavar="U…", help="The person for whom this asks, who then may not approve it.")
@click.option("--body", metavar="TEXT", help="More words, in Markdown.")
@click.option("--tool", "tool_name", metavar="NAME", help="What will run, by name: deploy.release. With --input.")
@click.option(
    "--input", "input_text", metavar="JSON|@FILE", help="What it will run with. Shown, and bound to the approval."
)
@click.option(
    "--details",
    "details_file",
    type=click.File("r", encoding="utf-8"),
    metavar="FILE",
    help="More of what will run, such as a plan; - for standard input.",
)
@click.option("--fact", "facts", multiple=True, metavar="LABEL=VALUE", help="A line above the action; up to four.")
@click.option("--link", "links", multiple=True, metavar="LABEL=URL", help="A link under it; up to five.")
@click.option("--risk", type=click.Choice(["low", "medium", "high"]))
@click.option(
    "--run-within", type=Span(), metavar="SPAN", help="How long after the decision it may start. Default: 24h"
)
@click.option("--hide-command", is_flag=True, help="Do not show COMMAND on the card.")
@click.option("--attempt", metavar="N", help="Of this run at this approval; or as CI counts it. Default: 1")
@click.option(
    "--worker",
    metavar="NAME",
    default=_machine,
    show_default="this machine",
    help="Who runs it, as the card shows it.",
)
@click.option(
    "--report-within",
    type=Span(),
    default="2m",
    metavar="SPAN",
    show_default=True,
    help="Silent for so long, the card asks whether it happened.",
)
@click.option(
    "--tail",
    "lines",
    type=click.IntRange(0, 100),
    default=10,
    show_default=True,
    help="So many last lines of output go onto the card; 0 for none.",
)
@click.option(
    "--on-stop",
    type=click.Choice(["continue", "end"]),
    default="continue",
    show_default=True,
    help="When an operator stops the tool while COMMAND runs: only say so, or ask it to end (SIGTERM).",
)
@click.pass_context
def approve(ctx: click.Context, /, **given: Any) -> None:
    """Ask people to approve TITLE, wait, and claim: exit code 0 is the one permission to go on.

    With -- COMMAND the command is run once, here, when the claim says so; the card shows what it is, that it runs, and how
    it ended, and this ends with its exit code.
    """
    from signoff.cli.approve import approve as run
    from signoff.cli.plans import plan_of

    ended(run(way(given), plan_of(given, command=ctx.meta.get(commands.AFTER), environment=os.environ)))


@main.command(epilog=EXIT_CODES)
@click.argument("prompt")
@asks
@click.option("--respondent", "respondents", multiple=True, metavar="U…|@NAME", help="Who may answer; may repeat.")
@click.option(
    "--group", "groups", multiple=True, metavar="S…|@NAME", help="A user group whose members may answer; may repeat."
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="LABEL|ID=LABEL",
    help="One choice; may repeat. Without any, the answer is free text.",
)
@click.option("--multiple", is_flag=True, help="Several may be chosen.")
@click.option("--other", "allow_other", is_flag=True, help="A text of one's own is an answer, too.")
@click.option("--skippable", "is_skippable", is_flag=True, help="It may be left unanswered.")
@click.option("--default", "defaults", multiple=True, metavar="ID|TEXT", help="Chosen from the start.")
@click.option("--description", metavar="TEXT", help="Smaller words under the question.")
@click.option("--plain", "is_plain", is_flag=True, help="Print the chosen values alone, one a line.")
def ask(**given: Any) -> None:
    """Ask people PROMPT, wait, and print the answer as JSON: {"is_skipped": false, "value": …}."""
    from signoff.cli.ask import ask as run
    from signoff.cli.plans import inquiry_of

    ended(run(way(given), inquiry_of(given)))


@main.command()
@reached
@click.option("--run", "run_id", metavar="ID", help="Only what this run asked.")
@click.option("--json", "as_json", is_flag=True)
def pending(**given: Any) -> None:
    """List what waits, by deadline."""
    from signoff.cli import interactions

    with way(given).blocking() as so:
        interactions.pending(so, run_id=given["run_id"], as_json=given["as_json"])


@main.command()
@click.argument("id")
@reached
@click.option("--json", "as_json", is_flag=True)
def show(id: str, **given: Any) -> None:
    """Show one ask, by its id or short code, or a hosted run by its name."""
    from signoff.cli import interactions

    with way(given).blocking() as so:
        interactions.show(so, id, as_json=given["as_json"])


@main.command()
@click.argument("id", required=False)
@reached
@click.option("--reason", metavar="TEXT", help="Shown on the card.")
@click.option(
    "--this-run", is_flag=True, help="Everything that this run has open; for the clean-up of a cancelled job."
)
@click.option("--run", "run_id", metavar="ID", help="Which run, with --this-run; or SIGNOFF_RUN_ID. In CI it is known.")
@click.option("--json", "as_json", is_flag=True)
def withdraw(id: str | None, reason: str | None, **given: Any) -> None:
    """Take an ask back, by its id or short code."""
    from signoff.cli import interactions
    from signoff.cli.plans import run_of

    if (id is None) is not given["this_run"]:
        raise click.UsageError("Say which: an ID, or --this-run for everything that this run has open.")
    with way(given).blocking() as so:
        if id is None:
            interactions.withdraw_run(so, run_of(given["run_id"], os.environ), reason=reason)
        elif not interactions.withdraw(so, id, reason=reason, as_json=given["as_json"]):
            ended(1)


@main.command()
@click.argument("id")
@click.argument("status", type=click.Choice(["running", "succeeded", "failed"]))
@reached
@click.option("--detail", metavar="TEXT", help="What the card says beside it.")
@click.option(
    "--claim", "claim_id", metavar="CLAIM_ID", help="As `approve --json` printed it, where another machine claimed."
)
@click.option("--attempt", metavar="N", help="As given to `approve`.")
def report(id: str, attempt: str | None, **given: Any) -> None:
    """Say how it went, after an `approve` without a COMMAND."""
    from signoff.cli import interactions
    from signoff.cli.plans import attempt_of

    how = {name: given[name] for name in ("status", "detail", "claim_id")}
    with way(given).blocking() as so:
        interactions.report(so, id, attempt=attempt_of(attempt, os.environ), **how)


@main.command(
    epilog="Exit codes: 0 started, or with --wait completed · 1 failed, or an error · 2 usage · 14 --wait ended, and the run goes on"
)
@click.argument("code")
@click.option("--input", "input_text", metavar="JSON|@FILE", help="What the code is given.")
@click.option("--state", "state_text", metavar="JSON|@FILE", help="The state that it begins with.")
@click.option("--run", "run_id", metavar="ID", help="The run's name; or SIGNOFF_RUN_ID. In CI it is known.")
@click.option("--channel", "to", multiple=True, metavar="C…|#NAME", help="A channel for its cards; may repeat.")
@click.option(
    "--to", "also_to", multiple=True, metavar="NAME", help="Anyone or anywhere: #deploys, @ana, ana@acme.example."
)
@click.option(
    "--approver",
    "approvers",
    multiple=True,
    metavar="NAME|ID",
    help="Who decides what it asks, a person or a user group; may repeat.",
)
@click.option(
    "--respondent",
    "respondents",
    multiple=True,
    metavar="NAME|ID",
    help="Who answers its questions, where that is somebody else; may repeat.",
)
@click.option("--policy", metavar="NAME", help="The policy to ask under; it may say who decides, and where.")
@click.option(
    "--expires", type=Span(never="never"), metavar="SPAN", help="How long each of its asks waits: 24h, or never."
)
@click.option(
    "--wait",
    "seconds",
    type=Span(may_be_zero=True),
    metavar="SPAN",
    help="Wait so long for its end, and print its outcome. Default: not at all",
)
@click.option("--json", "as_json", is_flag=True, help="Print the run as JSON.")
@reached
def start(code: str, **given: Any) -> None:
    """Start a hosted run: CODE by its name, as a worker has it. The same start again is the same run."""
    from signoff.cli import hosted

    with way(given).blocking() as so:
        ended(hosted.start(so, code, given))


@main.command()
@reached
@click.option("--code", metavar="CODE", help="Only runs of this code.")
@click.option("--status", type=click.Choice(["queued", "running", "waiting", "completed", "failed"]))
@click.option("--limit", type=click.IntRange(1, 200), default=50, show_default=True)
@click.option("--json", "as_json", is_flag=True)
def runs(**given: Any) -> None:
    """List hosted runs, newest first."""
    from signoff.cli import hosted

    with way(given).blocking() as so:
        hosted.runs(so, **{name: given[name] for name in ("code", "status", "limit", "as_json")})


@main.command("stop-run")
@click.argument("run", metavar="RUN")
@reached
@click.option("--reason", metavar="TEXT", help="Shown as what ended it.")
@click.option("--json", "as_json", is_flag=True)
def stop_run(run: str, **given: Any) -> None:
    """Have a hosted run end; what it still asks is withdrawn."""
    from signoff.cli import hosted

    with way(given).blocking() as so:
        if not hosted.stop(so, run, reason=given["reason"], as_json=given["as_json"]):
            ended(1)


@main.command()
@click.argument("app", metavar="MODULE:RUNTIME")
@reached
@click.option(
    "--worker", metavar="NAME", default=_machine, show_default="this machine", help="Who runs them, as cards show it."
)
def work(app: str, **given: Any) -> None:
    """Host the runs of a runtime, here: pulls them from Signoff, and needs no port."""
    from signoff.runtime.serve import serve

    serve(app, **given)
