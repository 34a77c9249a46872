"""Markdown bodies as lines. What is no Markdown of ours stays text: HTML, images, unsafe links lose nothing and do nothing."""

from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from blocks import richtext
from blocks.lines import Join, Kind, Line
from blocks.surface import Block
from blocks.visible import visible

_DEEPEST = 8
_RULE = "———"


def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).enable("strikethrough")


def to_lines(source: str | None) -> list[Line]:
    """Paragraphs, lists, quotes, code, bold, italic, strike, links. Unfolded: a paragraph is as long as it is."""
    walker = _Walker()
    # Shown before it is parsed: Markdown drops some invisible characters itself, and takes others for blanks.
    for token in _parser().parse(visible(source or "")):
        walker.take(token)
    return walker.lines


@dataclass(kw_only=True, slots=True)
class _List:
    ordered: bool
    number: int
    #: The item has had no text yet: its next line is the item's first.
    is_fresh: bool = False


@dataclass(kw_only=True, slots=True)
class _Walker:
    lines: list[Line] = field(default_factory=list)
    lists: list[_List] = field(default_factory=list)
    quotes: int = 0
    is_heading: bool = False

    def take(self, token: Token) -> None:
        if token.type in {"bullet_list_open", "ordered_list_open", "bullet_list_close", "ordered_list_close"}:
            self._list(token)
            return
        match token.type:
            case "list_item_open":
                self.lists[-1].number += 1
                self.lists[-1].is_fresh = True
            case "blockquote_open" | "blockquote_close":
                self.quotes += token.nesting
            case "heading_open" | "heading_close":
                self.is_heading = token.type == "heading_open"
            case "fence" | "code_block":
                self._code(token.content)
            case "hr":
                self._paragraph([[richtext.text(_RULE)]])
            case "inline":
                self._paragraph(_Inline(bold=int(self.is_heading)).walk(token.children or []))

    def _list(self, token: Token) -> None:
        if token.nesting < 0:
            self.lists.pop()
            return
        start = int(token.attrs.get("start", 1)) - 1
        self.lists.append(_List(ordered=token.type == "ordered_list_open", number=start))

    def _paragraph(self, rows: list[list[Block]]) -> None:
        for place, row in enumerate(rows):
            self.lines.append(self._quoted(row, place) if self.quotes or not self.lists else self._item(row, place))

    def _quoted(self, row: list[Block], place: int) -> Line:
        kind = Kind.QUOTE if self.quotes else Kind.TEXT
        follows = bool(self.lines) and self.lines[-1].kind is kind
        if self.lists and self.lists[-1].is_fresh and place == 0:
            self.lists[-1].is_fresh = False
            return Line(kind=kind, parts=(richtext.text(self._marker()), *row))
        return Line(kind=kind, parts=tuple(row), join=Join.GAP if place == 0 and follows else Join.NEW)

    def _marker(self) -> str:
        """A list within a quote: Slack has none, so the mark is text."""
        indent = "  " * (len(self.lists) - 1)
        return f"{indent}{self.lists[-1].number}. " if self.lists[-1].ordered else f"{indent}• "

    def _item(self, row: list[Block], place: int) -> Line:
        innermost = self.lists[-1]
        is_first = innermost.is_fresh and place == 0
        innermost.is_fresh = False
        # After a box of code inside the item there is no item to go on with: it starts anew.
        continues = not is_first and bool(self.lines) and self.lines[-1].kind in {Kind.BULLET, Kind.ORDERED}
        return Line(
            kind=Kind.ORDERED if innermost.ordered else Kind.BULLET,
            parts=tuple(row),
            join=Join.BREAK if continues else Join.NEW,
            indent=min(len(self.lists) - 1, _DEEPEST),
            number=innermost.number,
        )

    def _code(self, content: str) -> None:
        if self.lists:
            self.lists[-1].is_fresh = False
        for place, row in enumerate(content.rstrip("\n").split("\n")):
            self.lines.append(Line(kind=Kind.CODE, parts=(richtext.text(row),), join=Join.NEW if place else Join.GAP))


@dataclass(kw_only=True, slots=True)
class _Inline:
    """One paragraph's children as rows of elements, a row for each line."""

    bold: int = 0
    italic: int = 0
    strike: int = 0
    rows: list[list[Block]] = field(default_factory=lambda: [[]])
    #: The link we are in: its address, and where its label began.
    url: str = ""
    label: list[str] = field(default_factory=list)

    def walk(self, tokens: list[Token]) -> list[list[Block]]:
        for token in tokens:
            self._take(token)
        return [row for row in self.rows if row] or [[richtext.text(" ")]]

    def _take(self, token: Token) -> None:
        match token.type:
            case "softbreak" | "hardbreak":
                self.rows.append([])
            case "strong_open" | "strong_close":
                self.bold += token.nesting
            case "em_open" | "em_close":
                self.italic += token.nesting
            case "s_open" | "s_close":
                self.strike += token.nesting
            case "link_open":
                self.url, self.label = str(token.attrs.get("href", "")), []
            case "link_close":
                self._link()
            case "image":
                self.url, self.label = str(token.attrs.get("src", "")), []
                self._say(f"image {token.content}".rstrip())
                self._link()
            case _:
                self._say(token.content, code=token.type == "code_inline")

    def _say(self, words: str, *, code: bool = False) -> None:
        if words:
            self.label.append(words)
            styles = {"bold": self.bold > 0, "italic": self.italic > 0, "strike": self.strike > 0}
            self.rows[-1].append(richtext.text(words, code=code, **styles))

    def _link(self) -> None:
        """The label is words; the link shows where it really leads."""
        label = "".join(self.label).strip()
        if richtext.is_plain_url(self.url):
            row = self.rows[-1]
            if label == self.url and row:
                row.pop()
            elif label:
                row.append(richtext.text(": "))
            row.append({"type": "link", "url": self.url, "text": richtext.shown_url(self.url)})
        elif self.url and label != self.url:
            self._say(f" ({self.url})")
        self.url = ""
