"""The endpoints: each reads what was sent, calls one use case, and words what came of it. Listed once, at the end."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from bot.api import answering, asking, body, errors, presenters, schemas, shapes
from bot.api.errors import Fault
from bot.api.presenters import Json
from bot.clock import Clock
from bot.lookups import Lookups, View
from bot.policy import NotAllowed, ReasonRequired
from bot.service import Invalid, PolicyRefused, Service
from store.errors import NotFound
from store.outcomes import Created
from store.types import Decision, ExecutionStatus, Interaction, Key, Kind, Scope, State

#: Seconds that `?wait=` may ask for.
MAX_WAIT = 60
MAX_PAGE = 200
DEFAULT_PAGE = 50
#: Whatever else stands in a path is no id of ours, and is looked up nowhere.
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: Both mint a standing permission, which later work brings.
_MINTING = frozenset({"allow-conversation", "allow-always"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Rooms:
    """What the endpoints work with. `closing` is done once the server shuts down: nobody waits longer then."""

    service: Service
    lookups: Lookups
    clock: Clock
    webhook_problem: asking.WebhookProblem
    closing: asyncio.Event


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One request with a valid key of the right scope. `sent`: its body, checked; None where there is none."""

    request: web.Request
    key: Key
    rooms: Rooms
    sent: Any = None

    @property
    def id(self) -> str:
        given = self.request.match_info["id"]
        if not _ID.fullmatch(given):
            raise NotFound(id="")
        return given


Endpoint = Callable[[Call], Awaitable[tuple[int, Json]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One line of the contract. `parameters`: of the query, with what they hold, for the description."""

    method: str
    path: str
    scope: Scope
    endpoint: Endpoint
    summary: str
    answer: type[BaseModel]
    sends: type[schemas.Strict] | None = None
    creates: bool = False
    parameters: dict[str, Json] = field(default_factory=dict)


async def ask_approval(call: Call) -> tuple[int, Json]:
    ask = asking.approval(call.sent, webhook_problem=call.rooms.webhook_problem)
    return await _asked(call, await call.rooms.service.ask_approval(key=call.key, ask=ask))


async def ask_questions(call: Call) -> tuple[int, Json]:
    ask = asking.questions(call.sent, webhook_problem=call.rooms.webhook_problem)
    return await _asked(call, await call.rooms.service.ask_question(key=call.key, ask=ask))


async def _asked(call: Call, outcome: Created[Any] | PolicyRefused) -> tuple[int, Json]:
    if isinstance(outcome, PolicyRefused):
        raise errors.refused_by_policy(outcome.reason)
    return 201 if outcome.created else 200, await _shown(call, outcome.interaction)


async def read(call: Call) -> tuple[int, Json]:
    given = body.query(call.request, single=frozenset({"wait"}))
    seconds = body.whole(given.get("wait", "0"), name="wait", least=0, most=MAX_WAIT)
    if seconds == 0:
        view = await call.rooms.lookups.read(tenant=call.key.tenant, id=call.id)
    else:
        view = await _wait(call, seconds)
    return 200, presenters.interaction(view)


async def _wait(call: Call, seconds: int) -> View:
    """Until it is resolved, the time is over, or this server shuts down, whichever comes first."""
    closing = asyncio.ensure_future(call.rooms.closing.wait())
    waiting = asyncio.ensure_future(call.rooms.lookups.wait(tenant=call.key.tenant, id=call.id, seconds=seconds))
    try:
        await asyncio.wait({waiting, closing}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
    finally:
        # Also when the client hung up: its subscription ends with the task.
        for task in (waiting, closing):
            task.cancel()
        await asyncio.gather(waiting, closing, return_exceptions=True)
    return await call.rooms.lookups.read(tenant=call.key.tenant, id=call.id)


_FILTERS = frozenset({"claimed", "kind", "run_id", "operation_id", "cursor", "limit"})


async def search(call: Call) -> tuple[int, Json]:
    given = body.query(call.request, single=_FILTERS, repeated=frozenset({"state"}))
    found = await call.rooms.lookups.list(
        tenant=call.key.tenant,
        states=[State(_one_of(name, "state", State)) for name in given.get("state", [])],
        kind=Kind(_one_of(given["kind"], "kind", Kind)) if "kind" in given else None,
        claimed=_one_of(given["claimed"], "claimed", ("true", "false")) == "true" if "claimed" in given else None,
        run_id=given.get("run_id"),
        operation_id=given.get("operation_id"),
        cursor=given.get("cursor"),
        limit=body.whole(given.get("limit", str(DEFAULT_PAGE)), name="limit", least=1, most=MAX_PAGE),
    )
    return 200, {"items": [presenters.interaction(view) for view in found.items], "next_cursor": found.next_cursor}


def _one_of(text: str, name: str, allowed: Any) -> str:
    names = [str(one) for one in allowed]
    if text not in names:
        raise errors.invalid([Fault(pointer=f"/{name}", message=f"One of: {', '.join(names)}.")])
    return text


async def decide(call: Call) -> tuple[int, Json]:
    sent: schemas.DecideIn = call.sent
    if sent.decision in _MINTING:
        raise errors.not_yet([Fault(pointer="/decision", message=f"`{sent.decision}` comes with a later version.")])
    outcome = await call.rooms.service.decide_as_key(
        key=call.key, id=call.id, decision=Decision(sent.decision), feedback=sent.feedback, digest=sent.digest
    )
    if isinstance(outcome, NotAllowed):
        raise errors.not_allowed()
    if isinstance(outcome, ReasonRequired):
        raise errors.invalid([Fault(pointer="/feedback", message="A denial here needs a reason.")])
    return 200, {"already_resolved": outcome.already_resolved, "approval": await _shown(call, outcome.approval)}


async def answer(call: Call) -> tuple[int, Json]:
    # Whether this key may comes first: what fits the questions is nobody else's business.
    question = await call.rooms.service.question_for_key(key=call.key, id=call.id)
    if isinstance(question, NotAllowed):
        raise errors.not_allowed()
    sent: schemas.AnswersIn = call.sent
    chosen = answering.choices(question.questions, sent.answers)
    if isinstance(chosen, list):
        raise errors.invalid(chosen)
    outcome = await call.rooms.service.answer_as_key(key=call.key, id=call.id, choices=chosen)
    if isinstance(outcome, NotAllowed):
        raise errors.not_allowed()
    if isinstance(outcome, Invalid):
        raise errors.invalid(
            [Fault(pointer=answering.pointer(wrong.question_id), message=wrong.message) for wrong in outcome.problems]
        )
    return 200, {"already_resolved": outcome.already_resolved, "question": await _shown(call, outcome.question)}


async def claim(call: Call) -> tuple[int, Json]:
    sent: schemas.ClaimIn = call.sent
    outcome = await call.rooms.service.claim(
        tenant=call.key.tenant,
        id=call.id,
        claim_id=sent.claim_id,
        digest=sent.digest,
        worker=sent.worker,
        report_within=sent.report_within,
    )
    return 200, {
        "claimed": outcome.claimed,
        "execute": outcome.execute,
        "claim_id": outcome.claim_id,
        "input": presenters.input_of(outcome.approval) if outcome.execute else None,
        "approval": await _shown(call, outcome.approval),
    }


async def report(call: Call) -> tuple[int, Json]:
    sent: schemas.ReportIn = call.sent
    approval = await call.rooms.service.report(
        tenant=call.key.tenant,
        id=call.id,
        claim_id=sent.claim_id,
        status=ExecutionStatus(sent.status),
        detail=sent.detail,
    )
    return 200, {"approval": await _shown(call, approval)}


async def withdraw(call: Call) -> tuple[int, Json]:
    sent: schemas.WithdrawIn = call.sent
    outcome = await call.rooms.service.withdraw_as_key(key=call.key, id=call.id, reason=sent.reason)
    return 200, {"withdrawn": outcome.withdrawn, "interaction": await _shown(call, outcome.interaction)}


async def me(call: Call) -> tuple[int, Json]:
    body.query(call.request, single=frozenset())
    key = call.key
    return 200, {
        "tenant": key.tenant,
        "name": key.name,
        "scopes": sorted(scope.value for scope in key.scopes),
        "policies": list(key.policies),
    }


async def _shown(call: Call, interaction: Interaction) -> Json:
    return presenters.interaction(await call.rooms.lookups.view(interaction))


def _text(limit: int = 200) -> Json:
    return {"type": "string", "maxLength": limit}


_SEARCH: dict[str, Json] = {
    "state": {"type": "array", "items": {"type": "string", "enum": [state.value for state in State]}},
    "claimed": {"type": "boolean"},
    "kind": {"type": "string", "enum": [kind.value for kind in Kind]},
    "run_id": _text(),
    "operation_id": _text(),
    "cursor": _text(1000),
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": DEFAULT_PAGE},
}
_WAIT: dict[str, Json] = {"wait": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT, "default": 0}}

#: Everything under /v1, with the scope it takes.
ROUTES: tuple[Route, ...] = (
    Route(
        method="POST",
        path="/v1/approvals",
        scope=Scope.ASK,
        endpoint=ask_approval,
        summary="Ask people to approve one action",
        sends=schemas.ApprovalIn,
        answer=shapes.Approval,
        creates=True,
    ),
    Route(
        method="POST",
        path="/v1/questions",
        scope=Scope.ASK,
        endpoint=ask_questions,
        summary="Ask people one to twenty questions",
        sends=schemas.QuestionsIn,
        answer=shapes.QuestionSet,
        creates=True,
    ),
    Route(
        method="GET",
        path="/v1/interactions/{id}",
        scope=Scope.READ,
        endpoint=read,
        summary="One interaction, now or as soon as it is resolved",
        answer=shapes.AnyInteraction,
        parameters=_WAIT,
    ),
    Route(
        method="GET",
        path="/v1/interactions",
        scope=Scope.READ,
        endpoint=search,
        summary="Interactions by filter; pending by deadline, otherwise newest first",
        answer=shapes.InteractionPage,
        parameters=_SEARCH,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/decide",
        scope=Scope.DECIDE,
        endpoint=decide,
        summary="Decide as a key, where the ask names it",
        sends=schemas.DecideIn,
        answer=shapes.Decided,
    ),
    Route(
        method="POST",
        path="/v1/questions/{id}/answer",
        scope=Scope.DECIDE,
        endpoint=answer,
        summary="Answer as a key, where the ask names it",
        sends=schemas.AnswersIn,
        answer=shapes.Answered,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/claim",
        scope=Scope.ASK,
        endpoint=claim,
        summary="Take the single execution of a decided approval; run only on execute",
        sends=schemas.ClaimIn,
        answer=shapes.Claimed,
    ),
    Route(
        method="POST",
        path="/v1/approvals/{id}/report",
        scope=Scope.ASK,
        endpoint=report,
        summary="Say what became of a claimed execution",
        sends=schemas.ReportIn,
        answer=shapes.Reported,
    ),
    Route(
        method="POST",
        path="/v1/interactions/{id}/withdraw",
        scope=Scope.ASK,
        endpoint=withdraw,
        summary="Take an ask back",
        sends=schemas.WithdrawIn,
        answer=shapes.Withdrawn,
    ),
    Route(
        method="GET",
        path="/v1/me",
        scope=Scope.READ,
        endpoint=me,
        summary="What this key is and may do",
        answer=shapes.Me,
    ),
)
