"""What becomes of a hosted run: pure, and the same for every backend. Each returns the row as it is afterwards.

The same row, unchanged (`is`), where the call had been done before.
"""

import json
from dataclasses import replace
from datetime import datetime

from store import errors
from store.digest import content_digest
from store.runs import Ending, HeldRun, Run, RunAction, RunStop


def same_start(asked: Run, standing: Run) -> Run:
    """What stands, if it was started with the same content.

    Raises:
        OtherStart: it was not.
    """
    if standing.request_digest != asked.request_digest:
        raise errors.OtherStart(id=standing.id)
    return standing


def held(run: Run) -> HeldRun:
    """What its holder has to know."""
    assert run.lease is not None
    asked = run.action.interaction_id if run.action is not None and run.action.is_open else None
    return HeldRun(
        run_id=run.id,
        until=run.lease.until,
        has_begun=run.begun_at is not None,
        is_stopping=run.stop is not None,
        interaction_id=asked,
    )


def save_state(run: Run, *, token: str, state_json: str, at: datetime, saves: int | None) -> Run:
    """Raises LeaseLost, RunStopping, StaleState."""
    current = _going_on(run, token, at)
    if saves == run.saves and state_json == run.state_json:
        return run
    if saves not in {None, run.saves + 1}:
        raise errors.StaleState(run_id=run.id, saves=run.saves)
    return replace(current, state_json=state_json, saves=run.saves + 1)


def save_action(run: Run, *, token: str, action: RunAction, at: datetime, cursor: int | None) -> Run:
    """`action`: as it would be; its own cursor is not looked at. Raises LeaseLost, RunStopping, NotCurrent."""
    current = _going_on(run, token, at)
    standing = current.action
    if standing is not None and standing.is_open:
        if cursor not in {None, standing.cursor} or not _same_request(action, standing):
            raise errors.NotCurrent(run_id=run.id, id=standing.id)
        return run
    following = current.cursor + 1
    if cursor not in {None, following}:
        raise errors.NotCurrent(run_id=run.id, id=None if standing is None else standing.id)
    return replace(current, cursor=following, action=replace(action, cursor=following))


def note_asked(run: Run, *, token: str, cursor: int, interaction_id: str) -> Run:
    """Raises LeaseLost, NotCurrent."""
    _check_held(run, token)
    action = run.action
    if action is None or action.cursor != cursor or action.interaction_id not in {None, interaction_id}:
        raise errors.NotCurrent(run_id=run.id, id=None if action is None else action.id)
    if action.interaction_id is not None:
        return run
    return replace(run, action=replace(action, interaction_id=interaction_id))


def drop_action(run: Run, *, token: str, cursor: int) -> Run:
    """Raises LeaseLost."""
    _check_held(run, token)
    action = run.action
    if action is None or action.cursor != cursor or action.interaction_id is not None:
        return run
    return replace(run, action=None, cursor=cursor - 1)


def mark_delivered(run: Run, *, token: str, action_id: str, at: datetime) -> Run:
    """Raises LeaseLost, RunStopping, NotCurrent."""
    current = _going_on(run, token, at)
    action = current.action
    if action is None or action.id != action_id or action.interaction_id is None:
        raise errors.NotCurrent(run_id=run.id, id=None if action is None else action.id)
    if action.delivered_to == token:
        return run
    if not action.is_open:
        raise errors.NotCurrent(run_id=run.id, id=action.id)
    return replace(current, action=replace(action, delivered_at=at, delivered_to=token))


def finish_run(run: Run, *, token: str, ending: Ending, at: datetime) -> Run:
    """Raises LeaseLost."""
    if run.is_finished and (run.finished_by, run.ending) == (token, ending):
        return run
    _check_held(run, token)
    return replace(run, lease=None, finished_at=at, finished_by=token, ending=ending)


def stop_run(run: Run, *, stop: RunStop) -> Run:
    return run if run.is_finished or run.stop is not None else replace(run, stop=stop)


def _check_held(run: Run, token: str) -> None:
    if run.lease is None or run.lease.token != token:
        raise errors.LeaseLost(run_id=run.id)


def _going_on(run: Run, token: str, at: datetime) -> Run:
    """The row that a checkpoint of its holder changes: by now it has begun."""
    _check_held(run, token)
    if run.stop is not None:
        raise errors.RunStopping(run_id=run.id)
    return run if run.begun_at is not None else replace(run, begun_at=at)


def _same_request(asked: RunAction, standing: RunAction) -> bool:
    if asked.kind is not standing.kind:
        return False
    return content_digest(json.loads(asked.request_json)) == content_digest(json.loads(standing.request_json))
