"""A hosted run as it is started, and what its actions ask. Pure: requests were checked when they were saved."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bot.asks import ApprovalAsk, QuestionAsk, canonical_input
from store.digest import JsonValue, content_digest
from store.runs import ActionKind, Audience, Run, RunAction
from store.types import Actor, ActorKind, Approvers, Fact, Key, Link, Option, Question, Risk

#: How long a worker holds a run; it renews before that.
LEASE = timedelta(seconds=60)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStart:
    """`run_id`: None where one is to be made. `input_json`, `state_json`: JSON text, in the sender's order."""

    code: str
    audience: Audience
    run_id: str | None = None
    input_json: str = "null"
    state_json: str = "null"


def digest_of(start: RunStart) -> str:
    """What two starts of one run are compared by. Lists of who and where are sets."""
    audience = start.audience
    content: dict[str, JsonValue] = {
        "code": start.code,
        "input": json.loads(start.input_json),
        "state": json.loads(start.state_json),
        "policy": audience.policy,
        "channels": [*sorted(audience.destination.channels)],
        "users": [*sorted(audience.destination.users)],
        "thread_ts": audience.destination.thread_ts,
        "approvers": _named(audience.approvers),
        "respondents": _named(audience.respondents),
        "expires_in": [audience.confirmations_expire_in, audience.questions_expire_in],
    }
    return content_digest(content)


def starter(key: Key) -> Actor:
    return Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name)


def ask_of(run: Run, action: RunAction) -> ApprovalAsk | QuestionAsk:
    """What is asked for an action: by its run's code, of its run's audience."""
    request = json.loads(action.request_json)
    if action.kind is ActionKind.QUESTIONS:
        return _questions(run, action, request)
    return _confirmation(run, action, request)


def probes(audience: Audience) -> list[ApprovalAsk | QuestionAsk]:
    """What a run with this audience could ask, so that a policy refuses it at its start, and not when it asks."""
    to, policy = audience.destination, audience.policy
    asks: list[ApprovalAsk | QuestionAsk] = []
    if audience.approvers is not None or audience.respondents is None:
        expires_in = audience.confirmations_expire_in
        asks.append(
            ApprovalAsk(
                run_id="",
                title="",
                approvers=audience.approvers,
                destination=to,
                policy=policy,
                expires_in=expires_in,
            )
        )
    if audience.respondents is not None:
        asks.append(
            QuestionAsk(
                run_id="",
                questions=(),
                approvers=audience.respondents,
                destination=to,
                policy=policy,
                expires_in=audience.questions_expire_in,
            )
        )
    return asks


def _confirmation(run: Run, action: RunAction, request: Mapping[str, Any]) -> ApprovalAsk:
    schema = request.get("input_schema")
    given = request.get("input")
    return ApprovalAsk(
        **_of_run(run, action),
        approvers=run.audience.approvers,
        expires_in=run.audience.confirmations_expire_in,
        title=request["title"],
        body=request.get("body"),
        tool_name=request.get("tool_name"),
        input_json=None if given is None else canonical_input(given),
        details=request.get("details"),
        facts=tuple(Fact(**fact) for fact in request.get("facts", ())),
        links=tuple(Link(**link) for link in request.get("links", ())),
        input_schema=None if schema is None else canonical_input(schema),
        fingerprint=request.get("revalidate"),
        risk=Risk(request.get("risk", Risk.MEDIUM)),
    )


def _questions(run: Run, action: RunAction, request: Mapping[str, Any]) -> QuestionAsk:
    return QuestionAsk(
        **_of_run(run, action),
        approvers=run.audience.respondents,
        expires_in=run.audience.questions_expire_in,
        title=request.get("title"),
        questions=tuple(_question(each) for each in request["questions"]),
    )


def _question(asked: Mapping[str, Any]) -> Question:
    return Question(
        id=asked["id"],
        prompt=asked["prompt"],
        description=asked.get("description"),
        options=tuple(Option(**option) for option in asked.get("options") or ()),
        multiple=asked.get("multiple", False),
        allow_other=asked.get("allow_other", False),
        is_skippable=asked.get("is_skippable", False),
        default=tuple(asked.get("default") or ()),
    )


def _of_run(run: Run, action: RunAction) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "operation_id": action.operation_id,
        "policy": run.audience.policy,
        "destination": run.audience.destination,
    }


def _named(approvers: Approvers | None) -> Any:
    if approvers is None:
        return None
    return {
        "users": sorted(approvers.users),
        "groups": sorted(approvers.groups),
        "keys": sorted(approvers.keys),
        "quorum": approvers.quorum,
        "denials": approvers.denials,
        "allow_requester": approvers.allow_requester,
        "require_reason": approvers.require_reason,
    }
