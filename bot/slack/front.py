"""The door for Slack's HTTP requests: cap, verify, decode once, hand on. Whatever comes, it answers and never raises."""

import binascii
import json
import re
from collections.abc import Sequence
from typing import Any

import structlog
from aiohttp import web

from bot.clock import Clock
from bot.slack.answering import Answer
from bot.slack.signature import is_genuine

log = structlog.get_logger("signoff.front")

#: Slack's own bodies stay far below; a form with every field full is about 300 KiB.
MAX_BODY = 1024 * 1024
MAX_FIELDS = 100
_HALF_ESCAPED = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class Front:
    """`POST /slack/events`, for interactions, commands and events alike."""

    def __init__(self, *, secrets: Sequence[str], answer: Answer, clock: Clock, wall: Clock) -> None:
        """`clock` dates the click; `wall` is this machine's time, in which Slack dates its signatures."""
        self._secrets = secrets
        self._answer = answer
        self._clock = clock
        self._wall = wall

    async def receive(self, request: web.Request) -> web.Response:
        arrived = self._clock.now()
        try:
            raw = await _read(request)
        except (web.RequestPayloadError, ConnectionError):
            # Nobody has shown yet who they are: a broken body, or a caller that hung up, is worth one line.
            log.info("body_broken", remote=request.remote)
            return web.Response(status=400)
        if raw is None:
            return web.Response(status=413)
        now = self._wall.now().timestamp()
        if not is_genuine(self._secrets, headers=request.headers, body=raw, now=now):
            log.warning("signature_refused", remote=request.remote)
            return web.Response(status=401)
        body = decode(raw, content_type=request.content_type)
        if body is None:
            log.warning("body_refused", bytes=len(raw))
            return web.Response(status=400)
        if "ssl_check" in body:
            return web.Response(status=200)
        if body.get("type") == "url_verification":
            return web.json_response({"challenge": body.get("challenge")})
        reply = await self._answer(body, arrived)
        return web.Response(status=200) if reply is None else web.json_response(reply)


async def _read(request: web.Request) -> bytes | None:
    """The whole body, or None beyond the cap; never more of it than the cap in memory."""
    if request.content_length is not None and request.content_length > MAX_BODY:
        return None
    parts = bytearray()
    async for part in request.content.iter_chunked(65536):
        parts.extend(part)
        if len(parts) > MAX_BODY:
            return None
    return bytes(parts)


def decode(raw: bytes, *, content_type: str) -> dict[str, Any] | None:
    """JSON, a form's `payload`, or a form's own fields (a slash command). None for anything else."""
    try:
        if content_type == "application/json":
            found = json.loads(raw.decode("utf-8"))
        else:
            fields = form(raw)
            # Only a field of that name: the word may stand in what a person typed.
            found = json.loads(fields["payload"]) if "payload" in fields else fields
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found else None


def form(raw: bytes) -> dict[str, str]:
    """The fields of a URL-encoded form, by their last value, blanks kept.

    Decoded by the interpreter's own C: the standard library's parser took a sixth of a click's CPU.

    Raises:
        ValueError: a percent sign without two hex digits, text that is not UTF-8, too many fields.
    """
    if raw.count(b"&") >= MAX_FIELDS or _HALF_ESCAPED.search(raw):
        raise ValueError("no form")
    pairs = (part.partition(b"=") for part in raw.split(b"&") if part)
    return {_plain(name): _plain(value) for name, _, value in pairs}


def _plain(text: bytes) -> str:
    # Quoted-printable is the same code with another sign.
    quoted = text.replace(b"+", b" ").replace(b"=", b"=3D").replace(b"%", b"=")
    return binascii.a2b_qp(quoted).decode("utf-8")
