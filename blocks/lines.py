"""Text as lines, so that it can be counted, cut and paged before it becomes rich_text. Nothing is lost on the way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from blocks import limits, richtext
from blocks.surface import Block

#: A longer line is folded: pages are made of lines.
FOLD = 600
_CONTINUED = "↪ "


class Kind(StrEnum):
    TEXT = "text"
    CODE = "code"
    QUOTE = "quote"
    BULLET = "bullet"
    ORDERED = "ordered"


class Join(StrEnum):
    """How a line stands to the one above."""

    #: A line of its own; in a list, an item of its own.
    NEW = "new"
    #: After a blank line; code: another box.
    GAP = "gap"
    #: In a list: a further line of the same item.
    BREAK = "break"
    #: The same line, folded here.
    FLOW = "flow"


_GLUE = {Join.NEW: "\n", Join.GAP: "\n\n", Join.BREAK: "\n", Join.FLOW: ""}


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line: rich_text elements of a section. `number`: of an item in an ordered list."""

    kind: Kind
    parts: tuple[Block, ...]
    join: Join = Join.NEW
    indent: int = 0
    number: int = 0

    @property
    def cost(self) -> int:
        return sum(limits.total(part) for part in self.parts) + len(_GLUE[self.join])


def code(words: str, join: Join = Join.NEW) -> Line:
    return Line(kind=Kind.CODE, parts=(richtext.text(words),), join=join)


def folded(lines: Iterable[Line], budget: int = FOLD) -> list[Line]:
    """The same lines, none costing more than `budget`."""
    return [piece for line in lines for piece in _fold(line, budget)]


def _fold(line: Line, budget: int) -> Iterator[Line]:
    if line.cost <= budget:
        yield line
        return
    join = line.join
    for parts in _pieces(line.parts, budget - 2 * len(_CONTINUED)):
        if join is not line.join and line.kind is Kind.CODE:
            yield replace(line, parts=(richtext.text(_CONTINUED), *parts), join=Join.NEW)
        else:
            yield replace(line, parts=parts, join=join)
        join = Join.FLOW


def _pieces(parts: Iterable[Block], budget: int) -> Iterator[tuple[Block, ...]]:
    piece: list[Block] = []
    spent = 0
    for part in _small(parts, budget):
        price = limits.total(part)
        if piece and spent + price > budget:
            yield tuple(piece)
            piece, spent = [], 0
        piece.append(part)
        spent += price
    yield tuple(piece)


def _small(parts: Iterable[Block], budget: int) -> Iterator[Block]:
    """Texts cut to `budget`; a link stays whole: its address has a limit of its own."""
    for part in parts:
        if part["type"] == "text" and limits.total(part) > budget:
            yield from ({**part, "text": words} for words in limits.split(part["text"], budget))
        else:
            yield part


def take(lines: Sequence[Line], *, count: int, budget: int) -> tuple[list[Line], int]:
    """The first lines, at most `count` and within `budget`, and how many are left."""
    spent = 0
    for place, line in enumerate(lines):
        spent += line.cost
        if place >= count or spent > budget:
            return list(lines[:place]), len(lines) - place
    return list(lines), 0


def pages(lines: Sequence[Line], *, count: int = limits.PAGE_LINES, budget: int = limits.PAGE) -> list[list[Line]]:
    """All lines, in pages; at least one page."""
    made: list[list[Line]] = []
    rest = list(lines)
    while rest:
        page, _left = take(rest, count=count, budget=budget)
        # A single line that costs more than a page cannot be: lines are folded. But never loop on one.
        page = page or rest[:1]
        made.append(page)
        rest = rest[len(page) :]
    return made or [[]]


def elements(lines: Sequence[Line], *, heading: Sequence[Block] = ()) -> list[Block]:
    """The elements of one rich_text block; the heading shares its section with a paragraph that follows."""
    made: list[Block] = []
    pending = list(heading)
    for _, run in groupby(_numbered(lines), key=lambda pair: pair[0]):
        group = [line for _, line in run]
        if group[0].kind is Kind.TEXT:
            start = [*pending, richtext.text("\n")] if pending else []
            made.append(richtext.section(*start, *_glued(group)))
            pending = []
            continue
        if pending:
            made.append(richtext.section(*pending))
            pending = []
        made.append(_element(group))
    return [*made, richtext.section(*pending)] if pending else made


def _numbered(lines: Sequence[Line]) -> Iterator[tuple[tuple[Kind, int, int], Line]]:
    """Each line with the key of its element: kind, indent, and which box of code it is in."""
    box = 0
    previous: Line | None = None
    for line in lines:
        if line.kind is Kind.CODE and line.join is Join.GAP and previous is not None and previous.kind is Kind.CODE:
            box += 1
        yield (line.kind, line.indent, box), line
        previous = line


def _element(group: Sequence[Line]) -> Block:
    first = group[0]
    if first.kind is Kind.CODE:
        return richtext.preformatted("".join(str(part.get("text", "")) for part in _glued(group)))
    if first.kind is Kind.QUOTE:
        return richtext.quote(*_glued(group))
    ordered = first.kind is Kind.ORDERED
    offset = max(first.number - 1, 0) if ordered else 0
    return richtext.listing(_items(group), ordered=ordered, indent=first.indent, offset=offset)


def _items(group: Sequence[Line]) -> list[list[Block]]:
    items: list[list[Block]] = []
    for line in group:
        if items and line.join in {Join.BREAK, Join.FLOW}:
            items[-1] += [richtext.text(_GLUE[line.join]), *line.parts]
        else:
            items.append(list(line.parts))
    return items


def _glued(group: Sequence[Line]) -> list[Block]:
    parts: list[Block] = []
    for place, line in enumerate(group):
        if place:
            parts.append(richtext.text(_GLUE[line.join]))
        parts.extend(line.parts)
    return parts


def rest(count: int) -> str:
    """`31 more lines.`"""
    return f"{count} more line." if count == 1 else f"{count} more lines."
