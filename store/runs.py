"""Hosted runs as frozen values: what was started, how far it got, what it waits for, how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from store.types import DEFAULT_DEADLINE, Actor, Approvers, Destination, Lease

#: What `Store.changes` says besides ids of interactions: that a run was started.
STARTED = "runs"
_HINT = "run/"


def hint(run_id: str) -> str:
    """What `Store.changes` says where a run got a new action, is to stop, or has ended."""
    return f"{_HINT}{run_id}"


def run_of(said: str) -> str | None:
    """The run that a hint is about; None for what is no such hint."""
    return said.removeprefix(_HINT) if said.startswith(_HINT) else None


def is_of_run(said: str) -> bool:
    return said == STARTED or said.startswith(_HINT)


class RunStatus(StrEnum):
    """Derived from the row. `waiting`: an action was asked and its answer is not delivered."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"


class ActionKind(StrEnum):
    QUESTIONS = "user_ask_questions"
    CONFIRMATION = "user_ask_confirmation"


class RunErrorCode(StrEnum):
    """Why a run ended without an outcome: its code raised; what it did is unknown or cannot go on; it was told to;
    what it had to save was not saved.
    """

    FAILED = "RUN_FAILED"
    INTERRUPTED = "RUN_INTERRUPTED"
    STOPPED = "RUN_STOPPED"
    CHECKPOINT_FAILED = "RUN_CHECKPOINT_FAILED"


@dataclass(frozen=True, kw_only=True, slots=True)
class Audience:
    """Where the cards of a run go and who answers them; given at its start, never by its code.

    `approvers` decide confirmations, `respondents` answer questions; None where a policy says who. The two times are
    seconds; None for never.
    """

    destination: Destination
    policy: str | None = None
    approvers: Approvers | None = None
    respondents: Approvers | None = None
    confirmations_expire_in: int | None = int(DEFAULT_DEADLINE.total_seconds())
    questions_expire_in: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunAction:
    """The newest thing that a run asked people. `request_json`: as its code asked, JSON text.

    Saved before it is asked: without `interaction_id` it may or may not have been asked yet, and asking again is safe.
    """

    id: str
    kind: ActionKind
    request_json: str
    #: The how-manieth action of its run, from 1.
    cursor: int
    created_at: datetime
    interaction_id: str | None = None
    delivered_at: datetime | None = None
    #: The token of the lease whose holder got the answer.
    delivered_to: str | None = None

    @property
    def operation_id(self) -> str:
        return f"action-{self.cursor}"

    @property
    def is_open(self) -> bool:
        """Not answered, or the answer not delivered."""
        return self.delivered_at is None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunError:
    code: RunErrorCode
    message: str
    retryable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStop:
    """Somebody wants it to end."""

    at: datetime
    actor: Actor
    reason: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ending:
    """How a run ends: exactly one of the two. `outcome_json`: JSON text."""

    outcome_json: str | None = None
    error: RunError | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """One hosted run. `input_json`, `state_json`: JSON text, kept as it was sent.

    `request_digest` compares two starts of one run. `lease`: of the worker that has it, or had it last. `begun_at`:
    when a worker first confirmed that it has it; before that, no code of it ever ran.
    """

    tenant: str
    id: str
    code: str
    request_digest: str
    created_at: datetime
    #: The key under which it was started, and under which it asks.
    started_by: Actor
    audience: Audience
    input_json: str = "null"
    state_json: str = "null"
    #: How many states were saved.
    saves: int = 0
    #: How many actions there were.
    cursor: int = 0
    #: The newest one; None where there was none, and where it could not be asked.
    action: RunAction | None = None
    worker: str | None = None
    lease: Lease | None = None
    begun_at: datetime | None = None
    stop: RunStop | None = None
    finished_at: datetime | None = None
    #: The token of the lease whose holder ended it.
    finished_by: str | None = None
    ending: Ending | None = None

    @property
    def is_finished(self) -> bool:
        return self.finished_at is not None

    @property
    def is_waiting(self) -> bool:
        return not self.is_finished and self.action is not None and self.action.is_open

    @property
    def status(self) -> RunStatus:
        return self.summary.status

    @property
    def summary(self) -> "RunSummary":
        return RunSummary(
            tenant=self.tenant,
            id=self.id,
            code=self.code,
            created_at=self.created_at,
            saves=self.saves,
            cursor=self.cursor,
            is_waiting=self.is_waiting,
            worker=self.worker,
            begun_at=self.begun_at,
            stop=self.stop,
            finished_at=self.finished_at,
            error=None if self.ending is None else self.ending.error,
        )

    def is_free(self, now: datetime) -> bool:
        """Nobody's, or its lease has lapsed."""
        return self.lease is None or self.lease.until <= now


@dataclass(frozen=True, kw_only=True, slots=True)
class RunSummary:
    """A run in a list: without what may be large, its input, state, action and outcome."""

    tenant: str
    id: str
    code: str
    created_at: datetime
    saves: int
    cursor: int
    is_waiting: bool
    worker: str | None
    begun_at: datetime | None
    stop: RunStop | None
    finished_at: datetime | None
    error: RunError | None

    @property
    def status(self) -> RunStatus:
        if self.finished_at is not None:
            return RunStatus.COMPLETED if self.error is None else RunStatus.FAILED
        if self.is_waiting:
            return RunStatus.WAITING
        return RunStatus.QUEUED if self.begun_at is None else RunStatus.RUNNING


@dataclass(frozen=True, kw_only=True, slots=True)
class StartedRun:
    """`created` is False where the same run was started before; it is as it is now."""

    created: bool
    run: Run


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldRun:
    """What the holder of a lease has to know. `interaction_id`: of its open action, once that was asked.

    `until`: when the lease lapses. `has_begun`: its holder said once that it has it.
    """

    run_id: str
    until: datetime
    has_begun: bool
    is_stopping: bool
    interaction_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunPage:
    items: tuple[RunSummary, ...]
    next_cursor: str | None


#: Which leases a worker says it has: tokens by run id.
Tokens = Mapping[str, str]
