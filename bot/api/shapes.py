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
    kind: Literal["slack_user", "api_key", "grant", "deadline", "requester"]
    id: str | None


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
    postings: list[PostingOut]
    resume: ResumeOut


class ApproversOut(Shape):
    users: list[str]
    groups: list[str]
    keys: list[str]
    quorum: int
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
    risk: Literal["low", "medium", "high"]
    digest: str
    approvers: ApproversOut
    votes: list[VoteOut]
    decision: DecisionName | None
    feedback: str | None
    claimed_at: Time | None
    claimed_by: str | None
    execution: ExecutionOut | None


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
    """Run only on `execute`: `claimed` alone allows nothing. `input`: what to run, null where nothing is."""

    claimed: bool
    execute: bool
    claim_id: str | None
    input: Any
    approval: Approval


class Reported(Shape):
    approval: Approval


class Withdrawn(Shape):
    withdrawn: bool
    interaction: AnyInteraction


class Me(Shape):
    tenant: str
    name: str
    scopes: list[Literal["ask", "read", "decide", "work", "admin"]]
    policies: list[str]


class FaultOut(Shape):
    pointer: str
    message: str


class ProblemOut(BaseModel):
    """What is no success. Further members by `code`: `id` with `conflict`, `scope` with `scope`."""

    model_config = ConfigDict(strict=True, extra="allow")

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FaultOut] = []
