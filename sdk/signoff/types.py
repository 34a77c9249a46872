"""What Signoff answers, and the parts of an ask, as frozen structs. Fields that a newer server adds are passed over."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias, Unpack

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr

if TYPE_CHECKING:
    from signoff.executing import EitherExecution, Executing

Time: TypeAlias = Annotated[datetime, Meta(tz=True)]
State: TypeAlias = Literal["pending", "answered", "approved", "denied", "expired", "withdrawn", "superseded"]
Decision: TypeAlias = Literal["allow-once", "allow-conversation", "allow-always", "deny"]
Status: TypeAlias = Literal["claimed", "running", "succeeded", "failed", "unknown"]
Risk: TypeAlias = Literal["low", "medium", "high"]
#: What JSON holds. `input` comes back with its keys in the order in which they were sent.
Json: TypeAlias = Any


class Actor(Struct, frozen=True):
    """Who did it. `kind`: slack_user, api_key, grant, deadline, requester, timer, operator.

    `name`: what they were called then: a user name, a key's name. For reading only: names change hands, ids do not.
    """

    kind: str
    id: str | None = None
    name: str | None = None


class PolicyRef(Struct, frozen=True):
    name: str
    revision: int


class Hop(Struct, frozen=True):
    """Who may decide since then, too."""

    at: Time
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class Posting(Struct, frozen=True):
    """One message in Slack. `state`: waiting, posted, failed; `error`: Slack's own word."""

    role: str
    channel: str
    state: str
    ts: str | None = None
    permalink: str | None = None
    error: str | None = None


class ResumeState(Struct, frozen=True):
    kind: str
    wakes: int = 0
    last_error: str | None = None
    stuck: bool = False


class Stop(Struct, frozen=True):
    """What keeps a tool from running; `tool` None: all tools."""

    tool: str | None
    by: Actor
    at: Time
    reason: str | None = None


class Fact(Struct, frozen=True):
    label: str
    value: str


class Link(Struct, frozen=True):
    label: str
    url: str


class Edited(Struct, frozen=True):
    """What was approved in place of what was asked."""

    input: Json
    digest: str


class Approvers(Struct, frozen=True):
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    quorum: int = 1
    denials: int = 1
    allow_requester: bool = False
    require_reason: bool = False


class Vote(Struct, frozen=True):
    by: Actor
    decision: Decision
    at: Time
    feedback: str | None = None


class ExecutionState(Struct, frozen=True):
    status: Status
    at: Time
    worker: str | None = None
    detail: str | None = None


class Settlement(Struct, frozen=True):
    """What a person said of an execution that went silent."""

    by: Actor
    happened: bool
    at: Time


class Interaction(Struct, frozen=True, kw_only=True, dict=True):
    """What an approval and a question set have in common. `code`: what people say, such as in `/signoff withdraw`."""

    kind: ClassVar[str]

    id: str
    run_id: str
    operation_id: str
    title: str
    state: State
    created_at: Time
    expires_at: Time | None = None
    resolved_at: Time | None = None
    resolved_by: Actor | None = None
    superseded_by: str | None = None
    policy: PolicyRef | None = None
    escalated: tuple[Hop, ...] = ()
    postings: tuple[Posting, ...] = ()
    resume: ResumeState = ResumeState(kind="pull")

    @property
    def is_pending(self) -> bool:
        return self.state == "pending"

    @property
    def code(self) -> str:
        return self.id[-5:]


class Approval(Interaction, frozen=True, kw_only=True, tag_field="kind", tag="approval"):
    """One action before people. `input` is what was asked for; what was approved is `approved_input`.

    `progress` (`execution` in the HTTP API): what its run reported, from the claim on.
    """

    kind: ClassVar[str] = "approval"

    body: str | None = None
    tool_name: str | None = None
    input: Json = None
    details: str | None = None
    facts: tuple[Fact, ...] = ()
    links: tuple[Link, ...] = ()
    risk: str = "medium"
    digest: str
    supersedes: str | None = None
    edited: Edited | None = None
    approvers: Approvers = Approvers()
    votes: tuple[Vote, ...] = ()
    decision: Decision | None = None
    feedback: str | None = None
    claimed_at: Time | None = None
    claimed_by: str | None = None
    progress: ExecutionState | None = field(default=None, name="execution")
    settled: Settlement | None = None
    taken_back_at: Time | None = None

    @property
    def approved_input(self) -> Json:
        return self.input if self.edited is None else self.edited.input

    def execution(self, **how: Unpack["Executing"]) -> "EitherExecution":
        """Claim, and report how it went: `with approval.execution() as action:`, or `async with` of an AsyncSignoff.

        See `Signoff.execution`.
        """
        home = self.__dict__.get("home")
        if home is None:
            raise TypeError("this approval was not read through a client: so.execution(approval)")
        execution: EitherExecution = home.execution(self, **how)
        return execution


class Option(Struct, frozen=True):
    """One choice. Without an id its label is its id."""

    label: str
    id: str = ""
    description: str | None = None

    def __post_init__(self) -> None:
        if not self.id:
            force_setattr(self, "id", self.label)


class AskedQuestion(Struct, frozen=True):
    """A question as it was asked. `options` None: free text."""

    id: str
    prompt: str
    description: str | None = None
    options: tuple[Option, ...] | None = None
    multiple: bool = False
    allow_other: bool = False
    is_skippable: bool = False
    default: str | tuple[str, ...] | None = None


class Answer(Struct, frozen=True):
    """`value`: a label or a text; a tuple of them where several may be chosen; None where it was skipped."""

    is_skipped: bool
    value: str | tuple[str, ...] | None = None
    option_ids: tuple[str, ...] = ()
    other: str | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """The value as a tuple, whatever the question takes; empty where it was skipped."""
        if self.value is None:
            return ()
        return (self.value,) if isinstance(self.value, str) else self.value


class QuestionSet(Interaction, frozen=True, kw_only=True, tag_field="kind", tag="question"):
    """Questions that are answered at once. `answers` by question id, once they are there."""

    kind: ClassVar[str] = "question"

    questions: tuple[AskedQuestion, ...]
    answers: dict[str, Answer] | None = None

    def answer(self, question_id: str | None = None) -> Answer:
        """The answer to one question, or to the only one. Raises KeyError where there is none (yet)."""
        if question_id is None:
            (question,) = self.questions
            question_id = question.id
        return (self.answers or {})[question_id]


AnyInteraction: TypeAlias = Approval | QuestionSet


class Page(Struct, frozen=True):
    """One page of a list; `next_cursor` None: the last."""

    items: tuple[AnyInteraction, ...]
    next_cursor: str | None = None


class Claim(Struct, frozen=True):
    """Run only on `execute`, and then run `input`: `claimed` alone allows nothing.

    `stopped`: what keeps it from being claimed now. `changed`: the world is not as it was when this was asked.
    """

    claimed: bool
    execute: bool
    approval: Approval
    claim_id: str | None = None
    input: Json = None
    stopped: Stop | None = None
    changed: bool = False


class Reported(Struct, frozen=True):
    """`stopped`: an operator has stopped this tool meanwhile; what already runs is asked to end."""

    approval: Approval
    stopped: Stop | None = None


class Withdrawal(Struct, frozen=True):
    """`withdrawn` is false where it was resolved before; `interaction.state` says how."""

    withdrawn: bool
    interaction: AnyInteraction


class Woken(Struct, frozen=True):
    """`woken` is false where nothing is owed to its run."""

    woken: bool
    interaction: AnyInteraction


class Decided(Struct, frozen=True):
    already_resolved: bool
    approval: Approval


class Answered(Struct, frozen=True):
    already_resolved: bool
    question: QuestionSet


class Me(Struct, frozen=True):
    """What a key is."""

    tenant: str
    name: str
    scopes: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()


class Match(Struct, frozen=True):
    """A person, channel or user group of the workspace. `label`: as people read it."""

    id: str
    kind: str
    name: str
    label: str


class Matches(Struct, frozen=True):
    """`exact`: `matches` is the one that was meant; otherwise they are the nearest."""

    matches: tuple[Match, ...]
    exact: bool


class Fault(Struct, frozen=True):
    """One thing that is wrong with a request, and where (RFC 6901)."""

    pointer: str
    message: str


class Named(Struct, frozen=True):
    """Who may decide."""

    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Problem(Struct, frozen=True):
    """`application/problem+json`, with what Signoff's codes bring beside."""

    code: str = ""
    detail: str = ""
    errors: tuple[Fault, ...] = ()
    id: str | None = None
    state: str | None = None
    scope: str | None = None
    token: str | None = None
    expected: str | None = None
    differs: tuple[str, ...] | None = None
    approval: Approval | None = None
    approvers: Named | None = None
