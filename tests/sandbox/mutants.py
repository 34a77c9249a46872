"""Good payloads, spoilt in one place each: every field left out, emptied, made too long, too many, of another kind."""

import copy
from collections.abc import Iterator
from typing import Any

LENGTHS = (25, 31, 51, 76, 101, 151, 201, 256, 301, 2001, 3001, 12001)
COUNTS = (2, 4, 6, 11, 26, 51, 101)
WORDS = ("pending", "mrkdwn", "x")
NUMBERS = (-1, 0, 11, 101, 3001)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place in a payload with what stands there, the whole not included."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield (*at, name), part
        yield from places(part, (*at, name))


def spoilt(part: Any) -> Iterator[tuple[str, Any]]:
    """What may stand in a place instead, with a word for it."""
    yield "null", None
    if isinstance(part, str):
        yield "empty", ""
        for length in LENGTHS:
            yield f"{length} characters", "x" * length
        for word in WORDS:
            yield f"the word {word}", word
        yield "a number", 5
    elif isinstance(part, bool):
        yield "turned", not part
        yield "yes", "yes"
    elif isinstance(part, int | float):
        for number in NUMBERS:
            yield f"{number}", number
        yield "text", str(part)
    elif isinstance(part, list):
        yield "none", []
        yield "an object", {}
        for count in COUNTS if part else ():
            yield f"{count} of them", [_own(copy.deepcopy(part[0]), number) for number in range(count)]
    elif isinstance(part, dict):
        yield "an empty object", {}
        yield "a text", "x"
        yield "a field more", {**part, "colour": "red"}


def _own(part: Any, number: int) -> Any:
    """A copy that does not collide with the others."""
    if isinstance(part, dict):
        for name in ("action_id", "block_id", "task_id"):
            if name in part:
                part[name] = f"{part[name]}{number}"
    return part


def mutants(payload: Any) -> Iterator[tuple[str, Any]]:
    """Every spoilt copy of one payload, with a name for what was done to it."""
    for path, part in places(payload):
        where = "/".join(str(name) for name in path)
        if isinstance(path[-1], str):
            yield f"{where} left out", _changed(payload, path, None, drop=True)
        for what, other in spoilt(part):
            if other != part or type(other) is not type(part):
                yield f"{where}: {what}", _changed(payload, path, other)


def _changed(payload: Any, path: tuple[Any, ...], other: Any, *, drop: bool = False) -> Any:
    made = copy.deepcopy(payload)
    inside = made
    for name in path[:-1]:
        inside = inside[name]
    if drop:
        del inside[path[-1]]
    else:
        inside[path[-1]] = other
    return made
