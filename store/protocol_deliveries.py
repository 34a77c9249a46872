"""The contract of what was sent to receivers, and of what askers keep with their asks. Part of `store.protocol`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from store.deliveries import Begun, Delivery, Message
from store.types import Approval


class Deliveries(Protocol):
    """Messages and their attempts. They live as long as their interaction; of each message the newest `KEPT` attempts."""

    async def begin_delivery(self, *, message: Message, at: datetime, by_hand: bool = False) -> Begun:
        """Write down one more attempt of this message, before it is made.

        The first one keeps the body; whoever comes later with the same id gets that one to send, whatever they would
        have said. Of two at once each has a number of its own.

        Raises:
            NotFound: no such interaction.
        """
        ...

    async def end_delivery(self, *, delivery: Delivery) -> None:
        """Write down the status, error and duration of an attempt. Again: the same. One that is kept no more: nothing."""
        ...

    async def list_deliveries(
        self, *, tenant: str, interaction_id: str | None = None, limit: int = 100
    ) -> Sequence[Delivery]:
        """The attempts of one interaction, or of all, newest first."""
        ...

    async def find_message(self, *, tenant: str, interaction_id: str, id: str | None = None) -> Message | None:
        """A message of this interaction; without an id the one that was begun last, the highest wake."""
        ...


class Records(Protocol):
    """What askers keep with their asks (`Approval.record`)."""

    async def list_recorded(self, *, tenant: str, after: str | None = None, limit: int = 200) -> Sequence[Approval]:
        """Pending approvals that keep a record, by id; those after this id."""
        ...
