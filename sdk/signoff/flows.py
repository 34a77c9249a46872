"""What a client does after it asked: read, wait, claim, report, withdraw, decide. Written once, without I/O."""

import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar
from urllib.parse import quote

from signoff.errors import BadReply, StillWaiting
from signoff.json_input import dump_json
from signoff.reading import call
from signoff.types import (
    Answered,
    AnyInteraction,
    Approval,
    Claim,
    Decided,
    Interaction,
    Matches,
    Me,
    Page,
    QuestionSet,
    Reported,
    State,
    Withdrawal,
    Woken,
)
from signoff.wire import SLACK, Flow, Pause, Request, Wire

A = TypeVar("A", bound=Interaction)
T = TypeVar("T")

#: Seconds of one long poll: less than what proxies commonly cut at.
POLL = 50
#: Between polls that came back sooner than they should.
_EARLY = 1.0
_MOST_DETAIL = 3000

Ended: TypeAlias = Literal["succeeded", "failed"]


class Listing(TypedDict, total=False):
    """Filters of a list. `claimed` False: decided, and not claimed. `wait`: seconds, up to 60, for a first item.

    `stuck` True, with `limit` and `wait` only: what has waited too long for its run.
    """

    state: State | Sequence[State]
    claimed: bool
    kind: Literal["approval", "question"]
    run_id: str
    operation_id: str
    stuck: bool
    cursor: str
    limit: int
    wait: int


class Claiming(TypedDict, total=False):
    """Of a claim: `digest` of the action that is meant, unless the approval itself was given.

    `claim_id`: your name for this claim, to get a lost answer again; `worker`: shown on the card; `report_within`:
    seconds within which you promise to report; `accept_edited`: take the input as the approver changed it, too;
    `revalidate`: the text for the world as it is now.
    """

    digest: str
    claim_id: str
    worker: str
    report_within: int
    accept_edited: bool
    revalidate: str


def read(wire: Wire, asked: Interaction | str) -> Flow[AnyInteraction]:
    found: AnyInteraction = yield from call(wire, _read(asked), AnyInteraction)
    return found


def find(wire: Wire, *, run_id: str, operation_id: str) -> Flow[AnyInteraction | None]:
    page = yield from listing(wire, {"run_id": run_id, "operation_id": operation_id, "limit": 1})
    return page.items[0] if page.items else None


def listing(wire: Wire, filters: Listing) -> Flow[Page]:
    query = tuple(_query(filters))
    timeout = filters.get("wait", 0) + SLACK
    return (yield from call(wire, Request(method="GET", path="/v1/interactions", query=query, timeout=timeout), Page))


def wait(wire: Wire, asked: Interaction | str, *, timeout: float | None) -> Flow[AnyInteraction]:
    """Until it is resolved, in long polls; a server that restarts meanwhile is waited for.

    Raises:
        StillWaiting: `timeout` seconds are over. The ask stays open.
    """
    found: AnyInteraction = yield from poll(
        wire,
        lambda seconds: _read(asked, wait=seconds),
        AnyInteraction,
        is_over=lambda found: not found.is_pending,
        timeout=timeout,
    )
    if found.is_pending:
        raise StillWaiting(interaction=found)
    return found


def poll(
    wire: Wire,
    look: Callable[[int], Request],
    type: type[T] | Any,
    *,
    is_over: Callable[[T], bool],
    timeout: float | None,
) -> Flow[T]:
    """Look, in long polls, until it is over or `timeout` seconds are; what was seen last. `look` is given seconds."""
    end = math.inf if timeout is None else wire.clock() + timeout
    while True:
        begun, left = wire.clock(), max(0.0, end - wire.clock())
        # Whole seconds, and never past the end: what is left of the last one is slept here.
        seconds = int(min(POLL, left))
        found: T = yield from call(wire, look(seconds), type, patience=min(wire.long_patience, left))
        left = end - wire.clock()
        if is_over(found) or left <= 0:
            return found
        if wire.clock() - begun < min(seconds, _EARLY):
            yield Pause(seconds=min(_EARLY, left))
        elif left < 1:
            yield Pause(seconds=left)


def new_claim_id() -> str:
    """For one process that may execute; never derived from what two of them share."""
    return f"clm_{secrets.token_hex(16)}"


def claim(wire: Wire, asked: Approval | str, *, claim_id: str, terms: Claiming) -> Flow[Claim]:
    """Raises DigestMismatch where something else was approved than what was asked, and it was not to be accepted."""
    if isinstance(asked, str) and "digest" not in terms:
        raise TypeError("give the approval itself, or its id and digest=: a claim names the action that it runs")
    digest = terms["digest"] if isinstance(asked, str) else terms.get("digest", asked.digest)
    body = {**terms, "digest": digest, "claim_id": claim_id}
    return (yield from call(wire, _post(f"/v1/approvals/{_id(asked)}/claim", body), Claim))


def report(
    wire: Wire,
    asked: Approval | str,
    *,
    claim_id: str,
    status: Literal["running", "succeeded", "failed"],
    detail: str | None,
    patience: float | None = None,
) -> Flow[Reported]:
    """Raises NotClaimant: another claim_id, or after a final report."""
    body: dict[str, Any] = {"claim_id": claim_id, "status": status}
    if detail is not None:
        body["detail"] = _cut(detail)
    request = _post(f"/v1/approvals/{_id(asked)}/report", body)
    return (yield from call(wire, request, Reported, patience=patience))


def withdraw(wire: Wire, asked: Interaction | str, *, reason: str | None) -> Flow[Withdrawal]:
    request = _post(f"/v1/interactions/{_id(asked)}/withdraw", {} if reason is None else {"reason": reason})
    return (yield from call(wire, request, Withdrawal))


def wake(wire: Wire, asked: Interaction | str) -> Flow[Woken]:
    return (yield from call(wire, _post(f"/v1/interactions/{_id(asked)}/wake", {}), Woken))


def decide(
    wire: Wire, asked: Approval | str, *, decision: Literal["allow-once", "deny"], feedback: str | None
) -> Flow[Decided]:
    """As a key that the ask names. Not sent twice: the answer to a second one would not be of the first."""
    body: dict[str, Any] = {"decision": decision}
    if feedback is not None:
        body["feedback"] = feedback
    if isinstance(asked, Approval):
        body["digest"] = asked.digest
    request = _post(f"/v1/approvals/{_id(asked)}/decide", body, is_repeatable=False)
    return (yield from call(wire, request, Decided))


def answer(wire: Wire, asked: QuestionSet | str, answers: Mapping[str, str | Sequence[str] | None]) -> Flow[Answered]:
    """As a key that the ask names; None skips. Not sent twice, as above."""
    body = {"answers": {name: _answer(value) for name, value in answers.items()}}
    request = _post(f"/v1/questions/{_id(asked)}/answer", body, is_repeatable=False)
    return (yield from call(wire, request, Answered))


def me(wire: Wire) -> Flow[Me]:
    return (yield from call(wire, Request(method="GET", path="/v1/me"), Me))


def look_up(wire: Wire, name: str) -> Flow[Matches]:
    """Not tried again: whoever asks for a name can do without it."""
    request = Request(method="GET", path="/v1/directory", query=(("q", name),))
    return (yield from call(wire, request, Matches, patience=0.0))


def same(asked: A, found: AnyInteraction) -> A:
    """What was read, in the type of what was asked."""
    if not isinstance(found, type(asked)):
        raise BadReply(f"{asked.id} came back as a {found.kind}")
    return found


def _read(asked: Interaction | str, *, wait: int = 0) -> Request:
    query = (("wait", str(wait)),) if wait else ()
    return Request(method="GET", path=f"/v1/interactions/{_id(asked)}", query=query, timeout=wait + SLACK)


def _post(path: str, body: Mapping[str, Any], *, is_repeatable: bool = True) -> Request:
    return Request(method="POST", path=path, body=dump_json(body), is_repeatable=is_repeatable)


def _id(asked: Interaction | str) -> str:
    return quote(asked if isinstance(asked, str) else asked.id, safe="")


def _query(filters: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in filters.items():
        if isinstance(value, bool):
            yield name, str(value).lower()
        elif isinstance(value, str | int):
            yield name, str(value)
        else:
            yield from ((name, each) for each in value)


def _answer(value: str | Sequence[str] | None) -> dict[str, Any]:
    if value is None:
        return {"is_skipped": True}
    return {"is_skipped": False, "value": value if isinstance(value, str) else list(value)}


def _cut(detail: str) -> str:
    return detail if len(detail) <= _MOST_DETAIL else f"{detail[: _MOST_DETAIL - 1]}…"
