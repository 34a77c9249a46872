"""The smallest card there is: for what Slack would not take whole. It never bears an Approve of its own."""

from blocks import approval, elements, fallback, ids, limits
from blocks.surface import Block, Message
from store.types import Approval, Interaction


def card(interaction: Interaction) -> Message:
    """Title, state, short code; and, while an approval waits, the way to its pages."""
    state = "It waits for a decision." if interaction.is_pending else f"It is {interaction.state}."
    blocks: list[Block] = [
        elements.header("title", interaction.title),
        elements.context("status", f"This card could not be drawn whole. {state}"),
        elements.context("foot", _foot(interaction)),
    ]
    if isinstance(interaction, Approval) and interaction.is_pending:
        review = elements.button(ids.REVIEW, "Review and approve…", interaction.id, style="primary")
        blocks.append(elements.actions("act", review, elements.button(ids.DENY, "Deny", interaction.id)))
    return Message(text=fallback.line("Request: ", interaction.title), blocks=tuple(blocks))


def _foot(interaction: Interaction) -> str:
    words = approval.foot(interaction) if isinstance(interaction, Approval) else interaction.short_code
    return limits.clip(words, 100)
