"""What people and groups are called, for sentences about them. Where Slack does not say in time, their ids do."""

import asyncio
from collections.abc import Iterable

from signoff import AsyncSignoff, errors
from signoff.types import Actor, Approval, Interaction

#: Seconds that all look-ups of one sentence may take: nobody waits for a name.
_PATIENCE = 2.0
_MARKS = {"user": "@", "group": "@", "channel": "#"}


class People:
    """`names`: by id, as far as they are known."""

    def __init__(self, so: AsyncSignoff, names: dict[str, str]) -> None:
        self._so = so
        self._names = names
        self._asked: set[str] = set()

    async def learn(self, about: Interaction) -> None:
        """Those who play a part in this. Each is asked for once."""
        new = [id for id in dict.fromkeys(_people(about)) if id not in self._asked]
        self._asked.update(new)
        if new:
            looking = [asyncio.create_task(self._look_up(id)) for id in new]
            _, late = await asyncio.wait(looking, timeout=_PATIENCE)
            for task in late:
                task.cancel()
            await asyncio.gather(*looking, return_exceptions=True)

    async def _look_up(self, id: str) -> None:
        try:
            found = await self._so.look_up(id)
        except errors.SignoffError:
            return
        if found.exact and found.matches[0].id == id:
            match = found.matches[0]
            self._names[id] = f"{_MARKS.get(match.kind, '')}{match.name.lstrip('@#')}"


def _people(about: Interaction) -> Iterable[str]:
    """Those whom Signoff gives by their ids alone."""
    if about.resolved_by is not None:
        yield from _nameless(about.resolved_by)
    for hop in about.escalated:
        yield from (*hop.users, *hop.groups)
    if isinstance(about, Approval):
        yield from (*about.approvers.users, *about.approvers.groups)
        for vote in about.votes:
            yield from _nameless(vote.by)


def _nameless(actor: Actor) -> Iterable[str]:
    if actor.kind == "slack_user" and actor.id and not actor.name:
        yield actor.id
