"""From what was sent to what is asked: the domain's own types, and the checks that need more than one field."""

from collections.abc import Callable

from bot.api import errors, schemas
from bot.api.errors import Fault
from bot.asks import ApprovalAsk, QuestionAsk, canonical_input
from store.types import Approvers, Destination, Option, Question, Resume, ResumeKind, Risk

#: Why a webhook's address will not do, or None where it will.
WebhookProblem = Callable[[str], str | None]


def approval(sent: schemas.ApprovalIn, *, webhook_problem: WebhookProblem) -> ApprovalAsk:
    """Raises Problem 422 for a webhook address that would not be called."""
    return ApprovalAsk(
        run_id=sent.run_id,
        operation_id=sent.operation_id,
        title=sent.title,
        body=sent.body,
        tool_name=sent.tool_name,
        input_json=None if sent.input is None else canonical_input(sent.input),
        risk=Risk(sent.risk),
        requested_by=sent.requested_by,
        approvers=Approvers(
            users=tuple(sent.approvers.users),
            groups=tuple(sent.approvers.groups),
            allow_requester=sent.approvers.allow_requester,
        ),
        destination=_destination(sent),
        expires_in=sent.expires_in,
        supersedes=sent.supersedes,
        resume=_resume(sent.resume, webhook_problem),
    )


def questions(sent: schemas.QuestionsIn, *, webhook_problem: WebhookProblem) -> QuestionAsk:
    """Raises Problem 422, as above."""
    return QuestionAsk(
        run_id=sent.run_id,
        operation_id=sent.operation_id,
        title=sent.title,
        questions=tuple(_question(question) for question in sent.questions),
        approvers=Approvers(users=tuple(sent.respondents.users), groups=tuple(sent.respondents.groups)),
        destination=_destination(sent),
        expires_in=sent.expires_in,
        resume=_resume(sent.resume, webhook_problem),
    )


def _question(sent: schemas.QuestionIn) -> Question:
    return Question(
        id=sent.id,
        prompt=sent.prompt,
        description=sent.description,
        options=tuple(Option(id=o.id, label=o.label, description=o.description) for o in sent.options or ()),
        multiple=sent.multiple,
        allow_other=sent.allow_other,
        is_skippable=sent.is_skippable,
        default=tuple(sent.default or ()),
    )


def _destination(sent: schemas.ApprovalIn | schemas.QuestionsIn) -> Destination:
    return Destination(channels=tuple(sent.channels), users=tuple(sent.users), thread_ts=sent.thread_ts)


def _resume(sent: schemas.ResumeIn | None, webhook_problem: WebhookProblem) -> Resume:
    if sent is None or sent.pull:
        return Resume()
    if sent.handler is not None:
        return Resume(kind=ResumeKind.HANDLER, target=sent.handler)
    assert sent.webhook is not None
    problem = webhook_problem(sent.webhook)
    if problem is not None:
        raise errors.invalid([Fault(pointer="/resume/webhook", message=problem)])
    return Resume(kind=ResumeKind.WEBHOOK, target=sent.webhook)
