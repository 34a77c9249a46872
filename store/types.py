"""The domain as frozen values: what is asked, who may answer, what came of it. Its closed sets stand in `store.kinds`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar

from store.kinds import ALLOWS as ALLOWS
from store.kinds import About as About
from store.kinds import ActorKind as ActorKind
from store.kinds import Decision as Decision
from store.kinds import ExecutionStatus as ExecutionStatus
from store.kinds import Kind as Kind
from store.kinds import PostingState as PostingState
from store.kinds import ResumeKind as ResumeKind
from store.kinds import Risk as Risk
from store.kinds import Role as Role
from store.kinds import Scope as Scope
from store.kinds import State as State
from store.kinds import Surface as Surface

#: How long an approval waits for a decision, and a decision for its run, where the ask does not say.
DEFAULT_DEADLINE = timedelta(hours=24)
DEFAULT_CLAIM_WINDOW = timedelta(hours=24)
#: What is owed to a run and still owed so long after it was due is shown as stuck: a pull run that did not claim, a
#: handler that no worker has, a receiver that nobody calls.
PATIENCE = timedelta(minutes=15)
#: After a told run did not claim, it is woken again this long after the last telling; then it is stuck.
WAKE_AFTER = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
#: The last letters of an id: what people say, and what commands take where it is unique.
SHORT_CODE = 5


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Interaction:
    """What approvals and question sets share. `request_digest` compares two asks of one operation."""

    kind: ClassVar[Kind]

    tenant: str
    id: str
    run_id: str
    operation_id: str
    title: str
    request_digest: str
    created_at: datetime
    expires_at: datetime | None
    #: The key that asked; its name is what cards show where no person asked.
    asked_by: Actor
    #: The Slack user for whom the run acts; may not decide unless allowed.
    requested_by: str | None = None
    approvers: Approvers = field(default_factory=Approvers)
    destination: Destination = field(default_factory=Destination)
    resume: Resume = field(default_factory=Resume)
    resumption: Resumption = field(default_factory=Resumption)
    state: State = State.PENDING
    resolved_at: datetime | None = None
    resolved_by: Actor | None = None
    #: Why it was withdrawn.
    reason: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None

    @property
    def is_pending(self) -> bool:
        return self.state is State.PENDING

    @property
    def short_code(self) -> str:
        return self.id[-SHORT_CODE:]


@dataclass(frozen=True, kw_only=True, slots=True)
class Approval(Interaction):
    """One action for a person to allow. `input_json` is kept as it was sent; only the digest sorts."""

    kind: ClassVar[Kind] = Kind.APPROVAL

    digest: str
    body: str | None = None
    tool_name: str | None = None
    input_json: str | None = None
    risk: Risk = Risk.MEDIUM
    run_within: timedelta = DEFAULT_CLAIM_WINDOW
    votes: tuple[Vote, ...] = ()
    decision: Decision | None = None
    feedback: str | None = None
    claim: Claim | None = None
    execution: Execution | None = None
    #: When it was noted that nobody had claimed it within its window.
    lapsed_at: datetime | None = None

    @property
    def decided_at(self) -> datetime | None:
        return self.resolved_at if self.state.is_decided else None

    @property
    def runs_until(self) -> datetime | None:
        """The end of the claim window; None while undecided."""
        decided = self.decided_at
        return None if decided is None else decided + self.run_within


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionSet(Interaction):
    """One to twenty questions, all answered at once. `answers`: by question id, None until answered."""

    kind: ClassVar[Kind] = Kind.QUESTION

    questions: tuple[Question, ...]
    answers: Mapping[str, Answer] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Posting:
    """One message that we send. `address` is what was asked for; `channel` where it landed (a DM differs)."""

    tenant: str
    id: str
    interaction_id: str
    role: Role
    address: str
    #: What it says for good, whatever happens later; None for what shows the interaction as it is.
    about: About | None = None
    channel: str | None = None
    thread_ts: str | None = None
    ts: str | None = None
    permalink: str | None = None
    wanted: int = 1
    painted: int = 0
    attempts: int = 0
    error: str | None = None
    failed_at: datetime | None = None

    @property
    def state(self) -> PostingState:
        if self.failed_at is not None:
            return PostingState.FAILED
        return PostingState.WAITING if self.ts is None else PostingState.POSTED


@dataclass(frozen=True, kw_only=True, slots=True)
class Lease:
    """Ours until then: work rows finish only with the token that took them."""

    token: str
    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class PostingLease:
    posting: Posting
    lease: Lease


@dataclass(frozen=True, kw_only=True, slots=True)
class ResumptionLease:
    interaction: Interaction
    lease: Lease


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """An API key without its secret. `policies` and `any_approvers` bound what its asks may say."""

    tenant: str
    id: str
    name: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    any_approvers: bool = False
    #: The Slack user who answers for this key: the requester of asks that name none.
    owner: str | None = None
    policies: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Installation:
    """Which Slack workspace a tenant is."""

    tenant: str
    team_id: str
    enterprise_id: str | None
    app_id: str | None
    bot_user_id: str
    bot_id: str | None
    team_name: str
    team_url: str | None
    bound_at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One transition, as recorded with it. `details`: small facts, JSON values only."""

    tenant: str
    seq: int
    interaction_id: str
    at: datetime
    action: str
    actor: Actor
    surface: Surface
    old_state: State
    new_state: State
    details: Mapping[str, str | int | bool | None] = field(default_factory=dict)
