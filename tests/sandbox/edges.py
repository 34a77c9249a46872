"""Where our limits lie: the shortest and longest text, the smallest and largest list that we take in one place of a payload."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

from mutants import _own, places

from sandbox.validate import check

MOST = 30_000
MOST_ITEMS = 300
Path = tuple[Any, ...]


def ours(kind: str, value: Any) -> bool:
    """Do we take it? `kind`: "blocks" or "view"."""
    return not (check.view(value) if kind == "view" else check.blocks(value))


def with_size(payload: Any, path: Path, size: int) -> Any:
    """A copy of a payload with a text or a list of this size in one place; None where nothing such can be made."""
    made = copy.deepcopy(payload)
    inside = made
    for name in path[:-1]:
        inside = inside[name]
    old = inside[path[-1]]
    if isinstance(old, str):
        start = "https://a.example/" if old.startswith("https://") else ""
        inside[path[-1]] = (start + "x" * (size - len(start))) if size >= len(start) else "x" * size
    else:
        inside[path[-1]] = [_own(copy.deepcopy(old[number % len(old)]), number) for number in range(size)]
    return made


def measured(payload: Any) -> Iterator[tuple[Path, Any]]:
    """Every text and every list with something in it."""
    for path, part in places(payload):
        if path[-1] != "type" and ((isinstance(part, str) and part) or (isinstance(part, list) and part)):
            yield path, part


def highest(takes: Callable[[int], bool], start: int, most: int) -> int | None:
    """The largest size that is taken, None where there is no limit below `most`."""
    low, high = start, start + 1
    while takes(high):
        low, high = high, high * 2
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if takes(middle) else (low, middle)
    return low


def edges(kind: str, payload: Any, path: Path) -> tuple[int, int | None] | None:
    """(smallest, largest) of what we take there; None where only certain values are good."""

    def takes(size: int) -> bool:
        return ours(kind, with_size(payload, path, size))

    part = payload
    for name in path:
        part = part[name]
    start = len(part)
    if not takes(start) or (isinstance(part, str) and not any(takes(size) for size in (start + 1, max(start - 1, 0)))):
        return None
    low = next((size for size in range(start) if takes(size)), start)
    return low, highest(takes, start, MOST if isinstance(part, str) else MOST_ITEMS)
