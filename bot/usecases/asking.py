"""Asking: what a run asks becomes an interaction, under a policy or with approvers of its own."""

from typing import TypeVar

import structlog

from bot import policies
from bot.asks import ApprovalAsk, QuestionAsk, Ruled, to_approval, to_question_set
from bot.usecases.base import UseCases
from bot.usecases.results import PolicyRefused
from store.ids import new_id
from store.outcomes import Created
from store.types import Approval, Approvers, Destination, Interaction, Key, QuestionSet, Terms

log = structlog.get_logger("signoff.service")

I = TypeVar("I", bound=Interaction)  # noqa: E741  # as in the store's rules
#: What is compared of an ask does not hang on who decides it.
_NOBODY = Ruled(approvers=Approvers(), destination=Destination(), expires_in=None, terms=Terms())


class Asking(UseCases):
    async def ask_approval(self, *, key: Key, ask: ApprovalAsk) -> Created[Approval] | PolicyRefused:
        """Store the ask; its cards and its deadline follow by themselves.

        Raises:
            Conflict, NotFound, AlreadyResolved: as `Interactions.create_approval`.
        """
        ruled = await self._ruled(key, ask)
        now = self._clock.now()
        if isinstance(ruled, PolicyRefused):
            standing = await self._standing(to_approval(ask, ruled=_NOBODY, key=key, id="", now=now))
            return ruled if standing is None else standing
        approval = to_approval(ask, ruled=ruled, key=key, id=new_id("apr", now=now), now=now)
        created = await self._store.create_approval(approval=approval)
        if created.created:
            log.info("approval_asked", interaction=created.interaction.id, run=ask.run_id)
            self._hub.poke(key.tenant, created.interaction.id)
            if ask.supersedes is not None:
                self._hub.poke(key.tenant, ask.supersedes)
        return created

    async def ask_question(self, *, key: Key, ask: QuestionAsk) -> Created[QuestionSet] | PolicyRefused:
        """As `ask_approval`; a policy says who answers, too."""
        ruled = await self._ruled(key, ask)
        now = self._clock.now()
        if isinstance(ruled, PolicyRefused):
            standing = await self._standing(to_question_set(ask, ruled=_NOBODY, key=key, id="", now=now))
            return ruled if standing is None else standing
        question = to_question_set(ask, ruled=ruled, key=key, id=new_id("qst", now=now), now=now)
        created = await self._store.create_question(question=question)
        if created.created:
            log.info("question_asked", interaction=created.interaction.id, run=ask.run_id)
            self._hub.poke(key.tenant, created.interaction.id)
        return created

    async def _standing(self, asked: I) -> Created[I] | None:
        """What was asked before, in the same words: a run that crashed finds it, whatever its policy says since."""
        found = await self._store.list_interactions(
            tenant=asked.tenant, run_id=asked.run_id, operation_id=asked.operation_id, limit=1
        )
        for standing in found.items:
            if isinstance(standing, type(asked)) and standing.request_digest == asked.request_digest:
                return Created(created=False, interaction=standing)
        return None

    async def _ruled(self, key: Key, ask: ApprovalAsk | QuestionAsk) -> Ruled | PolicyRefused:
        """Under the policy that it names, or the first of its key; without any, as the ask says, if the key may."""
        name = ask.policy or (key.policies[0] if key.policies else None)
        if name is None:
            if not key.any_approvers:
                return _INLINE_REFUSED
            return _UNNAMED if ask.approvers is None else policies.alone(ask, ask.approvers)
        if name not in key.policies:
            return PolicyRefused(reason=f"This key may not ask under the policy {name}.")
        policy = await self._store.find_policy(tenant=key.tenant, name=name)
        if policy is None:
            return PolicyRefused(reason=f"There is no policy {name} (any more). `signoff-bot policy set` makes one.")
        ruled = policies.under(policy, ask)
        if isinstance(ruled, str):
            return PolicyRefused(reason=ruled)
        if not (ruled.destination.channels or ruled.destination.users):
            return PolicyRefused(reason=f"Policy {name} sends cards nowhere: name channels or users for them.")
        return ruled


_INLINE_REFUSED = PolicyRefused(
    reason="This key may not name approvers itself. Make one with "
    "`signoff-bot keys create --scopes ask,read --name ci-bot --any-approvers`, or bind it to a policy."
)
_UNNAMED = PolicyRefused(reason="Name approvers: this key is bound to no policy that would.")
