"""The endpoints of asking, reading and deciding: each reads what was sent, calls one use case, and words what came."""

from typing import Any

from bot.api import answering, asking, body, errors, presenters, schemas
from bot.api.errors import Fault
from bot.api.presenters import Json
from bot.api.route import Call
from bot.lookups import View, Views
from bot.policy import NotAllowed, ReasonRequired
from bot.usecases.results import Invalid, PolicyRefused
from store.outcomes import Created
from store.types import Decision, Kind, State

#: Both mint a standing permission, which later work brings.
_MINTING = frozenset({"allow-conversation", "allow-always"})


async def ask_approval(call: Call) -> tuple[int, Json]:
    ask = asking.approval(call.sent, door=_door(call))
    return await _asked(call, await call.rooms.service.ask_approval(key=call.key, ask=ask))


async def ask_questions(call: Call) -> tuple[int, Json]:
    ask = asking.questions(call.sent, door=_door(call))
    return await _asked(call, await call.rooms.service.ask_question(key=call.key, ask=ask))


def _door(call: Call) -> asking.Door:
    return asking.Door(webhook_problem=call.rooms.webhook_problem, policies=call.key.policies)


async def _asked(call: Call, outcome: Created[Any] | PolicyRefused) -> tuple[int, Json]:
    if isinstance(outcome, PolicyRefused):
        raise errors.refused_by_policy(outcome.reason)
    return 201 if outcome.created else 200, await call.shown(outcome.interaction)


async def read(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=frozenset({"wait"}))
    seconds = body.whole(given.get("wait", "0"), name="wait", least=0, most=body.MAX_WAIT)
    if seconds == 0:
        view = await call.rooms.lookups.read(tenant=call.key.tenant, id=call.id)
    else:
        view = await _wait(call, seconds)
    return 200, presenters.interaction(view)


async def _wait(call: Call, seconds: int) -> View:
    """Until it is resolved, the time is over, or this server shuts down, whichever comes first."""
    waiting = call.rooms.lookups.wait(tenant=call.key.tenant, id=call.id, seconds=seconds)
    return await call.unless_closing(waiting) or await call.rooms.lookups.read(tenant=call.key.tenant, id=call.id)


_FILTERS = frozenset({"claimed", "stuck", "kind", "run_id", "operation_id", "cursor", "limit"})


async def search(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=_FILTERS, repeated=frozenset({"state"}))
    found = await (_stuck(call, given) if "stuck" in given else _filtered(call, given))
    return 200, {"items": [presenters.interaction(view) for view in found.items], "next_cursor": found.next_cursor}


async def _stuck(call: Call, given: dict[str, Any]) -> Views:
    body.one_of(given["stuck"], "stuck", ("true",))
    beside = sorted(set(given) - {"stuck", "limit"})
    if beside:
        raise errors.invalid([Fault(pointer=f"/{name}", message="stuck goes with limit only.") for name in beside])
    return await call.rooms.lookups.stuck(tenant=call.key.tenant, limit=body.limit(given))


async def _filtered(call: Call, given: dict[str, Any]) -> Views:
    return await call.rooms.lookups.list(
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
        raise errors.not_allowed()
    if isinstance(outcome, ReasonRequired):
        raise errors.invalid([Fault(pointer="/feedback", message="A denial here needs a reason.")])
    return 200, {"already_resolved": outcome.already_resolved, "approval": await call.shown(outcome.approval)}


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
