"""What /v1/work says, as far as a worker reads it."""

from typing import Literal

from msgspec import Raw, Struct

from signoff.types import AnyInteraction, Json

ActionKind = Literal["user_ask_questions", "user_ask_confirmation"]


class Action(Struct, frozen=True, kw_only=True):
    """The run's newest action. Without `interaction_id` a crash came between its intent and its ask."""

    id: str
    kind: ActionKind
    request: Json
    cursor: int
    operation_id: str
    interaction_id: str | None = None
    delivered_at: str | None = None
    interaction: AnyInteraction | None = None

    @property
    def is_resolved(self) -> bool:
        return self.interaction is not None and not self.interaction.is_pending


class Run(Struct, frozen=True, kw_only=True):
    """`saves`: how many states it saved; `cursor`: how many actions it had."""

    run_id: str
    saves: int = 0
    cursor: int = 0
    action: Action | None = None


class Leased(Struct, frozen=True, kw_only=True):
    """A run with its lease. `is_new`: no worker has begun it."""

    run_id: str
    code: str
    token: str
    is_new: bool
    saves: int = 0
    cursor: int = 0
    input: Raw = Raw(b"null")
    state: Raw = Raw(b"null")
    action: Action | None = None


class Answered(Struct, frozen=True, kw_only=True):
    run_id: str
    action: Action


class News(Struct, frozen=True, kw_only=True):
    """What a renewal says: whose lease is gone, who is to stop, whose answer is there."""

    lost: tuple[str, ...] = ()
    stopping: tuple[str, ...] = ()
    answered: tuple[Answered, ...] = ()


class LeaseReply(Struct, frozen=True, kw_only=True):
    """`lease`: seconds for which they are held without renewing."""

    lease: int = 60
    runs: tuple[Leased, ...]


class Released(Struct, frozen=True, kw_only=True):
    released: tuple[str, ...] = ()


class RunReply(Struct, frozen=True, kw_only=True):
    run: Run
