"""Hosted runs, as those who start them see them: frozen structs. Fields that a newer server adds are passed over."""

from typing import Literal, TypeAlias

from msgspec import Struct

from signoff.types import Actor, AnyInteraction, Json, Time

RunStatus: TypeAlias = Literal["queued", "running", "waiting", "completed", "failed"]
_FINISHED = frozenset({"completed", "failed"})


class RunFailure(Struct, frozen=True, kw_only=True):
    """Why a run has no outcome. `code`: RUN_FAILED, RUN_INTERRUPTED, RUN_STOPPED or RUN_CHECKPOINT_FAILED.

    `retryable`: another start, under another name, may help.
    """

    code: str
    message: str
    retryable: bool = False


class RunStop(Struct, frozen=True, kw_only=True):
    """Somebody wants it to end."""

    at: Time
    by: Actor
    reason: str | None = None


class RunAction(Struct, frozen=True, kw_only=True):
    """What a run asked last. `interaction`: as it stands; None for the moment between saving and asking.

    `delivered_at`: since when its code has the answer.
    """

    id: str
    kind: Literal["user_ask_questions", "user_ask_confirmation"]
    request: Json
    cursor: int
    operation_id: str
    created_at: Time
    interaction_id: str | None = None
    delivered_at: Time | None = None
    interaction: AnyInteraction | None = None


class RunSummary(Struct, frozen=True, kw_only=True):
    """One line of a list. `status`: queued (no code of it ran yet), running, waiting (for people), completed, failed.

    `saves` and `cursor`: how many states it saved, and how many times it asked.
    """

    run_id: str
    code: str
    status: RunStatus
    saves: int = 0
    cursor: int = 0
    error: RunFailure | None = None
    stop: RunStop | None = None
    worker: str | None = None
    created_at: Time
    begun_at: Time | None = None
    finished_at: Time | None = None

    @property
    def is_finished(self) -> bool:
        return self.status in _FINISHED


class HostedRun(RunSummary, frozen=True, kw_only=True):
    """A whole run. `state`: as it was saved last; `outcome`: what its code returned, once it is completed."""

    input: Json = None
    state: Json = None
    outcome: Json = None
    action: RunAction | None = None


class RunPage(Struct, frozen=True, kw_only=True):
    """One page of a list; `next_cursor` None: the last."""

    items: tuple[RunSummary, ...]
    next_cursor: str | None = None


class StoppedRun(Struct, frozen=True, kw_only=True):
    """`stopped` is false where its worker still has to end it, and where it had ended in another way."""

    stopped: bool
    run: HostedRun
