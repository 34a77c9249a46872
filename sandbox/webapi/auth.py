"""auth.test."""

from typing import Any

from sandbox import seed
from sandbox.webapi.call import Call


def test(call: Call) -> dict[str, Any]:
    return {
        "url": f"{call.core.url}/",
        "team": seed.TEAM_NAME,
        "user": call.core.workspace.users[seed.BOT_USER].name,
        "team_id": seed.TEAM_ID,
        "user_id": seed.BOT_USER,
        "bot_id": seed.BOT_ID,
        "is_enterprise_install": False,
    }
