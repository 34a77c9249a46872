"""What a workspace is made of: people, channels, messages, views."""

from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
ChannelKind = Literal["channel", "private", "im"]
# Who may post into a channel: everyone, its administrators only, nobody; only replies, only new messages.
Posting = Literal["everyone", "admins", "read_only", "thread_only", "no_threads"]


@dataclass(frozen=True, kw_only=True, slots=True)
class User:
    """A person or bot. `team`: the workspace they belong to; another one for people of Slack Connect.

    `email`: empty where there is none.
    """

    id: str
    name: str
    real_name: str
    email: str = ""
    team: str = "T07ACME00"
    tz: str = "Europe/Madrid"
    tz_label: str = "Central European Time"
    tz_offset: int = 3600
    deleted: bool = False
    is_restricted: bool = False
    is_bot: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Usergroup:
    """`handle`: what people write after the @. A disabled one is listed only to who asks for it."""

    id: str
    handle: str
    name: str
    users: tuple[str, ...]
    disabled: bool = False


@dataclass(kw_only=True, slots=True)
class Channel:
    """`members` are user ids; for a DM exactly the two of them. `shared_with`: another workspace, by Slack Connect.

    `posting` other than "everyone" keeps the app, which is no administrator, from posting as it says.
    """

    id: str
    name: str
    kind: ChannelKind
    members: set[str]
    archived: bool = False
    shared_with: str | None = None
    posting: Posting = "everyone"

    def other(self, user: str) -> str | None:
        """The person on the other side of a DM."""
        if self.kind != "im":
            return None
        return next((member for member in self.members if member != user), user)


@dataclass(kw_only=True, slots=True)
class Message:
    """One message as stored. `ephemeral_to` set: only that person sees it, and no Web API method can edit it.

    `history` holds the blocks of earlier versions, newest last, those of attachments included: what a person with a
    slow client may still see. `placed`: in which attachment (by its id, 1 for the first) each block of one ever stood.
    `locked`: its thread takes no more replies.
    """

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json]
    at: float
    thread_ts: str | None = None
    from_app: bool = False
    edited: bool = False
    deleted: bool = False
    ephemeral_to: str | None = None
    metadata: Json | None = None
    attachments: list[Json] = field(default_factory=list)
    history: list[list[Json]] = field(default_factory=list)
    placed: dict[str, int] = field(default_factory=dict)
    locked: bool = False

    def __post_init__(self) -> None:
        self.place()

    @property
    def everything(self) -> list[Json]:
        """Its own blocks, then those of its attachments."""
        return [*self.blocks, *(block for part in self.attachments for block in part.get("blocks", []))]

    def place(self) -> None:
        """Note where the blocks of the attachments stand now."""
        for part in self.attachments:
            self.placed |= {block["block_id"]: part["id"] for block in part.get("blocks", [])}

    def attachment_of(self, block_id: str) -> int | None:
        """The id of the attachment with this block; None for a block of the message itself."""
        own = any(block["block_id"] == block_id for block in self.blocks)
        return None if own else self.placed.get(block_id)

    def seen_by(self, user: str) -> bool:
        return not self.deleted and self.ephemeral_to in (None, user)


@dataclass(kw_only=True, slots=True)
class View:
    """A modal or Home as stored. `content` holds the app's own keys (title, blocks, …), checked and with every id filled in."""

    id: str
    user: str
    content: Json
    hash: str
    root_id: str
    team: str = "T07ACME00"
    previous_id: str | None = None
    history: list[list[Json]] = field(default_factory=list)

    @property
    def type(self) -> str:
        return str(self.content["type"])

    @property
    def blocks(self) -> list[Json]:
        blocks: list[Json] = self.content["blocks"]
        return blocks

    @property
    def external_id(self) -> str:
        return str(self.content.get("external_id") or "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """A warning that one person sees as a toast."""

    id: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One change of the workspace. `user` set: only that person can see it."""

    version: int
    what: Literal["message", "view", "home", "notice"]
    channel: str | None = None
    user: str | None = None
