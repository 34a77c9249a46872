"""Calls to Slack's Web API: one try each, and every outcome a value that says what to do about it."""

from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

log = structlog.get_logger("signoff.slack")

#: Seconds for one call, all in all; a lease must outlast it.
CALL_TIMEOUT = 10.0
#: Slack reads the arguments of these from the query only; of all others from JSON.
_READS = frozenset(
    [
        "auth.test", "users.info", "users.list", "users.lookupByEmail",
        "usergroups.list", "usergroups.users.list", "conversations.list", "conversations.info",
    ]
)  # fmt: skip
_SLACK_HOSTS = frozenset({"hooks.slack.com", "hooks.slack-gov.com"})


class Trouble(StrEnum):
    """What kind of failure it was, and so what to do."""

    DOWN = "down"  # no connection was made: it did not happen, and the same again soon harms nobody
    RETRY = "retry"  # perhaps it happened, perhaps not: the same again, later
    LIMITED = "limited"  # 429: this method not before `retry_after`; no attempt
    PLACE = "place"  # this channel or person cannot be reached: a few tries, then visibly failed
    WORKSPACE = "workspace"  # nothing works for this workspace until an operator acts
    OURS = "ours"  # we sent what Slack refuses: the same bytes never work
    GONE = "gone"  # the message that we wanted to edit was deleted
    FROZEN = "frozen"  # the message stands there, and cannot be edited any more
    REFUSED = "refused"  # a refusal that we know no remedy for: slower and slower, then visibly failed


#: Slack's words, by what to do (`Web API` reference, chat.* and common errors). A word that is not here is REFUSED.
_TROUBLE = {
    Trouble.RETRY: ("service_unavailable", "request_timeout", "internal_error", "fatal_error", "team_added_to_org"),
    Trouble.LIMITED: ("ratelimited", "rate_limited"),
    Trouble.PLACE: (
        "not_in_channel", "channel_not_found", "is_archived", "restricted_action", "user_not_found", "user_disabled",
        "restricted_action_read_only_channel", "restricted_action_thread_only_channel", "cannot_dm_bot",
        "restricted_action_thread_locked", "restricted_action_non_threadable_channel", "messages_tab_disabled",
        "cannot_reply_to_message", "users_not_found", "user_not_visible", "no_such_subteam", "invalid_user_combination",
    ),
    Trouble.WORKSPACE: (
        "token_revoked", "token_expired", "account_inactive", "invalid_auth", "not_authed", "app_uninstalled",
        "missing_scope", "not_allowed_token_type", "team_access_not_granted", "org_login_required",
    ),
    Trouble.OURS: (
        "invalid_blocks", "invalid_blocks_format", "msg_too_long", "msg_blocks_too_long", "invalid_arguments",
        "no_text", "too_many_attachments", "metadata_too_large", "block_mismatch",
    ),
    Trouble.GONE: ("message_not_found",),
    Trouble.FROZEN: ("cant_update_message", "edit_window_closed", "is_inactive"),
    Trouble.REFUSED: ("message_limit_exceeded",),
}  # fmt: skip
_BY_WORD = {word: trouble for trouble, words in _TROUBLE.items() for word in words}


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """Slack did it. `data`: its reply."""

    data: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """`error`: Slack's own word, or ours in brackets. `method`: what was called. `retry_after`: seconds.

    `needed`: the scope that is missing.
    """

    trouble: Trouble
    error: str
    method: str = ""
    retry_after: float | None = None
    needed: str | None = None


class SlackClient:
    """One workspace's client. One session per process, closed by its owner; no hidden retries."""

    def __init__(self, *, token: str, base_url: str, session: aiohttp.ClientSession) -> None:
        self._web = AsyncWebClient(token=token, base_url=base_url, session=session, retry_handlers=[])
        self._session = session
        self._own_host = urlsplit(base_url).netloc

    async def call(self, method: str, **arguments: Any) -> Done | Failed:
        """One call, one try. Arguments that are None are left out."""
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            if method in _READS:
                reply = await self._web.api_call(method, http_verb="GET", params=given)
            else:
                reply = await self._web.api_call(method, json=given)
        except SlackApiError as error:
            return _failed(method, error)
        except aiohttp.ClientConnectorError as error:
            return Failed(trouble=Trouble.DOWN, error=f"({type(error).__name__})", method=method)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return Failed(trouble=Trouble.RETRY, error=f"({type(error).__name__})", method=method)
        return Done(data=dict(reply.data) if isinstance(reply.data, dict) else {})

    async def respond(self, response_url: str, body: dict[str, Any]) -> Done | Failed:
        """Answer through a `response_url`; only at Slack's hosts, or at the host we were told is Slack."""
        if not self._is_slacks(response_url):
            return Failed(trouble=Trouble.OURS, error="(foreign response_url)")
        try:
            async with self._session.post(response_url, json=body, allow_redirects=False) as reply:
                text = await reply.text()
                if reply.status == HTTPStatus.OK:
                    return Done(data={})
                return Failed(trouble=Trouble.RETRY, error=text[:100])
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            return Failed(trouble=Trouble.RETRY, error=f"({type(error).__name__})")

    def _is_slacks(self, address: str) -> bool:
        try:
            target = urlsplit(address)
        except ValueError:
            return False
        genuine = target.scheme == "https" and target.hostname in _SLACK_HOSTS
        return genuine or target.netloc == self._own_host


def open_session() -> aiohttp.ClientSession:
    """The session that all clients of a process share."""
    return aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_TIMEOUT), trust_env=False)


def _failed(method: str, error: SlackApiError) -> Failed:
    response = error.response
    status = getattr(response, "status_code", 0)
    data = getattr(response, "data", None)
    headers = getattr(response, "headers", None) or {}
    word = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Failed(trouble=Trouble.LIMITED, error="ratelimited", method=method, retry_after=_seconds(headers))
    trouble = _trouble(method, word, status)
    if trouble is Trouble.OURS:
        log.error("slack_refused_ours", method=method, error=word, details=_details(data))
    needed = str(data.get("needed", "")) if isinstance(data, dict) and word == "missing_scope" else None
    return Failed(
        trouble=trouble,
        error=word or f"(HTTP {status})",
        method=method,
        retry_after=_seconds(headers),
        needed=needed or None,
    )


def _trouble(method: str, word: str, status: int) -> Trouble:
    if not word:
        # A proxy's 4xx says no word of Slack's, and says it again; a 5xx or a page of HTML passes.
        is_clients = HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
        return Trouble.REFUSED if is_clients else Trouble.RETRY
    if word == "missing_scope" and method.startswith("conversations."):
        return Trouble.PLACE  # people cannot be written to; channels can
    return _BY_WORD.get(word, Trouble.REFUSED)


def _details(data: object) -> list[str]:
    """Slack's own pointers into what it refused; they name places, not contents."""
    metadata = data.get("response_metadata") if isinstance(data, dict) else None
    messages = metadata.get("messages") if isinstance(metadata, dict) else None
    return [str(message)[:200] for message in messages[:5]] if isinstance(messages, list) else []


def _seconds(headers: Any) -> float | None:
    given = headers.get("Retry-After")
    try:
        return min(max(float(given), 0.0), 3600.0) if given is not None else None
    except ValueError:
        return None
