"""Requests as Slack sent them to other apps, among the captures here; `README.md` says where they are from."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

DATA = Path(__file__).parent
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
#: Kinds that arrive as JSON; all others are forms.
EVENTS = frozenset({"event", "url_verification", "app_rate_limited"})
#: Slack's `type` of a request. Files of other kinds (views, messages, answers of the Web API) are nobody's request.
TYPES = frozenset(
    {
        *("block_actions", "view_submission", "view_closed", "block_suggestion", "shortcut", "message_action"),
        *("interactive_message", "dialog_submission", "dialog_cancellation", "dialog_suggestion"),
        *("workflow_step_edit", "event_callback", "url_verification", "app_rate_limited"),
    }
)
#: Cut off by whoever kept it: no whole JSON, and so nothing that Slack sends.
BROKEN = "interactive_button_click.json"


@dataclass(frozen=True, kw_only=True)
class Capture:
    """`kind`: Slack's type, `slash_command`, or `event`. `envelope`: what it came in over a socket, if it did."""

    name: str
    kind: str
    body: dict[str, Any]
    raw: bytes
    content_type: str
    envelope: dict[str, Any] | None = None

    def changed(self, body: dict[str, Any]) -> "Capture":
        """The same request with another body."""
        raw = encoded(self.kind, body)
        return Capture(name=self.name, kind=self.kind, body=body, raw=raw, content_type=self.content_type)


@cache
def captures() -> tuple[Capture, ...]:
    files = sorted(path for path in DATA.rglob("*") if path.name.endswith((".json", ".form.txt")))
    found = [_read(path) for path in files if path.name != BROKEN]
    return tuple(capture for capture in found if capture is not None)


def of_kind(*kinds: str) -> list[Capture]:
    return [capture for capture in captures() if capture.kind in kinds]


def broken() -> Capture:
    (path,) = DATA.rglob(BROKEN)
    raw = urlencode({"payload": path.read_text("utf-8")}).encode()
    return Capture(name=path.name, kind="interactive_message", body={}, raw=raw, content_type=FORM)


def encoded(kind: str, body: dict[str, Any]) -> bytes:
    """As it travels over HTTP."""
    if kind in EVENTS:
        return json.dumps(body).encode()
    return urlencode(body if kind == "slash_command" else {"payload": json.dumps(body)}).encode()


def _read(path: Path) -> Capture | None:
    name = path.relative_to(DATA).as_posix()
    text = path.read_text("utf-8")
    if path.name.endswith(".form.txt"):
        fields = {key: values[-1] for key, values in parse_qs(text.strip(), keep_blank_values=True).items()}
        body = json.loads(fields["payload"]) if "payload" in fields else fields
        return Capture(name=name, kind=_kind(body), body=body, raw=text.strip().encode(), content_type=FORM)
    found = json.loads(text)
    if not _is_request(found):
        return None
    envelope = found if "envelope_id" in found else None
    body = found if envelope is None else envelope["payload"]
    kind = _kind(body)
    content_type = JSON if kind in EVENTS else FORM
    return Capture(
        name=name, kind=kind, body=body, raw=encoded(kind, body), content_type=content_type, envelope=envelope
    )


def _is_request(found: Any) -> bool:
    if not isinstance(found, dict):
        return False
    is_event = isinstance(found.get("event"), dict) and "team_id" in found
    is_command = "command" in found and "response_url" in found
    return "envelope_id" in found or is_event or is_command or found.get("type") in TYPES


def _kind(body: dict[str, Any]) -> str:
    if isinstance(body.get("event"), dict):
        return "event"
    return str(body.get("type") or "slash_command")
