"""The way to the service: from options and environment to a client, and from its errors to plain sentences."""

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from signoff.cli.exits import Exit

if TYPE_CHECKING:
    from signoff import AsyncSignoff, Signoff
    from signoff.errors import Conflict, Invalid, NotConfigured, SignoffError

NO_KEY = (
    "There is no key. Set SIGNOFF_KEY, or give --key. An operator of Signoff makes one with: "
    "signoff-bot keys create --scopes ask,read --name NAME"
)
NO_RUN = (
    "Which run asks? Name it: --run deploy-812, or SIGNOFF_RUN_ID. In GitHub Actions, GitLab CI, Jenkins and the like "
    "it is read from the environment. The same name finds the same ask again."
)
WHERE = "SIGNOFF_URL or --url says where it is."

#: Where what a request says came from; other fields have options of their name.
_OPTIONS = {
    "": "--channel or --to",
    "approvers": "--approver or --group",
    "respondents": "--respondent or --group",
    "tool_name": "--tool",
    "run_id": "--run",
    "operation_id": "--operation",
    "expires_in": "--expires",
    "questions": "PROMPT or --option",
    "title": "TITLE",
    "code": "CODE",
}


class Misused(click.ClickException):
    """Something that was to be said was not: one sentence, and the exit code of a wrong command line."""

    exit_code = Exit.USAGE


@dataclass(frozen=True, kw_only=True, slots=True)
class Way:
    url: str | None
    key: str | None = field(repr=False)

    def client(self) -> "AsyncSignoff":
        """Raises NotConfigured where something is missing."""
        from signoff import AsyncSignoff

        return AsyncSignoff(url=self.url, key=self.key)

    def blocking(self) -> "Signoff":
        """Raises NotConfigured where something is missing."""
        from signoff import Signoff

        return Signoff(url=self.url, key=self.key)


def sentence(error: Exception) -> tuple[str, Exit] | None:
    """What to say of an error that its reader can mend, and how to end; None for our own faults."""
    from signoff import errors

    if not isinstance(error, errors.SignoffError):
        return None
    misused = _misused(error)
    return (_failed(error), Exit.ERROR) if misused is None else (misused, Exit.USAGE)


def _misused(error: "SignoffError") -> str | None:
    """What the command line should have said otherwise; None where it is not to blame."""
    from signoff import errors

    if isinstance(error, errors.NotConfigured):
        return _not_configured(error)
    if isinstance(error, errors.NoRun):
        return NO_RUN
    if isinstance(error, errors.UnknownName):
        return error.problem
    return _invalid(error) if isinstance(error, errors.Invalid) else None


def _failed(error: "SignoffError") -> str:
    from signoff import errors

    if isinstance(error, errors.NotFound):
        return "Signoff knows nothing by this id. `signoff pending` lists what waits, `signoff runs` hosted runs."
    if isinstance(error, errors.Unauthorized):
        return "Signoff does not accept this key: it is unknown, expired or revoked. Look at SIGNOFF_KEY."
    if isinstance(error, errors.Forbidden):
        return f"This key may not do that: {error.detail}"
    if isinstance(error, errors.RunConflict):
        return f"{error.detail} Start it in the same words, or name another --run."
    if isinstance(error, errors.Conflict):
        return _conflict(error)
    return f"{error.problem} {_hint(error)}".rstrip()


def _hint(error: "SignoffError") -> str:
    """What somebody at a shell does about it, where the library's hint speaks to a Python program."""
    from signoff import errors

    if isinstance(error, errors.StillWaiting):
        return f"Look at it: signoff show {error.id}. Take it back: signoff withdraw {error.id}."
    if isinstance(error, errors.StillRunning):
        named = shlex.quote(error.run.run_id)
        return f"Look at it: signoff show {named}. End it: signoff stop-run {named}."
    return WHERE if error.hint == errors.WHERE else error.hint


def _not_configured(error: "NotConfigured") -> str:
    if error.setting == "url":
        return f"{error.problem} SIGNOFF_URL or --url is like http://127.0.0.1:8300"
    return NO_KEY if error.is_missing else f"{error.problem} {error.hint}"


def _invalid(error: "Invalid") -> str:
    if not error.faults:
        return error.detail
    said = [f"{_option(fault.pointer)}: {fault.message}" for fault in error.faults]
    return said[0] if len(said) == 1 else "\n".join(["Signoff does not take this:", *(f"  {line}" for line in said)])


def _option(pointer: str) -> str:
    name = pointer.removeprefix("/audience").strip("/").partition("/")[0]
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")


def _conflict(error: "Conflict") -> str:
    return (
        f"This run has asked under this operation before, in other words: {error.id}. {error.detail} "
        "Name another --operation, or another --run."
    )
