"""chat.postMessage, chat.update, chat.postEphemeral, chat.getPermalink."""

from typing import Any, Final

from sandbox import seed
from sandbox.core import Core
from sandbox.model import Channel, Json, Message
from sandbox.refusal import Refusal, bad_blocks
from sandbox.stored import complete, echo
from sandbox.validate import check
from sandbox.webapi.call import Call

TRUNCATED_AT: Final = 40_000
UPDATE_TEXT: Final = 4_000
ATTACHMENTS: Final = 100
SPACING: Final = 1.0


def post_message(call: Call) -> dict[str, Any]:
    channel = _target(call)
    _may_post(call, channel)
    text, warnings = _text(call.text("text") or "")
    blocks = _blocks(call)
    _something(call, text, blocks)
    metadata = _metadata(call)
    message = _add(call, channel, text=text, blocks=blocks, metadata=metadata)
    body: dict[str, Any] = {"channel": channel.id, "ts": message.ts, "message": describe(message)}
    if warnings:
        body |= {"warning": ",".join(warnings), "response_metadata": {"warnings": warnings}}
    return body


def post_ephemeral(call: Call) -> dict[str, Any]:
    """`message_ts` in the answer is known to no other method."""
    channel = call.channel()
    user = call.need("user")
    _may_post(call, channel)
    if user not in channel.members:
        raise Refusal("user_not_in_channel")
    text = call.text("text") or ""
    if len(text) > UPDATE_TEXT:
        raise Refusal("msg_too_long")
    blocks = _blocks(call)
    _something(call, text, blocks)
    return {"message_ts": _add(call, channel, text=text, blocks=blocks, ephemeral_to=user).ts}


def update(call: Call) -> dict[str, Any]:
    """Texts are counted as stored: a card that was accepted can be too long for its own repaint."""
    channel = call.channel()
    message = call.core.workspace.message(channel.id, call.need("ts"))
    if message is None or message.deleted or message.ephemeral_to is not None:
        raise Refusal("message_not_found")
    if channel.archived:
        raise Refusal("is_inactive")
    if not message.from_app:
        raise Refusal("cant_update_message")
    text = call.text("text") or ""
    if len(text) > UPDATE_TEXT:
        raise Refusal("msg_too_long")
    blocks = _blocks(call, stored=True)
    _something(call, text, blocks)
    metadata = _metadata(call)
    if metadata is not None:
        message.metadata = metadata or None
    if "attachments" in call.args:
        message.attachments = _attachments(call)
    call.core.workspace.edit(message, text=text, blocks=complete(blocks, call.core.workspace.ids))
    return {"channel": channel.id, "ts": message.ts, "text": text, "message": describe(message)}


def get_permalink(call: Call) -> dict[str, Any]:
    channel = call.channel()
    message = call.core.workspace.message(channel.id, call.need("message_ts"))
    if message is None or message.deleted or message.ephemeral_to is not None:
        raise Refusal("message_not_found")
    return {"channel": channel.id, "permalink": call.core.permalink(channel.id, message.ts)}


def describe(message: Message) -> Json:
    """A message object as the app gets it back, texts escaped."""
    made: Json = {"user": message.user, "type": "message", "ts": message.ts, "text": message.text, "team": seed.TEAM_ID}
    if message.from_app:
        made |= {"bot_id": seed.BOT_ID, "app_id": seed.APP_ID}
    if message.blocks:
        made["blocks"] = echo(message.blocks)
    if message.thread_ts:
        made["thread_ts"] = message.thread_ts
    if message.edited:
        made["edited"] = {"user": seed.BOT_ID, "ts": message.ts.split(".")[0] + ".000000"}
    if message.attachments:
        made["attachments"] = message.attachments
    if message.metadata:
        made["metadata"] = message.metadata
    return made


def _target(call: Call) -> Channel:
    """A channel by id; a person's id opens the DM, even with somebody deactivated."""
    name = call.need("channel")
    workspace = call.core.workspace
    if name in workspace.users and name != workspace.bot_user:
        return workspace.open_dm(name)
    return call.channel()


def _may_post(call: Call, channel: Channel) -> None:
    if channel.archived:
        raise Refusal("is_archived")
    if call.core.workspace.bot_user not in channel.members:
        raise Refusal("not_in_channel")


def _text(text: str) -> tuple[str, list[str]]:
    return (text[:TRUNCATED_AT], ["message_truncated"]) if len(text) > TRUNCATED_AT else (text, [])


def _blocks(call: Call, *, stored: bool = False) -> list[Json]:
    value = call.value("blocks")
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise Refusal("invalid_blocks_format")
    problems = check.blocks(value, stored=stored)
    if problems:
        raise bad_blocks(problems)
    if check.total(value) > check.MESSAGE_TOTAL:
        raise Refusal("msg_blocks_too_long")
    return value


def _attachments(call: Call) -> list[Json]:
    value = call.value("attachments") or []
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise Refusal("invalid_attachments")
    if len(value) > ATTACHMENTS:
        raise Refusal("too_many_attachments")
    return value


def _something(call: Call, text: str, blocks: list[Json]) -> None:
    """Markdown text is a third way to say something, and excludes the other two."""
    markdown = call.text("markdown_text")
    if markdown and (text or blocks):
        raise Refusal("markdown_text_conflict")
    if not (text.strip() or blocks or markdown or _attachments(call)):
        raise Refusal("no_text")


def _metadata(call: Call) -> Json | None:
    value = call.value("metadata")
    if value is None:
        return None
    if value == {}:
        return {}
    well_formed = isinstance(value, dict) and set(value) <= {"event_type", "event_payload"} and "event_type" in value
    if (
        not well_formed
        or not isinstance(value["event_type"], str)
        or not isinstance(value.get("event_payload", {}), dict)
    ):
        raise Refusal("invalid_metadata_format")
    found: Json = value
    return found


def _add(
    call: Call,
    channel: Channel,
    *,
    text: str,
    blocks: list[Json],
    metadata: Json | None = None,
    ephemeral_to: str | None = None,
) -> Message:
    _pace(call.core, channel.id)
    workspace = call.core.workspace
    return workspace.add(
        Message(
            channel=channel.id,
            ts=workspace.ids.ts(),
            user=workspace.bot_user,
            text=text or (call.text("markdown_text") or ""),
            blocks=complete(blocks, workspace.ids),
            at=call.core.clock.now(),
            thread_ts=_thread(call, channel),
            from_app=True,
            ephemeral_to=ephemeral_to,
            metadata=metadata or None,
            attachments=_attachments(call),
        ),
    )


def _thread(call: Call, channel: Channel) -> str | None:
    thread = call.text("thread_ts")
    if thread and call.core.workspace.message(channel.id, thread) is None:
        raise Refusal("cannot_reply_to_message")
    return thread or None


def _pace(core: Core, channel: str) -> None:
    """One message per second and channel, where the sandbox was asked to be that strict."""
    if not core.settings.strict_rate:
        return
    now = core.clock.now()
    wait = core.posted_at.get(channel, -SPACING) + SPACING - now
    if wait > 0:
        raise Refusal("ratelimited", status=429, headers={"Retry-After": "1"})
    core.posted_at[channel] = now
