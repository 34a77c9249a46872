"""Messages to receivers, and kept records, of the memory backend."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from store import errors
from store.deliveries import KEPT, Begun, Delivery, Message, attempt_of
from store.memory_rows import Rows
from store.types import Approval


@dataclass
class _Kept:
    """A message, how many attempts of it were begun, and those that are kept, by number."""

    message: Message
    begun: int = 0
    attempts: dict[int, Delivery] = field(default_factory=dict)


class MemoryDeliveries:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._messages: dict[tuple[str, str], _Kept] = {}

    async def begin_delivery(self, *, message: Message, at: datetime, by_hand: bool = False) -> Begun:
        if self._rows.get(message.tenant, message.interaction_id) is None:
            raise errors.NotFound(id=message.interaction_id)
        kept = self._messages.setdefault((message.tenant, message.id), _Kept(message=message))
        kept.begun += 1
        delivery = attempt_of(kept.message, number=kept.begun, at=at, by_hand=by_hand)
        kept.attempts[kept.begun] = delivery
        kept.attempts.pop(kept.begun - KEPT, None)
        return Begun(delivery=delivery, message=kept.message)

    async def end_delivery(self, *, delivery: Delivery) -> None:
        kept = self._messages.get((delivery.tenant, delivery.message_id))
        if kept is not None and delivery.attempt in kept.attempts:
            kept.attempts[delivery.attempt] = delivery

    async def list_deliveries(
        self, *, tenant: str, interaction_id: str | None = None, limit: int = 100
    ) -> Sequence[Delivery]:
        kept = (each for each in self._messages.values() if each.message.tenant == tenant)
        mine = (each for each in kept if interaction_id in {None, each.message.interaction_id})
        attempts = (attempt for each in mine for attempt in each.attempts.values())
        return sorted(attempts, key=_age, reverse=True)[:limit]

    async def find_message(self, *, tenant: str, interaction_id: str, id: str | None = None) -> Message | None:
        mine = (each.message for (owner, _), each in self._messages.items() if owner == tenant)
        named = (each for each in mine if each.interaction_id == interaction_id and id in {None, each.id})
        return max(named, key=lambda message: message.wake, default=None)

    async def list_recorded(self, *, tenant: str, after: str | None = None, limit: int = 200) -> Sequence[Approval]:
        mine = (each for each in self._rows.pending() if each.tenant == tenant and each.id > (after or ""))
        kept = [each for each in mine if isinstance(each, Approval) and each.record is not None]
        return sorted(kept, key=lambda approval: approval.id)[:limit]


def _age(delivery: Delivery) -> tuple[datetime, str, int]:
    return delivery.at, delivery.message_id, delivery.attempt
