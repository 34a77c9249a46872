"""Rows of hosted runs, as in `store.sql.rows`."""

import json
from dataclasses import asdict
from typing import Any

from store.runs import (
    ActionKind,
    Audience,
    Ending,
    HeldRun,
    Run,
    RunAction,
    RunError,
    RunErrorCode,
    RunStop,
    RunSummary,
)
from store.sql.rows import dump
from store.sql.statement import Row
from store.sql.times import instant, read_time
from store.types import Actor, ActorKind, Approvers, Destination, Lease


def run_values(run: Run) -> dict[str, Any]:
    return {
        "tenant": run.tenant,
        "id": run.id,
        "code": run.code,
        "request_digest": run.request_digest,
        "created_at": run.created_at,
        "starter_kind": run.started_by.kind.value,
        "starter_id": run.started_by.id,
        "starter_name": run.started_by.name,
        "audience": dump(asdict(run.audience)),
        "input_json": run.input_json,
        "worker": run.worker,
        **held_values(run),
        **stop_values(run.stop),
    }


def held_values(run: Run) -> dict[str, Any]:
    """What its holder may change."""
    free_at = run.created_at if run.lease is None else run.lease.until
    return {
        "state_json": run.state_json,
        "saves": run.saves,
        "cursor": run.cursor,
        **_action_values(run.action),
        "begun_at": run.begun_at,
        "free_at": None if run.is_finished else free_at,
        "lease": None if run.lease is None else run.lease.token,
        "finished_at": run.finished_at,
        "finished_by": run.finished_by,
        **_ending_values(run.ending),
    }


def _action_values(action: RunAction | None) -> dict[str, Any]:
    return {
        "action_id": action and action.id,
        "action_kind": action and action.kind.value,
        "action_request": action and action.request_json,
        "action_at": action and action.created_at,
        "interaction_id": action and action.interaction_id,
        "delivered_at": action and action.delivered_at,
        "delivered_to": action and action.delivered_to,
    }


def _ending_values(ending: Ending | None) -> dict[str, Any]:
    error = None if ending is None else ending.error
    return {
        "outcome_json": ending and ending.outcome_json,
        "error_code": error and error.code.value,
        "error_message": error and error.message,
        "error_retryable": None if error is None else error.retryable,
    }


def stop_values(stop: RunStop | None) -> dict[str, Any]:
    return {
        "stop_at": stop and stop.at,
        "stopper_kind": stop and stop.actor.kind.value,
        "stopper_id": stop and stop.actor.id,
        "stopper_name": stop and stop.actor.name,
        "stop_reason": stop and stop.reason,
    }


def run(row: Row) -> Run:
    free_at = read_time(row["free_at"])
    return Run(
        tenant=row["tenant"],
        id=row["id"],
        code=row["code"],
        request_digest=row["request_digest"],
        created_at=instant(row["created_at"]),
        started_by=_actor(row, "starter"),
        audience=_audience(json.loads(row["audience"])),
        input_json=row["input_json"],
        state_json=row["state_json"],
        saves=row["saves"],
        cursor=row["cursor"],
        action=_action(row),
        worker=row["worker"],
        lease=None if row["lease"] is None or free_at is None else Lease(token=row["lease"], until=free_at),
        begun_at=read_time(row["begun_at"]),
        stop=_stop(row),
        finished_at=read_time(row["finished_at"]),
        finished_by=row["finished_by"],
        ending=_ending(row),
    )


def summary(row: Row) -> RunSummary:
    return RunSummary(
        tenant=row["tenant"],
        id=row["id"],
        code=row["code"],
        created_at=instant(row["created_at"]),
        saves=row["saves"],
        cursor=row["cursor"],
        is_waiting=row["finished_at"] is None and _is_open(row),
        worker=row["worker"],
        begun_at=read_time(row["begun_at"]),
        stop=_stop(row),
        finished_at=read_time(row["finished_at"]),
        error=_error(row),
    )


def held(row: Row) -> HeldRun:
    until = read_time(row["free_at"])
    assert until is not None, "what is held has no end yet"
    return HeldRun(
        run_id=row["id"],
        until=until,
        has_begun=row["begun_at"] is not None,
        is_stopping=row["stop_at"] is not None,
        interaction_id=row["interaction_id"] if _is_open(row) else None,
    )


def _action(row: Row) -> RunAction | None:
    if row["action_id"] is None:
        return None
    return RunAction(
        id=row["action_id"],
        kind=ActionKind(row["action_kind"]),
        request_json=row["action_request"],
        cursor=row["cursor"],
        created_at=instant(row["action_at"]),
        interaction_id=row["interaction_id"],
        delivered_at=read_time(row["delivered_at"]),
        delivered_to=row["delivered_to"],
    )


def _stop(row: Row) -> RunStop | None:
    at = read_time(row["stop_at"])
    return None if at is None else RunStop(at=at, actor=_actor(row, "stopper"), reason=row["stop_reason"])


def _ending(row: Row) -> Ending | None:
    if row["finished_at"] is None:
        return None
    error = _error(row)
    return Ending(outcome_json=row["outcome_json"]) if error is None else Ending(error=error)


def _error(row: Row) -> RunError | None:
    if row["error_code"] is None:
        return None
    code = RunErrorCode(row["error_code"])
    return RunError(code=code, message=row["error_message"], retryable=bool(row["error_retryable"]))


def _is_open(row: Row) -> bool:
    """Its newest action, if there is one, is not delivered."""
    return row["action_id"] is not None and row["delivered_at"] is None


def _audience(said: dict[str, Any]) -> Audience:
    where = said["destination"]
    return Audience(
        destination=Destination(
            channels=tuple(where["channels"]), users=tuple(where["users"]), thread_ts=where["thread_ts"]
        ),
        policy=said["policy"],
        approvers=_approvers(said["approvers"]),
        respondents=_approvers(said["respondents"]),
        confirmations_expire_in=said["confirmations_expire_in"],
        questions_expire_in=said["questions_expire_in"],
    )


def _approvers(said: dict[str, Any] | None) -> Approvers | None:
    if said is None:
        return None
    lists = {name: tuple(said[name]) for name in ("users", "groups", "keys")}
    return Approvers(**{**said, **lists})


def _actor(row: Row, who: str) -> Actor:
    return Actor(kind=ActorKind(row[f"{who}_kind"]), id=row[f"{who}_id"], name=row[f"{who}_name"])
