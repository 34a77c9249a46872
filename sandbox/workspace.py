"""The state of the workspace and the news of its changes. Nothing here checks what the app may do: `webapi` does."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeVar

from sandbox import seed
from sandbox.clock import Clock
from sandbox.ids import Ids
from sandbox.model import Change, Channel, Json, Message, Notice, Posting, User, Usergroup, View

T = TypeVar("T")
HISTORY = 20
CHANGES = 5_000
NOTICES = 20


class Workspace:
    """People, channels, messages, open views. Every change raises `version` and wakes who waits."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.ids = Ids(clock)
        self.users: dict[str, User] = seed.users()
        self.channels: dict[str, Channel] = seed.channels()
        self.usergroups: dict[str, Usergroup] = seed.usergroups()
        self.bot_user = seed.BOT_USER
        self.commands: list[str] = ["/pending", "/signoff"]
        self.escaped_commands: set[str] = set()  # those that ask for ids in place of names (`should_escape`)
        self.home_enabled = True  # a switch of the app's manifest
        self.messages_enabled = True  # another: may the app write direct messages?
        self.edit_window: float | None = None  # seconds in which a message may be edited; None: for ever
        self.modals: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}
        self.version = 0
        self._messages: dict[str, list[Message]] = {}
        self._by_ts: dict[tuple[str, str], Message] = {}
        self._notices: dict[str, list[Notice]] = {}
        self._read: dict[tuple[str, str], int] = {}
        self._changes: deque[Change] = deque(maxlen=CHANGES)
        self._changed = asyncio.Event()
        self._closed = False

    # -- reading ------------------------------------------------------------------------------------------------
    def messages(self, channel: str, *, ephemeral: bool = False) -> list[Message]:
        """Live messages of a channel, oldest first; with `ephemeral` also those that one person sees."""
        return [
            message
            for message in self._messages.get(channel, [])
            if not message.deleted and (ephemeral or message.ephemeral_to is None)
        ]

    def message(self, channel: str, ts: str) -> Message | None:
        """The message at `ts`, deleted and ephemeral ones included."""
        return self._by_ts.get((channel, ts))

    def seen_by(self, user: str, channel: str) -> list[Message]:
        return [message for message in self._messages.get(channel, []) if message.seen_by(user)]

    def ephemerals(self, user: str, channel: str | None = None) -> list[Message]:
        """What only `user` sees, oldest first, in one channel or in all."""
        names = [channel] if channel is not None else list(self._messages)
        found = [m for name in names for m in self.seen_by(user, name) if m.ephemeral_to == user]
        return sorted(found, key=lambda message: message.ts)

    def notices(self, user: str) -> list[Notice]:
        return list(self._notices.get(user, []))

    def modal(self, user: str) -> View | None:
        """The modal on top, if one is open."""
        stack = self.modals.get(user)
        return stack[-1] if stack else None

    def view(self, view_id: str) -> View | None:
        """An open modal or a published Home."""
        return next((view for view in self.views() if view.id == view_id), None)

    def views(self) -> list[View]:
        return [view for stack in self.modals.values() for view in stack] + list(self.homes.values())

    def dm(self, user: str) -> Channel | None:
        """The bot's DM with `user`, if it was ever opened."""
        wanted = {user, self.bot_user}
        return next((c for c in self.channels.values() if c.kind == "im" and c.members == wanted), None)

    def unread(self, user: str, channel: str) -> int:
        seen = self.seen_by(user, channel)
        foreign = [message for message in seen if message.user != user]
        return max(0, len(foreign) - self._read.get((user, channel), 0))

    def mark_read(self, user: str, channel: str) -> None:
        foreign = [message for message in self.seen_by(user, channel) if message.user != user]
        self._read[(user, channel)] = len(foreign)

    # -- changing -----------------------------------------------------------------------------------------------
    def open_dm(self, user: str) -> Channel:
        found = self.dm(user)
        if found is None:
            found = Channel(id=self.ids.dm_id(), name="directmessage", kind="im", members={user, self.bot_user})
            self.channels[found.id] = found
            self.changed("message", channel=found.id)
        return found

    def add(self, message: Message) -> Message:
        self._messages.setdefault(message.channel, []).append(message)
        self._by_ts[(message.channel, message.ts)] = message
        self.changed("message", channel=message.channel, user=message.ephemeral_to)
        return message

    def post(self, channel: str, user: str, text: str, *, thread_ts: str | None = None) -> Message:
        """A person writes."""
        ts, at = self.ids.ts(), self.clock.now()
        return self.add(Message(channel=channel, ts=ts, user=user, text=text, blocks=[], at=at, thread_ts=thread_ts))

    def edit(self, message: Message, *, text: str, blocks: list[Json], attachments: list[Json] | None = None) -> None:
        """New content; attachments stay where none are given."""
        message.history = [*message.history, message.everything][-HISTORY:]
        message.text, message.blocks, message.edited = text, blocks, True
        if attachments is not None:
            message.attachments = attachments
            message.place()
        self.changed("message", channel=message.channel, user=message.ephemeral_to)

    def delete(self, message: Message) -> None:
        message.deleted = True
        self.changed("message", channel=message.channel, user=message.ephemeral_to)

    def set_stack(self, user: str, stack: list[View]) -> None:
        self.modals[user] = stack
        self.changed("view", user=user)

    def set_home(self, view: View) -> None:
        self.homes[view.user] = view
        self.changed("home", user=view.user)

    def edit_view(self, view: View, content: Json) -> None:
        view.history = [*view.history, view.blocks][-HISTORY:]
        view.content, view.hash = content, self.ids.view_hash()
        self.changed("home" if view.type == "home" else "view", user=view.user)

    def warn(self, user: str, text: str) -> None:
        """Show one person a toast."""
        notices = [*self._notices.get(user, []), Notice(id=self.ids.notice_id(), text=text)]
        self._notices[user] = notices[-NOTICES:]
        self.changed("notice", user=user)

    def dismiss(self, user: str, notice_id: str) -> None:
        self._notices[user] = [notice for notice in self._notices.get(user, []) if notice.id != notice_id]
        self.changed("notice", user=user)

    # -- what an administrator does -----------------------------------------------------------------------------
    def deactivate(self, user: str) -> None:
        """Somebody leaves the company: out of every channel but their DMs, and their modals are gone."""
        self.users[user] = replace(self.users[user], deleted=True)
        self.modals.pop(user, None)
        for channel in self.channels.values():
            if channel.kind != "im" and user in channel.members:
                self.leave(channel.id, user)
        self.changed("message")

    def reactivate(self, user: str) -> None:
        self.users[user] = replace(self.users[user], deleted=False)
        self.changed("message")

    def archive(self, channel: str, *, archived: bool = True) -> None:
        self.channels[channel].archived = archived
        self.changed("message", channel=channel)

    def join(self, channel: str, user: str) -> None:
        """A person, or the bot, becomes a member."""
        self.channels[channel].members.add(user)
        self.changed("message", channel=channel)

    def leave(self, channel: str, user: str) -> None:
        self.channels[channel].members.discard(user)
        self.changed("message", channel=channel)

    def restrict(self, channel: str, posting: Posting) -> None:
        """Say who may post into a channel."""
        self.channels[channel].posting = posting
        self.changed("message", channel=channel)

    def lock(self, message: Message, *, locked: bool = True) -> None:
        """End the thread below a message, or open it again."""
        message.locked = locked
        self.changed("message", channel=message.channel)

    # -- news ---------------------------------------------------------------------------------------------------
    def changed(
        self,
        what: Literal["message", "view", "home", "notice"],
        *,
        channel: str | None = None,
        user: str | None = None,
    ) -> None:
        self.version += 1
        self._changes.append(Change(version=self.version, what=what, channel=channel, user=user))
        self.wake()

    def wake(self) -> None:
        """Wake everybody who waits, to look again."""
        woken, self._changed = self._changed, asyncio.Event()
        woken.set()

    def changes(self, since: int) -> list[Change]:
        return [change for change in self._changes if change.version > since]

    async def next_change(self, since: int) -> bool:
        """Wait until something happened after version `since`. False: the workspace was closed."""
        while self.version <= since and not self._closed:
            await self._changed.wait()
        return not self._closed

    async def wait_for(self, look: "Callable[[Workspace], T]", *, timeout: float = 10.0) -> T:  # noqa: ASYNC109 - tests read best with it
        """Wait until `look(workspace)` is truthy and return what it returned; looks again after each change.

        Raises TimeoutError after `timeout` seconds.
        """
        async with asyncio.timeout(timeout):
            while not (found := look(self)):
                await self._changed.wait()
        return found

    def close(self) -> None:
        self._closed = True
        self.wake()
