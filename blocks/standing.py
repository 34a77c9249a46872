"""The state line of either kind of interaction, as its card says it: for what shows it elsewhere."""

from collections.abc import Sequence

from blocks import question, status
from blocks.surface import Block, Paint
from store.types import Approval, Interaction, QuestionSet


def line(one: Interaction, paint: Paint) -> tuple[str, Sequence[Block]]:
    """Its emoji, and the words behind it."""
    if isinstance(one, Approval):
        now = status.of(one, paint)
        return now.emoji, now.line
    assert isinstance(one, QuestionSet)
    emoji, words, _ = question.state(one, paint)
    return emoji, words
