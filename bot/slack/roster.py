"""Everybody, every user group and every channel of a workspace, as Slack lists them: for names that people write."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from bot.listed import Listed, ListedKind
from bot.people import Standing
from bot.slack.client import Done, Failed, SlackClient, Trouble
from bot.slack.directory import standing_of

#: The most that Slack gives in one page, and as many pages as its tier for this allows in a minute.
PAGE = 1000
CHANNELS_PAGE = 999
MOST_PAGES = 20
#: The longest that we wait when Slack asks for it, in seconds.
LONGEST_WAIT = 60.0
#: A plan without user groups has none.
_NO_GROUPS = frozenset({"plan_upgrade_required", "paid_teams_only"})

Pause = Callable[[float], Awaitable[None]]


class TooMany(Exception):
    """More people, or channels, than we list: whether a name is one person's alone is not known. Its text: which."""


class Unlisted(Exception):
    """Slack did not list them. `failed`: how."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.method}: {failed.error}")
        self.failed = failed


class Roster:
    """`pause`: waits as many seconds, once in all, where Slack asks for it; None where that is not waited for.

    `page`: people; `pages`: the most of one list.
    """

    def __init__(self, client: SlackClient, *, pause: Pause | None, page: int = PAGE, pages: int = MOST_PAGES) -> None:
        self._client = client
        self._pause = pause
        self._page = page
        self._pages = pages
        self._has_paused = False

    async def team(self) -> str:
        """The id of the workspace that the token is of. Raises Unlisted."""
        return str((await self._call("auth.test")).get("team_id") or "")

    async def groups(self, team: str) -> list[Listed]:
        """User groups that are not disabled. Raises Unlisted."""
        try:
            data = await self._call("usergroups.list", team_id=team)
        except Unlisted as refused:
            if refused.failed.error in _NO_GROUPS:
                return []
            raise
        return [
            _group(each) for each in _dicts(data, "usergroups") if each.get("handle") and not each.get("date_delete")
        ]

    async def people(self, team: str) -> list[Listed]:
        """No bots, nobody deactivated. Guests are people. Raises Unlisted or TooMany."""
        pages = self._pages_of("users.list", "members", team_id=team, limit=self._page)
        return [person(each) async for each in pages if may_be_named(each)]

    async def channels(self, team: str) -> list[Listed]:
        """Public ones, and private ones that the app is in; none that is archived. Raises Unlisted or TooMany."""
        pages = self._pages_of(
            "conversations.list",
            "channels",
            team_id=team,
            types="public_channel,private_channel",
            exclude_archived="true",
            limit=min(self._page, CHANNELS_PAGE),
        )
        return [channel(each) async for each in pages if each.get("name")]

    async def _pages_of(self, method: str, name: str, **arguments: Any) -> AsyncIterator[dict[str, Any]]:
        cursor = None
        for _ in range(self._pages):
            data = await self._call(method, cursor=cursor, **arguments)
            for each in _dicts(data, name):
                yield each
            cursor = (data.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
        raise TooMany("people" if name == "members" else name)

    async def _call(self, method: str, **arguments: Any) -> dict[str, Any]:
        outcome = await self._client.call(method, **arguments)
        if isinstance(outcome, Failed) and self._pause is not None and self._may_pause(outcome):
            self._has_paused = True
            await self._pause(outcome.retry_after or 0.0)
            outcome = await self._client.call(method, **arguments)
        if isinstance(outcome, Done):
            return outcome.data
        raise Unlisted(outcome)

    def _may_pause(self, failed: Failed) -> bool:
        is_asked = failed.trouble is Trouble.LIMITED and failed.retry_after is not None
        return is_asked and not self._has_paused and (failed.retry_after or 0.0) <= LONGEST_WAIT


def _dicts(data: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    yield from (each for each in data.get(name) or () if isinstance(each, dict) and isinstance(each.get("id"), str))


def _group(group: dict[str, Any]) -> Listed:
    return Listed(
        id=group["id"],
        names=(str(group["handle"]),),
        label=str(group.get("name") or group["handle"]),
        kind=ListedKind.GROUP,
    )


def may_be_named(user: dict[str, Any]) -> bool:
    return standing_of(user) in {Standing.MEMBER, Standing.GUEST}


def person(user: dict[str, Any]) -> Listed:
    """Of a user object."""
    told = user.get("profile")
    profile: dict[str, Any] = told if isinstance(told, dict) else {}
    given = (user.get("name"), profile.get("display_name"), user.get("real_name"), profile.get("real_name"))
    names = tuple(dict.fromkeys(str(each) for each in given if each))
    return Listed(id=user["id"], names=names, label=str(given[2] or given[3] or given[0] or "no name"))


def channel(told: dict[str, Any]) -> Listed:
    """Of a conversation object that has a name."""
    name = str(told["name"])
    is_open = bool(told.get("is_member")) and not told.get("is_archived")
    return Listed(id=told["id"], names=(name,), label=f"#{name}", kind=ListedKind.CHANNEL, is_open=is_open)
