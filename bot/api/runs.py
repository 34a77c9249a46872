"""The endpoints of those who start hosted runs: start, read, list, stop."""

from typing import Any

from bot.api import asking, body, errors, presenters_runs
from bot.api.errors import Fault
from bot.api.presenters import Json
from bot.api.route import Call
from bot.api.schemas import TOO_MANY_OR_NONE
from bot.api.schemas_runs import AudienceIn, StartRunIn, StopRunIn
from bot.asks import canonical_input
from bot.hosted import RunStart
from bot.keys import IN_HOUSE
from bot.usecases.results import PolicyRefused
from store.runs import Audience, Run, RunStatus
from store.types import DEFAULT_DEADLINE, Approvers, Destination

_DEFAULT_EXPIRES = int(DEFAULT_DEADLINE.total_seconds())


async def start_run(call: Call) -> tuple[int, Json]:
    sent: StartRunIn = call.sent
    _check_complete(call, sent.audience)
    start = RunStart(
        code=sent.code,
        run_id=sent.run_id,
        input_json=canonical_input(sent.input),
        state_json=canonical_input(sent.state),
        audience=_audience(sent.audience),
    )
    outcome = await call.rooms.service.start_run(key=call.key, start=start)
    if isinstance(outcome, PolicyRefused):
        raise errors.refused_by_policy(outcome.reason)
    return 201 if outcome.created else 200, await shown(call, outcome.run)


async def read_run(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=frozenset({"wait"}))
    seconds = body.whole(given.get("wait", "0"), name="wait", least=0, most=body.MAX_WAIT)
    named = {"tenant": call.key.tenant, "run_id": call.run_id}
    run = None
    if seconds:
        run = await call.unless_closing(call.rooms.service.wait_for_run(**named, seconds=seconds))
    return 200, await shown(call, run or await call.rooms.service.run(**named))


async def list_runs(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=frozenset({"code", "status", "cursor", "limit"}))
    page = await call.rooms.service.runs(
        tenant=call.key.tenant,
        code=given.get("code"),
        status=RunStatus(body.one_of(given["status"], "status", RunStatus)) if "status" in given else None,
        cursor=given.get("cursor"),
        limit=body.limit(given),
    )
    return 200, {"items": [presenters_runs.summary(run) for run in page.items], "next_cursor": page.next_cursor}


async def stop_run(call: Call) -> tuple[int, Json]:
    sent: StopRunIn = call.sent
    run = await call.rooms.service.stop_run(key=call.key, run_id=call.run_id, reason=sent.reason)
    return 200, {"stopped": presenters_runs.is_stopped(run), "run": await shown(call, run)}


async def shown(call: Call, run: Run) -> Json:
    return presenters_runs.whole(run, await views_of(call, [run]))


async def views_of(call: Call, runs: list[Run]) -> presenters_runs.Views:
    """What their newest actions became, in two queries."""
    ids = [run.action.interaction_id for run in runs if run.action is not None and run.action.interaction_id]
    return await call.rooms.lookups.views_of(tenant=call.key.tenant, ids=ids)


def _check_complete(call: Call, sent: AudienceIn) -> None:
    """Without a policy, nobody else says who decides and where."""
    if sent.policy is not None or (call.key.policies and call.key.id != IN_HOUSE):
        return
    faults = []
    if sent.approvers is None and sent.respondents is None:
        words = "Name approvers, respondents or both, unless a policy says them."
        faults.append(Fault(pointer="/audience/approvers", message=words))
    if not sent.channels and not sent.users:
        faults.append(Fault(pointer="/audience", message=f"{TOO_MANY_OR_NONE}."))
    if faults:
        raise errors.invalid(faults)


def _audience(sent: AudienceIn) -> Audience:
    approvers = None if sent.approvers is None else asking.approvers(sent.approvers)
    respondents = None
    if sent.respondents is not None:
        respondents = Approvers(users=tuple(sent.respondents.users), groups=tuple(sent.respondents.groups))
    expires: dict[str, Any] = {}
    if "expires_in" in sent.model_fields_set:
        expires = {"confirmations_expire_in": sent.expires_in, "questions_expire_in": sent.expires_in}
    return Audience(
        destination=Destination(channels=tuple(sent.channels), users=tuple(sent.users), thread_ts=sent.thread_ts),
        policy=sent.policy,
        approvers=approvers or respondents,
        respondents=respondents or _who_answers(approvers),
        **expires,
    )


def _who_answers(approvers: Approvers | None) -> Approvers | None:
    """The people among those who decide; keys decide, and answer nothing that people are asked."""
    if approvers is None or not (approvers.users or approvers.groups):
        return None
    return Approvers(users=approvers.users, groups=approvers.groups)
