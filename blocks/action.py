"""What will run, as a person must see it: one line per key of the input, in the sender's order, nothing left out."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from blocks import limits, lines, markdown, richtext
from blocks.lines import Line
from blocks.surface import Block
from blocks.visible import visible
from store.types import Approval

_DETAILS = Line(kind=lines.Kind.TEXT, parts=(richtext.bold("Details"),), join=lines.Join.GAP)
_SHORT = 100
_WIDEST_KEY = 32
#: Beyond a cut, what decides about the letter before it.
_AHEAD = 100
_COMPARED = 200
_PLAIN_KEY = re.compile(r"[^\W\d][\w.$@/:-]*")


class _Number(str):
    """A number as it was sent: `1.0` stays `1.0`."""

    __slots__ = ()


def input_rows(input_json: str) -> list[str]:
    """The input's lines, unfolded: keys padded, values as JSON, long ones indented below, text with breaks spelled out."""
    value = json.loads(input_json, parse_int=_Number, parse_float=_Number)
    if not isinstance(value, dict) or not value:
        return _expanded(value, "")
    width = _width(value)
    return [row for key, part in value.items() for row in _entry(_key(key).ljust(width), part)]


def _width(value: dict[str, Any]) -> int:
    return min(max(len(_key(key)) for key in value), _WIDEST_KEY)


def _entry(key: str, value: Any) -> list[str]:
    if isinstance(value, str) and not isinstance(value, _Number) and "\n" in value:
        return _spelled(key, value)
    first, *rest = _expanded(value, "")
    return [f"{key}  {first}", *rest]


def _spelled(key: str, value: str) -> list[str]:
    windows = value.count("\n") == value.count("\r\n")
    rows = value.split("\r\n" if windows else "\n")
    ends = ", each ended by CR LF" if windows else ""
    return [f"{key}  {len(rows)} lines{ends}", *(f"  │ {_shown_row(row)}" for row in rows)]


def _shown_row(row: str) -> str:
    # A lone carriage return before the break would otherwise vanish in the joined text.
    return visible(row.replace("\r", "⟦U+000D⟧"))


def _key(key: str) -> str:
    """A key as a word where it is one; else quoted, so that it cannot look like a value or a mark of ours."""
    return key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _compact(value: Any, *, most: int) -> str:
    """On one line; of a longer one the beginning, more than `most` characters of it."""
    kept: list[str] = []
    length = 0
    for piece in _pieces(value):
        kept.append(piece)
        length += len(piece)
        if length > most:
            break
    return "".join(kept)


def _pieces(value: Any) -> Iterator[str]:
    match value:
        case _Number():
            yield str(value)
        case dict():
            yield "{"
            for place, (key, part) in enumerate(value.items()):
                yield f"{', ' if place else ''}{json.dumps(key, ensure_ascii=False)}: "
                yield from _pieces(part)
            yield "}"
        case list():
            yield "["
            for place, part in enumerate(value):
                if place:
                    yield ", "
                yield from _pieces(part)
            yield "]"
        case _:
            yield json.dumps(value, ensure_ascii=False)


def _expanded(value: Any, indent: str) -> list[str]:
    """On one line up to 100 characters, else opened, one part a line."""
    short = _compact(value, most=_SHORT)
    if len(short) <= _SHORT or not isinstance(value, dict | list):
        return [short]
    deeper = f"{indent}  "
    if isinstance(value, dict):
        parts = [(f"{json.dumps(key, ensure_ascii=False)}: ", part) for key, part in value.items()]
        opening, closing = "{", "}"
    else:
        parts = [("", part) for part in value]
        opening, closing = "[", "]"
    rows = [opening]
    for place, (lead, part) in enumerate(parts):
        comma = "," if place < len(parts) - 1 else ""
        inner = _expanded(part, deeper)
        rows += [f"{deeper}{lead}{inner[0]}", *inner[1:]]
        rows[-1] += comma
    return [*rows, f"{indent}{closing}"]


def difference(old: list[str], new: list[str]) -> list[str]:
    """All lines of both inputs: `- ` and `+ ` before what differs, two spaces before the rest.

    Empty where they are too many to be compared: finding what differs takes their square.
    """
    if max(len(old), len(new)) > _COMPARED:
        return []
    rows: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [f"  {row}" for row in new[j1:j2]]
        else:
            rows += [f"- {row}" for row in old[i1:i2]] + [f"+ {row}" for row in new[j1:j2]]
    return rows


def action_lines(approval: Approval, *, replaces: Approval | None = None) -> list[Line]:
    """The whole action, folded: the input of a tool, or the body of a confirmation; and the details below.

    What was approved with changes is shown as it will run, beside what was asked.
    """
    if approval.edited is not None:
        asked = replace(approval, edited=None)
        return action_lines(replace(asked, input_json=approval.edited.input_json), replaces=asked)
    return [*_main_lines(approval, replaces), *_detail_lines(approval, replaces)]


def _main_lines(approval: Approval, replaces: Approval | None) -> list[Line]:
    if approval.tool_name is None or approval.input_json is None:
        return lines.folded(markdown.to_lines(approval.body))
    rows = input_rows(approval.input_json)
    if replaces is not None and replaces.input_json is not None and replaces.tool_name == approval.tool_name:
        rows = difference(input_rows(replaces.input_json), rows) or rows
    return lines.folded(lines.code(row) for row in rows)


def _detail_lines(approval: Approval, replaces: Approval | None) -> list[Line]:
    """Letter by letter under a heading: a plan's output is no Markdown."""
    if approval.details is None:
        return []
    rows = _detail_rows(approval.details)
    if replaces is not None and replaces.details is not None:
        rows = difference(_detail_rows(replaces.details), rows) or rows
    return [_DETAILS, *lines.folded(lines.code(row) for row in rows)]


def _detail_rows(details: str) -> list[str]:
    return [_shown_row(row) for row in details.replace("\r\n", "\n").split("\n")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """As much of an action as a card holds. `left`: lines that it does not; 0: the whole action stands there."""

    lines: list[Line]
    left: int


def on_card(approval: Approval, *, replaces: Approval | None = None) -> Shown:
    """Whole up to 24 lines and 2,800; else its first twelve. The difference only where it stands there whole."""
    if approval.edited is not None:
        everything = action_lines(approval)
        kept, left = lines.take(everything, count=limits.INPUT_LINES, budget=limits.TEXT)
        if not left:
            return Shown(lines=kept, left=0)
        return on_card(replace(approval, input_json=approval.edited.input_json, edited=None))
    main = _main_lines(approval, None)
    everything = [*main, *_detail_lines(approval, None)]
    if replaces is not None and len(everything) <= limits.INPUT_LINES:
        kept, left = lines.take(action_lines(approval, replaces=replaces), count=limits.INPUT_LINES, budget=limits.TEXT)
        if not left:
            return Shown(lines=kept, left=0)
    kept, left = lines.take(everything, count=limits.INPUT_LINES, budget=limits.TEXT)
    if left:
        # Details never push away an input that fits.
        fits = len(main) <= limits.INPUT_LINES
        count = max(len(main), limits.INPUT_LINES_CUT) if fits else limits.INPUT_LINES_CUT
        kept, left = lines.take(everything, count=count, budget=limits.TEXT)
    if left and kept and kept[-1] is _DETAILS:
        kept, left = kept[:-1], left + 1
    return Shown(lines=kept, left=left)


def heading(approval: Approval, verb: str) -> list[Block]:
    if approval.tool_name is None:
        return [richtext.bold(verb)]
    changed = [] if approval.edited is None else [richtext.bold(" as changed")]
    return [richtext.bold(f"{verb} "), richtext.code(approval.tool_name), *changed]


def is_title_whole(title: str) -> bool:
    """The title is part of the action, too."""
    return limits.cost(visible(title)) <= limits.HEADER


def in_one_row(approval: Approval, budget: int) -> tuple[str, bool]:
    """The action as one line for a list, and whether it is the whole action."""
    if approval.tool_name is None or approval.input_json is None:
        source = approval.body or ""
        kept = limits.clip(" ".join(source.split()), budget)
        is_all = limits.cost(source.strip()) <= budget and "\n" not in source.strip()
        return kept, is_all and approval.details is None
    value = json.loads(approval.input_json, parse_int=_Number, parse_float=_Number)
    # Showing text makes it longer, or by half shorter: what goes beyond this is not whole.
    words = f"{approval.tool_name} {_compact(value, most=2 * budget + _AHEAD)}"
    return limits.clip(words, budget), limits.cost(words) <= budget and approval.details is None
