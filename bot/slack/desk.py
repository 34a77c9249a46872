"""What a listener has at hand, and the few things that all of them do."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import structlog

from blocks import notices
from blocks.surface import Message, Note
from bot.clock import Clock
from bot.lookups import Lookups
from bot.policy import GroupUnreadable, NotAllowed, OtherWorkspace, OwnRequest, ReasonRequired, Refusal
from bot.service import Service
from bot.slack.directory import SlackDirectory
from bot.slack.errands import Errands
from bot.slack.payloads import Click, Origin
from store import errors
from store.protocol import Store
from store.types import Interaction

log = structlog.get_logger("signoff.desk")


Words = TypeVar("Words", bound=Message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    service: Service
    lookups: Lookups
    errands: Errands
    store: Store
    clock: Clock
    operators: frozenset[str]
    directory: SlackDirectory
    #: Rings the painter.
    ring: Callable[[], None]

    def is_operator(self, origin: Origin) -> bool:
        return origin.person.user_id in self.operators

    async def names(self, users: Iterable[str | None]) -> Mapping[str, str]:
        return await self.directory.names(user for user in users if user is not None)

    async def answered(
        self, origin: Origin, attempt: Awaitable[Message | None], *, thread_ts: str | None = None
    ) -> None:
        """Make the attempt, and tell the person privately whatever it came to; None is told by the card itself."""
        note = await self.worded(attempt)
        if note is not None:
            self.errands.note(origin, note, thread_ts=thread_ts)

    async def worded(self, attempt: Awaitable[Words | None]) -> Words | Note | None:
        """The attempt's own words, or ours for what it raised. Never raises: a click is always answered."""
        try:
            return await attempt
        except errors.NotFound:
            return notices.gone()
        except errors.Unconfirmed:
            log.warning("click_unconfirmed")
            return notices.unconfirmed()
        except Exception:
            # Nothing is known about what was committed: the only honest words are these.
            log.exception("click_failed")
            return notices.unconfirmed()

    def refused(self, refusal: Refusal) -> Note:
        match refusal:
            case NotAllowed(approvers=approvers):
                return notices.not_allowed(approvers)
            case OwnRequest(approvers=approvers, requested_by=requester):
                return notices.own_request(approvers, requester)
            case OtherWorkspace(approvers=approvers):
                return notices.other_workspace(approvers)
            case GroupUnreadable(group=group):
                return notices.group_unreadable(group)
            case ReasonRequired():
                return notices.form_late()

    async def already(self, interaction: Interaction, origin: Origin) -> Note:
        """The sentence of a late click: what happened, who, when."""
        link = await self.replaced_by_link(interaction)
        return notices.already(interaction, clicker=origin.person.user_id, link=link)

    async def replaced_by_link(self, interaction: Interaction) -> str | None:
        newer = interaction.superseded_by
        if newer is None:
            return None
        copies = await self.store.find_postings(tenant=interaction.tenant, interaction_ids=[newer])
        return next((copy.permalink for copy in copies[newer] if copy.permalink), None)

    def saw_copy(self, click: Click, interaction: Interaction, *, stale: bool) -> None:
        """A message was clicked: know it as a copy. `stale`: nothing could be clicked any more, so repaint it."""
        if click.in_message and not click.is_ephemeral and click.origin.channel and click.message_ts:
            self.errands.start(
                "adopt",
                self._adopt(interaction, channel=click.origin.channel, ts=click.message_ts, stale=stale),
            )

    async def _adopt(self, interaction: Interaction, *, channel: str, ts: str, stale: bool) -> None:
        tenant = interaction.tenant
        copies = await self.store.find_postings(tenant=tenant, interaction_ids=[interaction.id])
        known = any(copy.channel == channel and copy.ts == ts for copy in copies[interaction.id])
        if not known:
            await self.store.adopt(
                tenant=tenant, interaction_id=interaction.id, channel=channel, ts=ts, now=self.clock.now()
            )
            log.info("copy_adopted", interaction=interaction.id, channel=channel)
        elif stale:
            await self.store.mark_behind(tenant=tenant, interaction_id=interaction.id, channel=channel, ts=ts)
        self.ring()
