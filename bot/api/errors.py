"""Everything that goes wrong at this door, as one kind of answer: `application/problem+json` with a `code`."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from aiohttp import web

from store import errors
from store.digest import BadJson
from store.types import Approvers

#: Of each kind of approvers that a sentence names.
_MOST_NAMED = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """One thing that is wrong with a request. `pointer`: RFC 6901 into the body, or `/name` of a query parameter."""

    pointer: str
    message: str


class Problem(Exception):
    """An answer that is no success. `extra`: further members of its body."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        faults: Sequence[Fault] = (),
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.faults = tuple(faults)
        self.extra = dict(extra or {})
        self.headers = dict(headers or {})

    def body(self) -> bytes:
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            **self.extra,
        }
        if self.faults:
            body["errors"] = [{"pointer": fault.pointer, "message": fault.message} for fault in self.faults]
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")

    def response(self) -> web.Response:
        return web.Response(
            status=self.status, body=self.body(), content_type="application/problem+json", headers=self.headers
        )


def unauthorized() -> Problem:
    """One body, whatever was wrong: absent, malformed, unknown, expired and revoked keys look the same."""
    return Problem(
        401,
        "unauthorized",
        "Send a valid key: Authorization: Bearer so_…",
        headers={"WWW-Authenticate": 'Bearer realm="signoff"'},
    )


def too_many_tries(*, seconds: int) -> Problem:
    return Problem(
        429, "too_many_tries", "Too many requests without a valid key.", headers={"Retry-After": str(seconds)}
    )


def wrong_scope(scope: str) -> Problem:
    return Problem(403, "scope", f"This key lacks the scope {scope}.", extra={"scope": scope})


def not_allowed(approvers: Approvers) -> Problem:
    """With who could: people and groups by id, keys by name."""
    named = {"users": approvers.users, "groups": approvers.groups, "keys": approvers.keys}
    who = ", ".join(name for names in named.values() for name in names[:_MOST_NAMED])
    return Problem(
        403,
        "not_allowed",
        f"This key may not decide here. Those who may: {who}.",
        extra={"approvers": {kind: list(names) for kind, names in named.items()}},
    )


def conflict(error: errors.Conflict, *, differs: Sequence[str]) -> Problem:
    """`differs`: pointers into the body; empty where what differs is not kept."""
    row = _TABLE[errors.Conflict]
    where = f" It differs at {', '.join(each or 'its kind' for each in differs)}." if differs else ""
    return Problem(
        row.status, row.code, f"{row.words(error)}{where}", extra={**row.facts(error), "differs": list(differs)}
    )


def refused_by_policy(reason: str) -> Problem:
    return Problem(403, "policy", reason)


def nothing_sent(reason: str) -> Problem:
    return Problem(409, "nothing_sent", reason)


def not_found() -> Problem:
    return Problem(404, "not_found", "There is no such thing here.")


def wrong_method(allowed: Collection[str]) -> Problem:
    names = ", ".join(sorted(allowed))
    return Problem(405, "method_not_allowed", f"Allowed here: {names}.", headers={"Allow": names})


def bad_json(error: BadJson) -> Problem:
    return Problem(
        400,
        "bad_json",
        f"The body is not acceptable JSON: {error.message}.",
        faults=[Fault(pointer=error.pointer, message=error.message)],
    )


def too_large(*, limit: int) -> Problem:
    return Problem(413, "too_large", f"A body has at most {limit} bytes.")


def invalid(faults: Sequence[Fault]) -> Problem:
    return Problem(422, "invalid", "The request is not valid; nothing was stored.", faults=faults)


def not_yet(faults: Sequence[Fault]) -> Problem:
    return Problem(422, "not_yet", "This version cannot do that yet; nothing was stored.", faults=faults)


def other_digest(error: errors.DigestMismatch, *, approval: dict[str, Any]) -> Problem:
    """With the approval as it stands: what was approved may be an edited action."""
    row = _TABLE[errors.DigestMismatch]
    return Problem(row.status, row.code, row.words(error), extra={**row.facts(error), "approval": approval})


def slack_scope(scope: str) -> Problem:
    """No later try helps: an operator has to act."""
    return Problem(
        422,
        "slack_scope",
        f"The Slack app was installed without the scope {scope}. Update its manifest (`signoff-bot manifest`) and "
        "reinstall it; until then, give ids.",
        extra={"scope": scope},
    )


def slack_unavailable(*, words: str, seconds: int) -> Problem:
    return Problem(
        503,
        "slack_unavailable",
        f"{words}. Try again in {seconds} s, or give ids.",
        headers={"Retry-After": str(seconds)},
    )


def internal(token: str) -> Problem:
    """`token` also stands in the log, beside what happened."""
    return Problem(
        500, "internal", "Something went wrong here; the log has it under this token.", extra={"token": token}
    )


@dataclass(frozen=True, slots=True)
class _Row:
    status: int
    code: str
    words: Callable[[Any], str]
    facts: Callable[[Any], dict[str, Any]] = field(default=lambda _: {})
    headers: Mapping[str, str] = field(default_factory=dict)


_TABLE: dict[type[errors.StoreError], _Row] = {
    errors.NotFound: _Row(404, "not_found", lambda _: not_found().detail),
    errors.Conflict: _Row(
        409, "conflict", lambda _: "This operation was asked before with other content.", lambda error: {"id": error.id}
    ),
    errors.OtherStart: _Row(
        409,
        "conflict",
        # What of these differs is not kept.
        lambda _: "A run of this run_id was started before, with another code, input, state or audience.",
        lambda error: {"id": error.id},
    ),
    errors.AlreadyResolved: _Row(
        409,
        "resolved",
        lambda error: f"It cannot be superseded: it is already {error.state}.",
        lambda error: {"id": error.interaction.id, "state": error.state.value},
    ),
    errors.DigestMismatch: _Row(
        409,
        "digest_mismatch",
        lambda _: "The digest is not that of the action that was shown; nothing was claimed or decided.",
        lambda error: {"expected": error.expected},
    ),
    errors.NotClaimant: _Row(409, "not_claimant", lambda _: "This claim_id holds no open execution."),
    errors.LeaseLost: _Row(
        409,
        "lease_lost",
        lambda _: "This token does not hold the run (any more): end what runs of it here, and write nothing.",
        lambda error: {"run_id": error.run_id},
    ),
    errors.RunStopping: _Row(
        409,
        "stopping",
        lambda _: "The run is to stop: end it, and finish it with RUN_STOPPED.",
        lambda error: {"run_id": error.run_id},
    ),
    errors.NotCurrent: _Row(
        409,
        "conflict",
        lambda _: "The action is no longer the run's current unanswered action.",
        lambda error: {"run_id": error.run_id, "id": error.id},
    ),
    errors.StaleState: _Row(
        409,
        "conflict",
        lambda _: "The run has saved another state meanwhile: this one is not the next.",
        lambda error: {"run_id": error.run_id, "saves": error.saves},
    ),
    errors.Unconfirmed: _Row(
        503,
        "unconfirmed",
        lambda _: "It was not confirmed whether this was stored. Repeat the same request: that is safe.",
        headers={"Retry-After": "1"},
    ),
}


def from_store(error: errors.StoreError) -> Problem | None:
    """The answer for what the store raised; None for what no caller should ever see."""
    if isinstance(error, errors.BadCursor):
        return invalid([Fault(pointer="/cursor", message="This cursor was not made by this list.")])
    row = _TABLE.get(type(error))
    if row is None:
        return None
    return Problem(row.status, row.code, row.words(error), extra=row.facts(error), headers=row.headers)
