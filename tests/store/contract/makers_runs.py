"""A hosted run, with defaults."""

from typing import Any

from store.ids import new_id
from store.runs import Audience, Run
from store.types import Approvers, Destination
from tests.store.contract.makers import ASKER, NOW, TENANT

AUDIENCE = Audience(
    destination=Destination(channels=("C0DEPLOY",), users=("U0ANA",)),
    policy="ops",
    approvers=Approvers(users=("U0ANA", "U0BEN"), groups=("S0OPS",), quorum=2, require_reason=True),
    respondents=Approvers(users=("U0ANA",)),
    confirmations_expire_in=None,
    questions_expire_in=600,
)


def a_run(**fields: Any) -> Run:
    defaults: dict[str, Any] = {
        "tenant": TENANT,
        "id": fields.pop("id", None) or new_id("run", now=NOW),
        "code": "ship",
        "request_digest": "request",
        "created_at": NOW,
        "started_by": ASKER,
        "audience": AUDIENCE,
        "input_json": '{"z": 1, "a": "Größe \U0001f600"}',
    }
    return Run(**{**defaults, **fields})
