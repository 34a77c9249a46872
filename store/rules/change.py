"""One transition: what an interaction is afterwards, and what its event says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Generic, TypeVar

from store.rules.telling import patience
from store.types import Actor, ActorKind, Event, Interaction, State, Surface

I = TypeVar("I", bound=Interaction)  # noqa: E741  # the one interaction of these rules

DEADLINE = Actor(kind=ActorKind.DEADLINE)
TIMER = Actor(kind=ActorKind.TIMER)

Details = Mapping[str, str | int | bool | None]


class Action:
    """What an event says happened."""

    CREATED = "created"
    VOTED = "voted"
    VOTE_TAKEN_BACK = "vote_taken_back"
    TAKEN_BACK = "taken_back"
    EXTENDED = "extended"
    REMINDED = "reminded"
    ESCALATED = "escalated"
    WARNED = "warned"
    CLAIMED = "claimed"
    REPORTED = "reported"
    WENT_SILENT = "went_silent"
    SETTLED = "settled"
    # A resolution is called as the state that it leads to.


@dataclass(frozen=True, kw_only=True, slots=True)
class Change(Generic[I]):
    """`interaction`: as it is afterwards; the rest is what its event says."""

    interaction: I
    action: str
    actor: Actor
    surface: Surface
    at: datetime
    old_state: State
    details: Details

    def event(self, seq: int) -> Event:
        after = self.interaction
        return Event(
            tenant=after.tenant,
            seq=seq,
            interaction_id=after.id,
            at=self.at,
            action=self.action,
            actor=self.actor,
            surface=self.surface,
            old_state=self.old_state,
            new_state=after.state,
            details=self.details,
        )


def is_late(interaction: Interaction, at: datetime) -> bool:
    """At the deadline is late."""
    return interaction.is_pending and interaction.expires_at is not None and at >= interaction.expires_at


def step(
    after: I, *, action: str, actor: Actor, at: datetime, surface: Surface, details: Details | None = None
) -> Change[I]:
    """Something happened that leaves the state as it is."""
    return Change(
        interaction=after,
        action=action,
        actor=actor,
        surface=surface,
        at=at,
        old_state=after.state,
        details=details or {},
    )


def resolve(
    interaction: I,
    *,
    state: State,
    at: datetime,
    by: Actor,
    surface: Surface,
    details: Details | None = None,
) -> Change[I]:
    resolved = replace(interaction, state=state, resolved_at=at, resolved_by=by)
    return Change(
        interaction=replace(resolved, resumption=patience(resolved, at=at)),
        action=state.value,
        actor=by,
        surface=surface,
        at=at,
        old_state=interaction.state,
        details=details or {},
    )
