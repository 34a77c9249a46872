"""Who asked is told how it ended: one line in the card's thread, or one direct message. Nobody else is pinged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.clock import Clock
from store.protocol import Store
from store.types import About, Approval, ExecutionStatus, Interaction, Posting, Role, State

_TOLD = frozenset({State.APPROVED, State.DENIED, State.ANSWERED, State.EXPIRED})
_ENDED = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.FAILED})


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a line goes: a channel with the thread of a card, or a person."""

    address: str
    thread_ts: str | None = None


class Outcomes:
    """One per painter, which asks after each message that it painted: what it adds is a posting like any other.

    So a line is as durable as the card: until the card is recorded as painted, it is asked again. `ring`: something
    became due.
    """

    def __init__(self, *, store: Store, clock: Clock, ring: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._ring = ring

    async def tell(self, interaction: Interaction, *, painted: Posting | None = None) -> None:
        """Add the next line that is due. `painted`: stands in Slack, though it is not recorded yet."""
        asker = interaction.requested_by
        if asker is None or interaction.is_pending or interaction.state not in _TOLD:
            return
        found = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        copies = [painted if painted is not None and copy.id == painted.id else copy for copy in found[interaction.id]]
        place = place_of(asker, copies)
        about = next_line(interaction, copies)
        if place is not None and about is not None:
            await self._store.add_posting(
                tenant=interaction.tenant,
                interaction_id=interaction.id,
                role=Role.OUTCOME,
                address=place.address,
                now=self._clock.now(),
                thread_ts=place.thread_ts,
                about=about,
            )
            self._ring()


def due_lines(interaction: Interaction) -> tuple[About, ...]:
    """What there is to say to who asked, in order; nothing of what they did themselves."""
    by = interaction.resolved_by
    lines = () if by is not None and by.id == interaction.requested_by else (About.RESOLVED,)
    if not isinstance(interaction, Approval) or interaction.execution is None:
        return lines
    return (*lines, About.RAN) if interaction.execution.status in _ENDED else lines


def next_line(interaction: Interaction, copies: Sequence[Posting]) -> About | None:
    """One after another: a line is asked for when the one before it stands there, or failed."""
    asked = {copy.about: copy for copy in copies if copy.about is not None}
    for about in due_lines(interaction):
        if about not in asked:
            return about
        if asked[about].ts is None and asked[about].failed_at is None:
            return None
    return None


def place_of(asker: str, copies: Sequence[Posting]) -> Place | None:
    """The thread of the first card in a channel; where there is none, the person. None: such a card is on its way."""
    cards = [copy for copy in copies if copy.role is Role.CARD and not copy.address.startswith(("U", "W", "D"))]
    for card in cards:
        if card.channel is not None and card.ts is not None and card.failed_at is None:
            return Place(address=card.channel, thread_ts=card.thread_ts or card.ts)
    if any(card.ts is None and card.failed_at is None for card in cards):
        return None
    return Place(address=asker)
