"""The private list of what waits: `/pending`. Eight rows a page, oldest deadline first, each with its own buttons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from blocks import action, approval, elements, ids, inputs, limits, people, phase, richtext
from blocks.ids import Filter
from blocks.inputs import Control
from blocks.richtext import bold, code, date, text
from blocks.surface import Block, Message
from blocks.visible import one_line
from store.types import Approval, Interaction, QuestionSet

PAGE_ROWS = 8
#: What a row shows of its action; less where eight rows would be too much for a message.
_ROW_ACTIONS = (300, 150, 60)
_WORDS = {
    Filter.MINE: "Mine",
    Filter.APPROVALS: "Approvals",
    Filter.QUESTIONS: "Questions",
    Filter.ALL: "All, with this channel",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One interaction of a list. `link`: to its card. `can_decide`: the viewer sees its buttons."""

    interaction: Interaction
    link: str | None = None
    can_decide: bool = False


def listing(
    rows: Sequence[Row],
    *,
    shown: Filter,
    counts: Mapping[Filter, int],
    page: int = 0,
    names: Mapping[str, str] | None = None,
) -> Message:
    """One page. `rows`: those of this page, at most eight; `counts`: of every filter; `page`: from 0.

    With nothing under this filter: the empty card, with the filter where another one holds something.
    """
    total = counts.get(shown, len(rows))
    if not rows and page == 0:
        return empty(shown, counts)
    title = _title(shown, total)
    blocks: list[Block] = []
    for budget in _ROW_ACTIONS:
        blocks = [elements.header("title", title), _filter(shown, counts)]
        for place, row in enumerate(rows[:PAGE_ROWS]):
            blocks += _row(f"row.{place}", row, names or {}, budget)
        blocks.append(elements.context("foot", _foot(rows, page, total)))
        blocks.append(elements.actions("pages", *_pages(shown, page, total)))
        if limits.total(blocks) <= limits.MESSAGE:
            break
    return Message(text=title, blocks=tuple(blocks))


def empty(shown: Filter, counts: Mapping[Filter, int]) -> Message:
    what = {Filter.APPROVALS: "No approval waits for you.", Filter.QUESTIONS: "No question waits for you."}
    says = what.get(shown, "Nothing waits for you." if shown is Filter.MINE else "Nothing waits.")
    rows = [richtext.section(bold(says))]
    others = counts.get(Filter.ALL, 0) - counts.get(Filter.MINE, 0)
    if shown is Filter.MINE and others > 0:
        wait = "waits" if others == 1 else "wait"
        rows.append(richtext.section(text(f"{others} in this channel {wait} for others: "), code("/pending all")))
    blocks = [richtext.rich_text("body", *rows)]
    if shown is not Filter.MINE and any(counts.values()):
        blocks.append(_filter(shown, counts))
    return Message(text=says, blocks=tuple(blocks))


def help_card(unknown: str | None = None) -> Message:
    """What one can type. `unknown`: what was typed instead."""
    says = "What you can type"
    lines: list[list[Block]] = [
        [code("/pending"), text(" what waits for me")],
        [code("/pending approvals"), text(", "), code("questions"), text(", "), code("all")],
        [code("/signoff withdraw XW3C6 [why]"), text(" take back what you asked")],
        [code("/signoff help"), text(" this list")],
    ]
    typed = limits.clip(one_line(unknown or ""), limits.NAME)
    lead = [richtext.section(text("There is no "), code(typed), text(" here."))] if typed else []
    block = richtext.rich_text("body", *lead, richtext.section(bold(says)), richtext.listing(lines))
    return Message(text=says, blocks=(block,))


def _title(shown: Filter, total: int) -> str:
    waits = "waits" if total == 1 else "wait"
    match shown:
        case Filter.MINE:
            return f"{total} {waits} for you"
        case Filter.ALL:
            return f"{total} {waits}, with this channel"
    noun = "approval" if shown is Filter.APPROVALS else "question"
    return f"{total} {noun if total == 1 else f'{noun}s'} {waits} for you"


def _filter(shown: Filter, counts: Mapping[Filter, int]) -> Block:
    entries = {one: elements.option(f"{_WORDS[one]} ({counts.get(one, 0)})", one.value) for one in Filter}
    select = elements.select(ids.LIST_FILTER, list(entries.values()), placeholder=None, chosen=entries[shown])
    return elements.actions("filter", select)


def _row(block_id: str, row: Row, names: Mapping[str, str], budget: int) -> list[Block]:
    one = row.interaction
    title = limits.clip(one_line(one.title), limits.HEADER)
    parts = [richtext.section(bold(title), text("\n"), *_facts(row, names))]
    whole = action.is_title_whole(one.title)
    if isinstance(one, Approval):
        words, is_all = action.in_one_row(one, budget)
        whole = whole and is_all
        if words:
            parts.append(richtext.preformatted(words))
    blocks = [richtext.rich_text(block_id, *parts)]
    buttons = _buttons(one, whole=whole) if row.can_decide else []
    if buttons:
        blocks.append(elements.actions(f"{block_id}.act", *buttons))
    return [*blocks, elements.divider(f"{block_id}.line")]


def _facts(row: Row, names: Mapping[str, str]) -> list[Block]:
    one = row.interaction
    kind = "Approval" if isinstance(one, Approval) else "Question"
    line = [text(f"{kind} · asked by {people.asker(one, names)}")]
    if one.expires_at is not None:
        line += [text(" · until "), date(one.expires_at)]
    if isinstance(one, Approval) and one.approvers.quorum > 1:
        line.append(text(f" · {len(phase.approvals_so_far(one))} of {one.approvers.quorum} approvals"))
    if isinstance(one, QuestionSet) and len(one.questions) > 1:
        line.append(text(f" · {len(one.questions)} questions"))
    way = richtext.link(row.link, "open card") if row.link is not None else text(one.short_code)
    return [*line, text(" · "), way]


def _buttons(one: Interaction, *, whole: bool) -> list[Block]:
    if isinstance(one, Approval):
        return approval.buttons(one, whole=whole, shown_on="in this list")
    if not isinstance(one, QuestionSet):
        return []
    if _fits_row(one):
        return question_buttons(one)
    says = f"Answer: {one.title}"
    return [elements.button(ids.FORM, "Answer…", one.id, style="primary", says=says)]


def _fits_row(one: QuestionSet) -> bool:
    """A single question of few short options that the row's title says whole."""
    asked = one.questions[0]
    described = asked.description or any(option.description for option in asked.options)
    said = one_line(asked.prompt) == one_line(one.title) and action.is_title_whole(one.title)
    return len(one.questions) == 1 and inputs.control(asked) is Control.BUTTONS and said and not described


def question_buttons(one: QuestionSet) -> list[Block]:
    asked = one.questions[0]
    row = inputs.picks(one.id, 0, asked)
    if asked.allow_other:
        row.append(elements.button(ids.OTHER, "Other…", ids.encode(one.id, 0), says="Write another answer"))
    if asked.is_skippable:
        row.append(elements.button(ids.SKIP, "Skip", ids.encode(one.id, 0), says="Skip this question"))
    return row


def _foot(rows: Sequence[Row], page: int, total: int) -> str:
    place = ""
    if total > PAGE_ROWS:
        place = f"{page * PAGE_ROWS + 1} to {page * PAGE_ROWS + len(rows)} of {total}. "
    waits = "" if any(row.can_decide for row in rows) else "These wait for others. "
    return f"{place}{waits}Oldest deadline first. Only you see this list; it does not update by itself."


def _pages(shown: Filter, page: int, total: int) -> list[Block]:
    row: list[Block] = []
    if page > 0:
        row.append(elements.button(ids.suffixed(ids.LIST_PAGE, "prev"), "Earlier", ids.encode_list(shown, page - 1)))
    if (page + 1) * PAGE_ROWS < total:
        row.append(elements.button(ids.suffixed(ids.LIST_PAGE, "next"), "Later", ids.encode_list(shown, page + 1)))
    return [*row, elements.button(ids.LIST_PAGE, "Refresh", ids.encode_list(shown, page))]
