"""The use cases: what can be done with interactions, whatever door it comes through. Knows no Slack, HTTP or SQL."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import structlog

from bot import policy
from bot.asks import ApprovalAsk, QuestionAsk, to_approval, to_question_set
from bot.clock import Clock
from bot.hub import Hub
from bot.people import Directory, Person, members_of
from bot.policy import Allowed, GroupUnreadable, NotAllowed, OtherWorkspace, ReasonRequired, Refusal
from store import errors
from store.answers import Choice, Problem, check_answers
from store.ids import new_id
from store.outcomes import Answered, Claimed, Created, Decided, Withdrawn
from store.protocol import Store
from store.types import (
    Actor,
    ActorKind,
    Approval,
    Decision,
    ExecutionStatus,
    Installation,
    Interaction,
    Key,
    QuestionSet,
    Surface,
)

log = structlog.get_logger("signoff.service")


@dataclass(frozen=True, kw_only=True, slots=True)
class Invalid:
    """The answers do not fit the questions; nothing was stored and the question keeps waiting."""

    question: QuestionSet
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRefused:
    """The ask names its own judges, with a key that may not."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NotTheAsker:
    """Only who asked can withdraw."""

    requested_by: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Woken:
    """`woken` is False where nothing is to be told (any more); the interaction says why."""

    woken: bool
    interaction: Interaction


class Service:
    """One per process. Every method is one use case: look up, ask the policy, one store call, tell the hub."""

    def __init__(self, *, store: Store, clock: Clock, hub: Hub, directory: Directory) -> None:
        self._store = store
        self._clock = clock
        self._hub = hub
        self._directory = directory
        self._installations: dict[str, Installation] = {}

    # -- asking ---------------------------------------------------------------------------------------------------

    async def ask_approval(self, *, key: Key, ask: ApprovalAsk) -> Created[Approval] | PolicyRefused:
        """Store the ask; its cards and its deadline follow by themselves.

        Raises:
            Conflict, NotFound, AlreadyResolved: as `Interactions.create_approval`.
        """
        if not key.any_approvers:
            return _INLINE_REFUSED
        now = self._clock.now()
        approval = to_approval(ask, key=key, id=new_id("apr", now=now), now=now)
        created = await self._store.create_approval(approval=approval)
        if created.created:
            log.info("approval_asked", interaction=created.interaction.id, run=ask.run_id)
            self._hub.poke(key.tenant, created.interaction.id)
            if ask.supersedes is not None:
                self._hub.poke(key.tenant, ask.supersedes)
        return created

    async def ask_question(self, *, key: Key, ask: QuestionAsk) -> Created[QuestionSet] | PolicyRefused:
        if not key.any_approvers:
            return _INLINE_REFUSED
        now = self._clock.now()
        question = to_question_set(ask, key=key, id=new_id("qst", now=now), now=now)
        created = await self._store.create_question(question=question)
        if created.created:
            log.info("question_asked", interaction=created.interaction.id, run=ask.run_id)
            self._hub.poke(key.tenant, created.interaction.id)
        return created

    # -- deciding -------------------------------------------------------------------------------------------------

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
        )
        if not outcome.already_resolved:
            log.info("approval_decided", interaction=approval.id, decision=decision.value, state=outcome.approval.state)
        self._hub.poke(approval.tenant, approval.id)
        return outcome

    async def answer(
        self,
        *,
        tenant: str,
        id: str,
        person: Person,
        choices: Mapping[str, Choice],
        at: datetime,
        surface: Surface,
    ) -> Answered | Refusal | Invalid:
        """A person's answers, all at once. Raises as `decide`."""
        question = await self._question(tenant, id)
        if not question.is_pending:
            return Answered(already_resolved=True, question=question)
        verdict = await self._judge(question, person)
        if not isinstance(verdict, Allowed):
            log.info("click_refused", interaction=id, rule=type(verdict).__name__)
            return verdict
        return await self._answer(question, verdict.actor, choices, at=at, surface=surface)

    async def question_for_key(self, *, key: Key, id: str) -> QuestionSet | NotAllowed:
        """What this key may answer, before its answers are looked at. Raises NotFound."""
        question = await self._question(key.tenant, id)
        verdict = policy.judge_key(interaction=question, key=key)
        return verdict if isinstance(verdict, NotAllowed) else question

    async def answer_as_key(
        self, *, key: Key, id: str, choices: Mapping[str, Choice]
    ) -> Answered | NotAllowed | Invalid:
        question = await self._question(key.tenant, id)
        verdict = policy.judge_key(interaction=question, key=key)
        if isinstance(verdict, NotAllowed):
            return verdict
        return await self._answer(question, verdict.actor, choices, at=self._clock.now(), surface=Surface.API)

    async def _answer(
        self,
        question: QuestionSet,
        actor: Actor,
        choices: Mapping[str, Choice],
        *,
        at: datetime,
        surface: Surface,
    ) -> Answered | Invalid:
        checked = check_answers(question.questions, choices)
        if isinstance(checked, list):
            return Invalid(question=question, problems=tuple(checked))
        outcome = await self._store.answer_question(
            tenant=question.tenant, id=question.id, actor=actor, answers=checked, at=at, surface=surface
        )
        if not outcome.already_resolved:
            log.info("question_answered", interaction=question.id)
        self._hub.poke(question.tenant, question.id)
        return outcome

    async def refusal(self, interaction: Interaction, person: Person) -> Refusal | None:
        """Why this person may not decide, before they fill in a form; None where they may."""
        verdict = await self._judge(interaction, person)
        return None if isinstance(verdict, Allowed) else verdict

    async def _judge(self, interaction: Interaction, person: Person) -> Allowed | Refusal:
        installation = await self.installation(interaction.tenant)
        names = policy.groups_to_read(interaction, person)
        groups = await members_of(self._directory, names, tenant=interaction.tenant)
        return policy.judge_person(interaction=interaction, person=person, installation=installation, groups=groups)

    # -- running --------------------------------------------------------------------------------------------------

    async def claim(
        self,
        *,
        tenant: str,
        id: str,
        claim_id: str | None,
        digest: str,
        worker: str | None = None,
        report_within: int | None = None,
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
        )
        if outcome.claimed:
            log.info("approval_claimed", interaction=id, execute=outcome.execute)
            self._hub.poke(tenant, id)
        return outcome

    async def report(
        self, *, tenant: str, id: str, claim_id: str, status: ExecutionStatus, detail: str | None = None
    ) -> Approval:
        """What became of the execution; painted on the card. Raises as `Interactions.report_execution`."""
        approval = await self._store.report_execution(
            tenant=tenant, id=id, claim_id=claim_id, status=status, at=self._clock.now(), detail=detail
        )
        self._hub.poke(tenant, id)
        return approval

    # -- ending ---------------------------------------------------------------------------------------------------

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
        actor = Actor(kind=kind, id=person.user_id)
        return await self._withdraw(tenant, id, actor, at=at, surface=surface, reason=reason)

    async def _withdraw(
        self, tenant: str, id: str, actor: Actor, *, at: datetime, surface: Surface, reason: str | None = None
    ) -> Withdrawn:
        outcome = await self._store.withdraw(
            tenant=tenant, id=id, actor=actor, at=at, surface=surface, reason=reason or None
        )
        self._hub.poke(tenant, id)
        return outcome

    async def wake(
        self, *, tenant: str, id: str, person: Person, is_operator: bool = False
    ) -> Woken | NotAllowed | OtherWorkspace | GroupUnreadable:
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
            if isinstance(verdict, NotAllowed | OtherWorkspace | GroupUnreadable):
                log.info("wake_refused", interaction=id, rule=type(verdict).__name__)
                return verdict
        woken = await self._store.wake(tenant=tenant, id=id, now=self._clock.now())
        if woken:
            log.info("run_woken", interaction=id, by=person.user_id)
        self._hub.poke(tenant, id)
        return Woken(woken=woken, interaction=await self._interaction(tenant, id))

    # -- looking up -----------------------------------------------------------------------------------------------

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


def _lacks_reason(approval: Approval, decision: Decision, feedback: str | None) -> bool:
    needs = decision is Decision.DENY and approval.approvers.require_reason
    return needs and not (feedback or "").strip()


_INLINE_REFUSED = PolicyRefused(
    reason="This key may not name approvers itself. Make one with "
    "`signoff-bot keys create --scopes ask,read --name ci-bot --any-approvers`."
)
