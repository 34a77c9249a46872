"""The Home tab: what waits for whoever looks at it, and what became of what they asked."""

from collections.abc import Mapping, Sequence

from blocks import elements, ids, limits, pending, phase, richtext, standing, status
from blocks.called import called
from blocks.notices import PENDING_COMMAND
from blocks.pending import Row
from blocks.richtext import bold, code, text
from blocks.surface import Block, Paint, View
from store.types import Approval, Interaction

#: Open rows of each part: `/pending` lists the others.
MOST_ROWS = 10
#: Of what is over, the newest.
MOST_ENDED = 5
#: Of what an operator is asked about.
MOST_UNKNOWN = 5
_NOTHING = "Nothing waits for you"


def home(
    waiting: Sequence[Row],
    asked: Sequence[Row],
    *,
    unknown: Sequence[Row] = (),
    names: Mapping[str, str] | None = None,
    is_cut: bool = False,
) -> View:
    """`waiting`: what the person may decide; `asked`: what they asked for, open or not. Each as far as it is known.

    `unknown`: runs that went silent, for an operator to say what happened. `is_cut`: more waits than was looked at.
    """
    known = names or {}
    blocks = [*_unknown(unknown, known), *_waiting(waiting, known, is_cut=is_cut), *_asked(asked, known)]
    if waiting or asked or unknown:
        blocks.append(elements.context("foot", "Updates by itself."))
    else:
        blocks += _empty()
    return View(callback_id=ids.VIEW_HOME, blocks=tuple(blocks))


def shown(waiting: Sequence[Row], asked: Sequence[Row], unknown: Sequence[Row] = ()) -> list[Row]:
    """Those that are drawn: open ones first, then the newest of what is over."""
    waits = [row for row in asked if row.interaction.is_pending]
    over = [row for row in asked if not row.interaction.is_pending]
    return [*unknown[:MOST_UNKNOWN], *waiting[:MOST_ROWS], *waits[:MOST_ROWS], *over[:MOST_ENDED]]


def _unknown(rows: Sequence[Row], names: Mapping[str, str]) -> list[Block]:
    """First: until somebody says so, nobody knows what happened."""
    if not rows:
        return []
    blocks = [elements.header("h.unknown", f"Did it happen? {len(rows):,}")]
    for place, row in enumerate(rows[:MOST_UNKNOWN]):
        blocks += pending.row_blocks(f"unknown.{place}", row, names, shown_on="here")
    more = len(rows) - MOST_UNKNOWN
    if more > 0:
        lists = [text(f"And {more:,} more: "), code(f"{PENDING_COMMAND} all"), text(" lists them.")]
        blocks.append(richtext.rich_text("unknown.more", richtext.section(*lists)))
    return blocks


def _waiting(rows: Sequence[Row], names: Mapping[str, str], *, is_cut: bool) -> list[Block]:
    number = f"{len(rows):,}+" if is_cut else f"{len(rows):,}"
    says = f"Waiting for you: {number}" if rows else _NOTHING
    blocks = [elements.header("h.mine", says)]
    for place, row in enumerate(rows[:MOST_ROWS]):
        blocks += pending.row_blocks(f"row.{place}", row, names, shown_on="here")
    more = len(rows) - MOST_ROWS
    if more > 0 or is_cut:
        blocks.append(_more("more", f"And {more:,} more" if more > 0 else "Perhaps more"))
    return blocks


def _more(block_id: str, count: str) -> Block:
    return richtext.rich_text(
        block_id, richtext.section(text(f"{count}: "), code(PENDING_COMMAND), text(" lists them."))
    )


def _empty() -> list[Block]:
    shows = text("When a run needs your decision, it shows up here and as a message. ")
    types = [text("You can also type "), code(PENDING_COMMAND), text(" anywhere.")]
    tries = richtext.section(bold("New here? "), text("Try it with a request that does nothing."))
    button = elements.button(ids.PRACTICE, "Send me a practice request", "practice", style="primary")
    return [
        richtext.rich_text("body", richtext.section(shows, *types)),
        richtext.rich_text("practice", tries),
        elements.actions("practice.act", button),
    ]


def _asked(rows: Sequence[Row], names: Mapping[str, str]) -> list[Block]:
    """Open ones first, each with a line below: those over have no buttons, and stand close."""
    if not rows:
        return []
    drawn = shown([], rows)
    open_ones = sum(row.interaction.is_pending for row in rows)
    blocks = [elements.header("h.asked", f"You asked: {open_ones:,} open" if open_ones else "You asked")]
    for place, row in enumerate(drawn):
        blocks.append(richtext.rich_text(f"asked.{place}", richtext.section(*_line(row, names))))
        button = _button(row)
        if button is not None:
            blocks += [elements.actions(f"asked.{place}.act", button), elements.divider(f"asked.{place}.line")]
    if open_ones > MOST_ROWS:
        blocks.append(_more("asked.more", f"And {open_ones - MOST_ROWS:,} more that are open"))
    return blocks


def _line(row: Row, names: Mapping[str, str]) -> list[Block]:
    one, paint = row.interaction, _paint(row, names)
    title = limits.clip(called(one), limits.HEADER)
    emoji, state = standing.line(one, paint)
    line = [*_plain(_first_line(state)), *_unheard(one, paint), *pending.stopped(row), text(" · "), pending.way(row)]
    return [richtext.emoji(emoji), text(" "), bold(title), text("\n"), *line]


def _paint(row: Row, names: Mapping[str, str]) -> Paint:
    one = row.interaction
    has_lapsed = isinstance(one, Approval) and one.lapsed_at is not None
    return Paint(names=names, replaced_by_link=row.newer_link, lapsed=has_lapsed, stopped=row.stopped)


def _first_line(line: Sequence[Block]) -> list[Block]:
    """Up to the first break, and without the full stop: a card has room for more, and the way to it follows."""
    kept: list[Block] = []
    for piece in line:
        words, broken, _ = piece["text"].partition("\n") if piece["type"] == "text" else ("", "", "")
        if words or not broken:
            kept.append({**piece, "text": words} if broken else piece)
        if broken:
            break
    last = kept[-1]
    if last["type"] == "text":
        kept[-1] = {**last, "text": last["text"].rstrip().removesuffix(".")}
    return kept


def _plain(line: Sequence[Block]) -> list[Block]:
    """Without the bold of a card: here the title has it."""
    return [piece if "code" in piece.get("style", {}) else _unstyled(piece) for piece in line]


def _unstyled(piece: Block) -> Block:
    return {key: part for key, part in piece.items() if key != "style"}


def _unheard(one: Interaction, paint: Paint) -> list[Block]:
    """What its run does not know yet, where the line does not say so itself."""
    if not _shows_stuck(one, paint) or (isinstance(one, Approval) and phase.of(one, paint) is phase.Phase.STUCK):
        return []
    return [text(f" · {status.unheard_words(one)}"), *status.told(one)]


def _shows_stuck(one: Interaction, paint: Paint) -> bool:
    return status.shows_stuck(one, paint) if isinstance(one, Approval) else phase.is_stuck(one)


def _button(row: Row) -> Block | None:
    one = row.interaction
    if one.is_pending:
        return _withdraw(one)
    return elements.wake(one.id) if phase.can_wake(one) and _shows_stuck(one, _paint(row, {})) else None


def _withdraw(one: Interaction) -> Block:
    what = "Nothing runs." if isinstance(one, Approval) else "Nobody answers."
    return elements.confirmed(
        elements.button(ids.WITHDRAW, "Withdraw", one.id, says=f"Withdraw: {called(one)}"),
        asks="Withdraw this request?",
        explains=f"{what} The card says that you withdrew it.",
        yes="Withdraw",
        no="Keep waiting",
    )
