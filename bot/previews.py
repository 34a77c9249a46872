"""Draws and judges an ask before it is one: its card, who can decide, where it goes, what to look out for."""

from collections.abc import Iterator, Sequence

from bot.cards import Cards
from bot.listed import Names
from bot.people import Directory
from bot.policy import Allowed, judge_key
from bot.policy_console import live_keys
from bot.previewing import Asked, Caution, Decider, Place, Preview
from bot.reach import Reach, reach
from bot.slack.directory import SlackDirectory
from store import work
from store.protocol import Store
from store.rules.timing import opens_at
from store.types import Interaction

#: Accounts that are asked about for one preview: each may take a call.
MOST_ASKED = 40


class Previews:
    """Stores nothing and posts nothing: it only reads."""

    def __init__(self, *, store: Store, cards: Cards, directory: SlackDirectory, names: Names) -> None:
        self._store = store
        self._cards = cards
        self._directory = directory
        self._names = names

    async def of(self, asked: Asked[Interaction]) -> Preview:
        interaction = asked.interaction
        found = await self._reach(interaction, self._directory)
        places, unchecked = await self._places(interaction)
        first = work.cards(interaction)[0].posting
        shown = await self._directory.names([*found.users, *found.left_out])
        return Preview(
            card=await self._cards.render(interaction, first),
            places=places,
            deciders=[Decider(id=id, name=shown.get(id), groups=groups) for id, groups in found.users.items()],
            left_out=[Decider(id=id, name=shown.get(id), why=why) for id, why in found.left_out.items()],
            keys=found.keys,
            is_whole=found.is_whole,
            warnings=[*_of_deciders(interaction, found), *_of_places(places), *unchecked, *_of_times(interaction)],
        )

    async def _reach(self, interaction: Interaction, directory: Directory) -> Reach:
        """Who asked is left out of an approval; whoever is named answers questions."""
        keys = [
            key
            for key in await live_keys(self._store, interaction.tenant)
            if isinstance(judge_key(interaction=interaction, key=key), Allowed)
        ]
        return await reach(
            interaction.named,
            keys=keys,
            tenant=interaction.tenant,
            directory=directory,
            barred=interaction.barred,
            most=MOST_ASKED,
        )

    async def _places(self, interaction: Interaction) -> tuple[Sequence[Place], Sequence[Caution]]:
        to = interaction.destination
        people = [Place(address=user, is_channel=False, is_reachable=None) for user in to.users]
        seen = await self._names.channels(tenant=interaction.tenant, ids=to.channels)
        if not isinstance(seen, dict):
            unknown = [Place(address=id, is_channel=True, is_reachable=None) for id in to.channels]
            words = "Slack does not say whether the app is in the channels."
            return [*unknown, *people], [Caution(code="channels_unchecked", words=words)]
        channels = [
            Place(address=id, is_channel=True, is_reachable=id in seen and seen[id].is_open) for id in to.channels
        ]
        return [*channels, *people], []


def _of_deciders(interaction: Interaction, found: Reach) -> Iterator[Caution]:
    for fault in found.faults:
        yield Caution(code=fault.flaw.value, words=f"{fault.words[0].upper()}{fault.words[1:]}.")
    too_few = found.too_few(interaction.approvers.quorum)
    if too_few is None:
        return
    barred = [user for user, why in found.left_out.items() if why == "requester"]
    asks = f" {', '.join(barred)} asked for it, and may not decide." if barred else ""
    code = "too_few_can_decide" if found.able else "nobody_can_decide"
    yield Caution(code=code, words=f"{too_few}.{asks}")


def _of_places(places: Sequence[Place]) -> Iterator[Caution]:
    for place in places:
        if place.is_reachable is False:
            words = f"The app is not in the channel {place.address}, or it is archived: its card fails. Invite the app."
            yield Caution(code="not_in_channel", words=words)


def _of_times(interaction: Interaction) -> Iterator[Caution]:
    """What falls behind the deadline, and a deadline at which nobody works."""
    ends, terms = interaction.expires_at, interaction.terms
    if ends is None:
        return
    waits = ends - interaction.created_at
    reminders = terms.reminders
    if reminders is not None and reminders.after >= waits:
        yield Caution(code="no_reminder", words="It expires before its first reminder.")
    if any(step.after >= waits for step in terms.escalation):
        yield Caution(code="no_escalation", words="It expires before all have been asked that escalation names.")
    hours = None if reminders is None else reminders.hours
    if hours is not None and opens_at(hours, ends) != ends:
        words = f"It expires outside of the working hours {hours.start:%H:%M}-{hours.end:%H:%M} ({hours.zone})."
        yield Caution(code="expires_off_hours", words=words)
