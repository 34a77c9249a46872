"""conversations.info and conversations.open."""

from typing import Any, Final

from sandbox import seed
from sandbox.model import Channel
from sandbox.refusal import Refusal
from sandbox.scopes import need_to_read
from sandbox.webapi.call import Call

MOST: Final = 8


def info(call: Call) -> dict[str, Any]:
    channel = call.channel()
    need_to_read(call.scopes, channel)
    made = describe(channel, bot=call.core.workspace.bot_user)
    return {"channel": made | ({"num_members": len(channel.members)} if call.flag("include_num_members") else {})}


def open_dm(call: Call) -> dict[str, Any]:
    """Only one-to-one: the sandbox has no group DMs yet."""
    workspace = call.core.workspace
    if call.text("channel"):
        channel = call.channel()
        if channel.kind != "im":
            raise Refusal("method_not_supported_for_channel_type")
        return {"channel": _opened(channel, call)}
    raw = call.args.get("users")
    names = raw if isinstance(raw, list) else [name.strip() for name in str(raw or "").split(",")]
    names = [name for name in names if name]
    if not names:
        raise Refusal("users_list_not_supplied")
    if len(names) > 1:
        raise Refusal("too_many_users" if len(names) > MOST else "invalid_user_combination")
    user = workspace.users.get(names[0])
    if user is None:
        raise Refusal("user_not_found")
    if user.is_bot:
        raise Refusal("cannot_dm_bot")
    if user.deleted:
        raise Refusal("user_disabled")
    known = workspace.dm(user.id) is not None
    return {"channel": _opened(workspace.open_dm(user.id), call)} | (
        {"no_op": True, "already_open": True} if known else {}
    )


def _opened(channel: Channel, call: Call) -> dict[str, Any]:
    if call.flag("return_im"):
        return describe(channel, bot=call.core.workspace.bot_user)
    return {"id": channel.id}


def describe(channel: Channel, *, bot: str) -> dict[str, Any]:
    """A channel object as the bot sees it."""
    common: dict[str, Any] = {
        "id": channel.id,
        "created": 1_700_000_000,
        "is_archived": channel.archived,
        "context_team_id": seed.TEAM_ID,
    }
    if channel.kind == "im":
        return {
            **common,
            "is_im": True,
            "is_org_shared": False,
            "user": channel.other(bot),
            "is_user_deleted": False,
            "priority": 0,
        }
    private = channel.kind == "private"
    return {
        **common,
        "name": channel.name,
        "name_normalized": channel.name,
        "is_channel": not private,
        "is_group": private,
        "is_im": False,
        "is_mpim": False,
        "is_private": private,
        "is_general": channel.id == seed.GENERAL,
        "is_member": bot in channel.members,
        "is_shared": channel.shared_with is not None,
        "is_ext_shared": channel.shared_with is not None,
        "shared_team_ids": [seed.TEAM_ID, *([channel.shared_with] if channel.shared_with else [])],
        "is_org_shared": False,
        "creator": seed.ANA,
        "topic": {"value": "", "creator": "", "last_set": 0},
        "purpose": {"value": "", "creator": "", "last_set": 0},
    }
