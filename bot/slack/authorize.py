"""Bolt's question "who are we here?", answered from our own row. A click never needs Slack's Web API."""

from collections.abc import Awaitable, Callable

import structlog
from slack_bolt.authorization import AuthorizeResult

from bot.slack.tenancy import Tenants
from store.types import Installation

log = structlog.get_logger("signoff.bolt")


def authorize_from(tenants: Tenants, *, token: str) -> Callable[..., Awaitable[AuthorizeResult]]:
    """Bolt calls it by argument names, so it is a plain function."""

    async def authorize(enterprise_id: str | None, team_id: str | None, user_id: str | None) -> AuthorizeResult:
        """A foreign workspace gets no token, and is answered by the listeners. Never raises: Bolt has no words."""
        installation = await _find(tenants, team_id)
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            user_id=user_id,
            bot_id=installation.bot_id if installation else None,
            bot_user_id=installation.bot_user_id if installation else None,
            bot_token=token if installation else None,
        )

    return authorize


async def _find(tenants: Tenants, team_id: str | None) -> Installation | None:
    """None also where the row could not be read: the listeners ask again, and say so."""
    try:
        return await tenants.find(team_id)
    except Exception:
        log.exception("installation_not_read")
        return None
