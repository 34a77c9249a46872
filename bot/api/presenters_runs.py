"""Hosted runs as JSON. Pure."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.api import presenters
from bot.api.presenters import Json
from bot.lookups import View
from store.runs import Run, RunAction, RunErrorCode, RunSummary

#: By interaction id: what the newest actions of some runs became.
Views = Mapping[str, View]


def summary(run: RunSummary) -> Json:
    error = run.error
    return {
        "run_id": run.id,
        "code": run.code,
        "status": run.status.value,
        "saves": run.saves,
        "cursor": run.cursor,
        "error": None
        if error is None
        else {"code": error.code.value, "message": error.message, "retryable": error.retryable},
        "stop": None
        if run.stop is None
        else {"at": presenters.time(run.stop.at), "by": presenters.actor(run.stop.actor), "reason": run.stop.reason},
        "worker": run.worker,
        "created_at": presenters.time(run.created_at),
        "begun_at": presenters.time(run.begun_at),
        "finished_at": presenters.time(run.finished_at),
    }


def whole(run: Run, views: Views) -> Json:
    return {
        **summary(run.summary),
        "input": json.loads(run.input_json),
        "state": json.loads(run.state_json),
        "outcome": _outcome(run),
        "action": None if run.action is None else action(run.action, views),
    }


def action(asked: RunAction, views: Views) -> Json:
    view = None if asked.interaction_id is None else views.get(asked.interaction_id)
    return {
        "id": asked.id,
        "kind": asked.kind.value,
        "request": json.loads(asked.request_json),
        "cursor": asked.cursor,
        "operation_id": asked.operation_id,
        "created_at": presenters.time(asked.created_at),
        "interaction_id": asked.interaction_id,
        "delivered_at": presenters.time(asked.delivered_at),
        "interaction": None if view is None else presenters.interaction(view),
    }


def leased(run: Run, views: Views, *, until: datetime, token: str) -> Json:
    return {
        **whole(run, views),
        "token": token,
        "lease_until": presenters.time(until),
        "is_new": run.begun_at is None,
    }


def is_stopped(run: Run) -> bool:
    """It has ended, and because it was to stop."""
    error = None if run.ending is None else run.ending.error
    return error is not None and error.code is RunErrorCode.STOPPED


def _outcome(run: Run) -> Any:
    text = None if run.ending is None else run.ending.outcome_json
    return None if text is None else json.loads(text)
