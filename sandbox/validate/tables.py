"""Blocks, one shape each: which fields, how long, on which surfaces."""

from collections.abc import Mapping
from typing import Any, Final

from sandbox.validate import rich_text
from sandbox.validate.elements import ELEMENTS
from sandbox.validate.objects import ANY_TEXT, BLOCK_ID, URL, one_of
from sandbox.validate.spec import Bool, Enum, Field, Int, Items, Rule, Run, Shape, Str, Surface, Text, Typed, may, need


class _ContextPart:
    """A context holds images and bare text objects."""

    image = Typed(ELEMENTS, where="context")
    text = Text(3000, ANY_TEXT, body=True)

    def check(self, value: Any, at: str, run: Run) -> None:
        if isinstance(value, dict) and value.get("type") in ANY_TEXT:
            self.text.check(value, at, run)
        else:
            self.image.check(value, at, run)


def _text_or_fields(block: dict[str, Any], at: str, run: Run) -> None:
    if "text" not in block and "fields" not in block:
        run.fail("must define either `text` or `fields`", f"{at}/type")


def _own_action_ids(block: dict[str, Any], at: str, run: Run) -> None:
    """An action_id may repeat in the message, never in its block."""
    seen: set[str] = set()
    for number, element in enumerate(block["elements"]):
        name = element.get("action_id")
        if name is not None and name in seen:
            run.fail(f'`action_id` "{name}" already exists', f"{at}/elements/{number}/action_id")
        seen.add(name)


def _no_file_dispatch(block: dict[str, Any], at: str, run: Run) -> None:
    if block.get("dispatch_action") and block["element"]["type"] == "file_input":
        run.fail("`dispatch_action` is not supported with `file_input`", f"{at}/dispatch_action")


def _response_url(block: dict[str, Any], at: str, run: Run) -> None:
    """Only an input of a modal may ask for a response_url."""
    if block["type"] == "input" and run.surface == "modal":
        return
    parts = {"element": block.get("element"), "accessory": block.get("accessory")}
    parts |= {f"elements/{number}": part for number, part in enumerate(block.get("elements", []))}
    for name, part in parts.items():
        if part is not None and part.get("response_url_enabled"):
            run.fail(
                "`response_url_enabled` is only supported in input blocks of modals",
                f"{at}/{name}/response_url_enabled",
            )


def _block(
    fields: Mapping[str, Field], *rules: Rule, surfaces: tuple[Surface, ...] = ("message", "modal", "home")
) -> Shape:
    return Shape({"block_id": may(BLOCK_ID), **fields}, rules, surfaces, typed=True)


_SLACK_FILE: Final = Shape({"id": may(Str(255, 1)), "url": may(URL)}, (one_of("id", "url"),))

BLOCKS: Final[Mapping[str, Shape]] = {
    "section": _block(
        {
            "text": may(Text(3000, ANY_TEXT, body=True)),
            "fields": may(Items(Text(2000, ANY_TEXT, body=True), 1, 10)),
            "accessory": may(Typed(ELEMENTS, where="section")),
            "expand": may(Bool()),
        },
        _text_or_fields,
        _response_url,
    ),
    "actions": _block(
        {"elements": need(Items(Typed(ELEMENTS, where="actions"), 1, 25))}, _own_action_ids, _response_url
    ),
    "input": _block(
        {
            "label": need(Text(2000)),
            "element": need(Typed(ELEMENTS, where="input")),
            "hint": may(Text(2000)),
            "optional": may(Bool()),
            "dispatch_action": may(Bool()),
        },
        _no_file_dispatch,
        _response_url,
    ),
    "context": _block({"elements": need(Items(_ContextPart(), 1, 10))}),
    "header": _block({"text": need(Text(150)), "level": may(Int(1, 6))}),
    "divider": _block({}),
    "image": _block(
        {
            "image_url": may(URL),
            "slack_file": may(_SLACK_FILE),
            "alt_text": need(Str(2000, 1)),
            "title": may(Text(2000)),
        },
        one_of("image_url", "slack_file"),
    ),
    "rich_text": _block(rich_text.BODY, *rich_text.RULES),
    "markdown": _block({"text": need(Str(12_000, 1))}, surfaces=("message",)),
    "alert": _block(
        {
            "text": need(Text(200, ANY_TEXT)),
            "level": may(Enum(("default", "info", "warning", "error", "success"))),
        },
        surfaces=("modal",),
    ),
}
