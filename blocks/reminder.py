"""Lines while something waits: a reminder, an escalation, a warning. Each pings once, and is never painted again."""

from collections.abc import Sequence

from blocks import fallback, limits, richtext
from blocks.called import called
from blocks.richtext import bold, date, text
from blocks.surface import Block, Message
from store.types import About, Approval, Interaction


def reminder(
    interaction: Interaction, *, mention: Sequence[str], about: About | None = None, link: str | None = None
) -> Message:
    """`@ana @ben Still waiting, until …. Open the card`. `mention`: users and groups, who are pinged, at most ten."""
    to = [part for id in mention[: limits.PEOPLE] for part in (_who(id), text(" "))]
    line = richtext.section(*to, *_said(interaction, about), richtext.link(link, "Open the card"))
    says = {About.ESCALATED: f"You may {_verb(interaction)} this, too: ", About.WARNED: "Expires soon: "}
    lead = "Still waiting: " if about is None else says.get(about, "Still waiting: ")
    return Message(text=fallback.line(lead, called(interaction)), blocks=(richtext.rich_text("note", line),))


def _verb(interaction: Interaction) -> str:
    return "decide" if isinstance(interaction, Approval) else "answer"


def _who(id: str) -> Block:
    return richtext.user(id) if richtext.is_user(id) else richtext.usergroup(id)


def _said(interaction: Interaction, about: About | None) -> list[Block]:
    deadline = interaction.expires_at
    if about is About.WARNED and deadline is not None:
        return [bold("Expires soon, "), date(deadline), text(". ")]
    until = [] if deadline is None else [text("until "), date(deadline), text(". ")]
    if about is About.ESCALATED:
        may = f"Still waiting: you may {_verb(interaction)} this, too"
        return [bold(f"{may}, "), *until] if until else [bold(f"{may}. ")]
    return [bold("Still waiting, "), *until] if until else [bold("Still waiting. ")]
