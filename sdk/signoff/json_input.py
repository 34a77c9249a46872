"""Strict JSON out: what people see must be what runs, so nothing is bent into shape on the way."""

import json
import math
from typing import Any

#: The integers that every JSON reader keeps exactly.
MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 32


def check_json(value: Any, *, what: str = "input") -> None:
    """Whether it is plain JSON: dict with text keys, list, str, int, float, bool, None.

    Raises:
        TypeError: anything else in it, a number that not every reader keeps, or text that is not Unicode. Says where.
    """
    _check(value, what, 0)


def dump_json(value: Any) -> bytes:
    """UTF-8, keys in the order of the caller. Raises TypeError or ValueError for what is not JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _check(value: Any, where: str, depth: int) -> None:
    if value is None or type(value) is bool:
        return
    if type(value) is str:
        _check_text(value, where)
    elif type(value) is int:
        if abs(value) > MAX_INTEGER:
            raise TypeError(f"{where} is an integer beyond ±(2^53 - 1), which not every reader keeps: give it as text")
    elif type(value) is float:
        if not math.isfinite(value):
            raise TypeError(f"{where} is {value}, which JSON does not have")
    elif type(value) in {dict, list}:
        _check_inside(value, where, depth + 1)
    else:
        kind = type(value).__name__
        raise TypeError(
            f"{where} is of the type {kind}, which is not JSON: give a dict, list, str, int, float, bool or None"
        )


def _check_inside(value: Any, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise TypeError(f"{where} nests deeper than {MAX_DEPTH}")
    for key, inner in value.items() if type(value) is dict else enumerate(value):
        if type(value) is dict and type(key) is not str:
            raise TypeError(f"{where} has the key {key!r}: keys in JSON are text")
        if type(key) is str:
            _check_text(key, f"a key of {where}")
        _check(inner, f"{where}[{key!r}]", depth)


def _check_text(text: str, where: str) -> None:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise TypeError(f"{where} holds U+0000 or half a character, which JSON readers refuse")
