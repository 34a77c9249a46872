"""The smallest cards there are: for what Slack would not take whole. They never bear an Approve of their own."""

from blocks import approval, elements, fallback, ids, limits, outcome, people, phase, richtext, standing
from blocks.called import called
from blocks.richtext import text
from blocks.surface import Block, Message, Paint
from store.types import Approval, Interaction

_WHY = "This card could not be drawn whole."


def card(interaction: Interaction, paint: Paint) -> Message:
    """Title, state line and controls of the whole card, and its short code; what is long is only in pages and forms."""
    emoji, line = standing.line(interaction, paint)
    number = paint.revision
    state = richtext.rich_text(ids.block("status", number), richtext.section(richtext.emoji(emoji), text(" "), *line))
    return _drawn(interaction, paint, state, elements.context(ids.block("why", number), _WHY))


def words(interaction: Interaction, paint: Paint) -> Message:
    """The same without anything that Slack has to know: who decides is named, and nobody mentioned."""
    state = elements.context(ids.block("status", paint.revision), f"{_WHY} {_state(interaction, paint)}")
    return _drawn(interaction, paint, state)


def _drawn(interaction: Interaction, paint: Paint, *state: Block) -> Message:
    blocks = [
        elements.header(ids.block("title", paint.revision), called(interaction)),
        *state,
        elements.context(ids.block("foot", paint.revision), _foot(interaction)),
    ]
    controls = _controls(interaction, paint)
    if controls:
        blocks.append(elements.actions(ids.block("act", paint.revision), *controls))
    return Message(text=fallback.line("Request: ", called(interaction)), blocks=tuple(blocks))


def _state(interaction: Interaction, paint: Paint) -> str:
    if not interaction.is_pending:
        return f"{outcome.word(interaction)}."
    named = people.approvers(interaction.deciders, Paint(names=paint.names, mention=False))
    who = "".join(str(part["text"]) for part in named)
    return f"It waits for {'a decision' if isinstance(interaction, Approval) else 'an answer'} from {who}."


def _controls(interaction: Interaction, paint: Paint) -> list[Block]:
    if isinstance(interaction, Approval):
        return approval.row(interaction, paint, whole=False)
    if interaction.is_pending:
        says = f"Answer: {called(interaction)}"
        return [elements.button(ids.FORM, "Answer…", interaction.id, style="primary", says=says)]
    return [elements.wake(interaction.id)] if phase.can_wake(interaction) else []


def _foot(interaction: Interaction) -> str:
    shown = approval.foot(interaction) if isinstance(interaction, Approval) else interaction.short_code
    return limits.clip(shown, limits.FOOT)
