"""The endpoints of workers of hosted runs: lease, renew, release, checkpoint, finish. All but the first are fenced by tokens."""

from bot.api import errors, presenters_runs, runs
from bot.api.presenters import Json
from bot.api.route import Call
from bot.api.schemas_runs import CheckpointIn, FinishIn, LeaseIn, ReleaseIn, RenewIn
from bot.asks import canonical_input
from bot.usecases.results import PolicyRefused
from bot.usecases.working import Renewed
from store.runs import ActionKind, Ending, Run, RunError, RunErrorCode


async def lease(call: Call) -> tuple[int, Json]:
    sent: LeaseIn = call.sent
    leasing = call.rooms.service.lease_runs(
        tenant=call.key.tenant,
        codes=sent.codes,
        worker=sent.worker,
        room=sent.room,
        seconds=sent.wait,
        is_gone=call.is_gone,
    )
    taken = await call.unless_closing(leasing) or ()
    views = await runs.views_of(call, list(taken))
    return 200, {
        "lease": int(call.rooms.service.run_lease.total_seconds()),
        "runs": [
            presenters_runs.leased(run, views, until=run.lease.until, token=run.lease.token)
            for run in taken
            if run.lease is not None
        ],
    }


async def renew(call: Call) -> tuple[int, Json]:
    sent: RenewIn = call.sent
    tokens = {each.run_id: each.token for each in sent.runs}
    service, tenant = call.rooms.service, call.key.tenant
    renewed = await call.unless_closing(service.renew_runs(tenant=tenant, tokens=tokens, seconds=sent.wait))
    told = renewed or Renewed(lost=(), stopping=(), answered=())
    views = await call.rooms.lookups.views(tenant=tenant, found=[found for _, found in told.answered])
    return 200, {
        "lost": list(told.lost),
        "stopping": list(told.stopping),
        "answered": [_answered(run, views) for run, _ in told.answered],
    }


async def release(call: Call) -> tuple[int, Json]:
    sent: ReleaseIn = call.sent
    tokens = {each.run_id: each.token for each in sent.runs}
    return 200, {"released": list(await call.rooms.service.release_runs(tenant=call.key.tenant, tokens=tokens))}


async def checkpoint(call: Call) -> tuple[int, Json]:
    sent: CheckpointIn = call.sent
    service = call.rooms.service
    mine = {"tenant": call.key.tenant, "run_id": sent.run_id, "token": sent.token}
    outcome: Run | PolicyRefused
    if sent.action is not None:
        outcome = await service.ask_for_run(
            **mine,
            kind=ActionKind(sent.action.kind),
            request_json=canonical_input(sent.action.request.model_dump(exclude_unset=True)),
            cursor=sent.action.cursor,
        )
    elif sent.delivered is not None:
        outcome = await service.deliver(**mine, action_id=sent.delivered)
    else:
        outcome = await service.save_state(**mine, state_json=canonical_input(sent.state), saves=sent.saves)
    if isinstance(outcome, PolicyRefused):
        raise errors.refused_by_policy(outcome.reason)
    return 200, {"run": await runs.shown(call, outcome)}


async def finish(call: Call) -> tuple[int, Json]:
    sent: FinishIn = call.sent
    if sent.error is None:
        ending = Ending(outcome_json=canonical_input(sent.outcome))
    else:
        code = RunErrorCode(sent.error.code)
        ending = Ending(error=RunError(code=code, message=sent.error.message, retryable=sent.error.retryable))
    run = await call.rooms.service.finish_run(
        tenant=call.key.tenant, run_id=sent.run_id, token=sent.token, ending=ending
    )
    return 200, {"run": await runs.shown(call, run)}


def _answered(run: Run, views: presenters_runs.Views) -> Json:
    assert run.action is not None
    return {"run_id": run.id, "action": presenters_runs.action(run.action, views)}
