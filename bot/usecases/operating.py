"""Operating: stopping tools and letting them go on. Who may is said by the caller's door: operators, admin keys."""

from collections.abc import Sequence
from datetime import datetime

import structlog

from bot import policy
from bot.people import Person
from bot.usecases.base import UseCases
from bot.usecases.results import NotOperator
from store.ids import new_id
from store.types import Actor, ActorKind, Key, Stop

log = structlog.get_logger("signoff.service")


class Operating(UseCases):
    async def stop(
        self, *, tenant: str, person: Person, tool: str | None, at: datetime, reason: str | None, is_operator: bool
    ) -> Stop | NotOperator:
        """From now on no claim of this tool executes, or of any where none is named. What holds already is returned."""
        if not is_operator or policy.is_foreign(person, await self.installation(tenant)):
            return NotOperator()
        return await self._stop(tenant, self._named(tenant, person).actor(), tool, at, reason)

    async def stop_as_key(self, *, key: Key, tool: str | None, reason: str | None) -> Stop:
        actor = Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name)
        return await self._stop(key.tenant, actor, tool, self._clock.now(), reason)

    async def go(
        self, *, tenant: str, person: Person, tool: str | None, at: datetime, is_operator: bool
    ) -> Sequence[Stop] | NotOperator:
        """End the stop of this tool, or all; what was held up is told to its runs anew. Returns what was ended."""
        if not is_operator or policy.is_foreign(person, await self.installation(tenant)):
            return NotOperator()
        return await self._go(tenant, self._named(tenant, person).actor(), tool, at)

    async def go_as_key(self, *, key: Key, tool: str | None) -> Sequence[Stop]:
        actor = Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name)
        return await self._go(key.tenant, actor, tool, self._clock.now())

    async def stops(self, *, tenant: str) -> Sequence[Stop]:
        """Those that hold, oldest first."""
        return await self._store.list_stops(tenant=tenant)

    async def _stop(self, tenant: str, actor: Actor, tool: str | None, at: datetime, reason: str | None) -> Stop:
        asked = Stop(
            tenant=tenant, id=new_id("stp", now=at), tool=named(tool), actor=actor, at=at, reason=reason or None
        )
        held = await self._store.add_stop(stop=asked)
        log.warning("stopped", stop=held.id, tool=tool, by=actor.id)
        self._hub.ring()
        return held

    async def _go(self, tenant: str, actor: Actor, tool: str | None, at: datetime) -> Sequence[Stop]:
        ended = await self._store.end_stops(tenant=tenant, tool=named(tool), actor=actor, at=at)
        log.warning("goes_on", stops=[stop.id for stop in ended], tool=tool, by=actor.id)
        self._hub.ring()
        return ended


def named(tool: str | None) -> str | None:
    """A star alone means all there is, as no tool does."""
    return None if tool == "*" else tool
