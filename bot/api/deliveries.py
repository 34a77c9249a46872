"""The endpoints of what was sent to receivers: the attempts, and one more by hand."""

from typing import Annotated

import structlog
from pydantic import Field

from bot.api import body, errors, presenters
from bot.api.presenters import Json
from bot.api.route import Call
from bot.api.schemas_content import Strict
from bot.usecases.replaying import NotReplayed
from store.deliveries import Delivery

log = structlog.get_logger("signoff.api")

MOST = 200
USUAL = 50


class ReplayIn(Strict):
    """Left out, it is the last message."""

    message_id: Annotated[str, Field(max_length=200)] | None = None


async def list_deliveries(call: Call) -> tuple[int, Json]:
    given = body.query(call.query, single=frozenset({"limit"}))
    limit = body.whole(given.get("limit", str(USUAL)), name="limit", least=1, most=MOST)
    found = await call.rooms.replaying.deliveries(tenant=call.key.tenant, id=call.id, limit=limit)
    return 200, {"items": [_delivery(each) for each in found]}


async def replay_delivery(call: Call) -> tuple[int, Json]:
    sent: ReplayIn = call.sent
    key = call.key
    outcome = await call.rooms.replaying.replay(tenant=key.tenant, id=call.id, message_id=sent.message_id)
    if isinstance(outcome, NotReplayed):
        raise errors.nothing_sent(outcome.reason)
    delivery = outcome.delivery
    log.warning("message_sent_by_hand", message=delivery.message_id, status=delivery.status, key=key.name)
    return 200, {"delivery": _delivery(delivery), "told": outcome.told}


def _delivery(delivery: Delivery) -> Json:
    return {
        "message_id": delivery.message_id,
        "wake": delivery.wake,
        "attempt": delivery.attempt,
        "at": presenters.time(delivery.at),
        "by_hand": delivery.by_hand,
        "status": delivery.status,
        "error": delivery.error,
        "duration_ms": delivery.duration_ms,
    }
