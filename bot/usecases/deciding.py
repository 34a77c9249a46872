"""Deciding: by people, and by keys where the ask names them."""

from datetime import datetime

import structlog

from bot import edits, policy
from bot.people import Person
from bot.policy import Allowed, NotAllowed, OtherWorkspace, ReasonRequired, Refusal
from bot.usecases.base import UseCases
from bot.usecases.results import EditRefused
from store.outcomes import Decided, Extended, TakenBack
from store.types import Actor, Approval, Decision, Edited, Key, Surface

log = structlog.get_logger("signoff.service")


class Deciding(UseCases):
    async def decide(
        self,
        *,
        tenant: str,
        id: str,
        person: Person,
        decision: Decision,
        at: datetime,
        surface: Surface,
        feedback: str | None = None,
    ) -> Decided | Refusal:
        """A person's click. What is over says so to everybody, before anybody is judged: nothing can change any more.

        Raises:
            NotFound: nothing here by that id.
            Unconfirmed: the commit was not confirmed; clicking again is safe.
        """
        approval = await self._approval(tenant, id)
        if not approval.is_pending:
            return Decided(already_resolved=True, approval=approval)
        verdict = await self._judge(approval, person)
        if not isinstance(verdict, Allowed):
            log.info("click_refused", interaction=id, rule=type(verdict).__name__)
            return verdict
        if _lacks_reason(approval, decision, feedback):
            return ReasonRequired()
        return await self._decide(approval, verdict.actor, decision, at=at, surface=surface, feedback=feedback)

    async def approve_edited(
        self, *, tenant: str, id: str, person: Person, input_json: str, at: datetime, feedback: str | None = None
    ) -> Decided | Refusal | EditRefused:
        """Approve with another input, which the run gets in place of its own. Where the terms allow it, and alone.

        Raises as `decide`.
        """
        approval = await self._approval(tenant, id)
        if not approval.is_pending:
            return Decided(already_resolved=True, approval=approval)
        verdict = await self._judge(approval, person)
        if not isinstance(verdict, Allowed):
            log.info("click_refused", interaction=id, rule=type(verdict).__name__)
            return verdict
        edited = edits.edited(approval, input_json)
        if not isinstance(edited, Edited):
            return EditRefused(approval=approval, problems=edited)
        return await self._decide(
            approval,
            verdict.actor,
            Decision.ALLOW_ONCE,
            at=at,
            surface=Surface.MODAL,
            feedback=feedback,
            digest=approval.digest,
            edited=None if edited.digest == approval.digest else edited,
        )

    async def take_back(
        self, *, tenant: str, id: str, person: Person, at: datetime, surface: Surface
    ) -> TakenBack | OtherWorkspace:
        """One's own vote while it waits, or the approval while no run has it: then it is denied. Raises as `decide`.

        Who may not decide (any more) may still take back what they said.
        """
        installation = await self.installation(tenant)
        if policy.is_foreign(person, installation):
            deciders = (await self._approval(tenant, id)).deciders
            return OtherWorkspace(approvers=policy.others(deciders, person))
        actor = self._named(tenant, person).actor()
        outcome = await self._store.take_back(tenant=tenant, id=id, actor=actor, at=at, surface=surface)
        if outcome.taken_back:
            log.info("approval_taken_back", interaction=id, by=person.user_id, state=outcome.approval.state)
        self._hub.poke(tenant, id)
        return outcome

    async def extend(
        self, *, tenant: str, id: str, person: Person, at: datetime, surface: Surface
    ) -> Extended | Refusal:
        """More time, once, by who may decide. Raises as `decide`."""
        interaction = await self._interaction(tenant, id)
        if not interaction.is_pending:
            return Extended(extended=False, interaction=interaction)
        verdict = await self._judge(interaction, person)
        if not isinstance(verdict, Allowed):
            return verdict
        outcome = await self._store.extend(tenant=tenant, id=id, actor=verdict.actor, at=at, surface=surface)
        if outcome.extended:
            log.info("deadline_moved", interaction=id, by=person.user_id, until=outcome.interaction.expires_at)
        self._hub.poke(tenant, id)
        return outcome

    async def decide_as_key(
        self, *, key: Key, id: str, decision: Decision, feedback: str | None = None, digest: str | None = None
    ) -> Decided | NotAllowed | ReasonRequired:
        """A program's decision; only where the ask names the key.

        Raises:
            NotFound, DigestMismatch, Unconfirmed: as `Interactions.decide_approval`.
        """
        approval = await self._approval(key.tenant, id)
        verdict = policy.judge_key(interaction=approval, key=key)
        if isinstance(verdict, NotAllowed):
            return verdict
        if _lacks_reason(approval, decision, feedback):
            return ReasonRequired()
        return await self._decide(
            approval,
            verdict.actor,
            decision,
            at=self._clock.now(),
            surface=Surface.API,
            feedback=feedback,
            digest=digest,
        )

    async def _decide(
        self,
        approval: Approval,
        actor: Actor,
        decision: Decision,
        *,
        at: datetime,
        surface: Surface,
        feedback: str | None = None,
        digest: str | None = None,
        edited: Edited | None = None,
    ) -> Decided:
        outcome = await self._store.decide_approval(
            tenant=approval.tenant,
            id=approval.id,
            actor=actor,
            decision=decision,
            at=at,
            surface=surface,
            feedback=feedback or None,
            digest=digest,
            edited=edited,
        )
        if not outcome.already_resolved:
            log.info("approval_decided", interaction=approval.id, decision=decision.value, state=outcome.approval.state)
        self._hub.poke(approval.tenant, approval.id)
        return outcome


def _lacks_reason(approval: Approval, decision: Decision, feedback: str | None) -> bool:
    needs = decision is Decision.DENY and approval.approvers.require_reason
    return needs and not (feedback or "").strip()
