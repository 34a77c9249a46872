"""What all use cases stand on: rows by their id, the tenant's workspace, and who may decide."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from bot import policy
from bot.clock import Clock
from bot.hosted import LEASE
from bot.hub import Hub
from bot.people import Directory, Person, members_of
from bot.policy import Allowed, Refusal
from store import errors
from store.protocol import Store
from store.types import Approval, Installation, Interaction, QuestionSet


class UseCases:
    """Every method of its kinds is one use case: look up, ask the policy, one store call, tell the hub."""

    def __init__(
        self, *, store: Store, clock: Clock, hub: Hub, directory: Directory, run_lease: timedelta = LEASE
    ) -> None:
        self._store = store
        self._clock = clock
        self._hub = hub
        self._directory = directory
        self._run_lease = run_lease
        self._installations: dict[str, Installation] = {}

    @property
    def run_lease(self) -> timedelta:
        """How long a worker holds a hosted run without renewing."""
        return self._run_lease

    async def refusal(self, interaction: Interaction, person: Person) -> Refusal | None:
        """Why this person may not decide, before they fill in a form; None where they may."""
        verdict = await self._judge(interaction, person)
        return None if isinstance(verdict, Allowed) else verdict

    async def _judge(self, interaction: Interaction, person: Person) -> Allowed | Refusal:
        installation = await self.installation(interaction.tenant)
        names = policy.groups_to_read(interaction, person)
        groups, standing = await asyncio.gather(
            members_of(self._directory, names, tenant=interaction.tenant),
            self._directory.standing(tenant=interaction.tenant, user=person.user_id),
        )
        known = policy.Known(groups=groups, standing=standing)
        named = self._named(interaction.tenant, person)
        return policy.judge_person(interaction=interaction, person=named, installation=installation, known=known)

    def _named(self, tenant: str, person: Person) -> Person:
        """With what they are called, as far as their click or an earlier look-up tells; nobody is asked for it."""
        if person.name:
            return person
        return replace(person, name=self._directory.remembered(tenant=tenant, user=person.user_id) or "")

    async def installation(self, tenant: str) -> Installation:
        """The tenant's workspace; asked once, it never changes while a process runs."""
        if tenant not in self._installations:
            found = await self._store.find_installation(tenant=tenant)
            if found is None:
                raise errors.NotFound(id=tenant)
            self._installations[tenant] = found
        return self._installations[tenant]

    async def _interaction(self, tenant: str, id: str) -> Interaction:
        found = await self._store.find_interaction(tenant=tenant, id=id)
        if found is None:
            raise errors.NotFound(id=id)
        return found

    async def _approval(self, tenant: str, id: str) -> Approval:
        found = await self._interaction(tenant, id)
        if not isinstance(found, Approval):
            raise errors.NotFound(id=id)
        return found

    async def _question(self, tenant: str, id: str) -> QuestionSet:
        found = await self._interaction(tenant, id)
        if not isinstance(found, QuestionSet):
            raise errors.NotFound(id=id)
        return found
