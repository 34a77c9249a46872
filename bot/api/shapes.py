"""What this door answers, as models: for the description at /openapi.json, and for the tests to hold answers against."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
StateName = Literal["pending", "answered", "approved", "denied", "expired", "withdrawn", "superseded"]
DecisionName = Literal["allow-once", "allow-conversation", "allow-always", "deny"]


class Shape(BaseModel):
    """Every field is always there; None where there is nothing."""

    model_config = ConfigDict(strict=True, extra="forbid")


class ActorOut(Shape):
    """`name`: what they were called then, for reading only; null where that is not known."""

    kind: Literal["slack_user", "api_key", "grant", "deadline", "requester", "timer", "operator"]
    id: str | None
    name: str | None


class PolicyOut(Shape):
    """The policy that it was asked under, as it was then."""

    name: str
    revision: int


class HopOut(Shape):
    """Who may decide since then, too."""

    at: Time
    users: list[str]
    groups: list[str]


class StopOut(Shape):
    """What keeps a tool from running; null: all tools."""

    tool: str | None
    by: ActorOut
    reason: str | None
    at: Time


class FactOut(Shape):
    label: str
    value: str


class LinkOut(Shape):
    label: str
    url: str


class EditedOut(Shape):
    """What was approved in place of what was asked: claim with this digest."""

    input: Any
    digest: str


class SettledOut(Shape):
    """What a person said of an execution that went silent."""

    by: ActorOut
    happened: bool
    at: Time


class PostingOut(Shape):
    role: Literal["card", "outcome", "reminder", "notice"]
    channel: str
    ts: str | None
    permalink: str | None
    state: Literal["waiting", "posted", "failed"]
    error: str | None


class ResumeOut(Shape):
    kind: Literal["handler", "webhook", "pull"]
    wakes: int
    last_error: str | None
    stuck: bool


class _Interaction(Shape):
    id: str
    run_id: str
    operation_id: str
    title: str
    state: StateName
    created_at: Time
    expires_at: Time | None
    resolved_at: Time | None
    resolved_by: ActorOut | None
    superseded_by: str | None
    policy: PolicyOut | None
    escalated: list[HopOut]
    postings: list[PostingOut]
    resume: ResumeOut


class ApproversOut(Shape):
    users: list[str]
    groups: list[str]
    keys: list[str]
    quorum: int
    denials: int
    allow_requester: bool
    require_reason: bool


class VoteOut(Shape):
    by: ActorOut
    decision: DecisionName
    feedback: str | None
    at: Time


class ExecutionOut(Shape):
    status: Literal["claimed", "running", "succeeded", "failed", "unknown"]
    worker: str | None
    detail: str | None
    at: Time


class Approval(_Interaction):
    kind: Literal["approval"]
    body: str | None
    tool_name: str | None
    input: Any
    details: str | None
    facts: list[FactOut]
    links: list[LinkOut]
    risk: Literal["low", "medium", "high"]
    digest: str
    supersedes: str | None
    edited: EditedOut | None
    approvers: ApproversOut
    votes: list[VoteOut]
    decision: DecisionName | None
    feedback: str | None
    claimed_at: Time | None
    claimed_by: str | None
    execution: ExecutionOut | None
    settled: SettledOut | None
    taken_back_at: Time | None


class OptionOut(Shape):
    id: str
    label: str
    description: str | None


class QuestionOut(Shape):
    id: str
    prompt: str
    description: str | None
    options: list[OptionOut] | None
    multiple: bool
    allow_other: bool
    is_skippable: bool
    default: str | list[str] | None


class AnswerOut(Shape):
    """Skipped: nothing else is there. `option_ids` and `other` only where something was chosen or written."""

    is_skipped: bool
    value: str | list[str] | None = None
    option_ids: list[str] = []
    other: str | None = None


class QuestionSet(_Interaction):
    kind: Literal["question"]
    questions: list[QuestionOut]
    answers: dict[str, AnswerOut] | None


class AnyInteraction(RootModel[Annotated[Approval | QuestionSet, Field(discriminator="kind")]]):
    pass


class InteractionPage(Shape):
    items: list[AnyInteraction]
    next_cursor: str | None


class Decided(Shape):
    already_resolved: bool
    approval: Approval


class Answered(Shape):
    already_resolved: bool
    question: QuestionSet


class Claimed(Shape):
    """Run only on `execute`: `claimed` alone allows nothing. `input`: what to run, null where nothing is.

    `stopped`: what keeps it from being claimed now. `changed`: the world is not as it was when this was asked.
    """

    claimed: bool
    execute: bool
    claim_id: str | None
    input: Any
    stopped: StopOut | None
    changed: bool
    approval: Approval


class Reported(Shape):
    """`stopped`: an operator has stopped this tool meanwhile; what already runs is asked to end."""

    stopped: StopOut | None
    approval: Approval


class Settled(Shape):
    """`settled` is false where it was not unknown (any more)."""

    settled: bool
    approval: Approval


class Stops(Shape):
    stops: list[StopOut]


class DeliveryOut(Shape):
    """One attempt of a message. `status`: what the receiver answered; null with an `error` where it did not, and null
    without one while it is under way, or where its process died first.
    """

    message_id: str
    wake: int
    attempt: int
    at: Time
    by_hand: bool
    status: int | None
    error: str | None
    duration_ms: int | None


class Deliveries(Shape):
    items: list[DeliveryOut]


class Replayed(Shape):
    """`told`: its run was still owed this message, and counts as told now."""

    delivery: DeliveryOut
    told: bool


class Withdrawn(Shape):
    withdrawn: bool
    interaction: AnyInteraction


class Me(Shape):
    tenant: str
    name: str
    scopes: list[Literal["ask", "read", "decide", "work", "admin"]]
    policies: list[str]


class Woken(Shape):
    """`woken` is false where its run is owed nothing (any more), or asks for itself."""

    woken: bool
    interaction: AnyInteraction


class CardOut(Shape):
    """The arguments of chat.postMessage. The id in its buttons is made up."""

    text: str
    blocks: list[dict[str, Any]]


class PlaceOut(Shape):
    """`reachable`: whether the app may post there; null where that is not known."""

    id: str
    kind: Literal["channel", "user"]
    reachable: bool | None


class DeciderOut(Shape):
    """`groups`: those that make them one; none for who is named."""

    id: str
    name: str | None
    groups: list[str]


class LeftOut(Shape):
    id: str
    name: str | None
    why: Literal["requester", "guest", "bot", "deactivated", "unknown"]


class CanDecideOut(Shape):
    """`complete`: all who can were found."""

    users: list[DeciderOut]
    keys: list[str]
    left_out: list[LeftOut]
    complete: bool


WarningCode = Literal[
    "nobody_can_decide",
    "too_few_can_decide",
    "no_member",
    "unknown_person",
    "group_empty",
    "group_unreadable",
    "key_gone",
    "not_in_channel",
    "channels_unchecked",
    "no_reminder",
    "no_escalation",
    "expires_off_hours",
]


class WarningOut(Shape):
    code: WarningCode
    message: str


class Previewed(Shape):
    """What an ask would come to: nothing was stored, nothing was posted."""

    dry_run: Literal[True]
    kind: Literal["approval", "question"]
    operation_id: str
    asked_before: str | None
    digest: str | None
    expires_at: Time | None
    policy: PolicyOut | None
    approvers: ApproversOut
    card: CardOut
    places: list[PlaceOut]
    can_decide: CanDecideOut
    warnings: list[WarningOut]


class MatchOut(Shape):
    id: str
    kind: Literal["user", "channel", "group"]
    name: str
    label: str


class Matched(Shape):
    """`exact`: the one match is the one that is meant; otherwise those that perhaps are, the likeliest first."""

    matches: list[MatchOut]
    exact: bool


class FaultOut(Shape):
    pointer: str
    message: str


class ProblemOut(BaseModel):
    """What is no success. Further members by `code`: `id` and `differs` with `conflict`, `scope` with `scope`."""

    model_config = ConfigDict(strict=True, extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FaultOut] = []
