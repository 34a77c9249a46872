"""What the command line says of webhooks: attempts as lines of text, and one more by hand."""

from collections.abc import Sequence

from bot.clock import DatabaseClock
from bot.console import find_one
from bot.settings import HalfConfigured, WebhookSettings
from bot.usecases.replaying import NotReplayed, Replaying
from store import errors
from store.deliveries import Delivery
from store.protocol import Store

_MOST = 100


async def delivery_lines(store: Store, tenant: str, id: str | None) -> Sequence[str]:
    """Newest first; of one interaction, or of all."""
    interaction_id = None if id is None else (await find_one(store, tenant, id)).id
    found = await store.list_deliveries(tenant=tenant, interaction_id=interaction_id, limit=_MOST)
    return [line(delivery) for delivery in found] or ["Nothing was sent to a webhook."]


async def replay_line(store: Store, tenant: str, id: str, *, message_id: str | None, settings: WebhookSettings) -> str:
    """Raises HalfConfigured where there is nothing to send, or where it was not taken."""
    from bot.resume.courier import Courier
    from bot.resume.guard import AddressGuard
    from bot.resume.webhook import WebhookSender

    interaction = await find_one(store, tenant, id)
    clock = DatabaseClock(store.now)
    await clock.sync()
    secrets = tuple(secret.get_secret_value() for secret in settings.webhook_secret)
    async with WebhookSender(secrets=secrets, guard=AddressGuard(allow=settings.webhook_allow), clock=clock) as sender:
        courier = Courier(store=store, sender=sender, clock=clock) if secrets else None
        replaying = Replaying(store=store, clock=clock, courier=courier)
        try:
            outcome = await replaying.replay(tenant=tenant, id=interaction.id, message_id=message_id)
        except errors.NotFound:
            raise HalfConfigured(
                f"{interaction.id} has no message {message_id}; `signoff-bot deliveries {interaction.short_code}` "
                "lists them"
            ) from None
    if isinstance(outcome, NotReplayed):
        raise HalfConfigured(f"{interaction.id}: {outcome.reason}")
    if not outcome.delivery.is_taken:
        raise HalfConfigured(f"sent, and not taken: {line(outcome.delivery)}")
    return f"Taken: {line(outcome.delivery)}{' · its run counts as told' if outcome.told else ''}"


def line(delivery: Delivery) -> str:
    at = delivery.at.strftime("%Y-%m-%d %H:%M:%S UTC")
    by_hand = " · by hand" if delivery.by_hand else ""
    return f"{at}  {delivery.message_id}  attempt {delivery.attempt}  {_outcome(delivery)}{by_hand}"


def _outcome(delivery: Delivery) -> str:
    if delivery.duration_ms is None:
        return "no outcome yet: it is under way, or its process died"
    said = f"status {delivery.status}" if delivery.status is not None else delivery.error or "no answer"
    return f"{said} in {delivery.duration_ms:,} ms"
