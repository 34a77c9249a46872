"""Asking: what a run asks becomes an interaction, under a policy or with approvers of its own."""

from collections.abc import Sequence
from typing import TypeVar

import structlog

from bot import policies
from bot.asks import ApprovalAsk, QuestionAsk, Ruled, to_approval, to_question_set
from bot.differences import differs
from bot.previewing import Asked
from bot.usecases.base import UseCases
from bot.usecases.results import PolicyRefused
from store import rules
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
        approval = await self._approval_of(key, ask)
        if not isinstance(approval, Approval):
            return approval
        created = await self._store.create_approval(approval=approval)
        if created.created:
            log.info("approval_asked", interaction=created.interaction.id, run=ask.run_id)
            self._hub.poke(key.tenant, created.interaction.id)
            if ask.supersedes is not None:
                self._hub.poke(key.tenant, ask.supersedes)
        return created

    async def ask_question(self, *, key: Key, ask: QuestionAsk) -> Created[QuestionSet] | PolicyRefused:
        """As `ask_approval`; a policy says who answers, too."""
        question = await self._question_of(key, ask)
        if not isinstance(question, QuestionSet):
            return question
        created = await self._store.create_question(question=question)
        if created.created:
            log.info("question_asked", interaction=created.interaction.id, run=ask.run_id)
            self._hub.poke(key.tenant, created.interaction.id)
        return created

    async def preview(self, *, key: Key, ask: ApprovalAsk | QuestionAsk) -> Asked[Interaction] | PolicyRefused:
        """What asking would come to, with nothing stored. Raises as asking does."""
        made = await (self._approval_of(key, ask) if isinstance(ask, ApprovalAsk) else self._question_of(key, ask))
        if isinstance(made, PolicyRefused):
            return made
        if isinstance(made, Created):
            return Asked(interaction=made.interaction, is_standing=True)
        standing = await self._find_operation(made)
        if standing is not None:
            return Asked(interaction=rules.same_ask(made, standing), is_standing=True)
        if isinstance(made, Approval) and made.supersedes is not None:
            rules.supersede(await self._approval(made.tenant, made.supersedes), new=made)
        return Asked(interaction=made)

    async def differences(self, *, key: Key, ask: ApprovalAsk | QuestionAsk, id: str) -> Sequence[str]:
        """Pointers to what this ask says otherwise than the one that stands for its operation. Raises NotFound."""
        made = await (self._approval_of(key, ask) if isinstance(ask, ApprovalAsk) else self._question_of(key, ask))
        standing = await self._interaction(key.tenant, id)
        return differs(standing, made) if isinstance(made, Interaction) else ()

    async def _approval_of(self, key: Key, ask: ApprovalAsk) -> Approval | Created[Approval] | PolicyRefused:
        """As it is to be stored. Where its policy refuses it by now: what stands of the same ask, if anything does."""
        ruled = await self._ruled(key, ask)
        now = self._clock.now()
        if isinstance(ruled, PolicyRefused):
            standing = await self._standing(to_approval(ask, ruled=_NOBODY, key=key, id="", now=now))
            return ruled if standing is None else standing
        return to_approval(ask, ruled=ruled, key=key, id=new_id("apr", now=now), now=now)

    async def _question_of(self, key: Key, ask: QuestionAsk) -> QuestionSet | Created[QuestionSet] | PolicyRefused:
        ruled = await self._ruled(key, ask)
        now = self._clock.now()
        if isinstance(ruled, PolicyRefused):
            standing = await self._standing(to_question_set(ask, ruled=_NOBODY, key=key, id="", now=now))
            return ruled if standing is None else standing
        return to_question_set(ask, ruled=ruled, key=key, id=new_id("qst", now=now), now=now)

    async def _standing(self, asked: I) -> Created[I] | None:
        """What was asked before, in the same words: a run that crashed finds it, whatever its policy says since."""
        standing = await self._find_operation(asked)
        if isinstance(standing, type(asked)) and standing.request_digest == asked.request_digest:
            return Created(created=False, interaction=standing)
        return None

    async def _find_operation(self, asked: Interaction) -> Interaction | None:
        found = await self._store.list_interactions(
            tenant=asked.tenant, run_id=asked.run_id, operation_id=asked.operation_id, limit=1
        )
        return found.items[0] if found.items else None

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
