"""chat.postMessage, chat.update, chat.delete, chat.postEphemeral, chat.getPermalink."""

from typing import Any

from sandbox import seed
from sandbox.model import Channel, Json, Message
from sandbox.refusal import Refusal
from sandbox.stored import complete, echo
from sandbox.webapi.call import Call
from sandbox.webapi.content import attachments_of, blocks_of, long_text, metadata_of, short_text, something


def post_message(call: Call) -> dict[str, Any]:
    channel = _target(call)
    _may_post(call, channel)
    text, warnings = long_text(call.text("text") or "")
    blocks, attachments, metadata = blocks_of(call), attachments_of(call), metadata_of(call)
    something(call, text, blocks, attachments)
    if call.core.settings.strict_rate:
        call.core.rates.post(channel.id, call.core.clock.now())
    message = _add(call, channel, text=text, blocks=blocks, attachments=attachments, metadata=metadata)
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
    text = short_text(call)
    blocks, attachments = blocks_of(call), attachments_of(call)
    something(call, text, blocks, attachments)
    made = _add(call, channel, text=text, blocks=blocks, attachments=attachments, ephemeral_to=user)
    return {"message_ts": made.ts}


def update(call: Call) -> dict[str, Any]:
    """Texts are counted as stored: a card that was accepted can be too long for its own repaint."""
    channel = call.channel()
    message = _message(call, channel, "ts")
    if channel.archived:
        raise Refusal("is_inactive")
    if not message.from_app:
        raise Refusal("cant_update_message")
    text = short_text(call)
    blocks, metadata = blocks_of(call, stored=True), metadata_of(call)
    attachments = attachments_of(call) if "attachments" in call.args else message.attachments
    something(call, text, blocks, attachments)
    if metadata is not None:
        message.metadata = metadata or None
    message.attachments = attachments
    call.core.workspace.edit(message, text=text, blocks=complete(blocks, call.core.workspace.ids))
    return {"channel": channel.id, "ts": message.ts, "text": text, "message": describe(message)}


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
    public = channel.kind == "channel" and "chat:write.public" in call.scopes
    if call.core.workspace.bot_user not in channel.members and not public:
        raise Refusal("not_in_channel")


def _add(
    call: Call,
    channel: Channel,
    *,
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
            thread_ts=_thread(call, channel),
            from_app=True,
            ephemeral_to=ephemeral_to,
            metadata=metadata or None,
            attachments=attachments,
        ),
    )


def _thread(call: Call, channel: Channel) -> str | None:
    thread = call.text("thread_ts")
    if thread and call.core.workspace.message(channel.id, thread) is None:
        raise Refusal("cannot_reply_to_message")
    return thread or None
