"""From a reply to a typed result, or to the error that it is."""

from typing import Any, TypeVar

import msgspec

from signoff import errors
from signoff.types import Problem
from signoff.wire import Flow, Reply, Request, Wire, exchange

T = TypeVar("T")

_OK = frozenset({200, 201})
_BY_CODE: dict[str, type[errors.Refused]] = {
    "unauthorized": errors.Unauthorized,
    "scope": errors.Forbidden,
    "policy": errors.Forbidden,
    "not_allowed": errors.Forbidden,
    "not_found": errors.NotFound,
    "invalid": errors.Invalid,
    "not_yet": errors.Invalid,
    "bad_json": errors.Invalid,
    "too_large": errors.Invalid,
    "conflict": errors.Conflict,
    "resolved": errors.AlreadyResolved,
    "digest_mismatch": errors.DigestMismatch,
    "not_claimant": errors.NotClaimant,
    "slack_scope": errors.SlackProblem,
    "slack_unavailable": errors.SlackProblem,
}
_FACTS = ("id", "state", "scope", "token", "expected", "differs", "approvers")
_MOST_SHOWN = 200
#: Of bytes that are not what was expected: also where they nest too deep.
_UNREADABLE = (msgspec.MsgspecError, RecursionError)


def call(wire: Wire, request: Request, type: type[T] | Any, *, patience: float | None = None) -> Flow[T]:
    """Send and read. Raises Refused and its kinds, Unreachable, BadReply."""
    reply = yield from exchange(wire, request, patience=patience)
    if reply.status not in _OK:
        raise _refusal(wire, reply)
    try:
        result: T = msgspec.json.decode(reply.body, type=type)
    except _UNREADABLE as error:
        raise errors.BadReply(
            f"{wire.url} answered {request.path} in a way this client cannot read: {error}"
        ) from error
    return result


def _refusal(wire: Wire, reply: Reply) -> errors.SignoffError:
    if not reply.headers.get("content-type", "").startswith("application/problem+json"):
        shown = reply.body[:_MOST_SHOWN].decode("utf-8", "replace").strip()
        return errors.BadReply(f"{wire.url} answered {reply.status} as Signoff does not: {shown!r}.", hint=errors.WHERE)
    try:
        problem = msgspec.json.decode(reply.body, type=Problem)
    except _UNREADABLE as error:
        return errors.BadReply(f"{wire.url} answered {reply.status} with a problem that cannot be read: {error}")
    facts = {name: getattr(problem, name) for name in _FACTS}
    refused = _BY_CODE.get(problem.code, errors.Refused)(
        status=reply.status,
        code=problem.code,
        detail=problem.detail,
        faults=problem.errors,
        **{name: fact for name, fact in facts.items() if fact is not None},
    )
    if isinstance(refused, errors.DigestMismatch):
        refused.approval = problem.approval
    return refused
