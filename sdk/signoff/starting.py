"""Hosted runs from outside, as flows: start one, read it, wait for its end, stop it, list them."""

from collections.abc import Sequence
from typing import Any, TypedDict
from urllib.parse import quote

from signoff import asking, flows
from signoff.asking import Asker, refuse_unknown
from signoff.asks import Names, Seconds
from signoff.errors import Conflict, RunConflict, StillRunning
from signoff.hosted import HostedRun, RunPage, RunStatus, RunSummary, StoppedRun
from signoff.json_input import check_json, dump_json
from signoff.reading import call
from signoff.types import Json
from signoff.wire import SLACK, Flow, Request, Wire


class Starting(TypedDict, total=False):
    """What a start says beside code and input. Under a policy, `to` and who decides may be left to it.

    `run_id`: the run's name; see `Signoff.start_run`. `state`: the JSON that it begins with. `to`: where all its cards
    go; `thread_ts`: into this thread, with exactly one channel. `approvers` decide its confirmations, and
    `respondents` answer its questions; one of them may stand for both. `expires_in`: of each of its asks; None: never.
    """

    run_id: str
    state: Json
    policy: str
    to: Names
    thread_ts: str
    expires_in: Seconds | None
    approvers: Names
    approver_keys: Sequence[str]
    quorum: int
    denials: int
    allow_requester: bool
    require_reason: bool
    respondents: Names


class RunListing(TypedDict, total=False):
    """Filters of a list."""

    code: str
    status: RunStatus
    cursor: str
    limit: int


def start(asker: Asker, code: str, input: Json, terms: Starting) -> Flow[HostedRun]:
    """Raises TypeError for input or state that is not JSON, NoRun, UnknownName, RunConflict, and what `call` raises."""
    refuse_unknown(terms, Starting, "start_run")
    check_json(input)
    check_json(terms.get("state"), what="state")
    run_id, _ = asker.run_of({"run_id": terms["run_id"]} if terms.get("run_id") else {})
    body: dict[str, Any] = {"code": code, "run_id": run_id, "input": input}
    if "state" in terms:
        body["state"] = terms["state"]
    body["audience"] = yield from _audience(asker, terms)
    # Safe to repeat: the name makes it the same run.
    request = Request(method="POST", path="/v1/runs", body=dump_json(body))
    try:
        return (yield from call(asker.wire, request, HostedRun))
    except Conflict as error:
        raise RunConflict(status=error.status, code=error.code, detail=error.detail, **error.facts) from None


def read(wire: Wire, run: RunSummary | str) -> Flow[HostedRun]:
    return (yield from call(wire, _read(run), HostedRun))


def wait(wire: Wire, run: RunSummary | str, *, timeout: float | None) -> Flow[HostedRun]:
    """Until it is finished, in long polls; a server that restarts meanwhile is waited for.

    Raises:
        StillRunning: `timeout` seconds are over. The run goes on.
    """
    found: HostedRun = yield from flows.poll(
        wire, lambda wait: _read(run, wait=wait), HostedRun, is_over=lambda run: run.is_finished, timeout=timeout
    )
    if not found.is_finished:
        raise StillRunning(run=found)
    return found


def stop(wire: Wire, run: RunSummary | str, *, reason: str | None) -> Flow[StoppedRun]:
    body = dump_json({} if reason is None else {"reason": reason})
    return (yield from call(wire, Request(method="POST", path=f"{_path(run)}/stop", body=body), StoppedRun))


def listing(wire: Wire, filters: RunListing) -> Flow[RunPage]:
    refuse_unknown(filters, RunListing, "list_runs")
    query = tuple((name, str(value)) for name, value in filters.items())
    return (yield from call(wire, Request(method="GET", path="/v1/runs", query=query), RunPage))


def _audience(asker: Asker, terms: Starting) -> Flow[dict[str, Any]]:
    audience = yield from asking.place(asker, terms)
    deciding = yield from asking.approvers(asker, terms)
    if deciding:
        audience["approvers"] = deciding
    answering = yield from asking.people(asker, terms.get("respondents"))
    if answering.users or answering.groups:
        audience["respondents"] = {"users": answering.users, "groups": answering.groups}
    return audience


def _read(run: RunSummary | str, *, wait: int = 0) -> Request:
    query = (("wait", str(wait)),) if wait else ()
    return Request(method="GET", path=_path(run), query=query, timeout=wait + SLACK)


def _path(run: RunSummary | str) -> str:
    name = quote(run if isinstance(run, str) else run.run_id, safe="")
    # A name of nothing but dots would be taken for a step in the path.
    return f"/v1/runs/{name if name.strip('.') else name.replace('.', '%2E')}"
