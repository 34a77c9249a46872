"""`signoff start`, `runs`, `stop-run`, and `show` of a run: hosted runs from a shell."""

import json
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
import msgspec

from signoff import Signoff, errors, people
from signoff.cli import words
from signoff.cli.exits import SIGNALLED, Exit
from signoff.cli.json_options import read_json
from signoff.cli.tables import table
from signoff.hosted import HostedRun, RunSummary
from signoff.plain import one_line
from signoff.starting import Starting


def start(so: Signoff, code: str, given: Mapping[str, Any]) -> int:
    """The exit code: 0 once it is started, or with `--wait` completed. Raises SignoffError, click.UsageError."""
    run = so.start_run(code, _json(given, "input"), **_terms(given))
    if given["seconds"] is None:
        click.echo(_as_json(run) if given["as_json"] else f"{one_line(run.run_id)} is {run.status}.")
        return Exit.YES
    try:
        click.echo(f"{one_line(run.run_id)} is {run.status}.", err=True)
        run = so.wait_for_run(run, timeout=given["seconds"])
    except errors.StillRunning as still:
        _tell_it_goes_on(still.run)
        return Exit.STILL_WAITING
    except KeyboardInterrupt:
        _tell_it_goes_on(run)
        return SIGNALLED + signal.SIGINT
    if run.error is not None:
        click.echo(f"{one_line(run.run_id)} {_end(run)}", err=True)
    if given["as_json"]:
        click.echo(_as_json(run))
    elif run.error is None:
        click.echo(json.dumps(run.outcome, ensure_ascii=sys.stdout.isatty()))
    return Exit.YES if run.error is None else Exit.ERROR


def runs(so: Signoff, *, limit: int, as_json: bool, **filters: Any) -> None:
    """Newest first."""
    page = so.list_runs(limit=limit, **{name: given for name, given in filters.items() if given})
    if as_json:
        click.echo(_as_json(page.items))
    elif not page.items:
        click.echo("No runs.")
    else:
        head = ("RUN", "CODE", "STATUS", "STARTED", "ENDED")
        click.echo(table(head, [_row(run) for run in page.items], stream=sys.stdout))
    if page.next_cursor is not None:
        click.echo("There are more: narrow it by --code or --status, or raise --limit.", err=True)


def stop(so: Signoff, run_id: str, *, reason: str | None, as_json: bool) -> bool:
    """Whether it is over as a stopped one, or will be. Raises NotFound."""
    outcome = so.stop_run(run_id, reason=reason)
    run = outcome.run
    if as_json:
        click.echo(_as_json(outcome))
    elif outcome.stopped:
        click.echo(f"{one_line(run.run_id)} is stopped.")
    elif not run.is_finished:
        click.echo(f"{one_line(run.run_id)} is to stop: its worker ends it.")
    else:
        click.echo(f"{one_line(run.run_id)} had ended before: it {_end(run)}", err=True)
    return outcome.stopped or not run.is_finished


def known(so: Signoff, run_id: str) -> HostedRun | None:
    """The run of this name, if there is one."""
    try:
        return so.read_run(run_id)
    except errors.NotFound:
        return None


def show(run: HostedRun, *, as_json: bool) -> None:
    if as_json:
        click.echo(_as_json(run))
        return
    for label, value in _facts(run):
        if value:
            click.echo(f"{click.style(label.ljust(10), dim=True)} {one_line(value)}")


def _terms(given: Mapping[str, Any]) -> Starting:
    terms: Starting = {}
    if given["run_id"] is not None:
        terms["run_id"] = given["run_id"]
    if given["policy"] is not None:
        terms["policy"] = given["policy"]
    if given["state_text"] is not None:
        terms["state"] = _json(given, "state")
    if given["expires"] is not None:
        terms["expires_in"] = None if given["expires"] == "never" else given["expires"]
    if given["to"] or given["also_to"]:
        terms["to"] = [*given["to"], *given["also_to"]]
    if given["approvers"]:
        terms["approvers"] = given["approvers"]
    if given["respondents"]:
        terms["respondents"] = given["respondents"]
    return terms


def _json(given: Mapping[str, Any], name: str) -> Any:
    text = given[f"{name}_text"]
    return None if text is None else read_json(text, option=f"--{name}")


def _tell_it_goes_on(run: RunSummary) -> None:
    named = shlex.quote(one_line(run.run_id))
    click.echo(f"{one_line(run.run_id)} is {run.status}, and goes on.", err=True)
    click.echo(f"Look at it: signoff show {named}. End it: signoff stop-run {named}", err=True)


def _row(run: RunSummary) -> Sequence[str]:
    started = words.moment(run.created_at, local=sys.stdout.isatty())
    return (run.run_id, run.code, run.status, started, _end(run) if run.is_finished else _stop(run))


def _end(run: RunSummary) -> str:
    """`failed: RUN_FAILED: zone 2 is down`."""
    return run.status if run.error is None else f"{run.status}: {run.error.code}: {one_line(run.error.message)}"


def _stop(run: RunSummary) -> str:
    if run.stop is None:
        return ""
    why = f": {run.stop.reason}" if run.stop.reason else ""
    return f"to stop, said {people.who(run.stop.by)}{why}"


def _facts(run: HostedRun) -> Iterator[tuple[str, str]]:
    local = sys.stdout.isatty()
    yield "run", run.run_id
    yield "code", run.code
    yield "status", _end(run)
    yield "started", words.moment(run.created_at, local=local)
    yield "ended", "" if run.finished_at is None else words.moment(run.finished_at, local=local)
    yield "held by", (run.worker or "") if not run.is_finished else ""
    yield "stop", _stop(run)
    yield "input", json.dumps(run.input, ensure_ascii=False)
    yield "state", json.dumps(run.state, ensure_ascii=False)
    if run.action is not None and run.action.interaction is not None:
        asked = run.action.interaction
        yield "asks", f"{asked.id}  {asked.state}"
        for link in words.cards(asked):
            yield "card", link
        for failure in words.not_posted(asked):
            yield "card", failure
    if run.status == "completed":
        yield "outcome", json.dumps(run.outcome, ensure_ascii=False)


def _as_json(what: Any) -> str:
    return json.dumps(msgspec.to_builtins(what), ensure_ascii=sys.stdout.isatty())
