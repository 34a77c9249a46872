"""The calls that bring one message to Slack, or up to date there: each within the lease, none during a pause."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Protocol

from blocks.surface import Message
from bot.clock import Clock
from bot.pace import Pace
from bot.slack.client import CALL_TIMEOUT, Done, Failed, Trouble
from store.protocol import Store
from store.types import Interaction, Posting, PostingLease, Role


class OutOfTimeError(Exception):
    """Too little of the lease is left for a call, or it is another painter's by now. Nothing was called."""


class Caller(Protocol):
    """What calls Slack: `SlackClient`."""

    async def call(self, method: str, **arguments: Any) -> Done | Failed: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Landed:
    """Where the message stands. `replaces`: it was posted in the place of one that somebody deleted."""

    channel: str
    ts: str
    replaces: bool = False


class Delivery:
    """Posts what is not there, edits what is."""

    def __init__(self, *, store: Store, clock: Clock, client: Caller, pace: Pace) -> None:
        self._store = store
        self._clock = clock
        self._client = client
        self._pace = pace

    async def deliver(self, leased: PostingLease, interaction: Interaction, message: Message) -> Landed | Failed:
        """One post or one edit.

        An open card that somebody deleted is posted anew, once; anything else that was deleted is let go.

        Raises:
            OutOfTimeError: the lease does not outlast another call.
        """
        posting = leased.posting
        if posting.ts is None or posting.channel is None:
            channel = await self._open(leased)
            return channel if isinstance(channel, Failed) else await self._post(leased, channel, message)
        channel, ts = posting.channel, posting.ts
        edited = await self._call(leased, "chat.update", channel=channel, ts=ts, **message.payload())
        if isinstance(edited, Done):
            return Landed(channel=channel, ts=ts)
        if edited.trouble is not Trouble.GONE:
            return edited
        if posting.role is not Role.CARD or not interaction.is_pending:
            return Landed(channel=channel, ts=ts)
        anew = await self._post(leased, channel, message)
        return anew if isinstance(anew, Failed) else replace(anew, replaces=True)

    async def _post(self, leased: PostingLease, channel: str, message: Message) -> Landed | Failed:
        posted = await self._call(
            leased,
            "chat.postMessage",
            channel=channel,
            thread_ts=leased.posting.thread_ts,
            unfurl_links=False,
            unfurl_media=False,
            link_names=False,
            parse="none",
            **message.payload(),
        )
        if isinstance(posted, Failed):
            return posted
        landed, ts = posted.data.get("channel"), posted.data.get("ts")
        if not isinstance(landed, str) or not isinstance(ts, str):
            return Failed(trouble=Trouble.RETRY, error="(no ts)", method="chat.postMessage")
        return Landed(channel=landed, ts=ts)

    async def _open(self, leased: PostingLease) -> str | Failed:
        """Where to post. A person's DM is opened and recorded first: a click in it must find its row, whatever happens."""
        posting = leased.posting
        if posting.channel is not None:
            return posting.channel
        if not posting.address.startswith(("U", "W")):
            return posting.address
        opened = await self._call(leased, "conversations.open", users=posting.address)
        if isinstance(opened, Failed):
            return opened
        channel = opened.data.get("channel")
        id = channel.get("id") if isinstance(channel, dict) else None
        if not isinstance(id, str):
            return Failed(trouble=Trouble.RETRY, error="(no channel)", method="conversations.open")
        if not await self._store.place_posting(posting=posting, lease=leased.lease, channel=id):
            raise OutOfTimeError
        return id

    async def _call(self, leased: PostingLease, method: str, **arguments: Any) -> Done | Failed:
        if leased.lease.until - self._clock.now() < timedelta(seconds=CALL_TIMEOUT):
            raise OutOfTimeError
        held = self._pace.held(method)
        if held > 0:
            return Failed(trouble=Trouble.LIMITED, error="ratelimited", method=method, retry_after=held)
        return await self._client.call(method, **arguments)


def method_for(posting: Posting) -> str:
    """What will be called for it, last."""
    return "chat.postMessage" if posting.ts is None else "chat.update"
