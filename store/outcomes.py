"""What a call to the store came to: results that a caller must look at."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from store.types import Approval, Interaction, QuestionSet, Stop

AnyInteraction_co = TypeVar("AnyInteraction_co", bound=Interaction, covariant=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Created(Generic[AnyInteraction_co]):
    """`created` is False when the same ask was there before; the interaction is as it is now."""

    created: bool
    interaction: AnyInteraction_co


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """`already_resolved`: this call changed nothing, except that it may have committed the expiry itself.

    False with a pending approval: the vote counts, more are needed.
    """

    already_resolved: bool
    approval: Approval


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    already_resolved: bool
    question: QuestionSet


@dataclass(frozen=True, kw_only=True, slots=True)
class Claimed:
    """Run only on `execute`. `claimed` says who took it, never that it may run.

    `stopped`: what keeps it from being claimed now; it can be, once that has ended. `has_changed`: the world is not
    as the run showed it, so that this claim runs nothing.
    """

    claimed: bool
    execute: bool
    claim_id: str | None
    approval: Approval
    stopped: Stop | None = None
    has_changed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Withdrawn:
    withdrawn: bool
    interaction: Interaction


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenBack:
    """`taken_back` is False where there was nothing of this person to take back any more."""

    taken_back: bool
    approval: Approval


@dataclass(frozen=True, kw_only=True, slots=True)
class Extended:
    """`extended` is False where it had been before, nobody may, or it waits no longer."""

    extended: bool
    interaction: Interaction


@dataclass(frozen=True, kw_only=True, slots=True)
class Settled:
    """`settled` is False where it was not unknown (any more): somebody else said so, or the run reported."""

    settled: bool
    approval: Approval


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """One page of a list; `next_cursor` is opaque, None at the end."""

    items: tuple[Interaction, ...]
    next_cursor: str | None
