"""The painter: makes every copy of a card show what the database says, through crashes, 429s and outages of Slack.

It leases what is behind, reads the state after the lease, renders, calls, and records what was painted.
"""

import contextlib
from datetime import timedelta

import structlog

from blocks.surface import Message
from bot.cards import Cards
from bot.clock import Clock
from bot.hub import Hub
from bot.pace import Pace
from bot.slack.client import CALL_TIMEOUT, Done, Failed, SlackClient, Trouble
from bot.tasks import TaskSet
from store.protocol import Store
from store.types import Interaction, Posting, PostingLease, Role

log = structlog.get_logger("signoff.painter")

LEASE = timedelta(seconds=60)
#: Cards painted at the same time by one process.
AT_ONCE = 8
#: Tries before a place counts as unreachable.
PLACE_TRIES = 3
_BACKOFF_CAP = 300.0
#: Seconds until a workspace that refuses everything is tried again.
WORKSPACE_PAUSE = 60.0


class Painter:
    """One per process; any number may run against one database."""

    def __init__(self, *, store: Store, clock: Clock, hub: Hub, client: SlackClient, cards: Cards, pace: Pace) -> None:
        self._store = store
        self._clock = clock
        self._client = client
        self._cards = cards
        self._pace = pace
        self._bell = hub.bell()
        self._tasks = TaskSet(on_done=self._bell.set)

    async def run(self) -> None:
        """Until cancelled: paint whatever is behind, as soon as it is."""
        self._bell.set()
        while True:
            await self._bell.wait()
            self._bell.clear()
            try:
                await self._start_due()
            except Exception:
                log.exception("painting_failed")

    async def drain(self, seconds: float) -> None:
        """Let running calls end; what is cut off is painted again after its lease."""
        await self._tasks.drain(seconds)

    async def _start_due(self) -> None:
        free = AT_ONCE - len(self._tasks)
        if free <= 0:
            return
        now = self._clock.now()
        leases = await self._store.lease_postings(now=now, until=now + LEASE, limit=free)
        for lease in leases:
            self._tasks.start(f"paint.{lease.posting.id}", self._guarded(lease))

    async def _guarded(self, leased: PostingLease) -> None:
        try:
            await self._paint(leased)
        except Exception:
            log.exception("posting_failed", posting=leased.posting.id)
            with contextlib.suppress(Exception):
                await self._later(leased, error="(internal)", seconds=_backoff(leased.posting.attempts))

    async def _paint(self, leased: PostingLease) -> None:
        posting = leased.posting
        wait = self._pace.take(posting.channel or posting.address)
        if wait > 0:
            await self._later(leased, error=posting.error or "", seconds=wait, counts=False)
            return
        interaction = await self._store.find_interaction(tenant=posting.tenant, id=posting.interaction_id)
        if interaction is None:
            raise LookupError(posting.interaction_id)
        message = await self._cards.render(interaction, posting)
        if leased.lease.until - self._clock.now() < timedelta(seconds=2 * CALL_TIMEOUT):
            return  # too little of the lease is left for a call: another takes it
        outcome = await self._send(posting, message)
        if isinstance(outcome, Failed) and outcome.trouble is Trouble.OURS:
            outcome = await self._send(posting, self._cards.plain(interaction))
        if isinstance(outcome, Failed) and outcome.trouble is Trouble.GONE and posting.ts is not None:
            outcome = await self._replace(interaction, posting, message)
        if isinstance(outcome, Failed):
            await self._failed(leased, interaction, outcome)
        else:
            await self._finish(leased, outcome)

    async def _send(self, posting: Posting, message: Message) -> Done | Failed:
        if posting.ts is not None and posting.channel is not None:
            return await self._client.call("chat.update", channel=posting.channel, ts=posting.ts, **message.payload())
        channel = await self._channel(posting)
        if isinstance(channel, Failed):
            return channel
        return await self._client.call(
            "chat.postMessage",
            channel=channel,
            thread_ts=posting.thread_ts,
            unfurl_links=False,
            unfurl_media=False,
            link_names=False,
            parse="none",
            **message.payload(),
        )

    async def _channel(self, posting: Posting) -> str | Failed:
        """Where to post: a person's DM is opened first, so that later edits have its own id."""
        if posting.channel is not None:
            return posting.channel
        if not posting.address.startswith(("U", "W")):
            return posting.address
        opened = await self._client.call("conversations.open", users=posting.address)
        if isinstance(opened, Failed):
            return opened
        channel = opened.data.get("channel")
        return str(channel["id"]) if isinstance(channel, dict) else posting.address

    async def _replace(self, interaction: Interaction, posting: Posting, message: Message) -> Done | Failed:
        """Somebody deleted the card: an open one is posted anew, a closed one is let go."""
        if not interaction.is_pending:
            return Done(data={"channel": posting.channel, "ts": posting.ts})
        return await self._client.call("chat.postMessage", channel=posting.channel, **message.payload())

    async def _finish(self, leased: PostingLease, outcome: Done) -> None:
        posting = leased.posting
        channel, ts = str(outcome.data.get("channel")), str(outcome.data.get("ts"))
        ours = await self._store.finish_posting(
            posting=posting,
            lease=leased.lease,
            painted=posting.wanted,
            now=self._clock.now(),
            channel=channel,
            ts=ts,
            permalink=self._cards.permalink(channel, ts, posting.thread_ts),
        )
        log.info("card_painted" if ours else "card_fenced", posting=posting.id, interaction=posting.interaction_id)

    async def _failed(self, leased: PostingLease, interaction: Interaction, outcome: Failed) -> None:
        posting = leased.posting
        if outcome.trouble is Trouble.LIMITED:
            seconds = outcome.retry_after or 1.0
            self._pace.pause(posting.channel or posting.address, seconds)
            await self._later(leased, error=outcome.error, seconds=seconds, counts=False)
        elif outcome.trouble is Trouble.WORKSPACE:
            log.error("workspace_refuses", error=outcome.error, tenant=posting.tenant)
            self._pace.pause_all(WORKSPACE_PAUSE)
            await self._later(leased, error=outcome.error, seconds=WORKSPACE_PAUSE, counts=False)
        elif outcome.trouble is Trouble.RETRY or (
            outcome.trouble is Trouble.PLACE and posting.attempts + 1 < PLACE_TRIES
        ):
            log.warning("card_retried", posting=posting.id, error=outcome.error, attempts=posting.attempts + 1)
            await self._later(leased, error=outcome.error, seconds=outcome.retry_after or _backoff(posting.attempts))
        else:
            await self._give_up(leased, interaction, outcome)

    async def _give_up(self, leased: PostingLease, interaction: Interaction, outcome: Failed) -> None:
        """Never a silence: an alarm in the log, the error in the API, and a DM to who asked."""
        posting = leased.posting
        log.error(
            "card_failed",
            posting=posting.id,
            interaction=interaction.id,
            address=posting.address,
            error=outcome.error,
        )
        await self._store.retry_posting(posting=posting, lease=leased.lease, error=outcome.error, due_at=None)
        asker = interaction.requested_by
        if posting.role is Role.CARD and asker is not None and asker != posting.address:
            await self._store.add_posting(
                tenant=interaction.tenant,
                interaction_id=interaction.id,
                role=Role.NOTICE,
                address=asker,
                now=self._clock.now(),
            )
            self._bell.set()

    async def _later(self, leased: PostingLease, *, error: str, seconds: float, counts: bool = True) -> None:
        await self._store.retry_posting(
            posting=leased.posting,
            lease=leased.lease,
            error=error,
            due_at=self._clock.now() + timedelta(seconds=seconds),
            counts=counts,
        )


def _backoff(attempts: int) -> float:
    """1, 2, 4 … seconds; the hub looks once a second, so replicas spread by themselves."""
    return min(_BACKOFF_CAP, 2.0**attempts)
