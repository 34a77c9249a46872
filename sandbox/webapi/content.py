"""What a message is made of: text, blocks, attachments, metadata. Shared by the methods of chat.*."""

import json
from typing import Any, Final

from sandbox.model import Json
from sandbox.refusal import Refusal, bad_blocks
from sandbox.responses import ATTACHMENTS
from sandbox.validate import check
from sandbox.validate.errors import Problem
from sandbox.validate.permitted import unpermitted
from sandbox.validate.walk import blocks_in
from sandbox.webapi.call import Call

TRUNCATED_AT: Final = 40_000
UPDATE_TEXT: Final = 4_000
MARKDOWN_TEXT: Final = 12_000
# Slack documents that there is a limit, not which. These are ours: what stays below them has been seen to pass.
ATTACHMENT_BYTES: Final = 100_000
METADATA_BYTES: Final = 16_000


def long_text(text: str) -> tuple[str, list[str]]:
    """A text as chat.postMessage takes it, with the warnings of its answer."""
    return (text[:TRUNCATED_AT], ["message_truncated"]) if len(text) > TRUNCATED_AT else (text, [])


def short_text(call: Call) -> str:
    """A text as every other method takes it. Raises msg_too_long."""
    text = call.text("text") or ""
    if len(text) > UPDATE_TEXT:
        raise Refusal("msg_too_long")
    return text


def blocks_of(call: Call, *, stored: bool = False) -> list[Json]:
    value = call.value("blocks")
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise Refusal("invalid_blocks_format")
    problems = check.blocks(value, stored=stored) or unpermitted(value, call.scopes)
    if problems:
        raise bad_blocks(problems)
    return value


def together(blocks: list[Json], attachments: list[Json]) -> None:
    """The blocks of a message and those of its attachments: one total, and no block_id twice."""
    inside = [block for part in attachments for block in part.get("blocks", [])]
    if check.total([*blocks, *inside]) > check.MESSAGE_TOTAL:
        raise Refusal("msg_blocks_too_long")
    seen = {block.get("block_id") for block, _ in blocks_in(blocks)} - {None}
    twice: list[Problem] = []
    for number, part in enumerate(attachments):
        for block, pointer in blocks_in(part.get("blocks", []), f"/{number}/blocks"):
            name = block.get("block_id")
            if name in seen:
                twice.append(Problem(message=f'`block_id` "{name}" already exists', pointer=f"{pointer}/block_id"))
            if name is not None:
                seen.add(name)
    if twice:
        raise bad_blocks(twice, "/attachments")


def attachments_of(call: Call, *, stored: bool = False, refused_as: str = "invalid_blocks") -> list[Json]:
    """Attachments, their blocks checked like those of the message. `refused_as`: the method's word for bad ones."""
    value = call.value("attachments") or []
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise Refusal("invalid_attachments")
    if len(value) > ATTACHMENTS:
        raise Refusal("too_many_attachments")
    if len(json.dumps(value, ensure_ascii=False).encode()) > ATTACHMENT_BYTES:
        raise Refusal("attachment_payload_limit_exceeded")
    problems = [
        problem
        for number, part in enumerate(value)
        if "blocks" in part
        for problem in _below(f"/{number}/blocks", _inside(part["blocks"], call, stored=stored))
    ]
    if problems:
        raise bad_blocks(problems, "/attachments", error=refused_as)
    return value


def _inside(blocks: Any, call: Call, *, stored: bool) -> list[Problem]:
    return check.blocks(blocks, stored=stored) or unpermitted(blocks, call.scopes)


def _below(at: str, problems: list[Problem]) -> list[Problem]:
    return [Problem(message=p.message, pointer=at + p.pointer, code=p.code, constraint=p.constraint) for p in problems]


def something(call: Call, text: str, blocks: list[Json], attachments: list[Json]) -> None:
    """Markdown text is a third way to say something, and excludes the other two."""
    markdown = call.text("markdown_text")
    if markdown and (text or blocks):
        raise Refusal("markdown_text_conflict")
    if markdown and len(markdown) > MARKDOWN_TEXT:
        raise Refusal("msg_too_long")
    if not (text.strip() or blocks or markdown or attachments):
        raise Refusal("no_text")


def metadata_of(call: Call) -> Json | None:
    """`{event_type, event_payload}`, {} to take it away, None where nothing was said."""
    value: Any = call.value("metadata")
    if value is None:
        return None
    if value == {}:
        return {}
    if not isinstance(value, dict) or set(value) != {"event_type", "event_payload"}:
        raise Refusal("invalid_metadata_format")
    if not isinstance(value["event_type"], str) or not value["event_type"]:
        raise Refusal("invalid_metadata_format")
    if not isinstance(value["event_payload"], dict):
        raise Refusal("invalid_metadata_format")
    if len(json.dumps(value, ensure_ascii=False).encode()) > METADATA_BYTES:
        raise Refusal("metadata_too_large")
    found: Json = value
    return found
