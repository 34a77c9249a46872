"""users.info, users.lookupByEmail, and people as other methods show them."""

from typing import Any

from sandbox import seed
from sandbox.model import User
from sandbox.refusal import Refusal
from sandbox.webapi.call import Call
from sandbox.workspace import Workspace


def info(call: Call) -> dict[str, Any]:
    user = call.core.workspace.users.get(call.need("user"))
    if user is None:
        raise Refusal("user_not_found")
    return {"user": describe(user, call.core.workspace, scopes=call.scopes)}


def by_email(call: Call) -> dict[str, Any]:
    """Whoever of this workspace has the address, whatever its case; nobody who was deactivated."""
    wanted = call.need("email").casefold()
    workspace = call.core.workspace
    for user in workspace.users.values():
        if user.email and user.email.casefold() == wanted and user.team == seed.TEAM_ID and not user.deleted:
            return {"user": describe(user, workspace, scopes=call.scopes)}
    raise Refusal("users_not_found")


def describe(user: User, workspace: Workspace, *, scopes: frozenset[str]) -> dict[str, Any]:
    """A user object; deactivated ones have lost their time zone. Addresses take a scope of their own.

    People of other workspaces are strangers unless they share a channel with the bot.
    """
    address = {"email": user.email} if user.email and "users:read.email" in scopes else {}
    known: dict[str, Any] = {
        "id": user.id,
        "team_id": user.team,
        "name": user.name,
        "deleted": user.deleted,
        "profile": {
            "real_name": user.real_name,
            "real_name_normalized": user.real_name,
            "display_name": user.name,
            "display_name_normalized": user.name,
            "team": user.team,
            **address,
        },
        "is_bot": user.is_bot,
        "is_app_user": False,
        "updated": 1_700_000_000,
    }
    if user.deleted:
        return known
    if user.team != seed.TEAM_ID:
        met = any({user.id, workspace.bot_user} <= channel.members for channel in workspace.channels.values())
        known["is_stranger"] = not met
    return {
        **known,
        "color": "9f69e7",
        "real_name": user.real_name,
        "tz": user.tz,
        "tz_label": user.tz_label,
        "tz_offset": user.tz_offset,
        "is_admin": False,
        "is_owner": False,
        "is_primary_owner": False,
        "is_restricted": user.is_restricted,
        "is_ultra_restricted": False,
        "is_email_confirmed": not user.is_bot,
        "who_can_share_contact_card": "EVERYONE",
    }
