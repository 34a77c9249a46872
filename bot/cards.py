"""What a posting shows: the newest state of its interaction, with names and links that only we know."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from blocks import approval, outcome, phase, plain, question, silence
from blocks.outcome import Place
from blocks.richtext import is_user
from blocks.surface import Message, Paint
from bot import precedents
from bot.lookups import link_to
from bot.outcomes import is_beside, is_of_cards, line_of, silence_of
from bot.reminders import Ready, Reminders
from bot.slack.directory import SlackDirectory
from store.protocol import Store
from store.terms import holding
from store.types import About, Approval, Interaction, Posting, QuestionSet, Role, Stop
from store.work import is_personal

#: Seconds that a card may wait for the name of who asked: the id would stay on it.
_NAME_WITHIN = 5.0
#: Characters above which drawing takes longer than the event loop may stand still (20 ms).
_BIG = 20_000


class Cards:
    """Renders from the database only, never from what Slack sent."""

    def __init__(
        self, *, store: Store, directory: SlackDirectory, team_url: str | None, operators: tuple[str, ...]
    ) -> None:
        self._store = store
        self._directory = directory
        self._team_url = team_url
        self._operators = operators
        self._reminders = Reminders(store=store, directory=directory)

    async def ready(self, interaction: Interaction, posting: Posting, *, now: datetime) -> Ready:
        """Whether this posting is still to be sent, asked before it is drawn."""
        return await self._reminders.ready(interaction, posting, now=now)

    async def render(self, interaction: Interaction, posting: Posting) -> Message:
        if is_of_cards(posting):
            return await self._notice(interaction)
        if posting.role is Role.NOTICE:
            return await self._silence(interaction, posting)
        if posting.role is Role.OUTCOME:
            return await self._outcome(interaction, posting)
        if posting.role is Role.REMINDER:
            return await self._reminders.message(interaction, posting)
        paint = await self._paint(interaction, posting)
        if _length(interaction) > _BIG:
            return await asyncio.to_thread(_draw, interaction, paint)
        return _draw(interaction, paint)

    async def smaller(self, interaction: Interaction, posting: Posting, message: Message) -> Sequence[Message]:
        """For what Slack would not take whole, the next one where it does not take that either: a card's title and
        state, with mentions and without; of any other message its words alone.
        """
        if posting.role is not Role.CARD:
            return [Message(text=message.text, blocks=())]
        paint = await self._paint(interaction, posting)
        named = await self._directory.names(interaction.deciders.users, within=_NAME_WITHIN)
        return [
            plain.card(interaction, paint),
            plain.words(interaction, replace(paint, names={**paint.names, **named})),
        ]

    def permalink(self, channel: str, ts: str, thread_ts: str | None) -> str | None:
        """Slack's own link to a message; built here, for a call between posting and recording could be cut off."""
        if self._team_url is None:
            return None
        link = f"{self._team_url.rstrip('/')}/archives/{channel}/p{ts.replace('.', '')}"
        return link if thread_ts is None else f"{link}?thread_ts={thread_ts}&cid={channel}"

    async def _paint(self, interaction: Interaction, posting: Posting) -> Paint:
        if interaction.is_pending:
            await self._warm(interaction)
        # Those with a copy of their own are named in the channel without a second ping.
        people = {user for user in (interaction.requested_by, *interaction.destination.users) if user is not None}
        replaced = None
        if isinstance(interaction, Approval) and interaction.supersedes is not None:
            replaced = await self._store.find_approval(tenant=interaction.tenant, id=interaction.supersedes)
        precedent = await precedents.find(self._store, interaction)
        people |= precedents.people(precedent)
        mention = await self._mentions(interaction, posting)
        if not mention:
            people |= {*interaction.deciders.users}
        return Paint(
            revision=posting.wanted,
            mention=mention,
            names=await self._directory.names(people, within=_NAME_WITHIN),
            dm_users=frozenset(interaction.destination.users) - {posting.address},
            replaces=replaced,
            replaces_link=await self._link(interaction.tenant, interaction.supersedes),
            replaced_by_link=await self._link(interaction.tenant, interaction.superseded_by),
            lapsed=isinstance(interaction, Approval) and interaction.lapsed_at is not None,
            operators=self._operators,
            stopped=await self._stopped(interaction),
            precedent=precedent,
            is_compared=precedents.is_compared(interaction),
        )

    async def _mentions(self, interaction: Interaction, posting: Posting) -> bool:
        """One ask, one ping: of several channels the first mentions; another one where none before it got through.

        What waits for nobody any more mentions nobody who could decide.
        """
        _, *others = interaction.destination.channels or ("",)
        if not interaction.is_pending or is_personal(posting) or not others:
            return True
        for card in await self._copies(interaction):
            if card.id == posting.id:
                return True
            fares = card.failed_at is None and (card.ts is not None or not card.attempts)
            if card.role is Role.CARD and not is_personal(card) and fares:
                return False
        return True

    async def _warm(self, interaction: Interaction) -> None:
        """So that a click on it needs no look-up: members before it is painted, accounts beside that."""
        who = interaction.deciders
        members = await self._directory.warm(who.groups)
        self._directory.warm_accounts([*who.users, *members])

    async def _stopped(self, interaction: Interaction) -> Stop | None:
        """The stop that keeps it from starting, as long as it has not."""
        if not isinstance(interaction, Approval) or not phase.may_start(interaction):
            return None
        return holding(await self._store.list_stops(tenant=interaction.tenant), interaction.tool_name)

    async def _link(self, tenant: str, id: str | None) -> str | None:
        if id is None:
            return None
        copies = (await self._store.find_postings(tenant=tenant, interaction_ids=[id]))[id]
        return link_to(copies)

    async def _outcome(self, interaction: Interaction, line: Posting) -> Message:
        copies = await self._copies(interaction)
        failed = [copy for copy in copies if copy.role is Role.CARD and copy.failed_at is not None]
        said = line_of(line)
        about = None if said is None else said.about
        if about is About.RAN:
            failed = []
        if line.thread_ts is not None:
            mention = None if about is None else interaction.requested_by
            is_stale = any(is_beside(line, card) for card in failed)
            who = [actor.id for actor in outcome.spoken_of(interaction, about) if is_user(actor.id)]
            names = await self._directory.names(who, within=_NAME_WITHIN)
            return outcome.thread_outcome(interaction, mention=mention, names=names, about=about, is_stale=is_stale)
        is_noticed = any(is_of_cards(copy) for copy in copies)
        places = [] if is_noticed else [_place(card) for card in failed if card.address != line.address]
        return outcome.dm_requester(interaction, link=link_to(copies), about=about, places=places)

    async def _notice(self, interaction: Interaction) -> Message:
        cards = [copy for copy in await self._copies(interaction) if copy.role is Role.CARD]
        link = next((copy.permalink for copy in cards if copy.permalink is not None), None)
        return outcome.dm_card_failed(interaction, places=[_place(copy) for copy in cards], link=link)

    async def _silence(self, interaction: Interaction, asks: Posting) -> Message:
        assert isinstance(interaction, Approval)
        link = link_to([copy for copy in await self._copies(interaction) if copy.role is Role.CARD])
        return silence.notice(interaction, link=link, is_open=silence_of(interaction) == asks.turn)

    async def _copies(self, interaction: Interaction) -> Sequence[Posting]:
        found = await self._store.find_postings(tenant=interaction.tenant, interaction_ids=[interaction.id])
        return found[interaction.id]


def _place(copy: Posting) -> Place:
    error = None if copy.failed_at is None else copy.error or ""
    return Place(address=copy.address, error=error, has_card=copy.ts is not None)


def _draw(interaction: Interaction, paint: Paint) -> Message:
    if isinstance(interaction, Approval):
        return approval.card(interaction, paint)
    assert isinstance(interaction, QuestionSet)
    return question.card(interaction, paint)


def _length(interaction: Interaction) -> int:
    """Characters that drawing has to read."""
    if isinstance(interaction, Approval):
        return sum(len(words or "") for words in (interaction.input_json, interaction.body, interaction.details))
    assert isinstance(interaction, QuestionSet)
    return sum(len(option.label) for asked in interaction.questions for option in asked.options)
