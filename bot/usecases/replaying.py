"""What was sent to receivers of webhooks, and sending one of it again by hand. Who may is said by the caller's door."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.clock import Clock
from store import errors
from store.deliveries import Delivery, Message
from store.protocol import Store
from store.types import Interaction, ResumeKind

_UNSIGNED = "SIGNOFF_WEBHOOK_SECRET is not set here: nothing can be signed, so nothing is sent."


class Courier(Protocol):
    """What sends: `bot.resume.courier`."""

    async def send_again(self, message: Message, *, url: str) -> Delivery: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Replayed:
    """What came of it. `told`: by this its run, which was still owed it, counts as told."""

    delivery: Delivery
    told: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class NotReplayed:
    """Nothing was sent. `reason`: one sentence."""

    reason: str


class Replaying:
    """One per process. `courier`: None where nothing signs. `ring`: something became due."""

    def __init__(
        self, *, store: Store, clock: Clock, courier: Courier | None = None, ring: Callable[[], None] = lambda: None
    ) -> None:
        self._store = store
        self._clock = clock
        self._courier = courier
        self._ring = ring

    async def deliveries(self, *, tenant: str, id: str, limit: int) -> Sequence[Delivery]:
        """Newest first. Raises NotFound."""
        found = await self._interaction(tenant, id)
        return await self._store.list_deliveries(tenant=tenant, interaction_id=found.id, limit=limit)

    async def replay(self, *, tenant: str, id: str, message_id: str | None = None) -> Replayed | NotReplayed:
        """Send the last message of this interaction again, or a certain one: same id, same bytes, whatever came of it
        before.

        Raises:
            NotFound: no such interaction, or no such message of it.
            Unconfirmed: perhaps it was sent; to send it again does no harm.
        """
        interaction = await self._interaction(tenant, id)
        url = interaction.resume.target
        message = await self._store.find_message(tenant=tenant, interaction_id=interaction.id, id=message_id)
        if message is None and message_id is not None:
            raise errors.NotFound(id=message_id)
        if message is None or url is None:
            return NotReplayed(reason=_nothing_sent(interaction))
        if self._courier is None:
            return NotReplayed(reason=_UNSIGNED)
        delivery = await self._courier.send_again(message, url=url)
        told = delivery.is_taken and await self._store.tell_by_hand(
            tenant=tenant, id=interaction.id, wake=message.wake, now=self._clock.now()
        )
        if told:
            self._ring()
        return Replayed(delivery=delivery, told=told)

    async def _interaction(self, tenant: str, id: str) -> Interaction:
        found = await self._store.find_interaction(tenant=tenant, id=id)
        if found is None:
            raise errors.NotFound(id=id)
        return found


def _nothing_sent(interaction: Interaction) -> str:
    """Why there is no message of it."""
    if interaction.resume.kind is not ResumeKind.WEBHOOK:
        return "Its run is not told by a webhook: there is no message."
    if interaction.is_pending:
        return "It still waits for its people: nothing was sent yet."
    return "Nothing was sent of it yet; `signoff-bot wake` starts telling anew."
