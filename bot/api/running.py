"""The endpoints of what runs: claim, report, what a person says of a silence, and stopping it all."""

from bot.api import errors, presenters, schemas
from bot.api.presenters import Json
from bot.api.route import Call
from store.errors import DigestMismatch
from store.types import ExecutionStatus


async def claim(call: Call) -> tuple[int, Json]:
    sent: schemas.ClaimIn = call.sent
    try:
        outcome = await call.rooms.service.claim(
            tenant=call.key.tenant,
            id=call.id,
            claim_id=sent.claim_id,
            digest=sent.digest,
            worker=sent.worker,
            report_within=sent.report_within,
            accept_edited=sent.accept_edited,
            fingerprint=sent.revalidate,
        )
    except DigestMismatch as error:
        # What stands is said with it: an approver may have changed the input.
        view = await call.rooms.lookups.read(tenant=call.key.tenant, id=call.id)
        raise errors.other_digest(error, approval=presenters.interaction(view)) from error
    return 200, {
        "claimed": outcome.claimed,
        "execute": outcome.execute,
        "claim_id": outcome.claim_id,
        "input": presenters.input_to_run(outcome.approval) if outcome.execute else None,
        "stopped": presenters.stop(outcome.stopped),
        "changed": outcome.has_changed,
        "approval": await call.shown(outcome.approval),
    }


async def report(call: Call) -> tuple[int, Json]:
    sent: schemas.ReportIn = call.sent
    reported = await call.rooms.service.report(
        tenant=call.key.tenant,
        id=call.id,
        claim_id=sent.claim_id,
        status=ExecutionStatus(sent.status),
        detail=sent.detail,
    )
    return 200, {"stopped": presenters.stop(reported.stopped), "approval": await call.shown(reported.approval)}


async def settle(call: Call) -> tuple[int, Json]:
    sent: schemas.SettleIn = call.sent
    outcome = await call.rooms.service.settle_as_key(key=call.key, id=call.id, happened=sent.happened)
    return 200, {"settled": outcome.settled, "approval": await call.shown(outcome.approval)}


async def stops(call: Call) -> tuple[int, Json]:
    held = await call.rooms.service.stops(tenant=call.key.tenant)
    return 200, {"stops": [presenters.stop(each) for each in held]}


async def stop(call: Call) -> tuple[int, Json]:
    sent: schemas.StopIn = call.sent
    await call.rooms.service.stop_as_key(key=call.key, tool=sent.tool, reason=sent.reason)
    return await stops(call)


async def go(call: Call) -> tuple[int, Json]:
    sent: schemas.GoIn = call.sent
    await call.rooms.service.go_as_key(key=call.key, tool=sent.tool)
    return await stops(call)
