"""From what was sent to what is asked: the domain's own types, and the checks that need more than one field."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import time, timedelta

from bot.api import errors, schemas, schemas_content
from bot.api.errors import Fault
from bot.asks import ApprovalAsk, QuestionAsk, canonical_input
from store.types import (
    Approvers,
    Destination,
    Escalation,
    Fact,
    Link,
    OnExpiry,
    Option,
    Question,
    Reminders,
    Resume,
    ResumeKind,
    Risk,
    Terms,
    WorkingHours,
)

#: Why a webhook's address will not do, or None where it will.
WebhookProblem = Callable[[str], str | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Door:
    """What may stand in an ask. `policies`: of its key; without any, an ask names approvers and places itself."""

    webhook_problem: WebhookProblem
    policies: Collection[str] = ()


def approval(sent: schemas.ApprovalIn, *, door: Door) -> ApprovalAsk:
    """Raises Problem 422 for a webhook address that would not be called, and for what only a policy could fill in."""
    _complete(sent, sent.approvers, "/approvers", door)
    return ApprovalAsk(
        run_id=sent.run_id,
        operation_id=sent.operation_id,
        policy=sent.policy,
        title=sent.title,
        body=sent.body,
        tool_name=sent.tool_name,
        input_json=None if sent.input is None else canonical_input(sent.input),
        details=sent.details,
        facts=tuple(Fact(label=fact.label, value=fact.value) for fact in sent.facts),
        links=tuple(Link(label=link.label, url=link.url) for link in sent.links),
        input_schema=None if sent.input_schema is None else canonical_input(sent.input_schema),
        fingerprint=sent.revalidate,
        risk=Risk(sent.risk),
        requested_by=sent.requested_by,
        approvers=None if sent.approvers is None else approvers(sent.approvers),
        destination=_destination(sent),
        expires_in=sent.expires_in,
        run_within=sent.run_within,
        supersedes=sent.supersedes,
        terms=_terms(sent, OnExpiry(sent.on_expiry)),
        resume=_resume(sent.resume, door.webhook_problem),
    )


def questions(sent: schemas.QuestionsIn, *, door: Door) -> QuestionAsk:
    """Raises Problem 422, as above."""
    named = sent.respondents
    _complete(sent, named, "/respondents", door)
    return QuestionAsk(
        run_id=sent.run_id,
        operation_id=sent.operation_id,
        policy=sent.policy,
        title=sent.title,
        questions=tuple(_question(question) for question in sent.questions),
        approvers=None if named is None else Approvers(users=tuple(named.users), groups=tuple(named.groups)),
        destination=_destination(sent),
        expires_in=sent.expires_in,
        terms=_terms(sent, OnExpiry.EXPIRE),
        resume=_resume(sent.resume, door.webhook_problem),
    )


def _complete(sent: schemas.ApprovalIn | schemas.QuestionsIn, named: object | None, pointer: str, door: Door) -> None:
    """Without a policy, nobody else says who decides and where."""
    if door.policies or sent.policy is not None:
        return
    faults = []
    if named is None:
        faults.append(Fault(pointer=pointer, message="This field is required, unless a policy says it."))
    if not sent.channels and not sent.users:
        faults.append(Fault(pointer="", message=f"{schemas.TOO_MANY_OR_NONE}."))
    if faults:
        raise errors.invalid(faults)


def approvers(sent: schemas.ApproversIn) -> Approvers:
    return Approvers(
        users=tuple(sent.users),
        groups=tuple(sent.groups),
        keys=tuple(sent.keys),
        quorum=sent.quorum,
        denials=sent.denials,
        allow_requester=sent.allow_requester,
        require_reason=sent.require_reason,
    )


def _terms(sent: schemas.ApprovalIn | schemas.QuestionsIn, on_expiry: OnExpiry) -> Terms:
    steps = (
        Escalation(after=timedelta(seconds=each.after), users=tuple(each.users), groups=tuple(each.groups))
        for each in sent.escalation
    )
    return Terms(on_expiry=on_expiry, reminders=_reminders(sent.reminders), escalation=tuple(steps))


def _reminders(sent: schemas.RemindersIn | None) -> Reminders | None:
    if sent is None:
        return None
    hours = None if sent.hours is None else _hours(sent.hours)
    return Reminders(after=timedelta(seconds=sent.after), most=sent.most, hours=hours)


def _hours(sent: schemas.HoursIn) -> WorkingHours:
    return WorkingHours(
        start=time.fromisoformat(sent.start),
        end=time.fromisoformat(sent.end),
        zone=sent.zone,
        days=tuple(sorted(set(sent.days))),
    )


def _question(sent: schemas_content.QuestionIn) -> Question:
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
