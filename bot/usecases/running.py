"""Running: claims, reports, what a person says of a silence, and waking runs."""

from datetime import datetime

import structlog

from bot import policy
from bot.people import Person
from bot.policy import Allowed, Refusal
from bot.usecases.base import UseCases
from bot.usecases.results import NotOperator, Reported, Woken
from store.ids import new_id
from store.outcomes import Claimed, Settled
from store.terms import holding
from store.types import Actor, ActorKind, ExecutionStatus, Key, Surface

log = structlog.get_logger("signoff.service")


class Running(UseCases):
    async def claim(
        self,
        *,
        tenant: str,
        id: str,
        claim_id: str | None,
        digest: str,
        worker: str | None = None,
        report_within: int | None = None,
        accept_edited: bool = False,
        fingerprint: str | None = None,
    ) -> Claimed:
        """Take the one execution. Without a `claim_id` one is made; then a lost reply cannot be asked for again.

        Raises:
            NotFound, DigestMismatch, Unconfirmed: as `Interactions.claim_approval`.
        """
        now = self._clock.now()
        outcome = await self._store.claim_approval(
            tenant=tenant,
            id=id,
            claim_id=claim_id or new_id("clm", now=now),
            digest=digest,
            at=now,
            worker=worker,
            report_within=report_within,
            accept_edited=accept_edited,
            fingerprint=fingerprint,
        )
        if outcome.claimed:
            log.info("approval_claimed", interaction=id, execute=outcome.execute, changed=outcome.has_changed)
            self._hub.poke(tenant, id)
        elif outcome.stopped is not None:
            log.info("claim_stopped", interaction=id, stop=outcome.stopped.id)
        return outcome

    async def report(
        self, *, tenant: str, id: str, claim_id: str, status: ExecutionStatus, detail: str | None = None
    ) -> Reported:
        """What became of the execution; painted on the card. Raises as `Interactions.report_execution`."""
        now = self._clock.now()
        approval = await self._store.report_execution(
            tenant=tenant, id=id, claim_id=claim_id, status=status, at=now, detail=detail
        )
        if approval.execution is not None and approval.execution.at == now:
            self._hub.poke(tenant, id)
        stops = await self._store.list_stops(tenant=tenant)
        return Reported(approval=approval, stopped=holding(stops, approval.tool_name))

    async def settle(
        self,
        *,
        tenant: str,
        id: str,
        person: Person,
        happened: bool,
        at: datetime,
        surface: Surface,
        is_operator: bool = False,
    ) -> Settled | NotOperator:
        """What an operator says of an execution that went silent. "It did not happen" allows one new claim.

        Raises:
            NotFound, Unconfirmed.
        """
        if not is_operator or policy.is_foreign(person, await self.installation(tenant)):
            return NotOperator()
        actor = self._named(tenant, person).actor()
        return await self._settle(tenant, id, actor, happened=happened, at=at, surface=surface)

    async def settle_as_key(self, *, key: Key, id: str, happened: bool) -> Settled:
        """By a key of scope `admin`. Raises as above."""
        actor = Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name)
        return await self._settle(key.tenant, id, actor, happened=happened, at=self._clock.now(), surface=Surface.API)

    async def _settle(
        self, tenant: str, id: str, actor: Actor, *, happened: bool, at: datetime, surface: Surface
    ) -> Settled:
        outcome = await self._store.settle(tenant=tenant, id=id, actor=actor, happened=happened, at=at, surface=surface)
        if outcome.settled:
            log.info("execution_settled", interaction=id, happened=happened, by=actor.id)
        self._hub.poke(tenant, id)
        return outcome

    async def wake(self, *, tenant: str, id: str, person: Person, is_operator: bool = False) -> Woken | Refusal:
        """Have the run told anew: by who may decide, who asked, or an operator; never from another workspace.

        Raises:
            NotFound, Unconfirmed.
        """
        interaction = await self._interaction(tenant, id)
        installation = await self.installation(tenant)
        may = policy.judge_waker(
            interaction=interaction, person=person, installation=installation, is_operator=is_operator
        )
        if not may:
            verdict = await self._judge(interaction, person)
            if not isinstance(verdict, Allowed):
                log.info("wake_refused", interaction=id, rule=type(verdict).__name__)
                return verdict
        woken = await self._store.wake(tenant=tenant, id=id, now=self._clock.now())
        if woken:
            log.info("run_woken", interaction=id, by=person.user_id)
        self._hub.poke(tenant, id)
        return Woken(woken=woken, interaction=await self._interaction(tenant, id))

    async def wake_as_key(self, *, key: Key, id: str) -> Woken:
        """Have the run told anew, by a program that may ask. Raises as above."""
        woken = await self._store.wake(tenant=key.tenant, id=id, now=self._clock.now())
        if woken:
            log.info("run_woken", interaction=id, by=key.id)
        self._hub.poke(key.tenant, id)
        return Woken(woken=woken, interaction=await self._interaction(key.tenant, id))
