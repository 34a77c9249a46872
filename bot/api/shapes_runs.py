"""What this door answers about hosted runs, as models."""

from typing import Any, Literal

from bot.api.shapes import ActorOut, AnyInteraction, Shape, Time

StatusName = Literal["queued", "running", "waiting", "completed", "failed"]


class RunActionOut(Shape):
    """`interaction`: null until it was asked, which is a moment after it was saved."""

    id: str
    kind: Literal["user_ask_questions", "user_ask_confirmation"]
    request: Any
    cursor: int
    operation_id: str
    created_at: Time
    interaction_id: str | None
    delivered_at: Time | None
    interaction: AnyInteraction | None


class RunErrorOut(Shape):
    code: Literal["RUN_FAILED", "RUN_INTERRUPTED", "RUN_STOPPED", "RUN_CHECKPOINT_FAILED"]
    message: str
    retryable: bool


class RunStopOut(Shape):
    at: Time
    by: ActorOut
    reason: str | None


class RunSummary(Shape):
    """One line of a list."""

    run_id: str
    code: str
    status: StatusName
    saves: int
    cursor: int
    error: RunErrorOut | None
    stop: RunStopOut | None
    worker: str | None
    created_at: Time
    begun_at: Time | None
    finished_at: Time | None


class Run(RunSummary):
    """`outcome`: null until it is completed."""

    input: Any
    state: Any
    outcome: Any
    action: RunActionOut | None


class RunPage(Shape):
    items: list[RunSummary]
    next_cursor: str | None


class StoppedRun(Shape):
    """`stopped` is false where its worker still has to end it, and where it had ended in another way."""

    stopped: bool
    run: Run


class LeasedRun(Run):
    """`is_new`: no code of it ever ran."""

    token: str
    lease_until: Time
    is_new: bool


class Leased(Shape):
    lease: int
    runs: list[LeasedRun]


class AnsweredRun(Shape):
    run_id: str
    action: RunActionOut


class Renewed(Shape):
    lost: list[str]
    stopping: list[str]
    answered: list[AnsweredRun]


class Released(Shape):
    released: list[str]


class Checkpointed(Shape):
    run: Run
