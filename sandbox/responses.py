"""response_urls: five uses in thirty minutes, to answer without being a member."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from sandbox.clock import Clock
from sandbox.model import Json, Message
from sandbox.stored import complete, complete_attachments
from sandbox.validate import check
from sandbox.workspace import Workspace

LIFE: Final = 30 * 60.0
USES: Final = 5
ATTACHMENTS: Final = 100


@dataclass(slots=True)
class ResponseUrl:
    """What one response_url may do. `message_ts`: the message whose element was clicked; None for a slash command."""

    user: str
    channel: str
    message_ts: str | None
    born: float
    uses: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """What an answer says, checked."""

    text: str
    blocks: list[Json]
    attachments: list[Json]


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    text: str


@dataclass(slots=True)
class ResponseUrls:
    """The response_urls of a workspace, by the last part of their path."""

    clock: Clock
    workspace: Workspace
    _known: dict[str, ResponseUrl] = field(default_factory=dict, init=False)

    def mint(self, *, user: str, channel: str, message_ts: str | None) -> str:
        """The last part of a new address."""
        made = self.workspace.ids.secret()
        self._known[made] = ResponseUrl(user, channel, message_ts, self.clock.now())
        return made

    def known(self, key: str) -> ResponseUrl:
        """What this address stands for; KeyError for one that was never made."""
        return self._known[key]

    async def handle(self, request: web.Request) -> web.Response:
        answer = self.use(request.match_info["id"], await request.read())
        return web.Response(status=answer.status, text=answer.text)

    def use(self, key: str, raw: bytes) -> Answer:
        """One POST. A refused body costs a use as well, as at Slack."""
        known = self._known.get(key)
        if known is None:
            return Answer(404, "no_service")
        if self.clock.now() - known.born > LIFE:
            return Answer(404, "expired_url")
        if known.uses >= USES:
            return Answer(404, "used_url")
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return Answer(400, "invalid_payload")
        known.uses += 1
        return self._act(known, body)

    def _act(self, known: ResponseUrl, body: Json) -> Answer:
        original = self._original(known)
        if body.get("delete_original"):
            if original is None:
                return Answer(404, "message_not_found")
            self.workspace.delete(original)
            return Answer(200, "ok")
        content = content_of(body)
        if isinstance(content, str):
            return Answer(400, content)
        if body.get("replace_original") and original is not None:
            ids = self.workspace.ids
            self.workspace.edit(
                original,
                text=content.text,
                blocks=complete(content.blocks, ids),
                attachments=complete_attachments(content.attachments, ids),
            )
        else:
            self.say(known, body, content)
        return Answer(200, "ok")

    def _original(self, known: ResponseUrl) -> Message | None:
        if known.message_ts is None:
            return None
        found = self.workspace.message(known.channel, known.message_ts)
        return None if found is None or found.deleted else found

    def say(self, known: ResponseUrl, body: Json, content: Content) -> Message:
        """A new message of the app: private unless `response_type` is "in_channel"."""
        public = body.get("response_type") == "in_channel"
        thread = body.get("thread_ts")
        return self.workspace.add(
            Message(
                channel=known.channel,
                ts=self.workspace.ids.ts(),
                user=self.workspace.bot_user,
                text=content.text,
                blocks=complete(content.blocks, self.workspace.ids),
                attachments=complete_attachments(content.attachments, self.workspace.ids),
                at=self.clock.now(),
                thread_ts=thread if isinstance(thread, str) else None,
                from_app=True,
                ephemeral_to=None if public else known.user,
            ),
        )


def content_of(body: Json) -> Content | str:
    """What an answer says, or the bare error word that Slack gives."""
    text: Any = body.get("text", "")
    blocks, attachments = _list(body.get("blocks", [])), _list(body.get("attachments", []))
    if not isinstance(text, str):
        return "invalid_payload"
    if blocks is None or check.blocks(blocks):
        return "invalid_blocks"
    if attachments is None or not all(isinstance(part, dict) for part in attachments):
        return "invalid_attachments"
    if len(attachments) > ATTACHMENTS:
        return "too_many_attachments"
    if any(check.blocks(part["blocks"]) for part in attachments if "blocks" in part):
        return "invalid_attachments"
    if not text.strip() and not blocks and not attachments:
        return "no_text"
    return Content(text=text, blocks=blocks, attachments=attachments)


def _list(value: Any) -> list[Any] | None:
    """A list, or JSON of one in a string; None for anything else."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return None
    return value if isinstance(value, list) else None
