"""What an ask would come to, without storing or posting anything: the types that its parts speak in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from blocks.surface import Message
from store.types import Interaction

I_co = TypeVar("I_co", bound=Interaction, covariant=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked(Generic[I_co]):
    """`interaction`: as it would be stored; or as it stands, where the same was asked before (`is_standing`)."""

    interaction: I_co
    is_standing: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a card goes. `is_reachable`: None where nobody knows."""

    address: str
    is_channel: bool
    is_reachable: bool | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Decider:
    """`groups`: those that say so; none for who is named. `why`: what keeps them from it; None for who can."""

    id: str
    name: str | None
    groups: tuple[str, ...] = ()
    why: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Caution:
    code: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """`card`: as it would be posted to the first place. `is_whole`: no decider is left unknown."""

    card: Message
    places: Sequence[Place]
    deciders: Sequence[Decider]
    left_out: Sequence[Decider]
    keys: Sequence[str]
    is_whole: bool
    warnings: Sequence[Caution]


class Previews(Protocol):
    async def of(self, asked: Asked[Interaction]) -> Preview:
        """Reads only: rows, and Slack as far as it answers in time."""
        ...
