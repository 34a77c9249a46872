"""What an approval is compared with while it waits, wherever people decide on it."""

from typing import TypeGuard

from blocks import changes
from store.protocol import Store
from store.types import ActorKind, Approval, Interaction


def is_compared(interaction: Interaction) -> TypeGuard[Approval]:
    """Only while somebody has to look at it; a confirmation has no tool to be known by."""
    return isinstance(interaction, Approval) and interaction.is_pending and interaction.tool_name is not None


async def find(store: Store, interaction: Interaction) -> Approval | None:
    """The last approval of its tool and key before it."""
    return await store.find_precedent(approval=interaction) if is_compared(interaction) else None


def people(precedent: Approval | None) -> set[str]:
    """Whose names the line about it needs."""
    before = [] if precedent is None else changes.approvers(precedent)
    return {actor.id for actor in before if actor.kind is ActorKind.SLACK_USER}
