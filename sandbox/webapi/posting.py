"""Where the app may post: membership, archived and restricted channels, threads, the Messages tab."""

from typing import Final

from sandbox.model import Channel, Message
from sandbox.refusal import Refusal
from sandbox.webapi.call import Call

# Why an app, which is no administrator, may not post into such a channel: (a new message, a reply).
RESTRICTED: Final = {
    "everyone": (None, None),
    "admins": ("restricted_action", "restricted_action"),
    "read_only": ("restricted_action_read_only_channel", "restricted_action_read_only_channel"),
    "thread_only": ("restricted_action_thread_only_channel", None),
    "no_threads": (None, "restricted_action_non_threadable_channel"),
}
LOCKED: Final = "restricted_action_thread_locked"


def target(call: Call) -> Channel:
    """A channel by id; a person's id opens the DM, even with somebody deactivated. Bots have no DMs with each other."""
    name = call.need("channel")
    workspace = call.core.workspace
    user = workspace.users.get(name)
    if user is None:
        return call.channel()
    if user.is_bot:
        raise Refusal("cannot_dm_bot")
    return workspace.open_dm(name)


def may_post(call: Call, channel: Channel) -> None:
    """Raises what stands between the app and this channel, thread or not."""
    if channel.archived:
        raise Refusal("is_archived")
    public = channel.kind == "channel" and "chat:write.public" in call.scopes
    if call.core.workspace.bot_user not in channel.members and not public:
        raise Refusal("not_in_channel")
    if channel.kind == "im" and not call.core.workspace.messages_enabled:
        raise Refusal("messages_tab_disabled")
    refused = RESTRICTED[channel.posting][1 if call.text("thread_ts") else 0]
    if refused is not None:
        raise Refusal(refused)


def thread_of(call: Call, channel: Channel) -> str | None:
    """The message that a new one answers; the root, also where a reply was named. Raises where nothing can be answered."""
    given = call.text("thread_ts")
    if not given:
        return None
    parent = call.core.workspace.message(channel.id, given)
    if parent is not None and parent.thread_ts:
        parent = call.core.workspace.message(channel.id, parent.thread_ts) or parent
    if parent is None or parent.ephemeral_to is not None or _gone(call, parent):
        raise Refusal("cannot_reply_to_message")
    if parent.locked:
        raise Refusal(LOCKED)
    return parent.ts


def _gone(call: Call, parent: Message) -> bool:
    """A deleted message stays as the head of its thread as long as there are replies."""
    replies = (one for one in call.core.workspace.messages(parent.channel) if one.thread_ts == parent.ts)
    return parent.deleted and next(replies, None) is None
