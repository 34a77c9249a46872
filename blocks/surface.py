"""What builders return, and what they are told besides the interaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from store.types import Approval, Stop

#: One Block Kit object, ready for JSON: no None anywhere.
Block = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """`text` is what notifications and screen readers get: the only mrkdwn, and no syntax but our own mentions."""

    text: str
    blocks: tuple[Block, ...]

    def payload(self) -> dict[str, Any]:
        """The arguments of `chat.postMessage` and `chat.update`, or of a `response_url`."""
        return {"text": self.text, "blocks": list(self.blocks)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Note(Message):
    """A private reply. `title`: of the form that turns into it, where there was one."""

    title: str = "Please read"


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """A modal or the Home tab (`title` None)."""

    callback_id: str
    blocks: tuple[Block, ...]
    title: str | None = None
    submit: str | None = None
    close: str | None = None
    private_metadata: str = ""
    notify_on_close: bool = False

    def payload(self) -> dict[str, Any]:
        """The `view` argument of `views.open`, `views.update`, `views.push` and `views.publish`."""
        view: dict[str, Any] = {
            "type": "home" if self.title is None else "modal",
            "callback_id": self.callback_id,
            "blocks": list(self.blocks),
        }
        for key in ("title", "submit", "close"):
            words = getattr(self, key)
            if words is not None:
                view[key] = {"type": "plain_text", "text": words, "emoji": False}
        if self.private_metadata:
            view["private_metadata"] = self.private_metadata
        if self.notify_on_close:
            view["notify_on_close"] = True
        return view


@dataclass(frozen=True, kw_only=True, slots=True)
class Paint:
    """How one copy is drawn, beyond what the interaction says itself."""

    #: Part of block ids: another number on each paint. The posting's leased `wanted`.
    revision: int = 1
    #: Slack id (user or group) to the name that people read. Missing: the id itself is shown.
    names: Mapping[str, str] = field(default_factory=dict)
    #: Whether an open card mentions, and so pings, those who may decide.
    mention: bool = True
    #: They get a copy of their own: named here without a second ping.
    dm_users: frozenset[str] = frozenset()
    #: The approval that this one replaces, for the difference of the two inputs.
    replaces: Approval | None = None
    replaces_link: str | None = None
    replaced_by_link: str | None = None
    #: Approved, never claimed, and the claim window is over. (A claim that came too late says so itself.)
    lapsed: bool = False
    #: Who says what happened where nobody knows.
    operators: tuple[str, ...] = ()
    #: What keeps this tool from running now.
    stopped: Stop | None = None
    #: The last approval of this tool and key before it. None, where it was looked for (`is_compared`): there is none.
    precedent: Approval | None = None
    is_compared: bool = False
