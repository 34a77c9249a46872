"""The domain as frozen values: what is asked, who may answer, what came of it. Its closed sets stand in `store.kinds`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import ClassVar

from store.kinds import ALLOWS as ALLOWS
from store.kinds import About as About
from store.kinds import ActorKind as ActorKind
from store.kinds import Decision as Decision
from store.kinds import ExecutionStatus as ExecutionStatus
from store.kinds import Kind as Kind
from store.kinds import OnExpiry as OnExpiry
from store.kinds import PostingState as PostingState
from store.kinds import ResumeKind as ResumeKind
from store.kinds import Risk as Risk
from store.kinds import Role as Role
from store.kinds import Scope as Scope
from store.kinds import State as State
from store.kinds import Surface as Surface
from store.kinds import TimerKind as TimerKind
from store.terms import Course as Course
from store.terms import Edited as Edited
from store.terms import Escalation as Escalation
from store.terms import Extension as Extension
from store.terms import Fact as Fact
from store.terms import Hop as Hop
from store.terms import Link as Link
from store.terms import Policy as Policy
from store.terms import PolicyRef as PolicyRef
from store.terms import Reminders as Reminders
from store.terms import Settlement as Settlement
from store.terms import Stop as Stop
from store.terms import Terms as Terms
from store.terms import Timer as Timer
from store.terms import WorkingHours as WorkingHours
from store.values import Actor as Actor
from store.values import Answer as Answer
from store.values import Approvers as Approvers
from store.values import Claim as Claim
from store.values import Destination as Destination
from store.values import Execution as Execution
from store.values import Option as Option
from store.values import Question as Question
from store.values import Resume as Resume
from store.values import Resumption as Resumption
from store.values import Vote as Vote

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
    terms: Terms = field(default_factory=Terms)
    resumption: Resumption = field(default_factory=Resumption)
    course: Course = field(default_factory=Course)
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
    def deciders(self) -> Approvers:
        """Who may decide by now; not who asked, where somebody else has to."""
        named = self.named
        return replace(named, users=tuple(user for user in named.users if user not in self.barred))

    @property
    def named(self) -> Approvers:
        """Who was named, and whom escalation added."""
        hops = self.course.hops
        users = dict.fromkeys([*self.approvers.users, *(user for hop in hops for user in hop.users)])
        groups = dict.fromkeys([*self.approvers.groups, *(group for hop in hops for group in hop.groups)])
        return replace(self.approvers, users=tuple(users), groups=tuple(groups))

    @property
    def barred(self) -> frozenset[str]:
        """Who asked, and who answers for the key that did, unless the ask allows them. A question bars nobody."""
        if self.kind is Kind.QUESTION or self.approvers.allow_requester:
            return frozenset()
        return frozenset(user for user in (self.requested_by, self.terms.owner) if user is not None)

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
    #: More of the action, such as a plan's output; inside the digest.
    details: str | None = None
    facts: tuple[Fact, ...] = ()
    links: tuple[Link, ...] = ()
    #: JSON Schema of the input, as text: what *Edit…* lets through.
    input_schema: str | None = None
    #: Of the world as the run saw it; given again at the claim (`revalidate`).
    fingerprint: str | None = None
    #: What whoever asked keeps with it, as text, and gets back as it is (`store.interrupts`); no card shows it.
    record: str | None = None
    risk: Risk = Risk.MEDIUM
    run_within: timedelta = DEFAULT_CLAIM_WINDOW
    votes: tuple[Vote, ...] = ()
    decision: Decision | None = None
    feedback: str | None = None
    #: What the approver made of the input.
    edited: Edited | None = None
    claim: Claim | None = None
    execution: Execution | None = None
    #: When it was noted that nobody had claimed it within its window.
    lapsed_at: datetime | None = None

    @property
    def decided_at(self) -> datetime | None:
        return self.resolved_at if self.state.is_decided else None

    @property
    def runs_until(self) -> datetime | None:
        """The end of the claim window; None while undecided. It opens anew where a person said "it did not happen"."""
        opened = self.reopened_at or self.decided_at
        return None if opened is None else opened + self.run_within

    @property
    def reopened_at(self) -> datetime | None:
        settled = self.course.settlement
        return None if settled is None or settled.happened else settled.at

    @property
    def approved_digest(self) -> str:
        """Of what may run: the action as asked, or as the approver changed it."""
        return self.digest if self.edited is None else self.edited.digest

    @property
    def approved_input(self) -> str | None:
        return self.input_json if self.edited is None else self.edited.input_json


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
    #: What it says for good, whatever happens later; None for what shows the interaction as it is, and for
    #: the silences after the first (role `outcome`, with a turn), since a row says each thing once.
    about: About | None = None
    #: The how-manieth of its role at its address: reminders repeat.
    turn: int = 0
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
