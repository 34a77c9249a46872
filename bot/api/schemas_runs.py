"""What callers send about hosted runs: who starts and stops them, and who works on them."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from bot.api.schemas import MAX_DESTINATIONS, TOO_MANY_OR_NONE, ApproversIn, RespondentsIn
from bot.api.schemas_content import (
    ActionIn,
    ChannelId,
    ExpiresIn,
    Feedback,
    Name,
    QuestionSetIn,
    Strict,
    ThreadTs,
    UserId,
    once,
    small,
)

#: Runs that one lease takes, codes that it names, runs that one renewal holds.
MAX_ROOM = 100
MAX_CODES = 200
MAX_HELD = 1000
#: Seconds that a lease and a renewal may wait.
MAX_LEASE_WAIT = 60
MAX_RENEW_WAIT = 30
Value = Annotated[Any, AfterValidator(small)]
Token = Annotated[str, Field(min_length=1, max_length=100)]
ActionId = Annotated[str, Field(min_length=1, max_length=100)]


class AudienceIn(Strict):
    """Where the cards of a run go, and who answers them. Of `approvers` and `respondents`, one may stand for both."""

    channels: Annotated[list[ChannelId], Field(max_length=MAX_DESTINATIONS), AfterValidator(once)] = []
    users: Annotated[list[UserId], Field(max_length=MAX_DESTINATIONS), AfterValidator(once)] = []
    thread_ts: ThreadTs | None = None
    policy: Name | None = None
    approvers: ApproversIn | None = None
    respondents: RespondentsIn | None = None
    expires_in: ExpiresIn | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if len(self.channels) + len(self.users) > MAX_DESTINATIONS:
            raise ValueError(TOO_MANY_OR_NONE)
        if self.thread_ts is not None and (len(self.channels), len(self.users)) != (1, 0):
            raise ValueError("thread_ts goes with exactly one channel and no users")
        return self


class StartRunIn(Strict):
    """`POST /v1/runs`."""

    code: Name
    run_id: Name | None = None
    input: Value = None
    state: Value = None
    audience: AudienceIn


class StopRunIn(Strict):
    reason: Feedback | None = None


class LeaseIn(Strict):
    """`POST /v1/work/lease`: up to `room` runs of these codes."""

    worker: Name
    codes: Annotated[list[Name], Field(min_length=1, max_length=MAX_CODES)]
    room: Annotated[int, Field(ge=1, le=MAX_ROOM)] = 1
    wait: Annotated[int, Field(ge=0, le=MAX_LEASE_WAIT)] = 0


class HeldIn(Strict):
    run_id: Name
    token: Token


class RenewIn(Strict):
    """`POST /v1/work/renew`: all that this worker holds."""

    worker: Name
    runs: Annotated[list[HeldIn], Field(max_length=MAX_HELD)] = []
    wait: Annotated[int, Field(ge=0, le=MAX_RENEW_WAIT)] = 0


class ReleaseIn(Strict):
    """`POST /v1/work/release`: what this worker gives back."""

    worker: Name
    runs: Annotated[list[HeldIn], Field(max_length=MAX_HELD)] = []


class AskQuestionsIn(Strict):
    kind: Literal["user_ask_questions"]
    request: QuestionSetIn
    cursor: Annotated[int, Field(ge=1)] | None = None


class AskConfirmationIn(Strict):
    kind: Literal["user_ask_confirmation"]
    request: ActionIn
    cursor: Annotated[int, Field(ge=1)] | None = None


class CheckpointIn(Strict):
    """`POST /v1/work/checkpoint`: exactly one of the three."""

    run_id: Name
    token: Token
    state: Value = None
    saves: Annotated[int, Field(ge=1)] | None = None
    action: Annotated[AskQuestionsIn | AskConfirmationIn, Field(discriminator="kind")] | None = None
    delivered: ActionId | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_fields_set & {"state", "action", "delivered"}) != 1:
            raise ValueError("give exactly one of state, action and delivered")
        if self.saves is not None and "state" not in self.model_fields_set:
            raise ValueError("saves goes with state")
        if {"action", "delivered"} & self.model_fields_set and self.action is None and self.delivered is None:
            raise ValueError("action and delivered are not null; leave them out")
        return self


class ErrorIn(Strict):
    """Why it ended without an outcome."""

    code: Literal["RUN_FAILED", "RUN_INTERRUPTED", "RUN_STOPPED", "RUN_CHECKPOINT_FAILED"]
    message: Feedback
    retryable: bool = False


class FinishIn(Strict):
    """`POST /v1/work/finish`: exactly one of the two."""

    run_id: Name
    token: Token
    outcome: Value = None
    error: ErrorIn | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_fields_set & {"outcome", "error"}) != 1:
            raise ValueError("give exactly one of outcome and error")
        if "error" in self.model_fields_set and self.error is None:
            raise ValueError("error is not null; leave it out")
        return self
