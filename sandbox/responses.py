"""response_urls: five uses in thirty minutes, to answer without being a member."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from sandbox.clock import Clock
from sandbox.model import Json, Message
from sandbox.stored import complete
from sandbox.validate import check
from sandbox.workspace import Workspace

LIFE: Final = 30 * 60.0
USES: Final = 5


@dataclass(slots=True)
class ResponseUrl:
    """What one response_url may do. `message_ts`: the message whose element was clicked; None for a slash command."""

    user: str
    channel: str
    message_ts: str | None
    born: float
    uses: int = 0


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
        text, blocks = content
        if body.get("replace_original") and original is not None:
            self.workspace.edit(original, text=text, blocks=complete(blocks, self.workspace.ids))
        else:
            self.say(known, body, text, blocks)
        return Answer(200, "ok")

    def _original(self, known: ResponseUrl) -> Message | None:
        if known.message_ts is None:
            return None
        found = self.workspace.message(known.channel, known.message_ts)
        return None if found is None or found.deleted else found

    def say(self, known: ResponseUrl, body: Json, text: str, blocks: list[Json]) -> Message:
        """A new message of the app: private unless `response_type` is "in_channel"."""
        public = body.get("response_type") == "in_channel"
        thread = body.get("thread_ts")
        return self.workspace.add(
            Message(
                channel=known.channel,
                ts=self.workspace.ids.ts(),
                user=self.workspace.bot_user,
                text=text,
                blocks=complete(blocks, self.workspace.ids),
                at=self.clock.now(),
                thread_ts=thread if isinstance(thread, str) else None,
                from_app=True,
                ephemeral_to=None if public else known.user,
            ),
        )


def content_of(body: Json) -> tuple[str, list[Json]] | str:
    """(text, blocks) of an answer, or the bare error word that Slack gives."""
    text: Any = body.get("text", "")
    blocks: Any = body.get("blocks", [])
    if not isinstance(text, str):
        return "invalid_payload"
    if isinstance(blocks, str):
        try:
            blocks = json.loads(blocks)
        except ValueError:
            return "invalid_blocks"
    if check.blocks(blocks):
        return "invalid_blocks"
    if not text and not blocks:
        return "no_text"
    return text, blocks
