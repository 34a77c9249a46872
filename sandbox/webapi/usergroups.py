"""usergroups.list and usergroups.users.list."""

from typing import Any, Final

from sandbox import seed
from sandbox.model import Usergroup
from sandbox.refusal import Refusal
from sandbox.webapi.call import Call

_MADE: Final = 1_700_000_000


def usergroups_list(call: Call) -> dict[str, Any]:
    """All at once: Slack has no pages here. The disabled, members and their number only where asked for."""
    call.team()
    groups = call.core.workspace.usergroups.values()
    seen = [group for group in groups if call.flag("include_disabled") or not group.disabled]
    return {"usergroups": [_described(call, group) for group in seen]}


def members(call: Call) -> dict[str, Any]:
    """Deactivated people stay in the list, as at Slack."""
    call.team()
    group = call.core.workspace.usergroups.get(call.need("usergroup"))
    if group is None:
        raise Refusal("no_such_subteam")
    return {"users": list(group.users)}


def _described(call: Call, group: Usergroup) -> dict[str, Any]:
    """The number of members is text, as in Slack's reference."""
    return {
        "id": group.id,
        "team_id": seed.TEAM_ID,
        "is_usergroup": True,
        "is_subteam": True,
        "name": group.name,
        "description": "",
        "handle": group.handle,
        "is_external": False,
        "date_create": _MADE,
        "date_update": _MADE,
        "date_delete": _MADE if group.disabled else 0,
        "auto_type": None,
        "created_by": seed.ANA,
        "updated_by": seed.ANA,
        "deleted_by": seed.ANA if group.disabled else None,
        "prefs": {"channels": [], "groups": []},
        **({"users": list(group.users)} if call.flag("include_users") else {}),
        **({"user_count": str(len(group.users))} if call.flag("include_count") else {}),
    }
