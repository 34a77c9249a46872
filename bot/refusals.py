"""What follows a call that failed: again, when, how loudly. Never a silence: log, API, and a DM to who asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from bot.clock import Clock
from bot.outcomes import Outcomes, is_beside, is_of_cards, line_of, says_of, thread_of
from bot.pace import Pace
from bot.slack.client import Failed, Trouble
from store.protocol import Store
from store.types import About, Interaction, Posting, PostingLease, Role
from store.work import is_personal

log = structlog.get_logger("signoff.painter")

#: Tries before a place counts as unreachable.
PLACE_TRIES = 3
#: The same for a refusal that may pass by itself: a minute, by `_backoff`.
REFUSED_TRIES = 6
#: Seconds after which an unreachable place is tried again while people wait. The card's words promise two minutes.
PLACE_AGAIN = 60.0
#: The same where the interaction is over, and only an old copy is wrong; and for how long.
OLD_COPY_AGAIN = 3600.0
OLD_COPY_FOR = timedelta(days=7)
#: Seconds until a workspace that refuses everything is tried again.
WORKSPACE_PAUSE = 60.0
#: Slack says with each 429 how long; this is for one that does not.
_LIMITED_PAUSE = 10.0
#: Longest waits: where the same call twice does no harm, where it may post a second copy, and where Slack refuses.
_EDIT_CAP = 30.0
_POST_CAP = 60.0
_CAP = 300.0
_MOST_DOUBLINGS = 12
_TRIES = {Trouble.PLACE: PLACE_TRIES, Trouble.REFUSED: REFUSED_TRIES}


class Refusals:
    """One per painter. `ring`: something became due."""

    def __init__(self, *, store: Store, clock: Clock, pace: Pace, outcomes: Outcomes, ring: Callable[[], None]) -> None:
        self._store = store
        self._outcomes = outcomes
        self._clock = clock
        self._pace = pace
        self._ring = ring

    async def handle(self, leased: PostingLease, interaction: Interaction, failed: Failed) -> None:
        """Record what comes next for this posting, and tell whoever must know."""
        posting = leased.posting
        if failed.trouble is Trouble.LIMITED:
            seconds = max(_LIMITED_PAUSE if failed.retry_after is None else failed.retry_after, 1.0)
            self._pace.pause(failed.method, seconds)
            await self.later(leased, error=failed.error, seconds=seconds, counts=False)
        elif failed.trouble is Trouble.WORKSPACE:
            log.error("workspace_refuses", error=failed.error, tenant=posting.tenant)
            self._pace.pause_all(WORKSPACE_PAUSE)
            await self.later(leased, error=failed.error, seconds=WORKSPACE_PAUSE, counts=False)
        elif _is_worth_a_try(posting, failed.trouble):
            log.warning("card_retried", posting=posting.id, error=failed.error, attempts=posting.attempts + 1)
            await self.later(leased, error=failed.error, seconds=failed.retry_after or _wait(posting, failed.trouble))
        else:
            await self._unreachable(leased, interaction, failed)

    async def later(self, leased: PostingLease, *, error: str | None, seconds: float, counts: bool = True) -> None:
        """Due again in so many seconds; what was shown as failed stays shown so."""
        await self._retry(leased, error, self._clock.now() + timedelta(seconds=seconds), counts=counts)

    async def crashed(self, leased: PostingLease) -> None:
        """A fault of ours, logged by the caller, hit this posting: nothing is known about its interaction."""
        posting = leased.posting
        due_at = self._clock.now() + timedelta(seconds=backoff(posting.attempts))
        is_failed = posting.attempts + 1 >= REFUSED_TRIES
        await self._retry(leased, "(internal)", due_at, failed=is_failed)

    async def let_go(self, leased: PostingLease) -> None:
        """It never reached its place, and nobody needs it there any more."""
        await self._retry(leased, leased.posting.error, None, failed=True, counts=False)

    async def appeared(self, interaction: Interaction) -> None:
        """A card stands where it could not: who was told so is told that."""
        copies = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        for copy in copies[interaction.id]:
            if is_of_cards(copy):
                await self.repaint(copy)

    async def complete(self, interaction: Interaction) -> None:
        """A line went out before a card failed of which it would have told: a notice does."""
        copies = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        asker = interaction.requested_by
        cards = [copy for copy in copies[interaction.id] if copy.role is Role.CARD and copy.address != asker]
        if asker is not None and any(card.failed_at is not None for card in cards):
            await self._add(interaction, Role.NOTICE, asker)

    async def repaint(self, posting: Posting) -> None:
        """Its words hang on other postings, which raise no `wanted`. One that is not there yet is behind anyway."""
        if posting.channel is None or posting.ts is None:
            return
        await self._store.mark_behind(
            tenant=posting.tenant, interaction_id=posting.interaction_id, channel=posting.channel, ts=posting.ts
        )
        self._ring()

    async def _unreachable(self, leased: PostingLease, interaction: Interaction, failed: Failed) -> None:
        posting = leased.posting
        if await self._outcomes.tell_by_dm(leased, interaction):
            log.warning("line_goes_by_dm", posting=posting.id, address=posting.address, error=failed.error)
            return
        is_news = posting.failed_at is None or posting.error != failed.error
        if is_news:
            log.error(
                "card_failed",
                posting=posting.id,
                interaction=interaction.id,
                address=posting.address,
                error=failed.error,
            )
        # Before it is given up: who dies in between comes here again.
        await self._outcomes.tell(interaction, known=replace(posting, failed_at=self._clock.now()))
        due_at = self._again(posting, interaction, failed.trouble)
        is_ours = await self._retry(leased, failed.error, due_at, failed=True)
        if is_ours and posting.role is Role.CARD:
            await self._tell_of(interaction, posting, failed, is_news=is_news)

    async def _tell_of(self, interaction: Interaction, card: Posting, failed: Failed, *, is_news: bool) -> None:
        """Its thread, and who asked; each once, and not what a line of how it ended is still going to say."""
        found = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        copies, asker = found[interaction.id], interaction.requested_by
        if is_news and interaction.is_pending and card.ts is None:
            await self._mention_beside(interaction, card, copies)
        thread = thread_of(card)
        is_dumb = failed.trouble is Trouble.FROZEN and not interaction.is_pending
        lines = [copy for copy in copies if line_of(copy) is not None]
        is_said = any(is_beside(line, card) for line in lines)
        if is_dumb and thread is not None and not is_said:
            await self._add(interaction, Role.OUTCOME, thread.address, thread_ts=thread.thread_ts)
        if asker is None or asker == card.address:
            return
        is_noticed = any(is_of_cards(copy) for copy in copies)
        if not is_noticed and any(says_of(copy, card, asker=asker) for copy in copies):
            return
        notice = await self._add(interaction, Role.NOTICE, asker)
        if is_news:
            await self.repaint(notice)

    async def _mention_beside(self, interaction: Interaction, card: Posting, copies: Sequence[Posting]) -> None:
        """Of several channels the first card mentions; where it came to nothing, a line beside the next one does."""
        others = (copy for copy in copies if copy.role is Role.CARD and not is_personal(copy) and copy.id > card.id)
        beside = next((copy for copy in others if copy.ts is not None and copy.failed_at is None), None)
        if is_personal(card) or beside is None or beside.channel is None:
            return
        thread_ts = beside.thread_ts or beside.ts
        await self._add(interaction, Role.REMINDER, beside.channel, thread_ts=thread_ts, about=About.REMINDED)

    async def _add(
        self,
        interaction: Interaction,
        role: Role,
        address: str,
        *,
        thread_ts: str | None = None,
        about: About | None = None,
    ) -> Posting:
        added = await self._store.add_posting(
            tenant=interaction.tenant,
            interaction_id=interaction.id,
            role=role,
            address=address,
            now=self._clock.now(),
            thread_ts=thread_ts,
            about=about,
        )
        self._ring()
        return added

    def _again(self, posting: Posting, interaction: Interaction, trouble: Trouble) -> datetime | None:
        """None: never; the interaction is over, and nothing of ours can be set right, or nobody would read it."""
        now = self._clock.now()
        if interaction.is_pending:
            return now + timedelta(seconds=_CAP if trouble is Trouble.REFUSED else PLACE_AGAIN)
        ended = interaction.resolved_at or interaction.created_at
        is_absent = posting.role is Role.CARD and posting.ts is None
        if is_absent or posting.role is Role.OUTCOME or trouble is Trouble.FROZEN or now - ended > OLD_COPY_FOR:
            return None
        return now + timedelta(seconds=OLD_COPY_AGAIN)

    async def _retry(
        self,
        leased: PostingLease,
        error: str | None,
        due_at: datetime | None,
        *,
        failed: bool = False,
        counts: bool = True,
    ) -> bool:
        return await self._store.retry_posting(
            posting=leased.posting,
            lease=leased.lease,
            error=error,
            due_at=due_at,
            failed=failed or leased.posting.failed_at is not None,
            counts=counts,
        )


def is_over(posting: Posting, interaction: Interaction) -> bool:
    """Whether a place that could not be reached is not waited for any more."""
    is_absent = posting.role is Role.CARD and posting.ts is None
    return posting.failed_at is not None and is_absent and not interaction.is_pending


def backoff(attempts: int, cap: float = _CAP) -> float:
    """1, 2, 4 … seconds, for any number of attempts."""
    return min(cap, 2.0 ** min(attempts, _MOST_DOUBLINGS))


def _is_worth_a_try(posting: Posting, trouble: Trouble) -> bool:
    """Whether it is simply tried again: troubles that pass for ever, others a few times."""
    if trouble in {Trouble.DOWN, Trouble.RETRY}:
        return True
    return posting.failed_at is None and posting.attempts + 1 < _TRIES.get(trouble, 1)


def _wait(posting: Posting, trouble: Trouble) -> float:
    """Seconds; the hub looks once a second, so replicas spread by themselves."""
    if trouble is Trouble.DOWN or (trouble is Trouble.RETRY and posting.ts is not None):
        return backoff(posting.attempts, _EDIT_CAP)
    return backoff(posting.attempts, _POST_CAP if trouble is Trouble.RETRY else _CAP)
