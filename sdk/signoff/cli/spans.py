"""Spans of time as people write them: `90s`, `30m`, `2h`, `1d`, `1h30m`."""

import re
from typing import Any

import click

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SPAN = re.compile(r"(?:[0-9]{1,9}[smhd])+")
_PART = re.compile(r"(\d+)([smhd])")


def read_span(text: str) -> int:
    """Seconds. Raises ValueError for anything that is no span; a bare number is none, since its unit would be a guess."""
    if not _SPAN.fullmatch(text):
        raise ValueError(f"{text!r} is no span of time: write 90s, 30m, 2h, 1d or 1h30m")
    return sum(int(number) * _SECONDS[unit] for number, unit in _PART.findall(text))


def in_words(seconds: float) -> str:
    """Two units at most: `1 h 5 min`, `42 s`."""
    whole = max(0, round(seconds))
    days, hours, minutes, rest = whole // 86400, whole // 3600 % 24, whole // 60 % 60, whole % 60
    units = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    first = next((place for place, (count, _) in enumerate(units) if count), 3)
    shown = [f"{count} {unit}" for count, unit in units[first : first + 2] if count]
    return " ".join(shown) or "0 s"


class Span(click.ParamType[int | str]):
    """Seconds, from a span. `may_be_zero`: of a wait, which then only looks."""

    name = "span"

    def __init__(self, *, may_be_zero: bool = False, never: str | None = None) -> None:
        self._may_be_zero = may_be_zero
        self._never = never

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        if isinstance(value, int):
            return value
        if value == self._never or (value == "0" and self._may_be_zero):
            return 0 if value == "0" else str(value)
        try:
            seconds = read_span(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if not seconds and not self._may_be_zero:
            self.fail(f"{value!r} is no time at all", param, ctx)
        return seconds
