"""Names and group members, as Slack tells them, remembered for a while. What it does not know, it says so."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from bot.clock import Clock
from bot.flights import Flights
from bot.people import Members, Standing, Unreadable
from bot.slack.client import Done, Failed, SlackClient, Trouble
from bot.tasks import TaskSet

log = structlog.get_logger("signoff.directory")

#: Members older than this are asked for again before they decide anything.
MEMBERS_FRESH = timedelta(seconds=60)
#: What a click may spend on asking, in seconds, of its 2.5.
MEMBERS_BUDGET = 1.0
#: What a card may spend on it, before it is painted all the same.
WARM_BUDGET = 5.0
#: As much for the names of a list; a card may wait longer for its one name.
NAMES_BUDGET = 1.0
NAMES_FRESH = timedelta(hours=1)
#: A name that Slack did not tell is not asked for again at every repaint.
NAMES_RETRY = timedelta(minutes=1)
_MOST_NAMES = 10_000
#: Accounts that one card has looked up, that wait for it in all, and that are asked for at the same time.
_MOST_WARMED = 40
_MOST_COLD = 400
_WARMED_AT_ONCE = 4
#: Slack's words for a group that no later try can read, beside those that its client knows.
_NEVER = frozenset({"no_such_subteam", "subteam_not_found", "plan_upgrade_required", "paid_teams_only"})
_HOPELESS = frozenset({Trouble.PLACE, Trouble.WORKSPACE, Trouble.OURS, Trouble.REFUSED})


class SlackDirectory:
    """One workspace's people. Names are for reading only; nothing is ever decided by a name.

    `click_budget`: seconds that a click may wait for a group. `team`: the workspace's id, which a token of a whole
    organisation has to say.
    """

    def __init__(
        self, *, client: SlackClient, clock: Clock, team: str | None = None, click_budget: float = MEMBERS_BUDGET
    ) -> None:
        self._client = client
        self._clock = clock
        self._team = team
        self._click_budget = click_budget
        self._members: dict[str, tuple[datetime, Members]] = {}
        self._names: dict[str, _Account] = {}
        self._groups = Flights("group", self._ask_group)
        self._people = Flights("name", self._ask_name)
        self._cold: dict[str, None] = {}
        self._warming = TaskSet()

    async def members(self, *, tenant: str, group: str) -> Members:  # noqa: ARG002  one workspace, one tenant
        """User ids of a group, at most a minute old, within a click's budget; or why they are not known.

        A group that answers too slowly for this click is remembered when it does, for the next one.
        """
        return await self._members_within(group, self._click_budget)

    async def warm(self, groups: Iterable[str]) -> list[str]:
        """Before a card is painted, so that its clicks need not wait; returns at the latest after `WARM_BUDGET`.

        Returns the members that are known, those of the first group first.
        """
        found = await asyncio.gather(*(self._members_within(group, WARM_BUDGET) for group in dict.fromkeys(groups)))
        return [user for members in found if not isinstance(members, Unreadable) for user in sorted(members)]

    def warm_accounts(self, users: Iterable[str]) -> None:
        """The first of them that are not known, beside whatever goes on: few at a time, and never twice in a while."""
        unknown = [user for user in dict.fromkeys(users) if not self._is_fresh(user)]
        for user in unknown[:_MOST_WARMED]:
            if len(self._cold) < _MOST_COLD:
                self._cold[user] = None
        if self._cold and not len(self._warming):
            self._warming.start("directory.warm", self._warm_cold())

    async def _warm_cold(self) -> None:
        while self._cold:
            batch = list(self._cold)[:_WARMED_AT_ONCE]
            await asyncio.gather(*(self._people.join(user, within=WARM_BUDGET) for user in batch))
            for user in batch:
                self._cold.pop(user, None)

    async def names(self, users: Iterable[str], *, within: float = NAMES_BUDGET) -> dict[str, str]:
        """Display names by id; whom Slack does not tell in time (seconds) is left out."""
        wanted = set(users)
        asking = [self._people.join(user, within=within) for user in wanted if not self._is_fresh(user)]
        await asyncio.gather(*asking)
        known = {user: self._names[user].name for user in wanted if user in self._names}
        return {user: name for user, name in known.items() if name is not None}

    async def standing(self, *, tenant: str, user: str) -> Standing | Unreadable:  # noqa: ARG002  as above
        """What an account is, at most an hour old, within a click's budget; or that Slack does not say."""
        if not self._is_fresh(user):
            await self._people.join(user, within=self._click_budget)
        known = self._names.get(user)
        return Unreadable.NOW if known is None or known.standing is None else known.standing

    def remembered(self, *, tenant: str, user: str) -> str | None:  # noqa: ARG002  as above
        """What this account was last called, where that is known without asking."""
        known = self._names.get(user)
        return None if known is None else known.name

    async def close(self) -> None:
        """Stop asking."""
        await self._warming.cancel()
        await self._groups.close()
        await self._people.close()

    async def _members_within(self, group: str, seconds: float) -> Members:
        known = self._members.get(group)
        if known is not None and self._clock.now() - known[0] <= MEMBERS_FRESH:
            return known[1]
        found = await self._groups.join(group, within=seconds)
        if found is None:
            log.warning("group_slow", group=group)
        return Unreadable.NOW if found is None else found

    async def _ask_group(self, group: str) -> Members:
        asked = self._clock.now()
        outcome = await self._client.call("usergroups.users.list", usergroup=group, team_id=self._team)
        if isinstance(outcome, Done):
            found: Members = frozenset(str(user) for user in outcome.data.get("users") or ())
        elif _is_hopeless(outcome):
            log.error("group_gone", group=group, error=outcome.error)
            found = Unreadable.EVER
        else:
            log.warning("group_unreadable", group=group, error=outcome.error)
            return Unreadable.NOW
        self._members[group] = (asked, found)
        return found

    def _is_fresh(self, user: str) -> bool:
        known = self._names.get(user)
        return known is not None and self._clock.now() <= known.fresh_until

    async def _ask_name(self, user: str) -> None:
        if len(self._names) >= _MOST_NAMES:
            self._names.clear()
        asked = self._clock.now()
        outcome = await self._client.call("users.info", user=user)
        told = outcome.data.get("user") if isinstance(outcome, Done) else None
        if not isinstance(told, dict):
            # What was known of them stands until Slack says otherwise: it is only asked for again soon.
            before = self._names.get(user) or _Account(fresh_until=asked)
            self._names[user] = replace(before, fresh_until=asked + NAMES_RETRY)
            return
        self._names[user] = _Account(fresh_until=asked + NAMES_FRESH, name=_name(told), standing=standing_of(told))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Account:
    """What Slack said of a person, if it did, and until when it is not asked again."""

    fresh_until: datetime
    name: str | None = None
    standing: Standing | None = None


def standing_of(user: dict[str, object]) -> Standing:
    """Of a user object."""
    if user.get("deleted"):
        return Standing.DEACTIVATED
    if user.get("is_bot") or user.get("id") == "USLACKBOT":
        return Standing.BOT
    if user.get("is_restricted") or user.get("is_ultra_restricted"):
        return Standing.GUEST
    return Standing.MEMBER


def _is_hopeless(outcome: Failed) -> bool:
    return outcome.trouble in _HOPELESS or outcome.error in _NEVER


def _name(user: dict[str, Any]) -> str | None:
    profile = user.get("profile")
    shown = profile.get("real_name") if isinstance(profile, dict) else None
    found = user.get("real_name") or shown or user.get("name")
    return found if isinstance(found, str) and found else None
