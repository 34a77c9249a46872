"""Ending what waits: by whoever asked."""

from datetime import datetime

import structlog

from bot import policy
from bot.people import Person
from bot.usecases.base import UseCases
from bot.usecases.results import NotTheAsker
from store.outcomes import Withdrawn
from store.types import Actor, ActorKind, Key, Surface

log = structlog.get_logger("signoff.service")


class Ending(UseCases):
    async def withdraw_as_key(self, *, key: Key, id: str, reason: str | None = None) -> Withdrawn:
        actor = Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name)
        return await self._withdraw(key.tenant, id, actor, at=self._clock.now(), surface=Surface.API, reason=reason)

    async def withdraw(
        self,
        *,
        tenant: str,
        id: str,
        person: Person,
        at: datetime,
        surface: Surface,
        is_operator: bool = False,
        reason: str | None = None,
    ) -> Withdrawn | NotTheAsker:
        """By the person for whom the run asked (or an operator).

        Raises:
            NotFound, Unconfirmed.
        """
        interaction = await self._interaction(tenant, id)
        is_requester = person.user_id == interaction.requested_by
        if not is_requester and not is_operator:
            return NotTheAsker(requested_by=interaction.requested_by)
        installation = await self.installation(tenant)
        if policy.is_foreign(person, installation):
            return NotTheAsker(requested_by=interaction.requested_by)
        kind = ActorKind.REQUESTER if is_requester else ActorKind.SLACK_USER
        actor = self._named(tenant, person).actor(kind)
        return await self._withdraw(tenant, id, actor, at=at, surface=surface, reason=reason)

    async def _withdraw(
        self, tenant: str, id: str, actor: Actor, *, at: datetime, surface: Surface, reason: str | None = None
    ) -> Withdrawn:
        outcome = await self._store.withdraw(
            tenant=tenant, id=id, actor=actor, at=at, surface=surface, reason=reason or None
        )
        self._hub.poke(tenant, id)
        return outcome
