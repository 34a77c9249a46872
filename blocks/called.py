"""What an interaction is called where its card's header does not stand: in lists, forms, lines and notifications."""

from blocks.visible import one_line
from store.types import Interaction, QuestionSet


def called(interaction: Interaction) -> str:
    """Its title on one line; a set of questions without one is called by its first."""
    title = one_line(interaction.title)
    if not title and isinstance(interaction, QuestionSet):
        title = one_line(interaction.questions[0].prompt)
    return title or f"Request {interaction.short_code}"
