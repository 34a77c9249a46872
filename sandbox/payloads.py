"""The payloads that Slack sends to an app, and the view object in its answers."""

from typing import Any

from sandbox import seed
from sandbox.model import Channel, Json, Message, User, View
from sandbox.stored import echo

# A person acts from their own workspace, which may be another than the app's.
TEAMS: dict[str, Json] = {
    seed.TEAM_ID: {"id": seed.TEAM_ID, "domain": seed.TEAM_DOMAIN},
    seed.OTHER_TEAM: {"id": seed.OTHER_TEAM, "domain": seed.OTHER_DOMAIN},
}


def view_object(view: View, values: Json | None = None) -> Json:
    """A view as Slack echoes it; `values`: what the person has entered."""
    content = view.content
    made: Json = {
        "id": view.id,
        "team_id": view.team,
        "type": view.type,
        "blocks": echo(view.blocks),
        "private_metadata": content.get("private_metadata", ""),
        "callback_id": content.get("callback_id", ""),
        "state": {"values": values or {}},
        "hash": view.hash,
        "clear_on_close": content.get("clear_on_close", False),
        "notify_on_close": content.get("notify_on_close", False),
        "previous_view_id": view.previous_id,
        "root_view_id": view.root_id,
        "app_id": seed.APP_ID,
        "external_id": view.external_id,
        "app_installed_team_id": seed.TEAM_ID,
        "bot_id": seed.BOT_ID,
    }
    made["title"] = echo(_default(content.get("title"))) or {"type": "plain_text", "text": "View Title", "emoji": True}
    made["close"], made["submit"] = echo(_default(content.get("close"))), echo(_default(content.get("submit")))
    return made


def _default(text: Any) -> Any:
    return {"emoji": True, **text} if isinstance(text, dict) else None


def _user(user: User) -> Json:
    return {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team}


def _head(kind: str, user: User) -> Json:
    return {
        "type": kind,
        "user": _user(user),
        "api_app_id": seed.APP_ID,
        "token": seed.VERIFICATION_TOKEN,
        "team": TEAMS[user.team],
        "enterprise": None,
        "is_enterprise_install": False,
    }


def channel_object(channel: Channel) -> Json:
    names = {"im": "directmessage", "private": "privategroup", "channel": channel.name}
    return {"id": channel.id, "name": names[channel.kind]}


def on_message(
    kind: str,
    user: User,
    channel: Channel,
    ts: str,
    *,
    message: Message | None,
    described: Json | None,
    values: Json,
    attachment_id: int | None = None,
) -> Json:
    """A click (or a look-up) in a message. Ephemeral and deleted messages are not told, only their ts.

    `attachment_id`: the attachment that holds the block, None for a block of the message itself.
    """
    ephemeral = message is not None and message.ephemeral_to is not None
    container: Json = {"type": "message", "message_ts": ts, "channel_id": channel.id, "is_ephemeral": ephemeral}
    if attachment_id is not None:
        container |= {"type": "message_attachment", "attachment_id": attachment_id, "is_app_unfurl": False}
    made = _head(kind, user) | {"container": container, "channel": channel_object(channel), "state": {"values": values}}
    if message is not None and message.thread_ts:
        container["thread_ts"] = message.thread_ts
    if described is not None and not ephemeral:
        made["message"] = described
    return made


def on_view(kind: str, user: User, view: View, values: Json) -> Json:
    """A click (or a look-up) in a modal or Home."""
    return _head(kind, user) | {"container": {"type": "view", "view_id": view.id}, "view": view_object(view, values)}


def view_submission(user: User, view: View, values: Json) -> Json:
    return _head("view_submission", user) | {"view": view_object(view, values), "response_urls": []}


def view_closed(user: User, view: View, *, cleared: bool) -> Json:
    return _head("view_closed", user) | {"view": view_object(view), "is_cleared": cleared}


def slash_command(user: User, channel: Channel, *, command: str, text: str) -> dict[str, str]:
    """The form fields of a command, without its response_url and trigger_id."""
    return {
        "token": seed.VERIFICATION_TOKEN,
        "team_id": seed.TEAM_ID,
        "team_domain": seed.TEAM_DOMAIN,
        "channel_id": channel.id,
        "channel_name": channel_object(channel)["name"],
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": seed.APP_ID,
        "is_enterprise_install": "false",
    }


def event(body: Json, *, event_id: str, at: float) -> Json:
    """An Events API callback around `body`."""
    return {
        "token": seed.VERIFICATION_TOKEN,
        "team_id": seed.TEAM_ID,
        "api_app_id": seed.APP_ID,
        "event": body,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": int(at),
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": seed.TEAM_ID,
                "user_id": seed.BOT_USER,
                "is_bot": True,
                "is_enterprise_install": False,
            },
        ],
        "is_ext_shared_channel": False,
        "event_context": f"4-{event_id}",
    }
