"""Blocks and elements around the rich text: headers, small print, buttons, menus, inputs. All words are plain_text."""

from collections.abc import Sequence

from blocks import ids, limits
from blocks.surface import Block
from blocks.visible import one_line, visible

NO_WORDS = "(no text)"


def plain(words: str) -> Block:
    return {"type": "plain_text", "text": visible(words) or NO_WORDS, "emoji": False}


def line(words: str, budget: int) -> Block:
    """One line within `budget`, with a "…" where it was cut."""
    return plain(limits.clip(one_line(words), budget))


def header(block_id: str, words: str) -> Block:
    return {"type": "header", "block_id": block_id, "text": line(words, limits.HEADER)}


def context(block_id: str, words: str) -> Block:
    """Small print."""
    return {"type": "context", "block_id": block_id, "elements": [plain(words)]}


def divider(block_id: str) -> Block:
    return {"type": "divider", "block_id": block_id}


def actions(block_id: str, *elements: Block) -> Block:
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


def button(action_id: str, words: str, value: str, *, style: str | None = None, says: str | None = None) -> Block:
    """`says`: what a screen reader reads: the verb and its object. `style`: "primary" or "danger"."""
    element: Block = {"type": "button", "action_id": action_id, "text": line(words, limits.BUTTON), "value": value}
    if style is not None:
        element["style"] = style
    if says is not None:
        element["accessibility_label"] = limits.clip(one_line(says), limits.ACCESSIBILITY)
    return element


def wake(id: str) -> Block:
    """The one button of a closed card: its run seems not to know what came of it."""
    return button(ids.WAKE, "Wake the run again", id)


def confirmed(element: Block, *, asks: str, explains: str, yes: str, no: str) -> Block:
    """`element` with a dialog before it counts. `no` names what goes on instead, never "Cancel"."""
    dialog: Block = {"title": line(asks, 100), "text": line(explains, 300), "confirm": plain(yes), "deny": plain(no)}
    if element.get("style") == "danger":
        dialog["style"] = "danger"
    return {**element, "confirm": dialog}


def option(words: str, value: str, description: str | None = None) -> Block:
    entry: Block = {"text": line(words, limits.OPTION), "value": value}
    if description:
        entry["description"] = line(description, limits.OPTION)
    return entry


def overflow(action_id: str, options: Sequence[Block]) -> Block:
    return {"type": "overflow", "action_id": action_id, "options": list(options)}


def select(action_id: str, options: Sequence[Block], *, placeholder: str | None, chosen: Block | None = None) -> Block:
    element: Block = {"type": "static_select", "action_id": action_id, "options": list(options)}
    if chosen is not None:
        element["initial_option"] = chosen
    if placeholder is not None:
        element["placeholder"] = plain(placeholder)
    return element


def text_input(
    action_id: str, *, longest: int, multiline: bool = False, initial: str | None = None, hint: str | None = None
) -> Block:
    """A field to type in. `hint` is the grey text in it; `initial` is sent as it is, since it comes back as the answer."""
    element: Block = {"type": "plain_text_input", "action_id": action_id, "max_length": longest}
    if multiline:
        element["multiline"] = True
    if initial:
        element["initial_value"] = initial
    if hint is not None:
        element["placeholder"] = plain(hint)
    return element


def input(block_id: str, label: str, element: Block, *, optional: bool = False, hint: str | None = None) -> Block:
    block: Block = {
        "type": "input",
        "block_id": block_id,
        "label": line(label, limits.LABEL),
        "element": element,
        "optional": optional,
    }
    if hint:
        block["hint"] = line(hint, limits.HINT)
    return block


def heard(block: Block) -> Block:
    """An input whose changes are told as they are made. Text while it is typed, which Slack does at pauses: Enter is
    pressed too late, if ever, and would put a line about it under the field.
    """
    element = block["element"]
    if element["type"] == "plain_text_input":
        element = {**element, "dispatch_action_config": {"trigger_actions_on": ["on_character_entered"]}}
    return {**block, "element": element, "dispatch_action": True}
