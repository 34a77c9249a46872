"""The smallest card there is: for what Slack would not take whole. It never bears an Approve of its own."""

from blocks import approval, elements, fallback, ids, limits, outcome
from blocks.called import called
from blocks.surface import Block, Message
from store.types import Approval, Interaction


def card(interaction: Interaction) -> Message:
    """Title, state, short code; and, while it waits, the way to its pages or its form."""
    blocks: list[Block] = [
        elements.header("title", called(interaction)),
        elements.context("status", f"This card could not be drawn whole. {_state(interaction)}"),
        elements.context("foot", _foot(interaction)),
    ]
    if interaction.is_pending:
        blocks.append(elements.actions("act", *_controls(interaction)))
    return Message(text=fallback.line("Request: ", called(interaction)), blocks=tuple(blocks))


def _state(interaction: Interaction) -> str:
    if interaction.is_pending:
        return f"It waits for {'a decision' if isinstance(interaction, Approval) else 'an answer'}."
    return f"{outcome.word(interaction)}."


def _controls(interaction: Interaction) -> list[Block]:
    if not isinstance(interaction, Approval):
        says = f"Answer: {called(interaction)}"
        return [elements.button(ids.FORM, "Answer…", interaction.id, style="primary", says=says)]
    return approval.buttons(interaction, whole=False)


def _foot(interaction: Interaction) -> str:
    words = approval.foot(interaction) if isinstance(interaction, Approval) else interaction.short_code
    return limits.clip(words, 100)
