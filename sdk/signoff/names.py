"""Names of people, channels and groups, as people write them, turned into Slack's ids."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from signoff.errors import UnknownName
from signoff.reading import call
from signoff.types import Match, Matches
from signoff.wire import Flow, Request, Wire

#: What an id looks like: a letter that says its kind, then capitals and digits, a digit among them.
_ID = re.compile(r"[CGUWS](?=[A-Z]*[0-9])[A-Z0-9]{2,30}")
_KIND_OF_ID = {"C": "channel", "G": "channel", "U": "user", "W": "user", "S": "group"}
_WORDS = {"user": "person", "channel": "channel", "group": "user group"}
#: Seconds for which a name means the same id without asking again.
_KEPT = 600.0
_NEAREST = 3

Cache: TypeAlias = dict[str, tuple[float, Matches]]


@dataclass(kw_only=True, slots=True)
class Found:
    """Ids by their kind, each once, in the order in which they were named."""

    channels: list[str] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(self, kind: str, id: str) -> None:
        ids = {"channel": self.channels, "user": self.users, "group": self.groups}[kind]
        if id not in ids:
            ids.append(id)


def listed(names: str | Sequence[str] | None) -> tuple[str, ...]:
    """One name may be written without its list."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def resolve(wire: Wire, cache: Cache, names: Iterable[str], *, kinds: Sequence[str]) -> Flow[Found]:
    """Ids pass through; anything else is looked up, once in ten minutes.

    Raises:
        UnknownName: not exactly one of these `kinds` (user, channel, group) has the name; says which come close.
    """
    found = Found()
    for name in names:
        if _ID.fullmatch(name):
            kind, id = _KIND_OF_ID[name[0]], name
            if kind not in kinds:
                raise UnknownName(name, nearest=(), wanted=_words(kinds))
        else:
            match = yield from _look_up(wire, cache, name, kinds)
            kind, id = match.kind, match.id
        found.add(kind, id)
    return found


def _look_up(wire: Wire, cache: Cache, name: str, kinds: Sequence[str]) -> Flow[Match]:
    kept = cache.get(name)
    if kept is None or wire.clock() - kept[0] > _KEPT:
        request = Request(method="GET", path="/v1/directory", query=(("q", name),))
        kept = wire.clock(), (yield from call(wire, request, Matches))
        if kept[1].exact:
            cache[name] = kept
    matches = kept[1]
    fitting = [match for match in matches.matches if match.kind in kinds]
    if not matches.exact or len(fitting) != 1:
        raise UnknownName(name, nearest=fitting[:_NEAREST], wanted=_words(kinds))
    return fitting[0]


def _words(kinds: Sequence[str]) -> str:
    return " or ".join(_WORDS[kind] for kind in kinds)
