"""The parts that interactions are made of, as frozen values: people, questions, votes, what became of a run."""

from dataclasses import dataclass
from datetime import datetime

from store.kinds import ActorKind, Decision, ExecutionStatus, ResumeKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """Who did something. `id`: a Slack user id, a key's id, a grant's id; empty for a deadline."""

    kind: ActorKind
    id: str = ""
    #: What people read: a key's name. Empty where the id says it all.
    name: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    id: str
    label: str
    description: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One question of a set. No options means free text. `default`: option ids, or one text."""

    id: str
    prompt: str
    description: str | None = None
    options: tuple[Option, ...] = ()
    multiple: bool = False
    allow_other: bool = False
    is_skippable: bool = False
    default: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a person said to one question. `value` is a list for `multiple`, else one string; None when skipped."""

    is_skipped: bool
    value: str | tuple[str, ...] | None = None
    option_ids: tuple[str, ...] = ()
    other: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Approvers:
    """Who may decide (or, for a question, answer). Empty lists name nobody, never everybody."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    quorum: int = 1
    #: How many denials end it.
    denials: int = 1
    allow_requester: bool = False
    require_reason: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """Where cards go: channel ids, user ids (a DM each), and a thread of the single channel."""

    channels: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    thread_ts: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Resume:
    """How the run is told. `target`: a handler's name or a webhook's address; None for pull."""

    kind: ResumeKind = ResumeKind.PULL
    target: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Resumption:
    """How telling the run went. `wakes`: messages after the first, by ourselves or because a person said so.

    `woken_from`: the wakes that there had been when a person last said so; ours are counted from there.
    """

    told_at: datetime | None = None
    due_at: datetime | None = None
    attempts: int = 0
    wakes: int = 0
    woken_from: int = 0
    last_error: str | None = None
    stuck_at: datetime | None = None
    #: When it counts as stuck, if nobody has claimed by then.
    stuck_due_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    actor: Actor
    decision: Decision
    at: datetime
    feedback: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """The single execution, taken. `execute` is what the claimant was told, for ever the same."""

    claim_id: str
    at: datetime
    execute: bool
    worker: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """What the claimant reported last. `started_at`: its claim; `report_due_at`: promised by `report_within`."""

    status: ExecutionStatus
    at: datetime
    started_at: datetime
    detail: str | None = None
    report_within: int | None = None
    report_due_at: datetime | None = None
