"""Delivering messages: each attempt is written down before it is made, and what came of it after."""

from dataclasses import replace

import structlog

from bot.clock import Clock
from bot.resume.webhook import NotTold, Told, WebhookSender, message
from store.deliveries import Begun, Delivery, Message, milliseconds
from store.protocol import Store
from store.types import Interaction

log = structlog.get_logger("signoff.resume")


class Courier:
    """One per process. What is sent is what the message said when it was begun first, in whatever version."""

    def __init__(self, *, store: Store, sender: WebhookSender, clock: Clock) -> None:
        self._store = store
        self._sender = sender
        self._clock = clock

    async def tell(self, interaction: Interaction) -> Told | NotTold:
        """One try of the message that its run is owed now.

        Raises:
            StoreError: the attempt could not be written down; nothing was sent.
        """
        begun = await self._store.begin_delivery(message=message(interaction), at=self._clock.now())
        outcome, _ = await self._send(begun, interaction.resume.target or "")
        return outcome

    async def send_again(self, message: Message, *, url: str) -> Delivery:
        """One try by hand of a message that was sent before. Raises as `tell`."""
        begun = await self._store.begin_delivery(message=message, at=self._clock.now(), by_hand=True)
        _, delivery = await self._send(begun, url)
        return delivery

    async def _send(self, begun: Begun, url: str) -> tuple[Told | NotTold, Delivery]:
        started = self._clock.now()
        posted = await self._sender.post(url, id=begun.message.id, body=begun.message.body.encode())
        ended = replace(
            begun.delivery,
            status=posted.status,
            error=posted.outcome.error if posted.status is None and isinstance(posted.outcome, NotTold) else None,
            duration_ms=milliseconds(self._clock.now() - started),
        )
        try:
            await self._store.end_delivery(delivery=ended)
        except Exception:
            # Whether the run was told does not hang on the record of it.
            log.exception("delivery_not_recorded", message=ended.message_id, attempt=ended.attempt)
        return posted.outcome, ended
