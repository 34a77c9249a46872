"""People, user groups and channels as a workspace lists them, and who looks them up by name. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol
from unicodedata import normalize

from blocks.visible import one_line


class ListedKind(StrEnum):
    USER = "user"
    GROUP = "group"
    CHANNEL = "channel"


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """Somebody, a user group or a channel, as Slack lists them. `names`: all that they go by; a group's handle alone.

    `is_open`: of a channel, whether the app is in it, and may post there.
    """

    id: str
    names: tuple[str, ...]
    label: str
    kind: ListedKind = ListedKind.USER
    is_open: bool = True

    def __str__(self) -> str:
        mark = "" if self.kind is ListedKind.USER else f"{self.kind} "
        return f"{mark}{self.id} ({one_line(self.label)})"

    def goes_by(self, name: str) -> bool:
        """Whatever the case, and however its letters are composed."""
        return _folded(name) in {_folded(each) for each in self.names}


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """One that was found, and by which of its names."""

    name: str
    listed: Listed


@dataclass(frozen=True, kw_only=True, slots=True)
class Matches:
    """`is_exact`: `found` is the one that is meant. Otherwise those that were meant perhaps, the likeliest first."""

    found: tuple[Named, ...] = ()
    is_exact: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Unanswered:
    """Slack did not tell in time, or asks to be left alone: worth asking again after so many `seconds`."""

    words: str
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class LacksScope:
    """The app was installed without a scope that this look-up takes."""

    scope: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TooMany:
    """More than are looked through, so that nobody knows whether a name is unique. `what`: people, channels."""

    what: str


NoMatches = Unanswered | LacksScope | TooMany


class Names(Protocol):
    """Looks names up in the tenant's workspace; every answer may be some minutes old."""

    async def find(self, *, tenant: str, text: str) -> Matches | NoMatches:
        """By `#channel`, `@handle` or `@name`, an address, an id; bare text may be any name."""
        ...

    async def channels(self, *, tenant: str, ids: Sequence[str]) -> dict[str, Listed] | NoMatches:
        """Of these, those that the app sees."""
        ...
