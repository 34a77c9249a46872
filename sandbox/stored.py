"""Blocks and views as Slack keeps them and echoes them."""

from typing import Any

from sandbox.ids import Ids
from sandbox.model import Json
from sandbox.validate.elements import ELEMENTS
from sandbox.validate.escape import escape, escape_mrkdwn
from sandbox.validate.walk import blocks_in


def complete(blocks: list[Json], ids: Ids) -> list[Json]:
    """A deep copy with every id and default that Slack fills in."""
    made: list[Json] = [_filled(block, ids) for block in blocks]
    for block, _ in blocks_in(made):
        block.setdefault("block_id", ids.block_id())
    return made


def complete_attachments(attachments: list[Json], ids: Ids) -> list[Json]:
    """A copy of attachments with what Slack fills in: their ids, counted from 1, and the ids of their blocks."""
    made = []
    for number, part in enumerate(attachments, 1):
        whole = {"fallback": "[no preview available]", **part, "id": number}
        if "blocks" in part:
            whole["blocks"] = complete(part["blocks"], ids)
        if isinstance(part.get("color"), str):
            whole["color"] = part["color"].removeprefix("#")
        made.append(whole)
    return made


def _filled(value: Any, ids: Ids) -> Any:
    if isinstance(value, list):
        return [_filled(part, ids) for part in value]
    if not isinstance(value, dict):
        return value
    made = {key: _filled(part, ids) for key, part in value.items()}
    kind = made.get("type")
    if kind == "plain_text":
        made.setdefault("emoji", True)
    elif kind == "mrkdwn":
        made.setdefault("verbatim", False)
    elif kind == "input":
        made.setdefault("optional", False)
        made.setdefault("dispatch_action", False)
    elif isinstance(kind, str) and kind in ELEMENTS and kind != "image":
        made.setdefault("action_id", ids.action_id())
    return made


def echo(value: Any) -> Any:
    """A copy with texts escaped, as they come back in payloads and responses."""
    if isinstance(value, list):
        return [echo(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {key: echo(part) for key, part in value.items()}
    text = made.get("text")
    if isinstance(text, str) and made.get("type") in ("plain_text", "text", "link"):
        made["text"] = escape(text)
    elif isinstance(text, str) and made.get("type") == "mrkdwn":
        made["text"] = escape_mrkdwn(text)
    return made
