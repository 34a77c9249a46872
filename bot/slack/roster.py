"""Everybody and every user group of a workspace, as Slack lists them: for names that an operator writes, once."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from bot.listed import Listed
from bot.people import Standing
from bot.slack.client import Done, Failed, SlackClient, Trouble
from bot.slack.directory import standing_of

#: The most that Slack gives in one page, and as many pages as its tier for this allows in a minute.
PAGE = 1000
MOST_PAGES = 20
#: The longest that we wait when Slack asks for it, in seconds.
LONGEST_WAIT = 60.0
#: A plan without user groups has none.
_NO_GROUPS = frozenset({"plan_upgrade_required", "paid_teams_only"})

Pause = Callable[[float], Awaitable[None]]


class TooMany(Exception):
    """More people than we list: whether a name is one person's alone is not known."""


class Unlisted(Exception):
    """Slack did not list them. `failed`: how."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.method}: {failed.error}")
        self.failed = failed


class Roster:
    """`pause`: waits as many seconds, once in all, where Slack asks for it. `page`: people; `pages`: the most."""

    def __init__(self, client: SlackClient, *, pause: Pause, page: int = PAGE, pages: int = MOST_PAGES) -> None:
        self._client = client
        self._pause = pause
        self._page = page
        self._pages = pages
        self._has_paused = False

    async def team(self) -> str:
        """The id of the workspace that the token is of. Raises Unlisted."""
        return str((await self._call("auth.test")).get("team_id") or "")

    async def read(self, team: str) -> list[Listed]:
        """Groups, then people: no bots, nobody deactivated, no disabled groups. Guests are people. Raises Unlisted or TooMany."""
        return [*await self._groups(team), *await self._people(team)]

    async def _groups(self, team: str) -> list[Listed]:
        try:
            data = await self._call("usergroups.list", team_id=team)
        except Unlisted as refused:
            if refused.failed.error in _NO_GROUPS:
                return []
            raise
        return [
            _group(each) for each in _dicts(data, "usergroups") if each.get("handle") and not each.get("date_delete")
        ]

    async def _people(self, team: str) -> list[Listed]:
        found: list[Listed] = []
        cursor = None
        for _ in range(self._pages):
            data = await self._call("users.list", team_id=team, limit=self._page, cursor=cursor)
            found += [_person(each) for each in _dicts(data, "members") if _may_be_named(each)]
            cursor = (data.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return found
        raise TooMany

    async def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        outcome = await self._client.call(method, **arguments)
        if isinstance(outcome, Failed) and outcome.trouble is Trouble.LIMITED and self._may_pause(outcome):
            self._has_paused = True
            await self._pause(outcome.retry_after or 0.0)
            outcome = await self._client.call(method, **arguments)
        if isinstance(outcome, Done):
            return outcome.data
        raise Unlisted(outcome)

    def _may_pause(self, failed: Failed) -> bool:
        return not self._has_paused and failed.retry_after is not None and failed.retry_after <= LONGEST_WAIT


def _dicts(data: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    yield from (each for each in data.get(name) or () if isinstance(each, dict) and isinstance(each.get("id"), str))


def _group(group: dict[str, Any]) -> Listed:
    return Listed(
        id=group["id"],
        names=(str(group["handle"]),),
        label=str(group.get("name") or group["handle"]),
        is_group=True,
    )


def _may_be_named(user: dict[str, Any]) -> bool:
    return standing_of(user) in {Standing.MEMBER, Standing.GUEST}


def _person(user: dict[str, Any]) -> Listed:
    told = user.get("profile")
    profile: dict[str, Any] = told if isinstance(told, dict) else {}
    given = (user.get("name"), profile.get("display_name"), user.get("real_name"), profile.get("real_name"))
    names = tuple(dict.fromkeys(str(each) for each in given if each))
    return Listed(id=user["id"], names=names, label=str(given[2] or given[3] or given[0] or "no name"))
