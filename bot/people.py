"""Who stands at the door: a person in Slack, as a verified payload names them."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from blocks import limits
from blocks.visible import one_line
from store.types import Actor, ActorKind


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """`team_id` is the workspace the person belongs to, which need not be the one clicked in.

    `name`: what Slack called them there, for reading only; empty where it did not say.
    """

    user_id: str
    team_id: str | None = None
    enterprise_id: str | None = None
    name: str = ""

    def actor(self, kind: ActorKind = ActorKind.SLACK_USER) -> Actor:
        """As it is stored: people choose their names, so one is a short line of visible letters from here on."""
        return Actor(kind=kind, id=self.user_id, name=limits.clip(one_line(self.name), limits.NAME))


class Unreadable(StrEnum):
    """Why nobody knows who belongs to a group."""

    #: Slack did not say in time, or failed: asking again soon may help.
    NOW = "now"
    #: There is no such group, or we may not read it: asking again does not help.
    EVER = "ever"


Members = frozenset[str] | Unreadable


class Standing(StrEnum):
    """What an account is to its workspace. Only members decide."""

    MEMBER = "member"
    GUEST = "guest"
    BOT = "bot"
    DEACTIVATED = "deactivated"


class Directory(Protocol):
    """Names and memberships, as Slack tells them; every answer may be missing."""

    async def members(self, *, tenant: str, group: str) -> Members:
        """User ids of a user group, at most a minute old; or why they are not known. Never waits beyond a click."""
        ...

    async def standing(self, *, tenant: str, user: str) -> Standing | Unreadable:
        """What this account is, at most an hour old; or why it is not known. Never waits beyond a click."""
        ...

    def remembered(self, *, tenant: str, user: str) -> str | None:
        """What this account was last called, where that is known without asking anybody."""
        ...


async def members_of(directory: Directory, groups: Iterable[str], *, tenant: str) -> dict[str, Members]:
    """Of several groups at once, so that together they take no longer than the slowest."""
    names = sorted(set(groups))
    found = await asyncio.gather(*(directory.members(tenant=tenant, group=name) for name in names))
    return dict(zip(names, found, strict=True))
