"""users.list, conversations.list, conversations.members: in pages."""

import base64
import binascii
from typing import Any, Final

from sandbox import seed
from sandbox.refusal import Refusal
from sandbox.scopes import READS, need, need_to_read
from sandbox.webapi import conversations, users
from sandbox.webapi.call import Call

MOST: Final = 1000
TYPES: Final = {"public_channel": "channel", "private_channel": "private", "im": "im", "mpim": "mpim"}


def users_list(call: Call) -> dict[str, Any]:
    """Everybody of this workspace, the deactivated too; people of other workspaces are not listed."""
    call.team()
    people = [user for user in call.core.workspace.users.values() if user.team == seed.TEAM_ID]
    page, cursor = _page(
        call, [users.describe(user, call.core.workspace, scopes=call.scopes) for user in people], default=MOST
    )
    return {"members": page, "cache_ts": int(call.core.clock.now()), "response_metadata": {"next_cursor": cursor}}


def conversations_list(call: Call) -> dict[str, Any]:
    """Public channels, and whatever else the bot is in, by `types`."""
    call.team()
    workspace = call.core.workspace
    kinds = [TYPES.get(name.strip(), "") for name in (call.text("types") or "public_channel").split(",")]
    if "" in kinds:
        raise Refusal("invalid_types")
    for kind in kinds:
        need(call.scopes, READS.get(kind, "mpim:read"))
    bot = workspace.bot_user
    seen = [
        channel
        for channel in workspace.channels.values()
        if channel.kind in kinds
        and (channel.kind == "channel" or bot in channel.members)
        and not (channel.archived and call.flag("exclude_archived"))
    ]
    page, cursor = _page(call, [conversations.describe(channel, bot=bot) for channel in seen], default=100)
    return {"channels": page, "response_metadata": {"next_cursor": cursor}}


def conversations_members(call: Call) -> dict[str, Any]:
    """Ids of the people in a channel; the deactivated have left it."""
    channel = call.channel()
    need_to_read(call.scopes, channel)
    known = call.core.workspace.users
    members = sorted(user for user in channel.members if user in known and not known[user].deleted)
    page, cursor = _page(call, members, default=100)
    return {"members": page, "response_metadata": {"next_cursor": cursor}}


def _page(call: Call, items: list[Any], *, default: int) -> tuple[list[Any], str]:
    """(one page, the cursor of the next, "" after the last)."""
    raw = call.text("limit")
    try:
        limit = int(raw) if raw else default
    except ValueError as wrong:
        raise Refusal("invalid_limit") from wrong
    if not 0 <= limit <= MOST:
        raise Refusal("invalid_limit")
    start = _start(call.text("cursor"))
    if start > len(items):
        raise Refusal("invalid_cursor")
    end = start + (limit or default)
    following = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return items[start:end], following


def _start(cursor: str | None) -> int:
    if not cursor:
        return 0
    try:
        word, _, number = base64.b64decode(cursor, validate=True).decode().partition(":")
        start = int(number)
    except (binascii.Error, ValueError) as wrong:
        raise Refusal("invalid_cursor") from wrong
    if word != "next" or start < 0:
        raise Refusal("invalid_cursor")
    return start
