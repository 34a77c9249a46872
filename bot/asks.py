"""An ask as a run makes it, and the interaction it becomes. Pure: the id and the instant are given."""

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from store.digest import action_digest, content_digest
from store.types import (
    DEFAULT_CLAIM_WINDOW,
    DEFAULT_DEADLINE,
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Destination,
    Fact,
    Key,
    Link,
    Question,
    QuestionSet,
    Resume,
    Risk,
    Terms,
)

#: Seconds that an ask may wait, and other times of it.
MAX_EXPIRES = 2_592_000
#: Bytes of an input, as JSON.
MAX_INPUT = 64 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalAsk:
    """One action to allow. `input_json`, `input_schema`: JSON text, the input in the sender's own order.

    `expires_in`, `run_within`: seconds; None for never. `approvers`: None for those of its policy; where it names some
    under a policy, they must be the policy's, and the stricter of both holds.
    """

    run_id: str
    title: str
    approvers: Approvers | None
    destination: Destination
    policy: str | None = None
    operation_id: str | None = None
    body: str | None = None
    tool_name: str | None = None
    input_json: str | None = None
    risk: Risk = Risk.MEDIUM
    requested_by: str | None = None
    expires_in: int | None = int(DEFAULT_DEADLINE.total_seconds())
    run_within: int = int(DEFAULT_CLAIM_WINDOW.total_seconds())
    supersedes: str | None = None
    details: str | None = None
    facts: tuple[Fact, ...] = ()
    links: tuple[Link, ...] = ()
    input_schema: str | None = None
    #: Of the world as the run saw it (`revalidate`).
    fingerprint: str | None = None
    terms: Terms = field(default_factory=Terms)
    resume: Resume = field(default_factory=Resume)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAsk:
    run_id: str
    questions: tuple[Question, ...]
    approvers: Approvers | None
    destination: Destination
    policy: str | None = None
    terms: Terms = field(default_factory=Terms)
    operation_id: str | None = None
    title: str | None = None
    expires_in: int | None = None
    resume: Resume = field(default_factory=Resume)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ruled:
    """What holds for an ask once its policy was looked at: who decides, where its cards go, for how long."""

    approvers: Approvers
    destination: Destination
    expires_in: int | None
    terms: Terms


def to_approval(ask: ApprovalAsk, *, ruled: Ruled, key: Key, id: str, now: datetime) -> Approval:
    """The pending approval. Without `requested_by`, the key's owner is the requester, if it has one.

    What is compared when it is asked again is what was sent: a policy that changed meanwhile makes no other ask of it.
    """
    digest = action_digest(
        title=ask.title, body=ask.body, tool_name=ask.tool_name, input_json=ask.input_json, details=ask.details
    )
    requested_by = ask.requested_by or key.owner
    request = _approval_request(ask, digest=digest, requested_by=requested_by)
    owner = key.owner if key.owner != requested_by else None
    return Approval(
        **_asked(ask, request, ruled=replace(ruled, terms=replace(ruled.terms, owner=owner)), key=key, id=id, now=now),
        title=ask.title,
        requested_by=requested_by,
        supersedes=ask.supersedes,
        digest=digest,
        body=ask.body,
        tool_name=ask.tool_name,
        input_json=ask.input_json,
        details=ask.details,
        facts=ask.facts,
        links=ask.links,
        input_schema=ask.input_schema,
        fingerprint=ask.fingerprint,
        risk=ask.risk,
        run_within=timedelta(seconds=ask.run_within),
    )


def to_question_set(ask: QuestionAsk, *, ruled: Ruled, key: Key, id: str, now: datetime) -> QuestionSet:
    title = ask.title or (ask.questions[0].prompt if len(ask.questions) == 1 else "")
    request = {"kind": "question", "title": title, "questions": [_plain(q) for q in ask.questions], **_shared(ask)}
    return QuestionSet(
        **_asked(ask, request, ruled=ruled, key=key, id=id, now=now),
        title=title,
        requested_by=key.owner,
        questions=ask.questions,
    )


def _asked(
    ask: ApprovalAsk | QuestionAsk, request: dict[str, Any], *, ruled: Ruled, key: Key, id: str, now: datetime
) -> dict[str, Any]:
    """What interactions of both kinds are made of."""
    return {
        "tenant": key.tenant,
        "id": id,
        "run_id": ask.run_id,
        "operation_id": ask.operation_id or _derived(request),
        "request_digest": content_digest(request),
        "created_at": now,
        "expires_at": _deadline(ruled.expires_in, now),
        "asked_by": Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name),
        "approvers": ruled.approvers,
        "destination": ruled.destination,
        "terms": ruled.terms,
        "resume": ask.resume,
    }


def _approval_request(ask: ApprovalAsk, *, digest: str, requested_by: str | None) -> dict[str, Any]:
    """What two asks of one operation are compared by; what was not said is not in it."""
    said = {
        "facts": [[fact.label, fact.value] for fact in ask.facts],
        "links": [[link.label, link.url] for link in ask.links],
        "input_schema": ask.input_schema,
        "fingerprint": ask.fingerprint,
        "run_within": None if ask.run_within == DEFAULT_CLAIM_WINDOW.total_seconds() else ask.run_within,
    }
    return {
        "kind": "approval",
        "digest": digest,
        "risk": ask.risk.value,
        "requested_by": requested_by,
        "supersedes": ask.supersedes,
        **{name: value for name, value in said.items() if value},
        **_shared(ask),
    }


def _shared(ask: ApprovalAsk | QuestionAsk) -> dict[str, Any]:
    """What both kinds compare. Lists of who and where are sets: their order means nothing."""
    terms = {} if ask.terms == Terms() else {"terms": _said(ask.terms)}
    policy = {} if ask.policy is None else {"policy": ask.policy}
    return {
        "approvers": None if ask.approvers is None else _named(ask.approvers),
        "channels": sorted(set(ask.destination.channels)),
        "users": sorted(set(ask.destination.users)),
        "thread_ts": ask.destination.thread_ts,
        "expires_in": ask.expires_in,
        "resume": [ask.resume.kind.value, ask.resume.target],
        **policy,
        **terms,
    }


def _said(terms: Terms) -> dict[str, Any]:
    reminders = terms.reminders
    hours = reminders and reminders.hours
    return {
        "on_expiry": terms.on_expiry.value,
        "reminders": reminders and [reminders.after.total_seconds(), reminders.most],
        "hours": hours and [str(hours.start), str(hours.end), hours.zone, list(hours.days)],
        "escalation": [[e.after.total_seconds(), list(e.users), list(e.groups)] for e in terms.escalation],
    }


def _named(approvers: Approvers) -> dict[str, Any]:
    return {
        "users": sorted(set(approvers.users)),
        "groups": sorted(set(approvers.groups)),
        "keys": sorted(set(approvers.keys)),
        "quorum": approvers.quorum,
        "allow_requester": approvers.allow_requester,
        "require_reason": approvers.require_reason,
        **({} if approvers.denials == 1 else {"denials": approvers.denials}),
    }


def _plain(question: Question) -> dict[str, Any]:
    return {
        "id": question.id,
        "prompt": question.prompt,
        "description": question.description,
        "options": [[o.id, o.label, o.description] for o in question.options],
        "multiple": question.multiple,
        "allow_other": question.allow_other,
        "is_skippable": question.is_skippable,
        "default": list(question.default),
    }


def _derived(request: dict[str, Any]) -> str:
    """An operation id from the content: a run that crashes and asks again means the same thing."""
    return f"content-{content_digest(request)[:32]}"


def _deadline(expires_in: int | None, now: datetime) -> datetime | None:
    return None if expires_in is None else now + timedelta(seconds=expires_in)


def canonical_input(value: Any) -> str:
    """JSON text for `input_json`: compact, in the order given, nothing escaped that need not be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
