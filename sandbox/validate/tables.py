"""Blocks, one shape each: which fields, how long, on which surfaces."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from sandbox.validate import rich_text
from sandbox.validate.elements import ELEMENTS
from sandbox.validate.grids import TABLE
from sandbox.validate.newer import newer
from sandbox.validate.objects import ANY_TEXT, HTTPS, IMAGE_URL, SLACK_FILE, block_shape, one_of
from sandbox.validate.spec import Bool, Int, Items, Run, Shape, Str, Text, Typed, may, need
from sandbox.validate.walk import elements_of


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


def _no_file_dispatch(block: dict[str, Any], at: str, run: Run) -> None:
    if block.get("dispatch_action") and block["element"]["type"] == "file_input":
        run.fail("`dispatch_action` is not supported with `file_input`", f"{at}/dispatch_action")


def _response_url(block: dict[str, Any], at: str, run: Run) -> None:
    """Only an input of a modal may ask for a response_url."""
    if block["type"] == "input" and run.surface == "modal":
        return
    for part, pointer in elements_of(block):
        if part.get("response_url_enabled"):
            run.fail(
                "`response_url_enabled` is only supported in input blocks of modals",
                f"{at}{pointer}/response_url_enabled",
            )


CLASSIC: Final[Mapping[str, Shape]] = {
    "section": block_shape(
        {
            "text": may(Text(3000, ANY_TEXT, body=True)),
            "fields": may(Items(Text(2000, ANY_TEXT, body=True), 1, 10)),
            "accessory": may(Typed(ELEMENTS, where="section")),
            "expand": may(Bool()),
        },
        _text_or_fields,
        _response_url,
    ),
    "actions": block_shape({"elements": need(Items(Typed(ELEMENTS, where="actions"), 1, 25))}, _response_url),
    "input": block_shape(
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
    "context": block_shape({"elements": need(Items(_ContextPart(), 1, 10))}),
    "header": block_shape({"text": need(Text(150)), "level": may(Int(1, 6))}),
    "divider": block_shape({}),
    "image": block_shape(
        {
            "image_url": may(IMAGE_URL),
            "slack_file": may(SLACK_FILE),
            "alt_text": need(Str(2000, 1)),
            "title": may(Text(2000)),
        },
        one_of("image_url", "slack_file"),
    ),
    "rich_text": block_shape(rich_text.BODY, *rich_text.RULES),
    "markdown": block_shape({"text": need(Str(12_000, 1))}, surfaces=("message",)),
    "table": TABLE,
    "video": block_shape(
        {
            "alt_text": need(Str(2000, 1)),
            "title": need(Text(199)),
            "thumbnail_url": need(replace(IMAGE_URL, high=2000)),
            "video_url": need(replace(HTTPS, high=2000)),
            "title_url": may(replace(HTTPS, high=2000)),
            "author_name": may(Str(49, 1)),
            "description": may(Text(199)),
            "provider_name": may(Str(49, 1)),
            "provider_icon_url": may(IMAGE_URL),
        },
    ),
}

BLOCKS: Final[Mapping[str, Shape]] = {**CLASSIC, **newer(CLASSIC)}
