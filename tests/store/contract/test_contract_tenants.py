"""Tenants are isolated: every method that takes one is called by the wrong one, generated from the contract."""

import inspect
from typing import Any

import pytest

from store import errors
from store.protocol import Audit, Interactions, Keys, Policies, Postings, Resumptions, Stops, Timers
from store.protocol_deliveries import Deliveries
from store.types import ExecutionStatus, Role, State, Surface
from tests.store.contract.makers import (
    ANA,
    HANDLER,
    NOW,
    OTHER,
    TENANT,
    YES,
    Decision,
    asked,
    cards,
    claim,
    decided,
    now_is,
)

METHODS = {
    name: method
    for protocol in (Interactions, Postings, Resumptions, Timers, Policies, Stops, Audit, Keys, Deliveries)
    for name, method in vars(protocol).items()
    if inspect.iscoroutinefunction(method)
}
TAKING_A_TENANT = sorted(name for name, method in METHODS.items() if "tenant" in inspect.signature(method).parameters)
#: What a method is called with; every parameter without a default has to stand here.
VALUES: dict[str, Any] = {
    "tenant": OTHER,
    "actor": ANA,
    "decision": Decision.DENY,
    "at": NOW,
    "now": NOW,
    "surface": Surface.API,
    "answers": YES,
    "claim_id": "claim-1",
    "digest": "digest",
    "status": ExecutionStatus.SUCCEEDED,
    "run_id": "run",
    "role": Role.NOTICE,
    "address": "C1",
    "channel": "C1",
    "ts": "1.1",
    "name": "ci-bot",
    "happened": True,
    "user": "U0ANA",
    "tool": None,
    "wake": 0,
}


@pytest.mark.parametrize("name", TAKING_A_TENANT)
async def test_another_tenants_row_looks_like_a_missing_one(store, name) -> None:
    approval = await decided(store, run_id="run", resume=HANDLER)
    pending = await asked(store, run_id="run", operation_id="2")
    await claim(store, approval)
    target = approval if name in {"claim_approval", "report_execution", "wake", "tell_by_hand"} else pending
    before = [await now_is(store, each) for each in (approval, pending)], await cards(store, pending)

    results = [await _call(store, name, id_) for id_ in (target.id, "apr_missing")]

    assert _plain(results[0]) == _plain(results[1])
    assert ([await now_is(store, each) for each in (approval, pending)], await cards(store, pending)) == before
    assert pending.state is State.PENDING
    assert target.tenant == TENANT


async def _call(store: Any, name: str, id_: str) -> Any:
    values = {**VALUES, "id": id_, "interaction_id": id_, "interaction_ids": [id_], "ids": [id_], "code": id_}
    wanted = {
        parameter.name: values[parameter.name]
        for parameter in inspect.signature(METHODS[name]).parameters.values()
        if parameter.name != "self" and parameter.default is parameter.empty
    }
    try:
        return await getattr(store, name)(**wanted)
    except errors.NotFound as error:
        return "not found", error.id == id_


def _plain(result: Any) -> Any:
    """Apart from the ids that were asked for."""
    return list(result.values()) if isinstance(result, dict) else result
