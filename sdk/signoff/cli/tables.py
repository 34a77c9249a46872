"""A table for people: as wide as the terminal, its last column cut where it must be; whole in a pipe."""

import shutil
import unicodedata
from collections.abc import Sequence
from typing import TextIO

import click

from signoff.plain import one_line

_GAP = "  "
#: Of any but the last column.
_MOST = 36


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, stream: TextIO) -> str:
    cells = [[one_line(cell) for cell in row] for row in rows]
    if not stream.isatty():
        return "\n".join(_laid(row, _widths(head, cells)) for row in [head, *cells])
    cells = [[*(cut(cell, _MOST) for cell in row[:-1]), row[-1]] for row in cells]
    widths = _widths(head, cells)
    room = shutil.get_terminal_size().columns
    lines = [cut(_laid(row, widths), room) for row in [head, *cells]]
    return "\n".join([click.style(lines[0], dim=True), *lines[1:]])


def cut(text: str, most: int) -> str:
    """At most so many columns, the last an ellipsis where something is missing."""
    if _columns(text) <= most:
        return text
    shown = ""
    for letter in text:
        if _columns(shown + letter) >= most:
            break
        shown += letter
    return f"{shown}…"


def _widths(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(_columns(row[place]) for row in [head, *rows]) for place in range(len(head))]


def _laid(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cell + " " * (width - _columns(cell)) for cell, width in zip(row, widths, strict=True)]
    return _GAP.join(padded).rstrip()


def _columns(text: str) -> int:
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in {"W", "F"} else 1
        for letter in text
    )
