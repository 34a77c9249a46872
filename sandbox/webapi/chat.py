"""chat.postMessage, chat.update, chat.delete, chat.postEphemeral, chat.getPermalink."""

from typing import Any

from sandbox import seed
from sandbox.model import Channel, Json, Message
from sandbox.refusal import Refusal
from sandbox.stored import complete, complete_attachments, echo
from sandbox.validate.escape import escape_mrkdwn
from sandbox.webapi.call import Call
from sandbox.webapi.content import attachments_of, blocks_of, long_text, metadata_of, short_text, something, together
from sandbox.webapi.posting import may_post, target, thread_of


def post_message(call: Call) -> dict[str, Any]:
    channel = target(call)
    may_post(call, channel)
    thread = thread_of(call, channel)
    text, warnings = long_text(call.text("text") or "")
    blocks, attachments, metadata = blocks_of(call), attachments_of(call), metadata_of(call)
    something(call, text, blocks, attachments)
    together(blocks, attachments)
    if call.core.settings.strict_rate:
        call.core.rates.post(channel.id, call.core.clock.now())
    message = _add(call, channel, thread=thread, text=text, blocks=blocks, attachments=attachments, metadata=metadata)
    body: dict[str, Any] = {"channel": channel.id, "ts": message.ts, "message": describe(message)}
    if warnings:
        body |= {"warning": ",".join(warnings), "response_metadata": {"warnings": warnings}}
    return body


def post_ephemeral(call: Call) -> dict[str, Any]:
    """`message_ts` in the answer is known to no other method."""
    channel = call.channel()
    user = call.need("user")
    may_post(call, channel)
    if user not in channel.members:
        raise Refusal("user_not_in_channel")
    thread = thread_of(call, channel)
    text = short_text(call)
    blocks, attachments = blocks_of(call), attachments_of(call, refused_as="invalid_attachments")
    something(call, text, blocks, attachments)
    together(blocks, attachments)
    made = _add(call, channel, thread=thread, text=text, blocks=blocks, attachments=attachments, ephemeral_to=user)
    return {"message_ts": made.ts}


def update(call: Call) -> dict[str, Any]:
    """Texts are counted as stored: a card that was accepted can be too long for its own repaint."""
    channel = call.channel()
    message = _message(call, channel, "ts")
    if channel.archived:
        raise Refusal("is_inactive")
    if not message.from_app:
        raise Refusal("cant_update_message")
    _in_time(call, message)
    text = short_text(call)
    blocks, metadata = blocks_of(call, stored=True), metadata_of(call)
    attachments = message.attachments
    if "attachments" in call.args:
        attachments = attachments_of(call, stored=True, refused_as="invalid_attachments")
    something(call, text, blocks, attachments)
    together(blocks, attachments)
    if metadata is not None:
        message.metadata = metadata or None
    ids = call.core.workspace.ids
    call.core.workspace.edit(
        message,
        text=text or call.text("markdown_text") or "",
        blocks=complete(blocks, ids),
        attachments=complete_attachments(attachments, ids),
    )
    described = describe(message)
    return {"channel": channel.id, "ts": message.ts, "text": described["text"], "message": described}


def _in_time(call: Call, message: Message) -> None:
    window = call.core.workspace.edit_window
    if window is not None and call.core.clock.now() - message.at > window:
        raise Refusal("edit_window_closed")


def delete(call: Call) -> dict[str, Any]:
    """Only what the app wrote itself."""
    channel = call.channel()
    message = _message(call, channel, "ts")
    if not message.from_app:
        raise Refusal("cant_delete_message")
    call.core.workspace.delete(message)
    return {"channel": channel.id, "ts": message.ts}


def get_permalink(call: Call) -> dict[str, Any]:
    channel = call.channel()
    message = _message(call, channel, "message_ts")
    return {"channel": channel.id, "permalink": call.core.permalink(channel.id, message.ts)}


def _message(call: Call, channel: Channel, name: str) -> Message:
    """A message that methods can see: there, and nobody's private note."""
    message = call.core.workspace.message(channel.id, call.need(name))
    if message is None or message.deleted or message.ephemeral_to is not None:
        raise Refusal("message_not_found")
    return message


def describe(message: Message) -> Json:
    """A message object as the app gets it back, texts escaped."""
    made: Json = {"user": message.user, "type": "message", "ts": message.ts, "team": seed.TEAM_ID}
    made["text"] = escape_mrkdwn(message.text)
    if message.from_app:
        made |= {"bot_id": seed.BOT_ID, "app_id": seed.APP_ID}
    if message.blocks:
        made["blocks"] = echo(message.blocks)
    if message.thread_ts:
        made["thread_ts"] = message.thread_ts
    if message.edited:
        made["edited"] = {"user": seed.BOT_ID, "ts": message.ts.split(".")[0] + ".000000"}
    if message.attachments:
        made["attachments"] = echo(message.attachments)
    if message.metadata:
        made["metadata"] = message.metadata
    return made


def _add(
    call: Call,
    channel: Channel,
    *,
    thread: str | None,
    text: str,
    blocks: list[Json],
    attachments: list[Json],
    metadata: Json | None = None,
    ephemeral_to: str | None = None,
) -> Message:
    workspace = call.core.workspace
    return workspace.add(
        Message(
            channel=channel.id,
            ts=workspace.ids.ts(),
            user=workspace.bot_user,
            text=text or (call.text("markdown_text") or ""),
            blocks=complete(blocks, workspace.ids),
            at=call.core.clock.now(),
            thread_ts=thread,
            from_app=True,
            ephemeral_to=ephemeral_to,
            metadata=metadata or None,
            attachments=complete_attachments(attachments, workspace.ids),
        ),
    )
