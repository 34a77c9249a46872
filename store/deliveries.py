"""What was sent to receivers of webhooks: the messages, and each attempt to deliver one."""

from dataclasses import dataclass
from datetime import datetime, timedelta

#: So many attempts of one message are kept, the newest: more than the schedule and a patient person make.
KEPT = 50
#: What a receiver answers that took a message.
TAKEN = range(200, 300)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What its receiver knows by `id`. `body`: JSON text, the same bytes at each attempt. `wake`: as in its body."""

    tenant: str
    id: str
    interaction_id: str
    wake: int
    body: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """One attempt. `attempt`: the how-manieth of its message. `by_hand`: a person asked for it.

    `status`: what the receiver answered; where it answered nothing, `error` says why in our own words. Both None, and
    no duration: it is under way, or its process died before it could say.
    """

    tenant: str
    interaction_id: str
    message_id: str
    wake: int
    attempt: int
    at: datetime
    by_hand: bool = False
    status: int | None = None
    error: str | None = None
    duration_ms: int | None = None

    @property
    def is_taken(self) -> bool:
        return self.status in TAKEN


@dataclass(frozen=True, kw_only=True, slots=True)
class Begun:
    """An attempt that is to be made: `message` is what to send, as it was sent first."""

    delivery: Delivery
    message: Message


def attempt_of(message: Message, *, number: int, at: datetime, by_hand: bool) -> Delivery:
    """An attempt that is just begun."""
    return Delivery(
        tenant=message.tenant,
        interaction_id=message.interaction_id,
        message_id=message.id,
        wake=message.wake,
        attempt=number,
        at=at,
        by_hand=by_hand,
    )


def milliseconds(span: timedelta) -> int:
    """Whole ones; never less than none, as clocks of databases are set."""
    return max(span // _MILLISECOND, 0)
