"""Tickets for sockets: apps.connections.open hands one out, one connection uses it up."""

from dataclasses import dataclass, field

from sandbox.ids import Ids


@dataclass(slots=True)
class Tickets:
    ids: Ids
    _open: set[str] = field(default_factory=set, init=False)

    def issue(self) -> str:
        made = self.ids.secret()
        self._open.add(made)
        return made

    def spend(self, ticket: str) -> bool:
        """True once per ticket."""
        known = ticket in self._open
        self._open.discard(ticket)
        return known
