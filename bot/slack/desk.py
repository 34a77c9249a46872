"""What a listener has at hand, and the few things that all of them do."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TypeVar

import structlog

from blocks import ids, notices, stopping
from blocks.surface import Message, Note
from bot.clock import Clock
from bot.copies import Copies
from bot.lookups import Lookups
from bot.people import Standing, Unreadable
from bot.policy import (
    GroupUnreadable,
    NoMember,
    NotAllowed,
    OtherWorkspace,
    OwnRequest,
    PersonUnreadable,
    ReasonRequired,
    Refusal,
)
from bot.practice import Practice
from bot.service import Service
from bot.slack.directory import SlackDirectory
from bot.slack.errands import Errands
from bot.slack.homes import Homes
from bot.slack.payloads import Click, Origin
from store import errors
from store.protocol import Store
from store.types import Interaction, Surface

log = structlog.get_logger("signoff.desk")


Words = TypeVar("Words", bound=Message)
#: A tenant and an interaction's id.
Named = tuple[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    service: Service
    lookups: Lookups
    errands: Errands
    store: Store
    clock: Clock
    operators: frozenset[str]
    directory: SlackDirectory
    copies: Copies
    homes: Homes
    practice: Practice
    #: Rings the painter.
    ring: Callable[[], None]

    def is_operator(self, origin: Origin) -> bool:
        return origin.person.user_id in self.operators

    def not_operator(self, may: str) -> Note:
        """To somebody who is none: who is. `may`: what only operators do."""
        return stopping.not_operator(sorted(self.operators), may=may)

    async def names(self, users: Iterable[str | None]) -> Mapping[str, str]:
        return await self.directory.names(user for user in users if user is not None)

    def target(self, click: Click) -> ids.Target | None:
        """What was clicked points at; who clicked what points at nothing of ours is told so."""
        target = ids.decode(click.choice or "")
        if target is None:
            self.errands.note(click.origin, notices.gone(), thread_ts=click.thread_ts)
        return target

    async def answered(
        self, click: Click, attempt: Awaitable[Message | None], *, copy_of: Named | None = None, decides: bool = False
    ) -> None:
        """Make the attempt, and tell the person privately whatever it came to; None is told by the card itself.

        `copy_of`: whose card was clicked. Whatever the attempt came to, also where it was refused, the message is
        known as a copy from now on. `decides`: whether the attempt may have changed something.
        """
        note = await self.worded(attempt, decides=decides)
        if copy_of is not None and _is_copy(click):
            self.errands.start("adopt", self._adopt(click, copy_of))
        if note is not None:
            self.errands.note(click.origin, note, thread_ts=click.thread_ts)

    async def worded(self, attempt: Awaitable[Words | None], *, decides: bool = False) -> Words | Note | None:
        """The attempt's own words, or ours for what it raised. Never raises: a click is always answered."""
        try:
            return await attempt
        except errors.NotFound:
            return notices.gone()
        except errors.Unconfirmed:
            log.warning("click_unconfirmed", decides=decides)
        except Exception:
            log.exception("click_failed", decides=decides)
        # Where it may have been committed, nothing is known: the only honest words are these.
        return notices.unconfirmed() if decides else notices.failed()

    def refused(self, refusal: Refusal) -> Note:
        match refusal:
            case NotAllowed(approvers=approvers):
                return notices.not_allowed(approvers)
            case OwnRequest(approvers=approvers, requested_by=requester):
                return notices.own_request(approvers, requester)
            case OtherWorkspace(approvers=approvers):
                return notices.other_workspace(approvers)
            case NoMember(standing=Standing.GUEST, approvers=approvers):
                return notices.guest(approvers)
            case NoMember(approvers=approvers):
                return notices.no_person(approvers)
            case PersonUnreadable(approvers=approvers):
                return notices.person_unreadable(approvers)
            case GroupUnreadable(group=group, why=Unreadable.EVER, requested_by=requester):
                return notices.group_gone(group, requester)
            case GroupUnreadable(group=group):
                return notices.group_unreadable(group)
            case ReasonRequired():
                return notices.reason_needed()

    async def already(self, interaction: Interaction, origin: Origin) -> Note:
        """The sentence of a late click: what happened, who, when; from a list, a form or Home also where its card is."""
        tenant, newer = interaction.tenant, interaction.superseded_by
        link = None if newer is None else await self.lookups.link(tenant=tenant, id=newer)
        card = None if origin.at_card else await self.lookups.link(tenant=tenant, id=interaction.id)
        return notices.already(interaction, clicker=origin.person.user_id, link=link, card=card)

    def stale_copy(self, click: Click, interaction: Interaction) -> None:
        """A message was clicked on which nothing could be clicked any more: repaint it."""
        if _is_copy(click):
            self.errands.start("behind", self._behind(click, interaction))

    def follows(self, click: Click, interaction: Interaction) -> None:
        """Something was recorded. The card says so within a second; where it does not, we do."""
        if _is_copy(click):
            place = ids.Where(channel=click.origin.channel or "", ts=click.message_ts or "")
            self.follows_at(click.origin, interaction, place, thread_ts=click.thread_ts)

    def follows_at(
        self, origin: Origin, interaction: Interaction, where: ids.Where, *, thread_ts: str | None = None
    ) -> None:
        """The same from a form. `where`: the card that it was opened from."""
        if where.channel and where.ts:
            answering = replace(origin, channel=where.channel)
            unless = partial(self._is_painted, interaction, where, since=origin.at)
            self.errands.recorded_unless(answering, unless, thread_ts=thread_ts)

    async def _is_painted(self, interaction: Interaction, where: ids.Where, *, since: datetime) -> bool:
        """Whether that copy shows what the database says. One that we do not know (yet) will be adopted."""
        if self.copies.shows((interaction.id, where.channel, where.ts), since=since):
            return True
        copies = await self.store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        here = [c for c in copies[interaction.id] if (c.channel, c.ts) == (where.channel, where.ts)]
        return all(copy.painted >= copy.wanted for copy in here)

    async def _adopt(self, click: Click, copy_of: Named) -> None:
        tenant, id = copy_of
        channel, ts = click.origin.channel or "", click.message_ts or ""
        if self.copies.knows((id, channel, ts)):
            return
        copies = await self.store.find_postings(tenant=tenant, interaction_ids=[id])
        if any((copy.channel, copy.ts) == (channel, ts) for copy in copies[id]):
            self.copies.saw((id, channel, ts))
            return
        with contextlib.suppress(errors.NotFound):
            await self.store.adopt(tenant=tenant, interaction_id=id, channel=channel, ts=ts, now=self.clock.now())
            log.info("copy_adopted", interaction=id, channel=channel)
            self.ring()

    async def _behind(self, click: Click, interaction: Interaction) -> None:
        channel, ts = click.origin.channel or "", click.message_ts or ""
        await self.store.mark_behind(tenant=interaction.tenant, interaction_id=interaction.id, channel=channel, ts=ts)
        self.ring()


def surface_of(click: Click) -> Surface:
    if click.in_message:
        return Surface.LIST if click.is_ephemeral else Surface.CARD
    return Surface.HOME if click.origin.view_type == "home" else Surface.MODAL


def _is_copy(click: Click) -> bool:
    """A private list and a form are no copies: Slack cannot find them again."""
    return click.in_message and not click.is_ephemeral and bool(click.origin.channel and click.message_ts)
