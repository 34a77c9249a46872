"""What operators set and what time brings: policies, stops, timers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from store.types import Actor, Interaction, Policy, Stop


class Policies(Protocol):
    """Revisions are kept for ever: who set what, and when, is their own audit."""

    async def set_policy(self, *, policy: Policy) -> Policy:
        """Store the next revision of this name and return it; `policy.revision` is not looked at.

        The same content as the newest one has stores nothing and returns that one. Two at once: two revisions.
        """
        ...

    async def find_policy(self, *, tenant: str, name: str, revision: int | None = None) -> Policy | None:
        """The newest revision (a removed one is None), or a certain one whether or not it was removed since."""
        ...

    async def list_policies(self, *, tenant: str) -> Sequence[Policy]:
        """The newest revision of each name that is not removed, by name."""
        ...

    async def list_revisions(self, *, tenant: str, name: str) -> Sequence[Policy]:
        """All of a name, newest first, the removal too."""
        ...


class Stops(Protocol):
    """While one holds, no claim of its tools executes: the claim's own statement looks at them.

    A claim that had begun when the stop was committed may still have won.
    """

    async def add_stop(self, *, stop: Stop) -> Stop:
        """Stop; what holds for the same `tool` already is returned instead. Cards of what it holds up are behind."""
        ...

    async def end_stops(self, *, tenant: str, tool: str | None, actor: Actor, at: datetime) -> Sequence[Stop]:
        """End the stop of exactly this `tool` (`*`: that of everything); without one, all of them. Returns those that
        this call ended, oldest first.

        Cards of what they held up are behind, and what is owed to runs is due again.
        """
        ...

    async def list_stops(self, *, tenant: str) -> Sequence[Stop]:
        """Those that hold, oldest first."""
        ...


class Timers(Protocol):
    """What is due while an interaction waits: a row for each kind and its next time, written with the ask."""

    async def ring_due(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        """Let what is due happen (`rules.ring`), each in one transaction: the row, its event, its postings behind, a
        posting of role `reminder` where each card stands (not for a warning's repaint alone), and the timer's next
        time. An escalation adds lines in channels only; where no channel has the card, a card for each new person, and
        a line addressed to each new group. A compare-and-set on the timer: of many callers one does it. Returns what
        changed.

        Timers of what waits no longer go.
        """
        ...
