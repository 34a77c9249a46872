"""An execution that went silent: what is asked of operators, their two buttons, and what is shown once one said so."""

from collections.abc import Sequence

from blocks import elements, fallback, ids, limits, notices, people, phase, richtext
from blocks.phase import Phase
from blocks.richtext import bold, date, text
from blocks.surface import Block, Message, Note, Paint
from blocks.visible import one_line
from store.types import Approval, ExecutionStatus, Interaction, Settlement


def asks(approval: Approval, operators: Sequence[str]) -> list[Block]:
    """`Did it happen? worker-3 started … and went silent at …`, and who says so."""
    run = approval.execution
    started = [text(" started "), date(run.started_at)] if run is not None else []
    silent = [text(" and went silent at "), date(run.at, richtext.TIME)] if run is not None else []
    verb = "say" if len(operators) > limits.PEOPLE else "says"
    may = [text("\nIt will not run again until "), *_anyone(operators), text(f" {verb} what happened.")]
    return [bold("Did it happen? "), people.worker(approval), *started, *silent, text("."), *may]


def happened(approval: Approval, settled: Settlement) -> list[Block]:
    """`It happened, says @chidi today at 14:40. worker-3 had gone silent at 14:06.`"""
    since = settled.silent_at
    silent = [] if since is None else [text(" had gone silent at "), date(since, richtext.TIME), text(".")]
    was = [text(" "), people.worker(approval), *silent] if silent else []
    return [bold("It happened"), *says(settled), text("."), *was]


def did_not_happen(approval: Approval, settled: Settlement) -> list[Block]:
    """`It did not happen, says @chidi today at 14:40; one new try is allowed.` and until when."""
    until = approval.runs_until
    waits = [] if until is None else [text("\nNot started yet: the run has until "), date(until), text(".")]
    return [bold("It did not happen"), *says(settled), text("; one new try is allowed."), *waits]


def says(settled: Settlement) -> list[Block]:
    return [text(", says "), *people.actor(settled.actor), text(" "), date(settled.at)]


def _anyone(operators: Sequence[str]) -> list[Block]:
    named = [[richtext.user(one)] for one in operators[: limits.PEOPLE]]
    more = len(operators) - len(named)
    if more > 0:
        return people.joined([*named, [text(f"{more} more")]], last="and")
    return people.joined(named, last="or") or [text("an operator")]


def buttons(approval: Approval) -> list[Block]:
    """Both name the silence that they are about: one that follows it is another question."""
    value = ids.encode(approval.id, len(approval.course.spent_claims))
    yes = elements.button(ids.HAPPENED, "It happened", value, says="It happened: close as done")
    no = elements.button(ids.NOT_HAPPENED, "It did not happen", value, says="It did not happen: allow one more run")
    danger = elements.confirmed(
        no,
        asks="Let it run again?",
        explains="Only say so if you have checked that nothing happened: the run may then do it, once.",
        yes="It did not happen",
        no="Go back",
    )
    danger["confirm"]["style"] = "danger"
    return [yes, danger]


def row_facts(approval: Approval) -> list[Block]:
    """` · worker-3 went silent at …`, for a row of a list."""
    run = approval.execution
    return [] if run is None else [text(" · "), people.worker(approval), text(" went silent "), date(run.at)]


def notice(approval: Approval, *, link: str | None, is_open: bool) -> Message:
    """To an operator. `is_open`: whether this silence still waits for somebody's word; else it says who gave it."""
    title = richtext.link(link, limits.clip(one_line(approval.title), limits.HEADER))
    settled = approval.course.settlement
    if is_open:
        silent = row_facts(approval)[1:]
        lead = [richtext.emoji("warning"), text(" "), bold("Did it happen? "), title, text("\n"), *silent]
        ends = text(". It will not run again until an operator says what happened: on its card, or here.")
        block = richtext.rich_text("note", richtext.section(*lead, ends))
        row = elements.actions("act", *buttons(approval))
        return Message(text=fallback.line("Did it happen? ", approval.title), blocks=(block, row))
    if settled is None:
        line = [richtext.emoji("white_circle"), text(" "), bold("Its run has reported since: "), title]
        says_so = "Its run has reported since: "
    else:
        words = "It happened" if settled.happened else "It did not happen"
        emoji = "white_check_mark" if settled.happened else "white_circle"
        line = [richtext.emoji(emoji), text(" "), bold(words), *says(settled), text(": "), title]
        says_so = f"{words}: "
    block = richtext.rich_text("note", richtext.section(*line))
    return Message(text=fallback.line(says_so, approval.title), blocks=(block,))


def thread_line(interaction: Interaction, *, mention: str | None) -> Message:
    """`@dana Did it happen? Its run went silent.` in the thread of the card; it stays true, whatever is said later."""
    to = [richtext.user(mention), text(" ")] if mention is not None else []
    line = richtext.section(*to, bold("Did it happen? "), *_went(interaction))
    lead = f"{fallback.mention(mention)} " if mention is not None else ""
    says_so = fallback.line(f"{lead}Did it happen? ", interaction.title)
    return Message(text=says_so, blocks=(richtext.rich_text("note", line),))


def dm_line(interaction: Interaction, *, link: str | None) -> Message:
    """The same to the requester alone, with the way to the card."""
    title = richtext.link(link, limits.clip(one_line(interaction.title), limits.HEADER))
    line = [richtext.emoji("warning"), text(" "), bold("Did it happen? "), title, text("\n"), *_went(interaction)]
    block = richtext.rich_text("note", richtext.section(*line))
    return Message(text=fallback.line("Did it happen? ", interaction.title), blocks=(block,))


def _went(interaction: Interaction) -> list[Block]:
    run = interaction.execution if isinstance(interaction, Approval) else None
    since = [text(" at "), date(run.at, richtext.TIME)] if run is not None and phase.is_unknown(interaction) else []
    return [text("Its run went silent"), *since, text(". It will not run again until an operator says what happened.")]


_REPORTED = {Phase.DONE: "done ", Phase.FAILED: "failed ", Phase.RUNNING: "running since "}
_NOTHING_CHANGED = ". Your click changed nothing."


def settled_before(approval: Approval, *, clicker: str, card: str | None = None) -> Note:
    """To who says what happened where nobody asks any more: somebody said so, or the run was heard of.

    `card`: a link to its card, for who does not stand in front of it.
    """
    said, run = approval.course.settlement, approval.execution
    way = [] if card is None else [text(" "), richtext.link(card, "Open the card"), text(".")]
    if said is not None and (run is None or said.happened):
        words = "it happened" if said.happened else "it did not happen"
        is_mine = said.actor.id == clicker
        by = [bold("You settled this ")] if is_mine else [bold("Already settled "), text("by ")]
        who = [] if is_mine else [*people.actor(said.actor), text(" ")]
        line = [*by, *who, date(said.at), text(f": {words}{_NOTHING_CHANGED}")]
        return notices.note(f"Already settled: {words}.", *line, *way)
    word = _REPORTED.get(phase.of(approval, Paint()))
    if word is None or run is None:
        lead = "Nobody asks this any more."
        return notices.note(lead, bold(lead), text(" Your click changed nothing."), *way)
    at = date(run.started_at if run.status is ExecutionStatus.RUNNING else run.at)
    lead = "The run has reported since: "
    return notices.note(f"{lead}{word.split()[0]}.", bold(lead), text(word), at, text(_NOTHING_CHANGED), *way)
