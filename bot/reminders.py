"""Lines while something waits: whom each mentions, and whether it is still worth saying. Each pings once."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

import structlog

from blocks import limits, reminder
from blocks.surface import Message
from bot.lookups import link_to
from bot.people import Directory, Unreadable
from store.protocol import Store
from store.types import About, Approval, Approvers, Hop, Interaction, Posting, Role
from store.work import is_personal

log = structlog.get_logger("signoff.reminders")

#: Members of an escalated group who get a card each, where no channel tells them.
MOST_CARDS = 20
#: Seconds until a group that Slack did not tell just now is asked for again.
GROUP_AGAIN = 60.0


class Ready(StrEnum):
    SAY = "say"
    #: It came to nothing before it was said: its posting ends quietly.
    MOOT = "moot"
    LATER = "later"


class Reminders:
    """What the painter asks about postings that say one thing once."""

    def __init__(self, *, store: Store, directory: Directory) -> None:
        self._store = store
        self._directory = directory

    async def ready(self, interaction: Interaction, line: Posting, *, now: datetime) -> Ready:
        """A line that is addressed to a group becomes a card for each of its members, and is moot itself."""
        if line.role is not Role.REMINDER:
            is_untrue = line.about is About.RESOLVED and line.ts is None and _is_taken_back(interaction)
            return Ready.MOOT if is_untrue else Ready.SAY
        if not interaction.is_pending:
            return Ready.MOOT
        copies = await self._copies(interaction)
        if line.address.startswith("S"):
            return await self._spread(interaction, line, copies, now=now)
        if _is_overtaken(line, copies):
            return Ready.MOOT
        return Ready.SAY if await self._mentions(interaction, line, copies) else Ready.MOOT

    async def message(self, interaction: Interaction, line: Posting) -> Message:
        copies = await self._copies(interaction)
        mention = await self._mentions(interaction, line, copies)
        beside = next((card for card in copies if _is_beside(line, card)), None)
        link = beside.permalink if beside is not None else link_to(copies)
        return reminder.reminder(interaction, mention=mention, about=line.about, link=link)

    async def _spread(
        self, interaction: Interaction, line: Posting, copies: Sequence[Posting], *, now: datetime
    ) -> Ready:
        members = await self._directory.members(tenant=interaction.tenant, group=line.address)
        if members is Unreadable.NOW:
            return Ready.LATER
        if isinstance(members, Unreadable):
            log.error("escalation_unreachable", interaction=interaction.id, group=line.address)
            return Ready.MOOT
        known = {card.address for card in _personal(copies)} | _done(interaction)
        for user in sorted(members - known)[:MOST_CARDS]:
            await self._store.add_posting(
                tenant=interaction.tenant, interaction_id=interaction.id, role=Role.CARD, address=user, now=now
            )
        return Ready.MOOT

    async def _mentions(self, interaction: Interaction, line: Posting, copies: Sequence[Posting]) -> Sequence[str]:
        """Who may decide and has not said anything; in a channel without those whose own card has a line of its own."""
        deciders = interaction.deciders
        who: Approvers | Hop = deciders
        if line.about is About.ESCALATED:
            newer = sum(c.about is About.ESCALATED and c.address == line.address and c.turn > line.turn for c in copies)
            hops = interaction.course.hops
            who = hops[max(len(hops) - 1 - newer, 0)] if hops else deciders
        done = _done(interaction)
        own = next((card.address for card in _personal(copies) if _is_beside(line, card)), None)
        if own is not None:
            named = {*who.users, *await self._members(interaction.tenant, who.groups)}
            return [own] if own in named - done else []
        left_out = done | {card.address for card in _personal(copies) if card.failed_at is None}
        found = [user for user in who.users if user not in left_out]
        for group in who.groups:
            members = await self._directory.members(tenant=interaction.tenant, group=group)
            if isinstance(members, Unreadable) or len(members) > limits.PEOPLE:
                found.append(group)
            else:
                found += sorted(members - left_out)
        return list(dict.fromkeys(found))

    async def _members(self, tenant: str, groups: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for group in groups:
            members = await self._directory.members(tenant=tenant, group=group)
            found |= set() if isinstance(members, Unreadable) else members
        return found

    async def _copies(self, interaction: Interaction) -> Sequence[Posting]:
        found = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        return found[interaction.id]


def _is_taken_back(interaction: Interaction) -> bool:
    return isinstance(interaction, Approval) and interaction.course.taken_back_at is not None


def _done(interaction: Interaction) -> set[str]:
    """Of whom nothing is wanted: who has voted, and who asked, where somebody else decides."""
    votes = interaction.votes if isinstance(interaction, Approval) else ()
    return {vote.actor.id for vote in votes} | interaction.barred


def _personal(copies: Sequence[Posting]) -> Sequence[Posting]:
    return [copy for copy in copies if copy.role is Role.CARD and is_personal(copy)]


def _is_beside(line: Posting, card: Posting) -> bool:
    is_there = card.role is Role.CARD and card.ts is not None
    return is_there and (card.channel, card.thread_ts or card.ts) == (line.address, line.thread_ts)


def _is_overtaken(line: Posting, copies: Sequence[Posting]) -> bool:
    """Whether a newer line says the same at the same place: what could not be sent for long is not sent in a heap."""
    if line.about is About.ESCALATED:
        return False
    newer = (c for c in copies if c.role is Role.REMINDER and c.address == line.address and c.turn > line.turn)
    return any(copy.about is not About.ESCALATED for copy in newer)
