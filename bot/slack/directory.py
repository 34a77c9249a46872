"""Names and group members, as Slack tells them, remembered for a while. What it does not know, it says so."""

import asyncio
import contextlib
from collections.abc import Iterable
from datetime import datetime, timedelta

import structlog

from bot.clock import Clock
from bot.slack.client import Done, SlackClient

log = structlog.get_logger("signoff.directory")

#: Members older than this are asked for again before they decide anything.
MEMBERS_FRESH = timedelta(seconds=60)
#: What a click may spend on asking, in seconds, of its 2.5.
MEMBERS_BUDGET = 1.0
#: As much for the names of a list; a card may wait longer for its one name.
NAMES_BUDGET = 1.0
NAMES_FRESH = timedelta(hours=1)
#: A name that Slack did not tell is not asked for again at every repaint.
NAMES_RETRY = timedelta(minutes=1)
_MOST_NAMES = 10_000


class SlackDirectory:
    """One workspace's people. Names are for reading only; nothing is ever decided by a name."""

    def __init__(self, *, client: SlackClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._members: dict[str, tuple[datetime, frozenset[str]]] = {}
        self._names: dict[str, tuple[datetime, str | None]] = {}

    async def members(self, *, tenant: str, group: str) -> frozenset[str] | None:  # noqa: ARG002  one workspace, one tenant
        """User ids of a group, at most a minute old, within a click's budget; None when Slack did not say."""
        known = self._members.get(group)
        if known is not None and self._clock.now() - known[0] <= MEMBERS_FRESH:
            return known[1]
        try:
            return await asyncio.wait_for(self.warm(group), MEMBERS_BUDGET)
        except TimeoutError:
            log.warning("group_slow", group=group)
            return None

    async def warm(self, group: str) -> frozenset[str] | None:
        """Ask Slack now; also called when a card is painted, so that its clicks need not wait."""
        asked = self._clock.now()
        outcome = await self._client.call("usergroups.users.list", usergroup=group)
        if not isinstance(outcome, Done):
            log.warning("group_unreadable", group=group, error=outcome.error)
            return None
        users = frozenset(str(user) for user in outcome.data.get("users") or ())
        self._members[group] = (asked, users)
        return users

    async def names(self, users: Iterable[str], *, within: float = NAMES_BUDGET) -> dict[str, str]:
        """Display names by id; whom Slack does not tell in time (seconds) is left out."""
        wanted = set(users)
        asking = [self._ask_name(user) for user in wanted if not self._is_fresh(user)]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*asking), within)
        known = {user: self._names[user][1] for user in wanted if user in self._names}
        return {user: name for user, name in known.items() if name is not None}

    def _is_fresh(self, user: str) -> bool:
        known = self._names.get(user)
        if known is None:
            return False
        return self._clock.now() - known[0] <= (NAMES_FRESH if known[1] is not None else NAMES_RETRY)

    async def _ask_name(self, user: str) -> None:
        if len(self._names) >= _MOST_NAMES:
            self._names.clear()
        outcome = await self._client.call("users.info", user=user)
        name = _name(outcome.data.get("user")) if isinstance(outcome, Done) else None
        self._names[user] = (self._clock.now(), name)


def _name(user: object) -> str | None:
    if not isinstance(user, dict):
        return None
    profile = user.get("profile")
    shown = profile.get("real_name") if isinstance(profile, dict) else None
    found = user.get("real_name") or shown or user.get("name")
    return found if isinstance(found, str) and found else None
