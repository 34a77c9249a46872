"""The endpoints of asking, reading and deciding: each reads what was sent, calls one use case, and words what came."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from bot.api import answering, asking, body, errors, presenters, schemas
from bot.api.errors import Fault
from bot.api.presenters import Json
from bot.api.route import Call
from bot.asks import ApprovalAsk, QuestionAsk
from bot.lookups import Views, is_finished, is_resolved
from bot.policy import NotAllowed, ReasonRequired
from bot.previewing import Asked
from bot.usecases.results import Invalid, PolicyRefused
from store.errors import Conflict
from store.outcomes import Created
from store.types import Approval, Decision, Interaction, Kind, QuestionSet, State

#: Both mint a standing permission, which later work brings.
_MINTING = frozenset({"allow-conversation", "allow-always"})
#: What `?for=` waits for.
ENDS = {"resolved": is_resolved, "finished": is_finished}
#: What `?dry_run=` may say.
DRY_RUN = ("0", "1", "false", "true")


async def ask_approval(call: Call) -> tuple[int, Json]:
    return await _ask(call, asking.approval(call.sent, door=_door(call)))


async def ask_questions(call: Call) -> tuple[int, Json]:
    return await _ask(call, asking.questions(call.sent, door=_door(call)))


def _door(call: Call) -> asking.Door:
    return asking.Door(webhook_problem=call.rooms.webhook_problem, policies=call.key.policies)


async def _ask(call: Call, ask: ApprovalAsk | QuestionAsk) -> tuple[int, Json]:
    service = call.rooms.service
    given = body.query(call.query, single=frozenset({"dry_run"}))
    try:
        if body.one_of(given.get("dry_run", "0"), "dry_run", DRY_RUN) in {"1", "true"}:
            return await _preview(call, await service.preview(key=call.key, ask=ask))
        outcome: Created[Approval] | Created[QuestionSet] | PolicyRefused
        if isinstance(ask, ApprovalAsk):
            outcome = await service.ask_approval(key=call.key, ask=ask)
        else:
            outcome = await service.ask_question(key=call.key, ask=ask)
    except Conflict as error:
        found = await service.differences(key=call.key, ask=ask, id=error.id)
        raise errors.conflict(error, differs=found) from error
    if isinstance(outcome, PolicyRefused):
        raise errors.refused_by_policy(outcome.reason)
    return 201 if outcome.created else 200, await call.shown(outcome.interaction)


async def _preview(call: Call, asked: Asked[Interaction] | PolicyRefused) -> tuple[int, Json]:
    if isinstance(asked, PolicyRefused):
        raise errors.refused_by_policy(asked.reason)
    if call.rooms.previews is None:
        raise errors.slack_unavailable(words="This server draws no cards", seconds=60)
    return 200, presenters.preview(asked, await call.rooms.previews.of(asked))


async def read(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=frozenset({"wait", "for"}))
    seconds = _seconds(given)
    is_over = ENDS[body.one_of(given.get("for", "resolved"), "for", ENDS)]
    tenant = call.key.tenant
    view = None
    if seconds:
        waiting = call.rooms.lookups.wait(tenant=tenant, id=call.id, seconds=seconds, is_over=is_over)
        view = await call.unless_closing(waiting)
    return 200, presenters.interaction(view or await call.rooms.lookups.read(tenant=tenant, id=call.id))


def _seconds(given: dict[str, Any]) -> int:
    return body.whole(given.get("wait", "0"), name="wait", least=0, most=body.MAX_WAIT)


_FILTERS = frozenset({"claimed", "stuck", "kind", "run_id", "operation_id", "cursor", "limit", "wait"})


async def search(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=_FILTERS, repeated=frozenset({"state"}))
    seconds = _seconds(given)
    look = (_stuck if "stuck" in given else _filtered)(call, given)
    found = None
    if seconds:
        found = await call.unless_closing(call.rooms.lookups.wait_for_page(look, seconds=seconds))
    found = found or await look()
    return 200, {"items": [presenters.interaction(view) for view in found.items], "next_cursor": found.next_cursor}


Look = Callable[[], Awaitable[Views]]


def _stuck(call: Call, given: dict[str, Any]) -> Look:
    body.one_of(given["stuck"], "stuck", ("true",))
    beside = sorted(set(given) - {"stuck", "limit", "wait"})
    if beside:
        message = "stuck goes with limit and wait only."
        raise errors.invalid([Fault(pointer=f"/{name}", message=message) for name in beside])
    return partial(call.rooms.lookups.stuck, tenant=call.key.tenant, limit=body.limit(given))


def _filtered(call: Call, given: dict[str, Any]) -> Look:
    return partial(
        call.rooms.lookups.list,
        tenant=call.key.tenant,
        states=[State(body.one_of(name, "state", State)) for name in given.get("state", [])],
        kind=Kind(body.one_of(given["kind"], "kind", Kind)) if "kind" in given else None,
        claimed=body.one_of(given["claimed"], "claimed", ("true", "false")) == "true" if "claimed" in given else None,
        run_id=given.get("run_id"),
        operation_id=given.get("operation_id"),
        cursor=given.get("cursor"),
        limit=body.limit(given),
    )


async def decide(call: Call) -> tuple[int, Json]:
    sent: schemas.DecideIn = call.sent
    if sent.decision in _MINTING:
        raise errors.not_yet([Fault(pointer="/decision", message=f"`{sent.decision}` comes with a later version.")])
    outcome = await call.rooms.service.decide_as_key(
        key=call.key, id=call.id, decision=Decision(sent.decision), feedback=sent.feedback, digest=sent.digest
    )
    if isinstance(outcome, NotAllowed):
        raise errors.not_allowed(outcome.approvers)
    if isinstance(outcome, ReasonRequired):
        raise errors.invalid([Fault(pointer="/feedback", message="A denial here needs a reason.")])
    return 200, {"already_resolved": outcome.already_resolved, "approval": await call.shown(outcome.approval)}


async def answer(call: Call) -> tuple[int, Json]:
    # Whether this key may comes first: what fits the questions is nobody else's business.
    question = await call.rooms.service.question_for_key(key=call.key, id=call.id)
    if isinstance(question, NotAllowed):
        raise errors.not_allowed(question.approvers)
    sent: schemas.AnswersIn = call.sent
    chosen = answering.choices(question.questions, sent.answers)
    if isinstance(chosen, list):
        raise errors.invalid(chosen)
    outcome = await call.rooms.service.answer_as_key(key=call.key, id=call.id, choices=chosen)
    if isinstance(outcome, NotAllowed):
        raise errors.not_allowed(outcome.approvers)
    if isinstance(outcome, Invalid):
        raise errors.invalid(
            [Fault(pointer=answering.pointer(wrong.question_id), message=wrong.message) for wrong in outcome.problems]
        )
    return 200, {"already_resolved": outcome.already_resolved, "question": await call.shown(outcome.question)}


async def withdraw(call: Call) -> tuple[int, Json]:
    sent: schemas.WithdrawIn = call.sent
    outcome = await call.rooms.service.withdraw_as_key(key=call.key, id=call.id, reason=sent.reason)
    return 200, {"withdrawn": outcome.withdrawn, "interaction": await call.shown(outcome.interaction)}


async def me(call: Call) -> tuple[int, Json]:
    body.query(call.query, single=frozenset())
    key = call.key
    return 200, {
        "tenant": key.tenant,
        "name": key.name,
        "scopes": sorted(scope.value for scope in key.scopes),
        "policies": list(key.policies),
    }
