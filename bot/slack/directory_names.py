"""Names looked up for programs that ask: what Slack lists, remembered for some minutes, asked for once at a time."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.clock import Clock
from bot.flights import Flights
from bot.listed import LacksScope, Listed, Matches, Named, NoMatches, TooMany, Unanswered
from bot.naming import nearest, seek
from bot.slack import roster
from bot.slack.client import Done, Failed, SlackClient
from bot.slack.roster import Roster

log = structlog.get_logger("signoff.names")

#: How long what Slack told is taken for true.
FRESH = timedelta(minutes=10)
#: A name that is not there is looked for again in lists older than this: what is new is found a minute later.
MISSED = timedelta(minutes=1)
#: Seconds until what failed is asked for again, where Slack does not say; and until a scope may have been added.
RETRY = 5.0
#: Seconds that one request may wait. What takes longer goes on, and is there for the next one.
WITHIN = 20.0
#: Addresses and ids remembered; one more forgets all.
_MOST_KEPT = 10_000

_CHANNELS, _GROUPS, _PEOPLE = "channels", "groups", "people"
_ID = re.compile(r"[CGUW][A-Z0-9]{5,30}")
_GROUP_ID = re.compile(r"S[A-Z0-9]{5,30}")
_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
#: Slack's words for "there is none such that you see".
_NONE = frozenset({"users_not_found", "user_not_found", "user_not_visible", "channel_not_found"})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    """What Slack told, or why not, as of `asked`."""

    asked: datetime
    fresh_until: datetime
    told: tuple[Listed, ...] | NoMatches


class SlackNames:
    """One workspace's. `page`, `pages`: as of a roster; `within`: seconds that one look-up may wait."""

    def __init__(
        self,
        *,
        client: SlackClient,
        clock: Clock,
        tenant: str,
        team: str,
        page: int = roster.PAGE,
        pages: int = roster.MOST_PAGES,
        within: float = WITHIN,
    ) -> None:
        self._client = client
        self._clock = clock
        self._tenant = tenant
        self._team = team
        self._roster = Roster(client, pause=None, page=page, pages=pages)
        self._within = within
        self._kept: dict[str, _Kept] = {}
        self._lists = Flights("list", self._ask_list)
        self._ones = Flights("one", self._ask_one)

    async def find(self, *, tenant: str, text: str) -> Matches | NoMatches:
        """As `Names.find`. A name that is in no list is looked for anew, once a minute."""
        wanted = unicodedata.normalize("NFC", text.strip())
        if tenant != self._tenant or not wanted.strip("#@"):
            return Matches()
        is_address = _ADDRESS.fullmatch(wanted) is not None
        if is_address or _ID.fullmatch(wanted):
            told = await self._one(wanted)
            if not isinstance(told, tuple):
                return told
            if told:
                return Matches(found=(Named(name=_name(told[0]), listed=told[0]),), is_exact=True)
        if is_address:
            return await self._like_address(wanted)
        return await self._by_name(wanted)

    async def channels(self, *, tenant: str, ids: Sequence[str]) -> dict[str, Listed] | NoMatches:
        """As `Names.channels`, one small call for each that is not known."""
        if tenant != self._tenant:
            return {}
        found: dict[str, Listed] = {}
        for told in await asyncio.gather(*(self._one(id) for id in dict.fromkeys(ids))):
            if not isinstance(told, tuple):
                return told
            found |= {each.id: each for each in told}
        return found

    async def close(self) -> None:
        await self._lists.close()
        await self._ones.close()

    async def _by_name(self, wanted: str) -> Matches | NoMatches:
        bare = wanted[1:] if wanted[0] in "#@" else wanted
        names = {"#": (_CHANNELS,), "@": (_GROUPS, _PEOPLE)}.get(wanted[0], (_CHANNELS, _GROUPS, _PEOPLE))
        known = await self._listed(names, FRESH)
        if not isinstance(known, list):
            return known
        # Many names are looked through beside the loop.
        matches = await asyncio.to_thread(_sought, bare, known)
        if matches.is_exact or all(self._age(name) <= MISSED for name in names):
            return matches
        known = await self._listed(names, MISSED)
        return await asyncio.to_thread(_sought, bare, known) if isinstance(known, list) else known

    def _age(self, key: str) -> timedelta:
        return self._clock.now() - self._kept[key].asked if key in self._kept else timedelta.max

    async def _like_address(self, wanted: str) -> Matches | NoMatches:
        """Nobody has this address: those whose names are like what stands before the @."""
        known = await self._listed((_PEOPLE,), FRESH)
        if not isinstance(known, list):
            return Matches()
        return await asyncio.to_thread(nearest, wanted.partition("@")[0], known)

    async def _listed(self, names: Sequence[str], age: timedelta) -> list[Listed] | NoMatches:
        found: list[Listed] = []
        for told in await asyncio.gather(*(self._told(self._lists, name, age) for name in names)):
            if not isinstance(told, tuple):
                return told
            found += told
        return found

    async def _one(self, wanted: str) -> tuple[Listed, ...] | NoMatches:
        """By address or id; nothing where there is none such, or they decide nothing."""
        return await self._told(self._ones, wanted, FRESH)

    async def _told(self, flights: Flights[None], key: str, age: timedelta) -> tuple[Listed, ...] | NoMatches:
        now = self._clock.now()
        kept = self._kept.get(key)
        if kept is not None and now <= kept.fresh_until:
            if not isinstance(kept.told, tuple):
                return _aged(kept.told, kept.fresh_until - now)
            if now - kept.asked <= age:
                return kept.told
        before = kept
        await flights.join(key, within=self._within)
        kept = self._kept.get(key)
        if kept is None or kept is before:
            return Unanswered(words="Slack takes long to list what it has", seconds=RETRY)
        return kept.told

    async def _ask_list(self, name: str) -> None:
        asked = self._clock.now()
        lists = {_CHANNELS: self._roster.channels, _GROUPS: self._roster.groups, _PEOPLE: self._roster.people}
        try:
            told: tuple[Listed, ...] | NoMatches = tuple(await lists[name](self._team))
        except roster.TooMany as many:
            told = TooMany(what=str(many))
        except roster.Unlisted as refused:
            told = _why(refused.failed)
        self._keep(name, asked, told)

    async def _ask_one(self, key: str) -> None:
        asked = self._clock.now()
        method, name, argument = _call_for(key)
        outcome = await self._client.call(method, **{argument: key})
        if isinstance(outcome, Failed):
            self._keep(key, asked, () if outcome.error in _NONE else _why(outcome))
            return
        self._keep(key, asked, _described(outcome, name))

    def _keep(self, key: str, asked: datetime, told: tuple[Listed, ...] | NoMatches) -> None:
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        fresh = FRESH if told else MISSED
        if isinstance(told, Unanswered):
            fresh = timedelta(seconds=told.seconds)
        elif not isinstance(told, tuple):
            fresh = MISSED
        self._kept[key] = _Kept(asked=asked, fresh_until=self._clock.now() + fresh, told=told)


def _sought(bare: str, known: Sequence[Listed]) -> Matches:
    """By name; a group also by its id."""
    if _GROUP_ID.fullmatch(bare):
        meant = [each for each in known if each.id == bare]
        if meant:
            return Matches(found=(Named(name=_name(meant[0]), listed=meant[0]),), is_exact=True)
    return seek(bare, known)


def _call_for(key: str) -> tuple[str, str, str]:
    """Method, what its reply holds, its argument."""
    if "@" in key:
        return "users.lookupByEmail", "user", "email"
    if key[0] in "UW":
        return "users.info", "user", "user"
    return "conversations.info", "channel", "channel"


def _described(outcome: Done, name: str) -> tuple[Listed, ...]:
    told = outcome.data.get(name)
    if not isinstance(told, dict) or not isinstance(told.get("id"), str):
        return ()
    if name == "user":
        return (roster.person(told),) if roster.may_be_named(told) else ()
    return (roster.channel(told),) if told.get("name") and not told.get("is_archived") else ()


def _name(listed: Listed) -> str:
    return listed.names[0] if listed.names else listed.label


def _why(failed: Failed) -> NoMatches:
    if failed.needed is not None:
        log.error("names_lack_scope", method=failed.method, scope=failed.needed)
        return LacksScope(scope=failed.needed)
    log.warning("names_unanswered", method=failed.method, error=failed.error)
    words = f"Slack answered {failed.method} with {failed.error}"
    return Unanswered(words=words, seconds=RETRY if failed.retry_after is None else max(1.0, failed.retry_after))


def _aged(told: NoMatches, left: timedelta) -> NoMatches:
    """What failed lately is not tried again before its time: as much of it as is left."""
    if isinstance(told, Unanswered):
        return Unanswered(words=told.words, seconds=max(1.0, left.total_seconds()))
    return told
