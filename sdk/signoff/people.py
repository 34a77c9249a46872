"""Who did something, in words: in sentences for people and for models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from signoff.plain import one_line

if TYPE_CHECKING:
    from signoff.types import Actor

_MOST = 80
_BY_KIND = {"api_key": "an API key", "grant": "a standing permission", "operator": "an operator"}


def who(actor: Actor | None) -> str:
    """`@ana`, `the key ci-bot`; an id where no name is known; nothing where nobody did it, such as of a deadline.

    People choose their names, so one stays a short piece of one line.
    """
    if actor is None:
        return ""
    name = _name(actor.name or "")
    if actor.kind in {"slack_user", "requester"}:
        return f"@{name.lstrip('@')}" if name else actor.id or ""
    if actor.kind == "api_key" and name:
        return f"the key {name}"
    return name or _BY_KIND.get(actor.kind) or actor.id or ""


def _name(given: str) -> str:
    line = one_line(given)
    return line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
