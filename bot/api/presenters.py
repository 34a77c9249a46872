"""Interactions as JSON, exactly as the contract of the HTTP API words them. Pure."""

import json
from datetime import UTC, datetime
from typing import Any

from bot.lookups import View
from bot.previewing import Asked, Preview
from store.types import (
    Actor,
    Answer,
    Approval,
    Approvers,
    Hop,
    Interaction,
    Posting,
    Question,
    QuestionSet,
    Settlement,
    Stop,
    Vote,
)

Json = dict[str, Any]


def time(at: datetime | None) -> str | None:
    """RFC 3339, UTC, to the millisecond."""
    return None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def interaction(view: View) -> Json:
    found = view.interaction
    policy = found.terms.policy
    own = _approval(found) if isinstance(found, Approval) else _question_set(found)
    return {
        "id": found.id,
        "kind": found.kind.value,
        "run_id": found.run_id,
        "operation_id": found.operation_id,
        "title": found.title,
        "state": found.state.value,
        "created_at": time(found.created_at),
        "expires_at": time(found.expires_at),
        "resolved_at": time(found.resolved_at),
        "resolved_by": None if found.resolved_by is None else actor(found.resolved_by),
        "superseded_by": found.superseded_by,
        "policy": None if policy is None else {"name": policy.name, "revision": policy.revision},
        "escalated": [_hop(hop) for hop in found.course.hops],
        "postings": [_posting(posting) for posting in view.postings],
        "resume": {
            "kind": found.resume.kind.value,
            "wakes": found.resumption.wakes,
            "last_error": found.resumption.last_error,
            "stuck": found.resumption.stuck_at is not None,
        },
        **own,
    }


def preview(asked: Asked[Interaction], found: Preview) -> Json:
    """What an ask would come to."""
    one = asked.interaction
    policy = one.terms.policy
    return {
        "dry_run": True,
        "kind": one.kind.value,
        "operation_id": one.operation_id,
        "asked_before": one.id if asked.is_standing else None,
        "digest": one.digest if isinstance(one, Approval) else None,
        "expires_at": time(one.expires_at),
        "policy": None if policy is None else {"name": policy.name, "revision": policy.revision},
        "approvers": _approvers(one.deciders),
        "card": found.card.payload(),
        "places": [
            {"id": place.address, "kind": "channel" if place.is_channel else "user", "reachable": place.is_reachable}
            for place in found.places
        ],
        "can_decide": {
            "users": [{"id": one.id, "name": one.name, "groups": list(one.groups)} for one in found.deciders],
            "keys": list(found.keys),
            "left_out": [{"id": one.id, "name": one.name, "why": one.why} for one in found.left_out],
            "complete": found.is_whole,
        },
        "warnings": [{"code": one.code, "message": one.words} for one in found.warnings],
    }


def input_of(approval: Approval) -> Any:
    """The tool's input with its keys in the sender's order, or None for a confirmation."""
    return None if approval.input_json is None else json.loads(approval.input_json)


def input_to_run(approval: Approval) -> Any:
    """The same, as the approver changed it."""
    return None if approval.approved_input is None else json.loads(approval.approved_input)


def stop(held: Stop | None) -> Json | None:
    if held is None:
        return None
    return {"tool": held.tool, "by": actor(held.actor), "reason": held.reason, "at": time(held.at)}


def _approval(found: Approval) -> Json:
    return {
        "body": found.body,
        "tool_name": found.tool_name,
        "input": input_of(found),
        "details": found.details,
        "facts": [{"label": fact.label, "value": fact.value} for fact in found.facts],
        "links": [{"label": link.label, "url": link.url} for link in found.links],
        "risk": found.risk.value,
        "digest": found.digest,
        "supersedes": found.supersedes,
        "edited": None if found.edited is None else {"input": input_to_run(found), "digest": found.edited.digest},
        "approvers": _approvers(found.approvers),
        "votes": [_vote(vote) for vote in found.votes],
        "decision": None if found.decision is None else found.decision.value,
        "feedback": found.feedback,
        "claimed_at": None if found.claim is None else time(found.claim.at),
        # Its label, never the claim_id: with that, others could report in the claimant's name.
        "claimed_by": None if found.claim is None else found.claim.worker,
        "execution": _execution(found),
        "settled": _settled(found.course.settlement),
        "taken_back_at": time(found.course.taken_back_at),
    }


def _question_set(found: Interaction) -> Json:
    assert isinstance(found, QuestionSet)
    answers = found.answers
    return {
        "questions": [_question(question) for question in found.questions],
        "answers": None if answers is None else {name: _answer(answer) for name, answer in answers.items()},
    }


def _question(question: Question) -> Json:
    default = list(question.default)
    return {
        "id": question.id,
        "prompt": question.prompt,
        "description": question.description,
        "options": [{"id": o.id, "label": o.label, "description": o.description} for o in question.options] or None,
        "multiple": question.multiple,
        "allow_other": question.allow_other,
        "is_skippable": question.is_skippable,
        "default": (default if question.multiple else default[0]) if default else None,
    }


def _answer(answer: Answer) -> Json:
    if answer.is_skipped:
        return {"is_skipped": True}
    value = list(answer.value) if isinstance(answer.value, tuple) else answer.value
    shown: Json = {"is_skipped": False, "value": value}
    if answer.option_ids:
        shown["option_ids"] = list(answer.option_ids)
    if answer.other is not None:
        shown["other"] = answer.other
    return shown


def _execution(approval: Approval) -> Json | None:
    execution = approval.execution
    if execution is None:
        return None
    return {
        "status": execution.status.value,
        "worker": None if approval.claim is None else approval.claim.worker,
        "detail": execution.detail,
        "at": time(execution.at),
    }


def _settled(settlement: Settlement | None) -> Json | None:
    if settlement is None:
        return None
    return {"by": actor(settlement.actor), "happened": settlement.happened, "at": time(settlement.at)}


def _hop(hop: Hop) -> Json:
    return {"at": time(hop.at), "users": list(hop.users), "groups": list(hop.groups)}


def _vote(vote: Vote) -> Json:
    return {
        "by": actor(vote.actor),
        "decision": vote.decision.value,
        "feedback": vote.feedback,
        "at": time(vote.at),
    }


def _approvers(approvers: Approvers) -> Json:
    return {
        "users": list(approvers.users),
        "groups": list(approvers.groups),
        "keys": list(approvers.keys),
        "quorum": approvers.quorum,
        "denials": approvers.denials,
        "allow_requester": approvers.allow_requester,
        "require_reason": approvers.require_reason,
    }


def _posting(posting: Posting) -> Json:
    return {
        "role": posting.role.value,
        "channel": posting.channel or posting.address,
        "ts": posting.ts,
        "permalink": posting.permalink,
        "state": posting.state.value,
        "error": posting.error,
    }


def actor(actor: Actor) -> Json:
    return {"kind": actor.kind.value, "id": actor.id or None, "name": actor.name or None}
