"""Who asked is told how it ended: one line in the card's thread, or one direct message. Nobody else is pinged.

Except where a run went silent: then each operator is, once, in a direct message.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.clock import Clock
from store.protocol import Store
from store.types import About, ActorKind, Approval, ExecutionStatus, Interaction, Posting, PostingLease, Role, State

_REPORTED = frozenset({ExecutionStatus.SUCCEEDED, ExecutionStatus.FAILED})
_CALLED_OFF = frozenset({State.WITHDRAWN, State.SUPERSEDED})


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where a line goes: a channel with the thread of a card, or a person."""

    address: str
    thread_ts: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What a line to who asked says for good. `turn`: of how many silences it is the how-manieth, from 1."""

    about: About
    turn: int = 0


class Outcomes:
    """One per painter, which asks after each message that it painted: what it adds is a posting like any other.

    So a line is as durable as the card: until the card is recorded as painted, it is asked again. `ring`: something
    became due. `operators`: who says what happened to a run that went silent.
    """

    def __init__(self, *, store: Store, clock: Clock, ring: Callable[[], None], operators: Sequence[str] = ()) -> None:
        self._store = store
        self._clock = clock
        self._ring = ring
        self._operators = operators

    async def tell(self, interaction: Interaction, *, known: Posting | None = None) -> None:
        """Add the next line that is due. `known`: a posting as it is in Slack, though that is not recorded yet."""
        asker, silence = interaction.requested_by, silence_of(interaction)
        if interaction.is_pending or (asker is None and silence is None):
            return
        found = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        copies = [known if known is not None and copy.id == known.id else copy for copy in found[interaction.id]]
        if silence is not None:
            await self._ask_operators(interaction, copies, silence)
        if asker is None:
            return
        place = place_of(asker, copies)
        line = next_line(interaction, copies)
        if place is not None and line is not None:
            # A row says each thing once: of the silences after the first only its turn tells.
            is_further = line.turn > 0 and any(copy.about is line.about for copy in copies)
            await self._store.add_posting(
                tenant=interaction.tenant,
                interaction_id=interaction.id,
                role=Role.OUTCOME,
                address=place.address,
                now=self._clock.now(),
                thread_ts=place.thread_ts,
                about=None if is_further else line.about,
                turn=line.turn,
            )
            self._ring()

    async def _ask_operators(self, interaction: Interaction, copies: Sequence[Posting], silence: int) -> None:
        """Each of them, once for each silence."""
        asked = {copy.address for copy in copies if copy.role is Role.NOTICE and copy.turn == silence}
        missing = [operator for operator in self._operators if operator not in asked]
        for operator in missing:
            await self._store.add_posting(
                tenant=interaction.tenant,
                interaction_id=interaction.id,
                role=Role.NOTICE,
                address=operator,
                now=self._clock.now(),
                turn=silence,
            )
        if missing:
            self._ring()

    async def tell_by_dm(self, leased: PostingLease, interaction: Interaction) -> bool:
        """A line that its thread refused goes to who asked, if that is new to it. False: nobody is left to tell."""
        line, asker = leased.posting, interaction.requested_by
        if line_of(line) is None or line.ts is not None or asker is None or line.address == asker:
            return False
        # The same row: whoever of two painters comes second finds it sent there already, or its lease gone.
        await self._store.readdress_posting(posting=line, lease=leased.lease, address=asker, now=self._clock.now())
        self._ring()
        return True


def due_lines(interaction: Interaction) -> tuple[Line, ...]:
    """What there is to say to who asked, in order; nothing of what they did themselves."""
    lines = () if _is_their_own_doing(interaction) else (Line(about=About.RESOLVED),)
    if lines and isinstance(interaction, Approval) and interaction.course.taken_back_at is not None:
        return (Line(about=About.TAKEN_BACK),)
    silence = silence_of(interaction)
    if silence is not None:
        return (*lines, Line(about=About.UNKNOWN, turn=silence))
    is_closed = isinstance(interaction, Approval) and _is_closed(interaction)
    return (*lines, Line(about=About.RAN)) if is_closed else lines


def line_of(copy: Posting) -> Line | None:
    """What this posting says for good to who asked; None for what shows the interaction as it is, or is no line."""
    if copy.role is not Role.OUTCOME:
        return None
    if copy.about is None:
        return Line(about=About.UNKNOWN, turn=copy.turn) if copy.turn else None
    return Line(about=copy.about, turn=max(copy.turn, 1) if copy.about is About.UNKNOWN else 0)


def silence_of(interaction: Interaction) -> int | None:
    """The how-manieth claim of it went silent, so that nobody knows what happened; None where that is no question."""
    if not isinstance(interaction, Approval) or interaction.execution is None:
        return None
    is_unknown = interaction.execution.status is ExecutionStatus.UNKNOWN
    return len(interaction.course.spent_claims) + 1 if is_unknown else None


def is_of_cards(copy: Posting) -> bool:
    """A notice about cards that failed; those with a turn ask an operator about the silence of that number."""
    return copy.role is Role.NOTICE and copy.turn == 0


def _is_their_own_doing(interaction: Interaction) -> bool:
    """Resolved by who asked; or called off by the key that asked for them, which is their run."""
    by = interaction.resolved_by
    if by is None:
        return False
    is_their_run = by.kind is ActorKind.API_KEY and by.id == interaction.asked_by.id
    return by.id == interaction.requested_by or (is_their_run and interaction.state in _CALLED_OFF)


def _is_closed(approval: Approval) -> bool:
    """Whether nothing more comes of it: its run reported the end, or none started in time."""
    if approval.execution is not None:
        return approval.execution.status in _REPORTED
    if approval.state is not State.APPROVED:
        return False
    return approval.lapsed_at is not None if approval.claim is None else not approval.claim.execute


def next_line(interaction: Interaction, copies: Sequence[Posting]) -> Line | None:
    """One after another: a line is asked for when the one before it stands there, or failed."""
    asked = {line: copy for copy in copies if (line := line_of(copy)) is not None}
    due = due_lines(interaction)
    # What went silent and was heard of since: what follows waits for the line that asked.
    before = sorted((line for line in asked if line.turn and line not in due), key=lambda line: line.turn)
    for line in (*before, *due):
        if line not in asked:
            approved = asked.get(Line(about=About.RESOLVED)) if line.about is About.TAKEN_BACK else None
            return None if approved is not None and _is_on_its_way(approved) else line
        if asked[line].ts is None and asked[line].failed_at is None:
            return None
    return None


def _is_on_its_way(line: Posting) -> bool:
    return line.ts is None and line.failed_at is None and line.wanted > line.painted


def place_of(asker: str, copies: Sequence[Posting]) -> Place | None:
    """The thread of the first card in a channel; where there is none, the person. None: such a card is on its way.

    A thread that refused a line gets no other. A card that cannot be changed any more still has a thread.
    """
    if any(line_of(copy) is not None and copy.address == asker for copy in copies):
        return Place(address=asker)
    cards = [copy for copy in copies if copy.role is Role.CARD and not copy.address.startswith(("U", "W", "D"))]
    if any(card.ts is None and card.failed_at is None for card in cards) and not any(_stands(card) for card in cards):
        return None
    for card in sorted(cards, key=lambda card: not _stands(card)):
        thread = thread_of(card)
        if thread is not None:
            return thread
    return Place(address=asker)


def thread_of(card: Posting) -> Place | None:
    """Where a line about this card is said beside it; None where it is not there."""
    if card.channel is None or card.ts is None:
        return None
    return Place(address=card.channel, thread_ts=card.thread_ts or card.ts)


def is_beside(line: Posting, card: Posting) -> bool:
    """Whether the line goes to, or stands in, the thread of this card."""
    return Place(address=line.address, thread_ts=line.thread_ts) == thread_of(card)


def says_of(line: Posting, card: Posting, *, asker: str) -> bool:
    """Whether this line puts the card right for who asked: it stands or will stand beside it, or is yet to be drawn."""
    if line.about is not About.RESOLVED or line.failed_at is not None:
        return False
    return is_beside(line, card) or (line.address == asker and line.ts is None)


def _stands(card: Posting) -> bool:
    return card.ts is not None and card.failed_at is None
