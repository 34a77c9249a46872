"""What callers may send, as strict models: no coercion, no unknown field. Turned into asks in `bot.api.asking`."""

from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, model_validator

from bot.api.schemas_content import (
    ActionIn,
    ChannelId,
    Clock,
    ExpiresIn,
    Feedback,
    Fingerprint,
    Groups,
    Name,
    QuestionSetIn,
    Strict,
    ThreadTs,
    ToolPattern,
    UserId,
    Users,
    once,
)
from bot.asks import MAX_EXPIRES
from store.types import DEFAULT_CLAIM_WINDOW, DEFAULT_DEADLINE

MAX_DESTINATIONS = 20
TOO_MANY_OR_NONE = f"name 1 to {MAX_DESTINATIONS} channels and users for the cards"


def _true(given: Any) -> Any:
    if given is not True:
        raise ValueError("must be true; leave it out otherwise")
    return given


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError("no time zone that is known here") from error
    return name


class ApproversIn(Strict):
    """`quorum` approvals decide, and so do `denials` denials. `keys`: names of keys that may decide."""

    users: Users = []
    groups: Groups = []
    keys: Annotated[list[Name], Field(max_length=20), AfterValidator(once)] = []
    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    denials: Annotated[int, Field(ge=1, le=20)] = 1
    allow_requester: bool = False
    require_reason: bool = False

    @model_validator(mode="after")
    def _named(self) -> Self:
        _somebody(self.users, self.groups, self.keys, what="user, group or key")
        if not self.groups and self.quorum > len(self.users) + len(self.keys):
            raise ValueError("quorum asks for more approvals than there are approvers")
        return self


class RespondentsIn(Strict):
    users: Users = []
    groups: Groups = []

    @model_validator(mode="after")
    def _named(self) -> Self:
        _somebody(self.users, self.groups)
        return self


class HoursIn(Strict):
    """When people may be reminded: `days` 0 for Monday to 6, `zone` an IANA name, times as `09:00`."""

    start: Clock
    end: Clock
    zone: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_zone)]
    days: Annotated[list[Annotated[int, Field(ge=0, le=6)]], Field(min_length=1, max_length=7)] = [0, 1, 2, 3, 4]

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.start >= self.end:
            raise ValueError("start must be before end")
        return self


class RemindersIn(Strict):
    """The first after `after` seconds; each gap is twice the one before; `most` in all."""

    after: Annotated[int, Field(ge=60, le=MAX_EXPIRES)]
    most: Annotated[int, Field(ge=1, le=10)] = 3
    hours: HoursIn | None = None


class EscalationIn(Strict):
    """After `after` seconds undecided these may decide, too."""

    after: Annotated[int, Field(ge=1, le=MAX_EXPIRES)]
    users: Users = []
    groups: Groups = []

    @model_validator(mode="after")
    def _named(self) -> Self:
        _somebody(self.users, self.groups)
        return self


class ResumeIn(Strict):
    """Exactly one of the three; left out altogether, the run pulls."""

    handler: Name | None = None
    webhook: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    pull: Annotated[bool, AfterValidator(_true)] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(way is not None for way in (self.handler, self.webhook, self.pull)) != 1:
            raise ValueError('give exactly one of {"handler": name}, {"webhook": url}, {"pull": true}')
        return self


class _Ask(Strict):
    """What both kinds of ask say about where and for how long. Under a policy its cards go out in any case."""

    run_id: Name
    policy: Name | None = None
    reminders: RemindersIn | None = None
    escalation: Annotated[list[EscalationIn], Field(max_length=5)] = []
    operation_id: Name | None = None
    channels: Annotated[list[ChannelId], Field(max_length=MAX_DESTINATIONS), AfterValidator(once)] = []
    users: Annotated[list[UserId], Field(max_length=MAX_DESTINATIONS), AfterValidator(once)] = []
    thread_ts: ThreadTs | None = None
    resume: ResumeIn | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if len(self.channels) + len(self.users) > MAX_DESTINATIONS:
            raise ValueError(TOO_MANY_OR_NONE)
        delays = [each.after for each in self.escalation]
        if delays != sorted(set(delays)):
            raise ValueError("escalation goes from the sooner to the later")
        if self.thread_ts is not None and (len(self.channels), len(self.users)) != (1, 0):
            raise ValueError("thread_ts goes with exactly one channel and no users")
        return self


class ApprovalIn(_Ask, ActionIn):
    """`POST /v1/approvals`."""

    requested_by: UserId | None = None
    approvers: ApproversIn | None = None
    on_expiry: Literal["expire", "deny"] = "expire"
    expires_in: ExpiresIn | None = int(DEFAULT_DEADLINE.total_seconds())
    run_within: ExpiresIn = int(DEFAULT_CLAIM_WINDOW.total_seconds())
    supersedes: Annotated[str, Field(min_length=1, max_length=200)] | None = None


class QuestionsIn(_Ask, QuestionSetIn):
    """`POST /v1/questions`: one interaction, all answered at once."""

    respondents: RespondentsIn | None = None
    expires_in: ExpiresIn | None = None


class DecideIn(Strict):
    decision: Literal["allow-once", "allow-conversation", "allow-always", "deny"]
    feedback: Feedback | None = None
    digest: Annotated[str, Field(max_length=200)] | None = None


class AnswerIn(Strict):
    """`{"is_skipped": true}`, or a `value` (labels or own text), or `option_ids` and `other`."""

    is_skipped: bool
    value: str | list[str] | None = None
    option_ids: Annotated[list[str], Field(max_length=1000)] | None = None
    other: str | None = None


class AnswersIn(Strict):
    answers: Annotated[dict[str, AnswerIn], Field(max_length=100)]


class ClaimIn(Strict):
    digest: Annotated[str, Field(min_length=1, max_length=200)]
    worker: Name | None = None
    claim_id: Name | None = None
    report_within: Annotated[int, Field(ge=1, le=MAX_EXPIRES)] | None = None
    accept_edited: bool = False
    revalidate: Fingerprint | None = None


class ReportIn(Strict):
    claim_id: Name
    status: Literal["running", "succeeded", "failed"]
    detail: Feedback | None = None


class SettleIn(Strict):
    """What happened to an execution that went silent."""

    happened: bool


class StopIn(Strict):
    """`tool`: a name, or a beginning of names with a star; left out or only a star, everything is stopped."""

    tool: ToolPattern | None = None
    reason: Annotated[str, Field(max_length=300)] | None = None


class GoIn(Strict):
    tool: ToolPattern | None = None


class WithdrawIn(Strict):
    reason: Feedback | None = None


def _somebody(*lists: list[str], what: str = "user or group") -> None:
    """An empty list names nobody, never everybody."""
    if not any(lists):
        raise ValueError(f"name at least one {what}")
