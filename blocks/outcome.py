"""Lines that tell somebody: a reply in the card's thread, or a direct message. One of the two, never both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from blocks import fallback, limits, notices, people, phase, richtext, silence, status
from blocks.phase import Phase
from blocks.richtext import bold, code, date, text
from blocks.surface import Block, Message, Paint
from blocks.visible import one_line
from store.types import About, Approval, Interaction, QuestionSet, State


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a card belongs. `address`: a channel's or a person's id. `error`: Slack's word, None where nothing failed."""

    address: str
    error: str | None = None
    has_card: bool = True


_EMOJI = {
    "Approved": "large_blue_circle",
    "Denied": "no_entry",
    "Answered": "white_check_mark",
    "Done": "white_check_mark",
    "Failed": "x",
    "Did it happen?": "warning",
    "It happened": "white_check_mark",
}
_OVER = "white_circle"
_DEAD = "Buttons that it still shows do nothing."
_RUN = {
    Phase.DONE: "Done",
    Phase.FAILED: "Failed",
    Phase.UNKNOWN: "Did it happen?",
    Phase.HAPPENED: "It happened",
    Phase.LAPSED: "Not started in time",
}
_STATES = {
    State.APPROVED: "Approved",
    State.DENIED: "Denied",
    State.ANSWERED: "Answered",
    State.EXPIRED: "Expired",
    State.WITHDRAWN: "Withdrawn",
    State.SUPERSEDED: "Replaced by a newer request",
    State.PENDING: "Waiting",
}
_NOBODY = frozenset({State.EXPIRED, State.SUPERSEDED, State.PENDING})


def word(interaction: Interaction) -> str:
    """How it ended, in the first words of its card."""
    if isinstance(interaction, Approval):
        run = _RUN.get(phase.of(interaction, Paint(lapsed=interaction.lapsed_at is not None)))
        if run is not None:
            return run
    if isinstance(interaction, QuestionSet) and notices.is_skipped(interaction):
        return "Skipped"
    return _STATES[interaction.state]


def _as_decided(interaction: Interaction) -> Interaction:
    """As it was when it was decided, for a line that says nothing of what its run did since."""
    if not isinstance(interaction, Approval):
        return interaction
    return replace(interaction, claim=None, execution=None, lapsed_at=None)


def _who(interaction: Interaction) -> list[Block]:
    settled = interaction.course.settlement
    if word(interaction) == _RUN[Phase.HAPPENED] and settled is not None:
        return [text(", says "), *people.actor(settled.actor)]
    if interaction.state in _NOBODY or word(interaction) in _RUN.values():
        return []
    return [text(" by "), *people.actor(interaction.resolved_by)]


def _says(interaction: Interaction) -> str:
    settled = interaction.course.settlement
    if word(interaction) == _RUN[Phase.HAPPENED] and settled is not None:
        return f"{word(interaction)}, says {fallback.who(settled.actor)}"
    by = f" by {fallback.who(interaction.resolved_by)}" if _who(interaction) else ""
    return f"{word(interaction)}{by}"


def _quote(interaction: Interaction) -> list[Block]:
    """The words that belong to the outcome: a reason, or what the run reported."""
    if isinstance(interaction, Approval):
        if word(interaction) in {"Done", "Failed", "Did it happen?"} and interaction.execution is not None:
            return status.quoted(interaction.execution.detail)
        if word(interaction) == _RUN[Phase.HAPPENED]:
            return []
        if interaction.state.is_decided:
            return status.quoted(interaction.feedback)
    return status.quoted(interaction.reason)


def thread_outcome(
    interaction: Interaction, *, mention: str | None = None, about: About | None = None, is_stale: bool = False
) -> Message:
    """`@dana Approved by @ana.` in the thread of the card. `mention`: the requester, who is pinged.

    `about`: what of it is said; None: how it stands. `is_stale`: the card above cannot say it itself.
    """
    if about is About.UNKNOWN:
        return silence.thread_line(interaction, mention=mention)
    shown = _as_decided(interaction) if about is About.RESOLVED else interaction
    to = [richtext.user(mention), text(" ")] if mention is not None else []
    stale = [text(f" Slack does not let us change the card. {_DEAD}")] if is_stale else []
    line = richtext.section(*to, bold(word(shown)), *_who(shown), text("."), *_nothing_ran(shown), *stale)
    lead = f"{fallback.mention(mention)} " if mention is not None else ""
    says = fallback.line(f"{lead}{_says(shown)}: ", shown.title)
    return Message(text=says, blocks=(richtext.rich_text("note", line, *_quote(shown)),))


def dm_requester(
    interaction: Interaction, *, link: str | None = None, about: About | None = None, places: Sequence[Place] = ()
) -> Message:
    """The same to the requester alone, with the way to the card. `places`: its cards; those that failed are named."""
    if about is About.UNKNOWN:
        return silence.dm_line(interaction, link=link)
    shown = _as_decided(interaction) if about is About.RESOLVED else interaction
    emoji = _EMOJI.get(word(shown), _OVER)
    lead = [richtext.emoji(emoji), text(" "), bold(word(shown)), *_who(shown), text(": ")]
    title = richtext.link(link, limits.clip(one_line(shown.title), limits.HEADER))
    ran = [text("."), *_nothing_ran(shown)] if _nothing_ran(shown) else []
    lines = [richtext.section(*lead, title, *ran), *_quote(shown), *_unreached(places)]
    return Message(text=fallback.line(f"{_says(shown)}: ", shown.title), blocks=(richtext.rich_text("note", *lines),))


def _nothing_ran(interaction: Interaction) -> list[Block]:
    return [text(" Nothing ran.")] if word(interaction) == _RUN[Phase.LAPSED] else []


def dm_card_failed(
    interaction: Interaction, *, places: Sequence[Place], link: str | None = None, app: str = "Signoff"
) -> Message:
    """To the requester, since a card failed: what is so now, and what to do about it. Not how it ended.

    `places`: all of the interaction's; those that failed are named. `link`: of a card that stands.
    """
    absent, frozen = _failed(places)
    if not interaction.is_pending and (absent or frozen):
        return _failed_and_over(interaction, places, link)
    shown = limits.clip(one_line(interaction.title), limits.HEADER)
    title = text(shown) if absent else richtext.link(link, shown)
    says, head = _head(absent, frozen, others=[place for place in places if place.error is None])
    lines = [_advice(place, app) for place in absent[: limits.PEOPLE]]
    lines += [[*_stale(place), text(" Its buttons still count.")] for place in frozen[: limits.PEOPLE]]
    waits = _still_waits(interaction.expires_at) if interaction.is_pending else [text("It is over.")]
    lines = [*lines[:-1], [*lines[-1], text(" "), *waits]] if lines else [waits]
    drawn = (richtext.section(*line) for line in lines)
    block = richtext.rich_text("note", richtext.section(*head, title), *drawn)
    return Message(text=fallback.line(f"{says}: ", interaction.title), blocks=(block,))


def _failed_and_over(interaction: Interaction, places: Sequence[Place], link: str | None) -> Message:
    """Where it cannot be seen that it is over; how it ended is a line of its own."""
    title = richtext.link(link, limits.clip(one_line(interaction.title), limits.HEADER))
    head = richtext.section(richtext.emoji(_OVER), text(" "), bold("It is over: "), title)
    block = richtext.rich_text("note", head, *_unreached(places))
    return Message(text=fallback.line("It is over: ", interaction.title), blocks=(block,))


def _failed(places: Sequence[Place]) -> tuple[Sequence[Place], Sequence[Place]]:
    """Those without a card, and those whose card cannot be changed."""
    failed = [place for place in places if place.error is not None]
    return [place for place in failed if not place.has_card], [place for place in failed if place.has_card]


def _unreached(places: Sequence[Place]) -> list[Block]:
    """Sections about the cards of something that is over."""
    absent, frozen = _failed(places)
    never = [text("Its card never reached "), *_named(absent, last="or"), text(".")] if absent else []
    stale = [[*_stale(place), text(f" {_DEAD}")] for place in frozen[: limits.PEOPLE]]
    return [richtext.section(*line) for line in [never, *stale] if line]


def _head(absent: Sequence[Place], frozen: Sequence[Place], *, others: Sequence[Place]) -> tuple[str, list[Block]]:
    """The first words of a request that waits: for notifications, and drawn."""
    if absent:
        is_seen = bool(frozen) or any(place.has_card for place in others)
        who = "Not everybody" if is_seen else "Nobody"
        return f"{who} can see your request yet", [richtext.emoji("warning"), text(" "), *_unseen(absent)]
    if frozen:
        emoji, says = "warning", "A card cannot be changed any more"
    elif all(place.has_card for place in others):
        emoji, says = "white_check_mark", "The card is there now"
    else:
        emoji, says = "large_yellow_circle", "The card is on its way"
    return says, [richtext.emoji(emoji), text(" "), bold(f"{says}: ")]


def _unseen(absent: Sequence[Place]) -> list[Block]:
    if any(richtext.is_user(place.address) for place in absent):
        return [*_named(absent, last="and", is_bold=True), bold(" cannot see this yet: ")]
    return [bold("Nobody in "), *_named(absent, last="or", is_bold=True), bold(" can see this yet: ")]


def _named(places: Sequence[Place], *, last: str, is_bold: bool = False) -> list[Block]:
    """`#deploys, #reports or @ben`."""
    entries = [[_where(place.address)] for place in places[: limits.PEOPLE]]
    more = len(places) - len(entries)
    joined = people.joined([*entries, [text(f"{more} more")]] if more else entries, last=last)
    return [{**part, "style": {"bold": True}} for part in joined] if is_bold else joined


def _where(address: str) -> Block:
    return richtext.user(address) if richtext.is_user(address) else richtext.channel(address)


def unreached(place: Place) -> list[Block]:
    """`no card in #deploys (not_in_channel)`"""
    what = "an old card" if place.has_card else "no card"
    there = "for" if richtext.is_user(place.address) else "in"
    error = limits.clip(one_line(place.error or ""), limits.NAME) or "no reason given"
    return [text(f"{what} {there} "), _where(place.address), text(f" ({error})")]


def _stale(place: Place) -> list[Block]:
    refused = code(limits.clip(one_line(place.error or ""), limits.NAME) or "no reason given")
    there = "for" if richtext.is_user(place.address) else "in"
    says = f"Slack does not let us change the card {there} "
    return [text(says), _where(place.address), text(": "), refused, text(".")]


def _advice(place: Place, app: str) -> list[Block]:
    error, where = place.error or "", _where(place.address)
    if error in {"not_in_channel", "channel_not_found"}:
        invite = code(f"/invite @{app}")
        joined = [text(" there: the card appears within two minutes.")]
        return [text(f"{app} is not a member of "), where, text(". Type "), invite, *joined]
    if error == "is_archived":
        return [where, text(" is archived. Withdraw this, and ask again in another channel.")]
    if error.startswith("restricted_action"):
        return [text(f"{app} may not write in "), where, text(". Somebody who looks after it can allow that.")]
    if error in {"user_disabled", "user_not_found"}:
        return [where, text(" has no account any more. Withdraw this, and ask somebody else.")]
    refused = code(limits.clip(one_line(error), limits.NAME) or "no reason given")
    return [text("Slack refused the card for "), where, text(": "), refused, text(".")]


def _still_waits(until: datetime | None) -> list[Block]:
    return [text("It still waits.")] if until is None else [text("It still waits, until "), date(until), text(".")]


def reminder(interaction: Interaction, *, mention: tuple[str, ...], link: str | None = None) -> Message:
    """`@ana @ben Still waiting, until …` in the thread."""
    to = [part for id in mention[: limits.PEOPLE] for part in (richtext.user(id), text(" "))]
    until = [text("until "), date(interaction.expires_at), text(". ")] if interaction.expires_at is not None else []
    lead = bold("Still waiting, " if until else "Still waiting. ")
    line = richtext.section(*to, lead, *until, richtext.link(link, "Open the card"))
    says = fallback.line("Still waiting: ", interaction.title)
    return Message(text=says, blocks=(richtext.rich_text("note", line),))
