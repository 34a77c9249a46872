"""Blocks to test with: each call gives a fresh, valid piece."""

from typing import Any

Json = dict[str, Any]


def plain(text: str = "x", **more: Any) -> Json:
    return {"type": "plain_text", "text": text, **more}


def mrkdwn(text: str = "x", **more: Any) -> Json:
    return {"type": "mrkdwn", "text": text, **more}


def section(**fields: Any) -> Json:
    return {"type": "section", "text": mrkdwn(), **fields}


def button(action_id: str = "go", **fields: Any) -> Json:
    return {"type": "button", "action_id": action_id, "text": plain("Go"), **fields}


def actions(*elements: Json, **fields: Any) -> Json:
    return {"type": "actions", "elements": list(elements), **fields}


def option(value: str = "a", **fields: Any) -> Json:
    return {"text": plain(f"Option {value}"), "value": value, **fields}


def options(count: int) -> list[Json]:
    return [option(str(number)) for number in range(count)]


def select(action_id: str = "pick", **fields: Any) -> Json:
    return {"type": "static_select", "action_id": action_id, "options": options(3), **fields}


def multi(action_id: str = "picks", **fields: Any) -> Json:
    return {"type": "multi_static_select", "action_id": action_id, "options": options(3), **fields}


def boxes(action_id: str = "boxes", **fields: Any) -> Json:
    return {"type": "checkboxes", "action_id": action_id, "options": options(3), **fields}


def radio(action_id: str = "radio", **fields: Any) -> Json:
    return {"type": "radio_buttons", "action_id": action_id, "options": options(3), **fields}


def overflow(action_id: str = "more", **fields: Any) -> Json:
    return {"type": "overflow", "action_id": action_id, "options": options(2), **fields}


def text_input(action_id: str = "text", **fields: Any) -> Json:
    return {"type": "plain_text_input", "action_id": action_id, **fields}


def input_block(element: Json | None = None, **fields: Any) -> Json:
    return {"type": "input", "label": plain("Label"), "element": element or text_input(), **fields}


def rich(*pieces: Json) -> Json:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(pieces)}]}


def confirm(**fields: Any) -> Json:
    return {"title": plain("Sure?"), "text": plain("Really?"), "confirm": plain("Yes"), "deny": plain("No"), **fields}


def modal(*blocks: Json, **fields: Any) -> Json:
    return {"type": "modal", "title": plain("Title"), "blocks": list(blocks) or [section()], **fields}


def home(*blocks: Json, **fields: Any) -> Json:
    return {"type": "home", "blocks": list(blocks) or [section()], **fields}


def header(text: str = "Header", **fields: Any) -> Json:
    return {"type": "header", "text": plain(text), **fields}
