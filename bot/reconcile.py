"""The painter: makes every copy of a card show what the database says, through crashes, 429s and outages of Slack.

It leases what is behind, reads the state after the lease, renders, calls, and records what was painted.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import structlog

from blocks.surface import Message
from bot.cards import Cards
from bot.clock import Clock
from bot.copies import Copies
from bot.delivery import Caller, Delivery, Landed, OutOfTimeError, method_for
from bot.hub import Hub
from bot.outcomes import Outcomes, line_of
from bot.pace import Pace
from bot.refusals import Refusals, is_over
from bot.reminders import GROUP_AGAIN, Ready
from bot.slack.client import Failed, Trouble
from bot.tasks import TaskSet
from store.protocol import Store
from store.types import Approval, Interaction, Posting, PostingLease, Role

log = structlog.get_logger("signoff.painter")

LEASE = timedelta(seconds=30)
#: Cards painted at the same time by one process.
AT_ONCE = 8
_SAY_OF_OTHERS = frozenset({Role.NOTICE, Role.OUTCOME})


class Painter:
    """One per process; any number may run against one database."""

    def __init__(
        self, *, store: Store, clock: Clock, hub: Hub, client: Caller, cards: Cards, pace: Pace, copies: Copies,
        operators: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self._store = store
        self._clock = clock
        self._cards = cards
        self._pace = pace
        self._copies = copies
        self._bell = hub.bell()
        self._delivery = Delivery(store=store, clock=clock, client=client, pace=pace)
        self._outcomes = Outcomes(store=store, clock=clock, ring=self._bell.set, operators=operators)
        self._refusals = Refusals(store=store, clock=clock, pace=pace, outcomes=self._outcomes, ring=self._bell.set)
        self._tasks = TaskSet(on_done=self._bell.set)

    async def run(self) -> None:
        """Until cancelled: paint whatever is behind, as soon as it is."""
        self._bell.set()
        while True:
            await self._bell.wait()
            self._bell.clear()
            try:
                await self.start_due()
            except Exception:
                log.exception("painting_failed")

    async def start_due(self) -> int:
        """Start painting what is due, as much as is painted at once; returns how many were started."""
        free = AT_ONCE - len(self._tasks)
        if free <= 0:
            return 0
        now = self._clock.now()
        leases = await self._store.lease_postings(now=now, until=now + LEASE, limit=free)
        for lease in leases:
            self._tasks.start(f"paint.{lease.posting.id}", self._guarded(lease))
        return len(leases)

    async def drain(self, seconds: float) -> None:
        """Let running calls end; what is cut off is painted again after its lease."""
        await self._tasks.drain(seconds)

    async def _guarded(self, leased: PostingLease) -> None:
        try:
            await self._paint(leased)
        except OutOfTimeError:
            # Its lease runs out by itself; a report would only mark behind what another painted.
            log.warning("lease_spent", posting=leased.posting.id)
        except Exception:
            log.exception("posting_failed", posting=leased.posting.id)
            with contextlib.suppress(Exception):
                await self._refusals.crashed(leased)

    async def _paint(self, leased: PostingLease) -> None:
        posting = leased.posting
        if _is_said(posting) and posting.channel is not None and posting.ts is not None:
            await self._finish(leased, Landed(channel=posting.channel, ts=posting.ts))
            return
        wait = self._pace.take(posting.channel or posting.address, method_for(posting))
        if wait > 0:
            await self._refusals.later(leased, error=posting.error, seconds=wait, counts=False)
            return
        interaction = await self._store.find_interaction(tenant=posting.tenant, id=posting.interaction_id)
        if interaction is None:
            raise LookupError(posting.interaction_id)
        if is_over(posting, interaction):
            await self._outcomes.tell(interaction)
            await self._refusals.let_go(leased)
            return
        if not await self._is_ready(leased, interaction):
            return
        message = await self._message(interaction, posting)
        outcome = message if isinstance(message, Failed) else await self._deliver(leased, interaction, message)
        if isinstance(outcome, Failed):
            await self._refusals.handle(leased, interaction, outcome)
            return
        # Before it is recorded as painted: who dies in between comes here again.
        await self._outcomes.tell(interaction, known=_at(posting, outcome))
        await self._finish(leased, outcome)
        await self._follow_up(interaction, posting, outcome, said=message)

    async def _follow_up(
        self, interaction: Interaction, posting: Posting, landed: Landed, *, said: Message | Failed
    ) -> None:
        """What others say of this one, and what it says of others, as it is by now."""
        if posting.failed_at is not None:
            await self._refusals.appeared(interaction)
        if posting.ts is None and posting.role is Role.CARD:
            await self._point_here(interaction)
        if posting.role in _SAY_OF_OTHERS and await self._message(interaction, posting) != said:
            # What it says of other postings became untrue while it was on its way.
            if line_of(posting) is None:
                await self._refusals.repaint(_at(posting, landed))
            else:
                await self._refusals.complete(interaction)

    async def _point_here(self, interaction: Interaction) -> None:
        """It stands somewhere by now: the cards of what it replaces lead to it."""
        if not isinstance(interaction, Approval) or interaction.supersedes is None:
            return
        older = interaction.supersedes
        copies = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[older])
        for copy in copies[older]:
            if copy.role is Role.CARD:
                await self._refusals.repaint(copy)

    async def _is_ready(self, leased: PostingLease, interaction: Interaction) -> bool:
        """Whether there is something to say. What came to nothing before it was said ends quietly."""
        posting = leased.posting
        match await self._cards.ready(interaction, posting, now=self._clock.now()):
            case Ready.SAY:
                return True
            case Ready.LATER:
                await self._refusals.later(leased, error="(group unreadable)", seconds=GROUP_AGAIN)
                return False
        await self._outcomes.tell(interaction, known=replace(posting, painted=posting.wanted))
        await self._store.finish_posting(
            posting=posting, lease=leased.lease, painted=posting.wanted, now=self._clock.now()
        )
        log.info("line_moot", posting=posting.id, interaction=posting.interaction_id)
        return False

    async def _message(self, interaction: Interaction, posting: Posting) -> Message | Failed:
        """A card that cannot be drawn is a refusal like Slack's: seen, told, and tried again."""
        try:
            return await self._cards.render(interaction, posting)
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
            log.exception("card_not_drawn", posting=posting.id, interaction=interaction.id)
            return Failed(trouble=Trouble.REFUSED, error="(not drawn)")

    async def _deliver(self, leased: PostingLease, interaction: Interaction, message: Message) -> Landed | Failed:
        outcome = await self._delivery.deliver(leased, interaction, message)
        if not _is_ours(outcome):
            return outcome
        for smaller in await self._cards.smaller(interaction, leased.posting, message):
            outcome = await self._delivery.deliver(leased, interaction, smaller)
            if not _is_ours(outcome):
                break
        return outcome

    async def _finish(self, leased: PostingLease, landed: Landed) -> None:
        posting = leased.posting
        ours = await self._store.finish_posting(
            posting=posting,
            lease=leased.lease,
            painted=posting.wanted,
            now=self._clock.now(),
            channel=landed.channel,
            ts=landed.ts,
            permalink=self._cards.permalink(landed.channel, landed.ts, posting.thread_ts),
            replaces=landed.replaces,
        )
        if ours:
            place = (posting.interaction_id, landed.channel, landed.ts)
            self._copies.painted(place, read_at=leased.lease.until - LEASE)
        log.info("card_painted" if ours else "card_fenced", posting=posting.id, interaction=posting.interaction_id)


def _is_said(posting: Posting) -> bool:
    """Whether it said what happened, once and for good, as soon as it stands there."""
    return line_of(posting) is not None or posting.role is Role.REMINDER


def _is_ours(outcome: Landed | Failed) -> bool:
    """Whether what we drew was refused."""
    return isinstance(outcome, Failed) and outcome.trouble is Trouble.OURS


def _at(posting: Posting, landed: Landed) -> Posting:
    return replace(posting, channel=landed.channel, ts=landed.ts, failed_at=None)
