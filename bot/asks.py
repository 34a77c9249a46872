"""An ask as a run makes it, and the interaction it becomes. Pure: the id and the instant are given."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from store.digest import action_digest, content_digest
from store.types import (
    DEFAULT_DEADLINE,
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Destination,
    Key,
    Question,
    QuestionSet,
    Resume,
    Risk,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalAsk:
    """One action to allow. `input_json`: JSON text in the sender's own order. `expires_in`: seconds, None for never."""

    run_id: str
    title: str
    approvers: Approvers
    destination: Destination
    operation_id: str | None = None
    body: str | None = None
    tool_name: str | None = None
    input_json: str | None = None
    risk: Risk = Risk.MEDIUM
    requested_by: str | None = None
    expires_in: int | None = int(DEFAULT_DEADLINE.total_seconds())
    supersedes: str | None = None
    resume: Resume = field(default_factory=Resume)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAsk:
    run_id: str
    questions: tuple[Question, ...]
    approvers: Approvers
    destination: Destination
    operation_id: str | None = None
    title: str | None = None
    expires_in: int | None = None
    resume: Resume = field(default_factory=Resume)


def to_approval(ask: ApprovalAsk, *, key: Key, id: str, now: datetime) -> Approval:
    """The pending approval. Without `requested_by`, the key's owner is the requester, if it has one."""
    digest = action_digest(title=ask.title, body=ask.body, tool_name=ask.tool_name, input_json=ask.input_json)
    requested_by = ask.requested_by or key.owner
    request = {
        "kind": "approval",
        "digest": digest,
        "risk": ask.risk.value,
        "requested_by": requested_by,
        "supersedes": ask.supersedes,
        **_shared(ask),
    }
    return Approval(
        tenant=key.tenant,
        id=id,
        run_id=ask.run_id,
        operation_id=ask.operation_id or _derived(request),
        title=ask.title,
        request_digest=content_digest(request),
        created_at=now,
        expires_at=_deadline(ask.expires_in, now),
        asked_by=Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name),
        requested_by=requested_by,
        approvers=ask.approvers,
        destination=ask.destination,
        resume=ask.resume,
        supersedes=ask.supersedes,
        digest=digest,
        body=ask.body,
        tool_name=ask.tool_name,
        input_json=ask.input_json,
        risk=ask.risk,
    )


def to_question_set(ask: QuestionAsk, *, key: Key, id: str, now: datetime) -> QuestionSet:
    title = ask.title or (ask.questions[0].prompt if len(ask.questions) == 1 else "")
    request = {"kind": "question", "title": title, "questions": [_plain(q) for q in ask.questions], **_shared(ask)}
    return QuestionSet(
        tenant=key.tenant,
        id=id,
        run_id=ask.run_id,
        operation_id=ask.operation_id or _derived(request),
        title=title,
        request_digest=content_digest(request),
        created_at=now,
        expires_at=_deadline(ask.expires_in, now),
        asked_by=Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name),
        requested_by=key.owner,
        approvers=ask.approvers,
        destination=ask.destination,
        resume=ask.resume,
        questions=ask.questions,
    )


def _shared(ask: ApprovalAsk | QuestionAsk) -> dict[str, Any]:
    """What both kinds compare. Lists of who and where are sets: their order means nothing."""
    approvers = ask.approvers
    return {
        "approvers": {
            "users": sorted(set(approvers.users)),
            "groups": sorted(set(approvers.groups)),
            "keys": sorted(set(approvers.keys)),
            "quorum": approvers.quorum,
            "allow_requester": approvers.allow_requester,
            "require_reason": approvers.require_reason,
        },
        "channels": sorted(set(ask.destination.channels)),
        "users": sorted(set(ask.destination.users)),
        "thread_ts": ask.destination.thread_ts,
        "expires_in": ask.expires_in,
        "resume": [ask.resume.kind.value, ask.resume.target],
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
