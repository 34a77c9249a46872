"""Everything that can go wrong between a run and Signoff, as one tree; each message says what to do.

SignoffError
├── NotConfigured          no key, no usable address
├── NoRun                  nobody said which run asks
├── UnknownName            no such person, group or channel, or several
├── Unreachable            no reply was heard
├── BadReply               whoever answered is not Signoff
├── StillRunning           the time to wait for a hosted run is over
├── NotReported            it ran, and Signoff could not be told
├── BadWebhook, BadSecret  a message that is not Signoff's; a secret that is none (`signoff.webhook`)
├── Refused                Signoff answered with a problem: `status`, `code`, `detail`
│   ├── Unauthorized · Forbidden · NotFound · Invalid · SlackProblem
│   └── Conflict (RunConflict: of a hosted run) · AlreadyResolved · DigestMismatch · NotClaimant
└── NoGo                   what was asked for may not run, or was not said: `str()` is a sentence for people and models
    ├── Denied(reason, by) · Expired · Withdrawn · StillWaiting(id)
    ├── NotStartedInTime (is Expired) · Replaced (is Withdrawn)
    └── AlreadyRan · Stopped · Changed
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from signoff.people import who

if TYPE_CHECKING:
    from signoff.hosted import HostedRun
    from signoff.types import Actor, Approval, Fault, Interaction, Match, Stop


#: Where a client looks for Signoff.
WHERE = "SIGNOFF_URL or url= says where it is."


class SignoffError(Exception):
    """The root of them all. `str()` is `problem`, what is wrong, and `hint`, what a Python program does about it.

    Whoever speaks to others than Python programmers says the problem, and a hint in their words.
    """

    def __init__(self, problem: str, *, hint: str = "") -> None:
        self.problem = problem
        self.hint = hint
        super().__init__(f"{problem} {hint}" if hint else problem)


class NotConfigured(SignoffError):
    """The client cannot be made: its `setting` is missing, or is none."""

    def __init__(self, problem: str, *, setting: Literal["key", "url"], is_missing: bool = False, hint: str) -> None:
        self.setting = setting
        self.is_missing = is_missing
        super().__init__(problem, hint=hint)


class NoRun(SignoffError):
    """A run names itself; nothing here invents a name, since a made-up one asks twice after a crash."""

    def __init__(self) -> None:
        super().__init__(
            "Which run asks?",
            hint="Name it: so.run('deploy-812').request_approval(…), or run_id='deploy-812', or set SIGNOFF_RUN_ID. "
            "In GitHub Actions, GitLab CI, Jenkins, Buildkite, CircleCI, Azure Pipelines and the like it is read from "
            "the environment. The same name after a crash finds the same ask again.",
        )


class UnknownName(SignoffError):
    """Not exactly one person, group or channel has this `name`. `nearest`: up to three that come close."""

    def __init__(self, name: str, *, nearest: Sequence[Match], wanted: str) -> None:
        self.name = name
        self.nearest = tuple(nearest)
        near = ", ".join(f"{match.label} ({match.id})" for match in self.nearest)
        hint = f" Nearest: {near}. Give one of these ids." if near else " Nothing comes close; give an id from Slack."
        super().__init__(f"{name!r} is not the name of exactly one {wanted}.{hint}")


class Unreachable(SignoffError):
    """No reply was heard, however often it was tried. What was asked before stays as it is."""

    def __init__(self, *, url: str, why: str) -> None:
        self.url = url
        super().__init__(f"No answer from {url}: {why}. Is Signoff running there?", hint=WHERE)


class BadReply(SignoffError):
    """Whoever listens there does not speak as Signoff does."""


class StillRunning(SignoffError, TimeoutError):
    """The time to wait is over, and the hosted run is not: `run`, as it stands."""

    def __init__(self, *, run: HostedRun) -> None:
        self.run = run
        super().__init__(
            f"The run {run.run_id} is not finished: it is {run.status}. It goes on.",
            hint=f"Wait again with wait_for_run({run.run_id!r}), or end it with stop_run({run.run_id!r}).",
        )


class NotReported(SignoffError):
    """The action ran, and its end could not be reported: its card shows it as unknown. Do not run it again."""


class Refused(SignoffError):
    """Signoff's own answer. `code` is for programs, `detail` for people; `faults` says what is wrong where."""

    def __init__(self, *, status: int, code: str, detail: str, faults: Sequence[Fault] = (), **facts: Any) -> None:
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = tuple(faults)
        self.facts = facts
        wrong = "".join(f"\n  {fault.pointer or '(body)'}: {fault.message}" for fault in self.faults)
        super().__init__(f"{detail} ({status} {code}){wrong}")


class Unauthorized(Refused):
    """No key, or one that is unknown, expired or revoked: SIGNOFF_KEY or key=."""


class Forbidden(Refused):
    """The key lacks a scope, or its policy does not allow this; `detail` says which."""


class NotFound(Refused):
    """No such interaction for this key."""


class SlackProblem(Refused):
    """Names cannot be looked up now: Slack does not tell, or the app lacks a scope. Ids still do."""


class Invalid(Refused):
    """The request does not fit; `faults` says where."""


class Conflict(Refused):
    """The same operation was asked before with other content: `id` is the one that stands, `differs` says where."""

    @property
    def id(self) -> str | None:
        return self.facts.get("id")

    @property
    def differs(self) -> tuple[str, ...]:
        return self.facts.get("differs") or ()

    def __str__(self) -> str:
        where = f" It differs at {', '.join(self.differs)}." if any(self.differs) else ""
        stands = f" {self.id} stands." if self.id else ""
        return f"{super().__str__()}{where}{stands} Ask in the same words, or under another operation_id."


class RunConflict(Conflict):
    """A run of this name was started with other content: `id` is its name."""

    def __str__(self) -> str:
        return (
            f"{Refused.__str__(self)} Start it with the same code, input, state and audience, or under another run_id."
        )


class AlreadyResolved(Refused):
    """What should be superseded is resolved: `id`, `state`."""

    @property
    def id(self) -> str | None:
        return self.facts.get("id")

    @property
    def state(self) -> str | None:
        return self.facts.get("state")


class DigestMismatch(Refused):
    """What was approved is another action than the one this digest names.

    `approval`: as it stands; where its approver changed the input, `approval.edited` has what was approved.
    """

    approval: Approval | None = None

    @property
    def expected(self) -> str | None:
        return self.facts.get("expected")


class NotClaimant(Refused):
    """This claim_id holds no open execution (any more)."""


class NoGo(SignoffError):
    """What was asked for may not run, or not now. `interaction`: as it stands."""

    def __init__(self, problem: str, *, interaction: Interaction, hint: str = "") -> None:
        super().__init__(problem, hint=hint)
        self.interaction = interaction

    @property
    def id(self) -> str:
        return self.interaction.id


class Denied(NoGo):
    """A person said no: `by`, and the `reason` where one was given."""

    def __init__(self, *, interaction: Interaction, reason: str | None, by: Actor | None) -> None:
        self.reason = reason
        self.by = by
        super().__init__(_denied(reason, by), interaction=interaction)


class Expired(NoGo):
    """Nobody decided in time. Nothing ran."""


class NotStartedInTime(Expired):
    """It was approved, and the time in which it may run is over. Nothing ran."""


class Withdrawn(NoGo):
    """The ask was taken back. Nothing ran."""


class Replaced(Withdrawn):
    """Another ask stands in its place: `superseded_by`."""

    @property
    def superseded_by(self) -> str | None:
        return self.interaction.superseded_by


class StillWaiting(NoGo, TimeoutError):
    """The time to wait is over; the ask stays open, under `id`."""

    def __init__(self, *, interaction: Interaction) -> None:
        id = interaction.id
        super().__init__(
            f"{id} is not {'answered' if interaction.kind == 'question' else 'decided'} yet. The ask stays open.",
            hint=f"Go on with wait({id!r}), or ask again in the same words; take it back with withdraw({id!r}).",
            interaction=interaction,
        )


class AlreadyRan(NoGo):
    """The one execution is taken: `status` says how far it is. Nothing ran here."""

    def __init__(self, *, interaction: Approval) -> None:
        progress = interaction.progress
        self.status = None if progress is None else progress.status
        where = f" on {interaction.claimed_by}" if interaction.claimed_by else ""
        words = {
            "succeeded": f"It already ran{where}, and succeeded.",
            "failed": f"It already ran{where}, and failed.",
            "unknown": f"It was started{where}, and went silent: whether it happened is unknown until a person says.",
            "running": f"It is running{where}.",
        }
        said = words.get(self.status or "", f"It was already handed over{where}.")
        super().__init__(f"{said} It is not run again.", interaction=interaction)


class Stopped(NoGo):
    """An operator has stopped this tool: `stop`. Nothing was claimed; claim again once it goes on."""

    def __init__(self, *, interaction: Approval, stop: Stop) -> None:
        self.stop = stop
        what = "Everything" if stop.tool is None else stop.tool
        why = f": {stop.reason}" if stop.reason else "."
        super().__init__(f"{what} is stopped by an operator{why}", interaction=interaction)


class Changed(NoGo):
    """The world is not as it was when this was asked. Nothing ran; ask anew, with `supersedes`."""


def _denied(reason: str | None, by: Actor | None) -> str:
    if by is not None and by.kind == "deadline":
        return "Denied, since nobody decided in time."
    named = who(by)
    return f"Denied{f' by {named}' if named else ''}{f': {reason}' if reason else '. No reason was given.'}"
