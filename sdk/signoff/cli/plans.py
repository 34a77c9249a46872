"""From options to what is asked, and how; whatever is wrong with them is said before anybody is asked."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

import click

from signoff import runs
from signoff.asks import AskingApproval, AskingQuestions, Question
from signoff.cli import shown
from signoff.cli.approve import Plan, Terms
from signoff.cli.ask import Inquiry
from signoff.cli.commands import is_ci
from signoff.cli.conduct import Job
from signoff.cli.json_options import read_json
from signoff.cli.ways import NO_RUN, Misused
from signoff.types import Option

#: Where CI systems count the attempts of one run.
_ATTEMPTS = ("SIGNOFF_ATTEMPT", "GITHUB_RUN_ATTEMPT", "SYSTEM_JOBATTEMPT", "BUILDKITE_RETRY_COUNT")
#: The one question of `ask`.
_QUESTION = "answer"
_AS_IT_IS = ("body", "tool_name", "risk", "quorum", "requested_by", "run_within")


def plan_of(given: Mapping[str, Any], *, command: Sequence[str] | None, environment: Mapping[str, str]) -> Plan:
    """Raises click.UsageError."""
    if command is not None and not command:
        raise click.UsageError("After -- comes the command that is to run.")
    plain = {name: given[name] for name in _AS_IT_IS if given[name] is not None}
    ask = cast("AskingApproval", _common(given) | plain)
    if (given["tool_name"] is None) is not (given["input_text"] is None):
        raise click.UsageError("--tool and --input come together: what runs, and with what.")
    if given["input_text"] is not None:
        ask["input"] = read_json(given["input_text"], option="--input")
    elif command is not None and not given["hide_command"]:
        _may_be_shown(command, environment)
        ask["tool_name"], ask["input"] = shown.TOOL, shown.as_input(command)
    if given["details_file"] is not None:
        ask["details"] = given["details_file"].read()
    for name in ("facts", "links"):
        if given[name]:
            ask[name] = dict(_pair(text, name) for text in given[name])
    if given["approvers"] or given["groups"]:
        ask["approvers"] = [*given["approvers"], *given["groups"]]
    if given["require_reason"]:
        ask["require_reason"] = True
    return Plan(
        title=given["title"],
        ask=ask,
        terms=_terms(given, environment),
        attempt=attempt_of(given["attempt"], environment),
        worker=given["worker"],
        job=None if command is None else _job(given, command, environment),
    )


def inquiry_of(given: Mapping[str, Any]) -> Inquiry:
    """Raises click.UsageError."""
    options = [_option(text) for text in given["options"]]
    if not options and (given["multiple"] or given["allow_other"]):
        raise click.UsageError("--multiple and --other are for questions with --option.")
    defaults: Sequence[str] = given["defaults"]
    if len(defaults) > 1 and not given["multiple"]:
        raise click.UsageError("Several --default are for --multiple.")
    question = Question(
        id=_QUESTION,
        prompt=given["prompt"],
        description=given["description"],
        options=options,
        default=None if not defaults else (defaults if given["multiple"] else defaults[0]),
        **{name: given[name] for name in ("multiple", "allow_other", "is_skippable")},
    )
    ask = cast("AskingQuestions", _common(given))
    if given["respondents"] or given["groups"]:
        ask["respondents"] = [*given["respondents"], *given["groups"]]
    return Inquiry(question=question, ask=ask, terms=_terms(given, os.environ), is_plain=given["is_plain"])


def run_of(run_id: str | None, environment: Mapping[str, str]) -> str:
    """Raises Misused where nobody says."""
    found = run_id or runs.run_from(environment)
    if found is None:
        raise Misused(NO_RUN)
    return found


def attempt_of(given: str | None, environment: Mapping[str, str]) -> str:
    """As said, or as CI counts it; else the first."""
    return given or next((environment[name] for name in _ATTEMPTS if environment.get(name)), "1")


def _common(given: Mapping[str, Any]) -> dict[str, Any]:
    ask: dict[str, Any] = {}
    for name in ("policy", "run_id", "operation_id"):
        if given[name] is not None:
            ask[name] = given[name]
    if given["expires"] is not None:
        ask["expires_in"] = None if given["expires"] == "never" else given["expires"]
    if given["to"] or given["also_to"]:
        ask["to"] = [*given["to"], *given["also_to"]]
    return ask


def _terms(given: Mapping[str, Any], environment: Mapping[str, str]) -> Terms:
    return Terms(
        seconds=given["seconds"],
        on_cancel=given["on_cancel"],
        is_ci=is_ci(environment),
        names_run=bool(given["run_id"] or environment.get("SIGNOFF_RUN_ID")),
        as_json=given["as_json"],
        is_quiet=given["is_quiet"],
    )


def _job(given: Mapping[str, Any], command: Sequence[str], environment: Mapping[str, str]) -> Job:
    key = given["key"] or environment.get("SIGNOFF_KEY", "")
    return Job(
        command=command,
        worker=given["worker"],
        report_within=given["report_within"],
        lines=given["lines"],
        secrets=[key, *shown.secrets_of(environment).values()],
        on_stop=given["on_stop"],
        to_stderr=given["as_json"],
    )


def _may_be_shown(command: Sequence[str], environment: Mapping[str, str]) -> None:
    name = shown.secret_in(command, environment)
    if name is not None:
        raise click.UsageError(
            f"The command line holds the value of {name}, and would stand on the card. Let the command read {name} "
            "itself, or say --hide-command."
        )


def _pair(text: str, what: str) -> tuple[str, str]:
    label, sign, value = text.partition("=")
    if not sign or not label or not value:
        raise click.UsageError(f"--{what.removesuffix('s')} {text!r}: write LABEL=VALUE")
    return label, value


def _option(text: str) -> Option:
    id, sign, label = text.partition("=")
    return Option(label, id) if sign and id and label else Option(text)
