"""The Home tab: what waits for whoever looks at it, and what became of what they asked."""

from collections.abc import Mapping, Sequence

from blocks import elements, ids, limits, pending, question, richtext, status
from blocks.notices import PENDING_COMMAND
from blocks.pending import Row
from blocks.richtext import bold, code, text
from blocks.surface import Block, Paint, View
from blocks.visible import one_line
from store.types import Approval, Interaction, QuestionSet

#: Rows of each part: `/pending` lists the others.
MOST_ROWS = 10
_NOTHING = "Nothing waits for you"


def home(
    waiting: Sequence[Row], asked: Sequence[Row], *, names: Mapping[str, str] | None = None, is_cut: bool = False
) -> View:
    """`waiting`: what the person may decide; `asked`: what they asked for, open or not. Each as far as it is known.

    `is_cut`: more waits than was looked at.
    """
    known = names or {}
    blocks = [*_waiting(waiting, known, is_cut=is_cut), *_asked(asked, known)]
    if waiting or asked:
        blocks.append(elements.context("foot", "Updates by itself."))
    else:
        blocks += _empty()
    return View(callback_id=ids.VIEW_HOME, blocks=tuple(blocks))


def _waiting(rows: Sequence[Row], names: Mapping[str, str], *, is_cut: bool) -> list[Block]:
    number = f"{len(rows):,}+" if is_cut else f"{len(rows):,}"
    says = f"Waiting for you: {number}" if rows else _NOTHING
    blocks = [elements.header("h.mine", says)]
    for place, row in enumerate(rows[:MOST_ROWS]):
        blocks += pending.row_blocks(f"row.{place}", row, names, shown_on="here")
    more = len(rows) - MOST_ROWS
    if more > 0 or is_cut:
        count = f"And {max(more, 0):,} more" if more > 0 else "Perhaps more"
        line = richtext.section(text(f"{count}: "), code(PENDING_COMMAND), text(" lists them."))
        blocks.append(richtext.rich_text("more", line))
    return blocks


def _empty() -> list[Block]:
    shows = text("When a run needs your decision, it shows up here and as a message. ")
    types = [text("You can also type "), code(PENDING_COMMAND), text(" anywhere.")]
    return [richtext.rich_text("body", richtext.section(shows, *types))]


def _asked(rows: Sequence[Row], names: Mapping[str, str]) -> list[Block]:
    if not rows:
        return []
    blocks = [elements.header("h.asked", f"You asked: {len(rows):,}")]
    for place, row in enumerate(rows[:MOST_ROWS]):
        one = row.interaction
        blocks.append(richtext.rich_text(f"asked.{place}", richtext.section(*_line(row, names))))
        if one.is_pending:
            blocks.append(elements.actions(f"asked.{place}.act", _withdraw(one)))
    return blocks


def _line(row: Row, names: Mapping[str, str]) -> list[Block]:
    one = row.interaction
    title = limits.clip(one_line(one.title) or f"Request {one.short_code}", limits.HEADER)
    emoji, state = _state(one, names)
    way = richtext.link(row.link, "open card") if row.link is not None else text(one.short_code)
    return [richtext.emoji(emoji), text(" "), bold(title), text("\n"), *_plain(state), text(" · "), way]


def _plain(line: Sequence[Block]) -> list[Block]:
    """Without the bold of a card: here the title has it."""
    return [{key: part for key, part in piece.items() if key != "style"} for piece in line]


def _state(one: Interaction, names: Mapping[str, str]) -> tuple[str, Sequence[Block]]:
    """The state line of its card."""
    if isinstance(one, Approval):
        now = status.of(one, Paint(names=names, lapsed=one.lapsed_at is not None))
        return now.emoji, now.line
    assert isinstance(one, QuestionSet)
    emoji, line, _ = question.state(one, Paint(names=names))
    return emoji, line


def _withdraw(one: Interaction) -> Block:
    what = "Nothing runs." if isinstance(one, Approval) else "Nobody answers."
    return elements.confirmed(
        elements.button(ids.WITHDRAW, "Withdraw", one.id, says=f"Withdraw: {one.title}"),
        asks="Withdraw this request?",
        explains=f"{what} The card says that you withdrew it.",
        yes="Withdraw",
        no="Keep waiting",
    )
