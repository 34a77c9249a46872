"""Lines that tell somebody: a reply in the card's thread, or a direct message. One of the two, never both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from blocks import fallback, limits, notices, people, phase, richtext, silence, status
from blocks.called import called
from blocks.phase import Phase
from blocks.richtext import bold, code, date, text
from blocks.surface import Block, Message, Paint
from blocks.visible import one_line
from store.types import About, Actor, ActorKind, Approval, Interaction, QuestionSet, State


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a card belongs. `address`: a channel's or a person's id. `error`: Slack's word, None where nothing failed."""

    address: str
    error: str | None = None
    has_card: bool = True


_EMOJI = {
    "Approved": "large_blue_circle",
    "Denied": "no_entry",
    "Approval taken back": "no_entry",
    "Answered": "white_check_mark",
    "Done": "white_check_mark",
    "Failed": "x",
    "Did it happen?": "warning",
    "It happened": "white_check_mark",
}
_OVER = "white_circle"
#: The message to reply to is not there, or takes no replies.
_THREAD = frozenset({"cannot_reply_to_message", "restricted_action_non_threadable_channel"})
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
_TAKEN_BACK = "Approval taken back"
#: Of a name in a line of a thread, whose fallback text holds two, a mention and the title.
_SPOKEN = 40


def word(interaction: Interaction) -> str:
    """How it ended, in the first words of its card."""
    if isinstance(interaction, Approval):
        run = _RUN.get(phase.of(interaction, Paint(lapsed=interaction.lapsed_at is not None)))
        if run is not None:
            return run
    if isinstance(interaction, QuestionSet) and notices.is_skipped(interaction):
        return "Skipped"
    if isinstance(interaction, Approval) and interaction.course.taken_back_at is not None:
        return _TAKEN_BACK
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
    if not _has_who(interaction):
        return []
    if interaction.resolved_by is not None and interaction.resolved_by.kind is ActorKind.DEADLINE:
        return [text(", as nobody decided in time")]
    return [text(" by "), *(people.actors(_deciders(interaction)) or people.actor(None))]


def _deciders(interaction: Interaction) -> Sequence[Actor]:
    """All whose votes decided it."""
    if isinstance(interaction, Approval) and interaction.course.taken_back_at is None:
        if interaction.state is State.APPROVED:
            return status.deciders(interaction)
        if interaction.state is State.DENIED:
            return phase.deniers(interaction)
    return [] if interaction.resolved_by is None else [interaction.resolved_by]


def _has_who(interaction: Interaction) -> bool:
    return interaction.state not in _NOBODY and word(interaction) not in _RUN.values()


def spoken_of(interaction: Interaction, about: About | None = None) -> Sequence[Actor]:
    """Who made it what it is: whose name a line says."""
    interaction = _as_decided(interaction) if about is About.RESOLVED else interaction
    settled = interaction.course.settlement
    if word(interaction) == _RUN[Phase.HAPPENED] and settled is not None:
        return [settled.actor]
    return _deciders(interaction) if _has_who(interaction) else []


def _unpinged(interaction: Interaction, names: Mapping[str, str]) -> str:
    """` by Ana Ruiz`, where a mention would ping who has done their part. Nothing where a name is not known."""
    by = interaction.resolved_by
    if _has_who(interaction) and by is not None and by.kind is ActorKind.DEADLINE:
        return ", as nobody decided in time"
    who = spoken_of(interaction)
    if not who or any(richtext.is_user(one.id) and one.id not in names for one in who):
        return ""
    lead = ", says " if word(interaction) == _RUN[Phase.HAPPENED] else " by "
    return f"{lead}{people.listed([_spoken(one, names) for one in who])}"


def _spoken(actor: Actor, names: Mapping[str, str]) -> str:
    if richtext.is_user(actor.id):
        return limits.clip(people.name(actor.id, names), _SPOKEN)
    return limits.clip("".join(str(part["text"]) for part in people.actor(actor)), _SPOKEN)


def _says(interaction: Interaction) -> str:
    settled = interaction.course.settlement
    if word(interaction) == _RUN[Phase.HAPPENED] and settled is not None:
        return f"{word(interaction)}, says {fallback.who(settled.actor)}"
    if not _who(interaction):
        return word(interaction)
    if interaction.resolved_by is not None and interaction.resolved_by.kind is ActorKind.DEADLINE:
        return f"{word(interaction)}, nobody decided in time"
    return f"{word(interaction)} by {fallback.several(_deciders(interaction))}"


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
    interaction: Interaction,
    *,
    mention: str | None = None,
    names: Mapping[str, str] | None = None,
    about: About | None = None,
    is_stale: bool = False,
) -> Message:
    """`@dana Approved by Ana Ruiz.` in the thread of the card. `mention`: the requester, who alone is pinged.

    `names`: of people, by id. `about`: what of it is said; None: how it stands. `is_stale`: the card above cannot say
    it itself.
    """
    if about is About.UNKNOWN:
        return silence.thread_line(interaction, mention=mention)
    shown = _as_decided(interaction) if about is About.RESOLVED else interaction
    to = [richtext.user(mention), text(" ")] if mention is not None else []
    stale = [text(f" Slack does not let us change the card. {_DEAD}")] if is_stale else []
    by = _unpinged(shown, names or {})
    line = richtext.section(*to, bold(word(shown)), text(f"{by}."), *_nothing_ran(shown), *stale)
    lead = f"{fallback.mention(mention)} " if mention is not None else ""
    says = fallback.line(f"{lead}{word(shown)}{limits.escaped(by)}: ", called(shown))
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
    title = richtext.link(link, limits.clip(called(shown), limits.HEADER))
    ran = [text("."), *_nothing_ran(shown)] if _nothing_ran(shown) else []
    lines = [richtext.section(*lead, title, *ran), *_quote(shown), *_unreached(places)]
    return Message(text=fallback.line(f"{_says(shown)}: ", called(shown)), blocks=(richtext.rich_text("note", *lines),))


def _nothing_ran(interaction: Interaction) -> list[Block]:
    return [text(" Nothing ran.")] if word(interaction) in {_RUN[Phase.LAPSED], _TAKEN_BACK} else []


def dm_card_failed(
    interaction: Interaction, *, places: Sequence[Place], link: str | None = None, app: str = "Signoff"
) -> Message:
    """To the requester, since a card failed: what is so now, and what to do about it. Not how it ended.

    `places`: all of the interaction's; those that failed are named. `link`: of a card that stands.
    """
    absent, frozen = _failed(places)
    if not interaction.is_pending and (absent or frozen):
        return _failed_and_over(interaction, places, link)
    shown = limits.clip(called(interaction), limits.HEADER)
    title = text(shown) if absent else richtext.link(link, shown)
    says, head = _head(absent, frozen, others=[place for place in places if place.error is None])
    lines = [_advice(place, app) for place in absent[: limits.PEOPLE]]
    lines += [[*_stale(place), text(" Its buttons still count.")] for place in frozen[: limits.PEOPLE]]
    waits = _still_waits(interaction.expires_at) if interaction.is_pending else [text("It is over.")]
    lines = [*lines[:-1], [*lines[-1], text(" "), *waits]] if lines else [waits]
    drawn = (richtext.section(*line) for line in lines)
    block = richtext.rich_text("note", richtext.section(*head, title), *drawn)
    return Message(text=fallback.line(f"{says}: ", called(interaction)), blocks=(block,))


def _failed_and_over(interaction: Interaction, places: Sequence[Place], link: str | None) -> Message:
    """Where it cannot be seen that it is over; how it ended is a line of its own."""
    title = richtext.link(link, limits.clip(called(interaction), limits.HEADER))
    head = richtext.section(richtext.emoji(_OVER), text(" "), bold("It is over: "), title)
    block = richtext.rich_text("note", head, *_unreached(places))
    return Message(text=fallback.line("It is over: ", called(interaction)), blocks=(block,))


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
    if error in _THREAD:
        return [text("Slack has no such thread in "), where, text(". Withdraw this, and ask again without it.")]
    if error.startswith("restricted_action"):
        return [text(f"{app} may not write in "), where, text(". Somebody who looks after it can allow that.")]
    if error in {"user_disabled", "user_not_found"}:
        return [where, text(" has no account any more. Withdraw this, and ask somebody else.")]
    refused = code(limits.clip(one_line(error), limits.NAME) or "no reason given")
    return [text("Slack refused the card for "), where, text(": "), refused, text(".")]


def _still_waits(until: datetime | None) -> list[Block]:
    return [text("It still waits.")] if until is None else [text("It still waits, until "), date(until), text(".")]
