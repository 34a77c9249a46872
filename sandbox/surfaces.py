"""What a person can act on: a message, a modal, their Home."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sandbox.entries import Impossible
from sandbox.model import Channel, Json, Message, View
from sandbox.workspace import Workspace

Kind = Literal["message", "view", "home"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """Names a surface. Messages: `channel` and `ts`; modals: `view_id`; Home: nothing more."""

    surface: Kind
    channel: str = ""
    ts: str = ""
    view_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surface:
    """`blocks` as they are now, `earlier` as they were (newest last). `attachment_of`: where a block of a message stands."""

    key: str
    blocks: list[Json]
    earlier: list[list[Json]]
    channel: Channel | None = None
    ts: str = ""
    message: Message | None = None
    view: View | None = None
    attachment_of: Callable[[str], int | None] = lambda _: None


def resolve(workspace: Workspace, user: str, target: Target, *, gone: bool = False) -> Surface:
    """The surface as `user` sees it. `gone`: a deleted message will do (a slow client still shows it).

    Raises Impossible when this person cannot see it.
    """
    if target.surface == "message":
        return _message(workspace, user, target, gone=gone)
    view = workspace.homes.get(user) if target.surface == "home" else _modal(workspace, user, target.view_id)
    if view is None:
        raise Impossible("this view is not open")
    return Surface(key=f"view:{view.id}", blocks=view.blocks, earlier=view.history, view=view)


def _message(workspace: Workspace, user: str, target: Target, *, gone: bool) -> Surface:
    channel = visible_channel(workspace, user, target.channel)
    message = workspace.message(channel.id, target.ts)
    seen = message is not None and (message.seen_by(user) or (gone and message.ephemeral_to in (None, user)))
    if message is None or not seen:
        raise Impossible(f"no message {target.ts} in {target.channel} for {user}")
    return Surface(
        key=f"message:{channel.id}:{message.ts}",
        blocks=[] if message.deleted else message.everything,
        earlier=[*message.history, message.everything] if message.deleted else message.history,
        channel=channel,
        ts=message.ts,
        message=None if message.deleted else message,
        attachment_of=message.attachment_of,
    )


def _modal(workspace: Workspace, user: str, view_id: str) -> View | None:
    return next((view for view in workspace.modals.get(user) or [] if view.id == view_id), None)


def visible_channel(workspace: Workspace, user: str, channel_id: str) -> Channel:
    """A channel this person can look into."""
    channel = workspace.channels.get(channel_id)
    if channel is None or (user not in channel.members and channel.kind != "channel"):
        raise Impossible(f"{user} sees no channel {channel_id}")
    return channel
