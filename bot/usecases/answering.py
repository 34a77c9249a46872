"""Answering questions: by people, and by keys."""

from collections.abc import Mapping
from datetime import datetime

import structlog

from bot import policy
from bot.people import Person
from bot.policy import Allowed, NotAllowed, Refusal
from bot.usecases.base import UseCases
from bot.usecases.results import Invalid
from store.answers import Choice, check_answers
from store.outcomes import Answered
from store.types import Actor, Key, QuestionSet, Surface

log = structlog.get_logger("signoff.service")


class Answering(UseCases):
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
