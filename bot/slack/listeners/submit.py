"""Submitted modals. A deciding modal says what happened in its own place; closing one decides nothing."""

from collections.abc import Mapping
from typing import Any

from blocks import ids, limits, modal, notices, reading
from blocks.surface import Note
from bot.slack.desk import Desk
from bot.slack.listeners import voting
from bot.slack.listeners.answer import chosen
from bot.slack.payloads import Submission
from bot.usecases.results import Invalid
from store.answers import Choice
from store.outcomes import Answered, Decided
from store.types import Decision, QuestionSet, Surface

#: Of what was typed, so much is given back: a view holds no more, however it is escaped.
_MOST_TYPED = 50_000
#: What Slack is told about a submission: None closes the modal.
Response = Mapping[str, Any] | None


async def deny(desk: Desk, tenant: str, submission: Submission) -> Response:
    """*Deny with reason…*"""
    reason = reading.reason(submission.values)
    if not reason:
        return errors_at({ids.REASON_BLOCK: modal.REASON_NEEDED})
    return await _decide(desk, tenant, submission, Decision.DENY, feedback=reason)


async def approve(desk: Desk, tenant: str, submission: Submission) -> Response:
    """The last page of *Review and approve…*"""
    return await _decide(desk, tenant, submission, Decision.ALLOW_ONCE)


async def _decide(
    desk: Desk, tenant: str, submission: Submission, decision: Decision, *, feedback: str | None = None
) -> Response:
    metadata = ids.decode_metadata(submission.metadata)
    if metadata is None:
        return retired(submission)

    async def attempt() -> Note | None:
        outcome = await desk.service.decide(
            tenant=tenant,
            id=metadata.id,
            person=submission.origin.person,
            decision=decision,
            at=submission.origin.at,
            surface=Surface.MODAL,
            feedback=feedback,
        )
        if not isinstance(outcome, Decided):
            return desk.refused(outcome)
        if outcome.already_resolved:
            return await desk.already(outcome.approval, submission.origin)
        desk.follows_at(submission.origin, outcome.approval, metadata.where)
        return await voting.said(desk, outcome.approval, submission.origin, decision)

    return instead(await desk.worded(attempt(), decides=True), typed=feedback)


async def own_answer(desk: Desk, tenant: str, submission: Submission) -> Response:
    """*Other…*: one question of one set, in the person's own words."""
    metadata = ids.decode_metadata(submission.metadata)
    if metadata is None:
        return retired(submission)
    index = metadata.question or 0
    text = reading.own_answer(submission.values, index)
    problems: dict[str, str] = {}

    async def attempt() -> Note | None:
        question_set = (await desk.lookups.read(tenant=tenant, id=metadata.id)).interaction
        if not isinstance(question_set, QuestionSet) or index >= len(question_set.questions):
            return notices.gone()
        outcome = await desk.service.answer(
            tenant=tenant,
            id=metadata.id,
            person=submission.origin.person,
            choices={question_set.questions[index].id: Choice(other=text)},
            at=submission.origin.at,
            surface=Surface.MODAL,
        )
        if isinstance(outcome, Invalid):
            problems[ids.other_block(index)] = outcome.problems[0].message
            return None
        if not isinstance(outcome, Answered):
            return desk.refused(outcome)
        return await _told(desk, submission, outcome, metadata.where)

    note = await desk.worded(attempt(), decides=True)
    return errors_at(problems) if problems else instead(note, typed=text)


async def answers(desk: Desk, tenant: str, submission: Submission) -> Response:
    """*Answer…*: all questions of a set; what does not do is said under its field."""
    metadata = ids.decode_metadata(submission.metadata)
    if metadata is None:
        return retired(submission)
    problems: dict[str, str] = {}

    async def attempt() -> Note | None:
        question_set = (await desk.lookups.read(tenant=tenant, id=metadata.id)).interaction
        if not isinstance(question_set, QuestionSet):
            return notices.gone()
        outcome = await desk.service.answer(
            tenant=tenant,
            id=question_set.id,
            person=submission.origin.person,
            choices=chosen(question_set, submission.values, in_view=True),
            at=submission.origin.at,
            surface=Surface.MODAL,
        )
        if isinstance(outcome, Invalid):
            places = {question.id: place for place, question in enumerate(question_set.questions)}
            problems.update({ids.question_block(places[p.question_id]): p.message for p in outcome.problems})
            return None
        if not isinstance(outcome, Answered):
            return desk.refused(outcome)
        return await _told(desk, submission, outcome, metadata.where)

    note = await desk.worded(attempt(), decides=True)
    return errors_at(problems) if problems else instead(note, typed=reading.typed(submission.values))


async def _told(desk: Desk, submission: Submission, outcome: Answered, where: ids.Where) -> Note | None:
    if outcome.already_resolved:
        return await desk.already(outcome.question, submission.origin)
    desk.follows_at(submission.origin, outcome.question, where)
    return None


def retired(submission: Submission) -> Response:
    """A form of an older version, or of somebody else's making."""
    return instead(notices.form_retired(), typed=reading.typed(submission.values))


def errors_at(problems: Mapping[str, str]) -> Response:
    """Sentences under their fields; keys are block ids of inputs."""
    return {"response_action": "errors", "errors": dict(problems)}


def instead(note: Note | None, *, typed: str | None) -> Response:
    """Close; or, where it came to nothing, show in the modal's place what happened, and what was typed, to copy."""
    if note is None:
        return None
    kept = None if typed is None else limits.clip_counted(typed, _MOST_TYPED)
    return {"response_action": "update", "view": modal.ended(note, typed=kept).payload()}
