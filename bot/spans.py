"""Spans of time as operators write and read them: `90d`, `12h`, `30m`."""

import re
from datetime import timedelta

from bot.settings import HalfConfigured

_SPAN = re.compile(r"([1-9][0-9]{0,5})([dhm])")
_UNITS = {"d": "days", "h": "hours", "m": "minutes"}


def span(text: str, *, option: str, most: timedelta, else_: str = "") -> timedelta:
    """Raises HalfConfigured, which names the option. `else_`: what to do where it should be longer."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise HalfConfigured(f"{option}: {text!r} is no span; write 90d, 12h or 30m")
    given = timedelta(**{_UNITS[found[2]]: int(found[1])})
    if given > most:
        raise HalfConfigured(f"{option}: at most {most.days}d{else_}")
    return given


def in_words(given: timedelta) -> str:
    """`90m` is `1h 30m`; seconds where there are some."""
    minutes, seconds = divmod(int(given.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [
        f"{days}d" * bool(days),
        f"{hours}h" * bool(hours),
        f"{minutes}m" * bool(minutes),
        f"{seconds}s" * bool(seconds),
    ]
    return " ".join(part for part in parts if part) or "0m"
