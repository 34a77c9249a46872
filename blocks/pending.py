"""The private list of what waits: `/pending`. Eight rows a page, oldest deadline first, each with its own buttons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blocks import (
    action,
    approval,
    changes,
    elements,
    ids,
    inputs,
    limits,
    outcome,
    people,
    phase,
    question,
    richtext,
    silence,
    status,
)
from blocks.called import called
from blocks.ids import Filter
from blocks.inputs import Control
from blocks.outcome import Place
from blocks.richtext import bold, code, date, text
from blocks.surface import Block, Message, Paint
from blocks.visible import one_line
from store.types import Approval, Interaction, QuestionSet, Risk, Stop

PAGE_ROWS = 8
#: Of those that a card could not reach.
_PLACES = 3
_WORDS = {
    Filter.MINE: "Mine",
    Filter.APPROVALS: "Approvals",
    Filter.QUESTIONS: "Questions",
    Filter.ALL: "All, with this channel",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """What a row has room for: characters of its action, and what changed since the last time."""

    action: int = 300
    changes: bool = True


#: Less where eight rows would be too much for a message.
_ROOMS = (Room(), Room(action=150), Room(action=60), Room(action=60, changes=False))


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One interaction of a list. `link`: to its card; `newer_link`: to the card of what replaced it.

    `can_decide`: the viewer sees its buttons. `can_settle`: they may say what happened to a run that went silent.
    `unreached`: places where its card could not go, or cannot be changed. `stopped`: what keeps it from starting.
    `precedent`: the last approval of its tool and key before it, where that was looked for (`is_compared`).
    """

    interaction: Interaction
    link: str | None = None
    newer_link: str | None = None
    can_decide: bool = False
    can_settle: bool = False
    unreached: Sequence[Place] = ()
    stopped: Stop | None = None
    precedent: Approval | None = None
    is_compared: bool = False

    @property
    def is_linked(self) -> bool:
        """Whether it leads to all cards that it speaks of."""
        is_replaced = self.interaction.superseded_by is not None
        return self.link is not None and (self.newer_link is not None or not is_replaced)


def listing(
    rows: Sequence[Row],
    *,
    shown: Filter,
    counts: Mapping[Filter, int],
    page: int = 0,
    names: Mapping[str, str] | None = None,
    is_cut: bool = False,
) -> Message:
    """One page. `rows`: those of this page, at most eight; `counts`: of every filter; `page`: from 0.

    With nothing under this filter: the empty card, with the filter where another one holds something.
    `is_cut`: more waits than was looked at, so that every count may be more.
    """
    total = counts.get(shown, len(rows))
    if not rows and page == 0:
        return empty(shown, counts, is_cut=is_cut)
    title = _title(shown, total, is_cut=is_cut)
    blocks: list[Block] = []
    for room in _ROOMS:
        blocks = [elements.header("title", title), _filter(shown, counts, is_cut=is_cut)]
        for place, row in enumerate(rows[:PAGE_ROWS]):
            blocks += row_blocks(ids.list_row(shown, page, place), row, names or {}, room)
        blocks.append(elements.context("foot", _foot(rows, page, total, is_cut=is_cut)))
        blocks.append(elements.actions("pages", *_pages(shown, page, total)))
        if limits.total(blocks) <= limits.MESSAGE:
            break
    return Message(text=title, blocks=tuple(blocks))


def empty(shown: Filter, counts: Mapping[Filter, int], *, is_cut: bool = False) -> Message:
    what = {Filter.APPROVALS: "No approval waits for you.", Filter.QUESTIONS: "No question waits for you."}
    says = what.get(shown, "Nothing waits for you." if shown is Filter.MINE else "Nothing waits.")
    if is_cut:
        says = "More waits than this list holds, and none of what it holds is for you."
    rows = [richtext.section(bold(says))]
    others = counts.get(Filter.ALL, 0) - counts.get(Filter.MINE, 0)
    if shown is Filter.MINE and others > 0:
        wait = "waits" if others == 1 else "wait"
        number = f"{_count(others, is_cut=is_cut)} in this channel {wait} for others: "
        rows.append(richtext.section(text(number), code("/pending all")))
    blocks = [richtext.rich_text("body", *rows)]
    if shown is not Filter.MINE and any(counts.values()):
        blocks.append(_filter(shown, counts, is_cut=is_cut))
    return Message(text=says, blocks=tuple(blocks))


def help_card(unknown: str | None = None) -> Message:
    """What one can type. `unknown`: what was typed instead."""
    says = "What you can type"
    lines: list[list[Block]] = [
        [code("/pending"), text(" what waits for me")],
        [code("/pending approvals"), text(", "), code("questions"), text(", "), code("all")],
        [code("/signoff withdraw XW3C6 [why]"), text(" take back what you asked")],
        [
            code("/signoff stop deploy.* [why]"),
            text(", "),
            code("go"),
            text(", "),
            code("stops"),
            text(" for operators"),
        ],
        [code("/signoff help"), text(" this list")],
    ]
    typed = limits.clip(one_line(unknown or ""), limits.NAME)
    lead = [richtext.section(text("There is no "), code(typed), text(" here."))] if typed else []
    block = richtext.rich_text("body", *lead, richtext.section(bold(says)), richtext.listing(lines))
    return Message(text=says, blocks=(block,))


def _title(shown: Filter, total: int, *, is_cut: bool) -> str:
    waits = "waits" if total == 1 and not is_cut else "wait"
    number = _count(total, is_cut=is_cut)
    match shown:
        case Filter.MINE:
            return f"{number} {waits} for you"
        case Filter.ALL:
            return f"{number} {waits}, with this channel"
    noun = "approval" if shown is Filter.APPROVALS else "question"
    return f"{number} {noun if waits == 'waits' else f'{noun}s'} {waits} for you"


def _count(number: int, *, is_cut: bool) -> str:
    """`1,000+` where there may be more."""
    return f"{number:,}+" if is_cut else f"{number:,}"


def _filter(shown: Filter, counts: Mapping[Filter, int], *, is_cut: bool) -> Block:
    entries = {
        one: elements.option(f"{_WORDS[one]} ({_count(counts.get(one, 0), is_cut=is_cut)})", one.value)
        for one in Filter
    }
    select = elements.select(ids.LIST_FILTER, list(entries.values()), placeholder=None, chosen=entries[shown])
    return elements.actions("filter", select)


def row_blocks(
    block_id: str, row: Row, names: Mapping[str, str], room: Room = _ROOMS[0], *, shown_on: str = "in this list"
) -> list[Block]:
    """One row: what it is, what changed and its action as far as there is room, its buttons, a line below."""
    one = row.interaction
    title = limits.clip(called(one), limits.HEADER)
    seen = _seen(row, names) if room.changes else []
    parts = [richtext.section(bold(title), text("\n"), *_facts(row, names), *seen)]
    whole = action.is_title_whole(one.title)
    if isinstance(one, Approval):
        words, is_all = action.in_one_row(one, room.action)
        whole = whole and is_all
        if words:
            parts.append(richtext.preformatted(words))
    blocks = [richtext.rich_text(block_id, *parts)]
    buttons = _buttons(row, whole=whole, shown_on=shown_on)
    if buttons:
        blocks.append(elements.actions(f"{block_id}.act", *buttons))
    return [*blocks, elements.divider(f"{block_id}.line")]


def _facts(row: Row, names: Mapping[str, str]) -> list[Block]:
    one = row.interaction
    line = [*_kind(one), text(f" · asked by {people.asker(one, names)}")]
    if isinstance(one, Approval) and phase.is_unknown(one):
        line += silence.row_facts(one)
    elif phase.is_stuck(one):
        line += [text(f" · {one.state} "), *_resolved(one), text(f", {status.unheard_words(one)}"), *status.told(one)]
    elif one.expires_at is not None:
        line += [text(" · until "), date(one.expires_at)]
    line += stopped(row)
    if isinstance(one, Approval) and one.approvers.quorum > 1:
        line.append(text(f" · {len(phase.approvals_so_far(one))} of {one.approvers.quorum} approvals"))
    if isinstance(one, Approval) and one.is_pending and phase.denials_so_far(one):
        line.append(text(f" · {len(phase.denials_so_far(one))} of {one.approvers.denials} denials"))
    if isinstance(one, QuestionSet) and len(one.questions) > 1:
        line.append(text(f" · {len(one.questions)} questions"))
    return [*line, text(" · "), way(row), *(_unreached(row.unreached) if row.unreached else [])]


def _seen(row: Row, names: Mapping[str, str]) -> list[Block]:
    """What changed since the last time, in a line of its own."""
    one, paint = row.interaction, Paint(names=names, precedent=row.precedent, is_compared=row.is_compared)
    line = changes.line(one, paint) if isinstance(one, Approval) else []
    return [text("\n"), *line] if line else []


def stopped(row: Row) -> list[Block]:
    """` · stopped`, as long as it could start otherwise."""
    is_held = isinstance(row.interaction, Approval) and phase.is_held_up(row.interaction, Paint(stopped=row.stopped))
    return [text(" · "), bold("stopped")] if is_held else []


def _unreached(places: Sequence[Place]) -> list[Block]:
    """`⚠️ There is no card in #deploys (not_in_channel)`, in a line of its own."""
    named = [outcome.unreached(place) for place in places[:_PLACES]]
    more = len(places) - _PLACES
    entries = [*named, [text(f"{more} more")]] if more > 0 else named
    return [text("\n"), richtext.emoji("warning"), text(" There is "), *people.joined(entries, last="and")]


def _kind(one: Interaction) -> list[Block]:
    """The words that go with a red button."""
    if not isinstance(one, Approval):
        return [text("Question")]
    return [bold("High-risk approval")] if one.risk is Risk.HIGH else [text("Approval")]


def way(row: Row) -> Block:
    """To its card; where Slack has no link to one (yet), what commands take."""
    return richtext.link(row.link, "open card") if row.link is not None else text(row.interaction.short_code)


def _resolved(one: Interaction) -> list[Block]:
    return [] if one.resolved_at is None else [date(one.resolved_at)]


def _buttons(row: Row, *, whole: bool, shown_on: str) -> list[Block]:
    one = row.interaction
    if row.can_settle and isinstance(one, Approval) and phase.is_unknown(one):
        return silence.buttons(one)
    if phase.can_wake(one):
        return [elements.wake(one.id)]
    if not row.can_decide:
        return []
    if isinstance(one, Approval):
        return approval.buttons(one, whole=whole, shown_on=shown_on)
    if not isinstance(one, QuestionSet):
        return []
    if _fits_row(one):
        return question.row(one.id, one.questions[0])
    says = f"Answer: {called(one)}"
    return [elements.button(ids.FORM, "Answer…", one.id, style="primary", says=says)]


def _fits_row(one: QuestionSet) -> bool:
    """A single question of few short options that the row's title says whole."""
    asked = one.questions[0]
    described = asked.description or any(option.description for option in asked.options)
    said = one_line(asked.prompt) == one_line(one.title) and action.is_title_whole(one.title)
    return len(one.questions) == 1 and inputs.control(asked) is Control.BUTTONS and said and not described


def _foot(rows: Sequence[Row], page: int, total: int, *, is_cut: bool) -> str:
    place = ""
    if total > PAGE_ROWS:
        place = f"{page * PAGE_ROWS + 1} to {page * PAGE_ROWS + len(rows)} of {_count(total, is_cut=is_cut)}. "
    more = "And more, beyond what this list holds. " if is_cut else ""
    ours = any(row.can_decide or row.can_settle or phase.is_stuck(row.interaction) for row in rows)
    waits = "" if ours else "These wait for others. "
    return f"{place}{more}{waits}Oldest deadline first. Only you see this list; it does not update by itself."


def _pages(shown: Filter, page: int, total: int) -> list[Block]:
    row: list[Block] = []
    if page > 0:
        row.append(
            elements.button(ids.suffixed(ids.LIST_PAGE, "prev"), "Previous page", ids.encode_list(shown, page - 1))
        )
    if (page + 1) * PAGE_ROWS < total:
        row.append(elements.button(ids.suffixed(ids.LIST_PAGE, "next"), "Next page", ids.encode_list(shown, page + 1)))
    return [*row, elements.button(ids.LIST_PAGE, "Refresh", ids.encode_list(shown, page))]
