"""Blocks of the newer kind: alert, card, carousel, container, context_actions, plan, task_card, and the data blocks.

Slack rolls these out workspace by workspace; an app that sends them needs a classic layout to fall back on.
"""

from collections.abc import Mapping
from typing import Any, Final

from sandbox.validate import rich_text
from sandbox.validate.charts import DATA_VISUALIZATION
from sandbox.validate.elements import ELEMENTS
from sandbox.validate.grids import DATA_TABLE
from sandbox.validate.icons import ICONS
from sandbox.validate.objects import ANY_TEXT, BLOCK_ID, URL, block_shape
from sandbox.validate.spec import Bool, Enum, Field, Items, Run, Shape, Str, Text, Typed, may, need

_IMAGE: Final = Typed(ELEMENTS, only=frozenset({"image"}))
_BUTTON: Final = Typed(ELEMENTS, only=frozenset({"button"}))
_RICH: Final = Shape({"block_id": may(BLOCK_ID), **rich_text.BODY}, rich_text.RULES, typed=True)
_RICH_TEXT: Final = Typed({"rich_text": _RICH})
_STATUS: Final = need(Enum(("pending", "in_progress", "complete", "error")))
IN_CONTAINERS: Final = frozenset(
    {"actions", "context", "divider", "header", "image", "input", "rich_text", "section", "table", "video"}
)
ALERT: Final = block_shape(
    {"text": need(Text(200, ANY_TEXT)), "level": may(Enum(("default", "info", "warning", "error", "success")))},
    surfaces=("modal",),
)


def _shows_something(card: dict[str, Any], at: str, run: Run) -> None:
    if not {"hero_image", "title", "actions", "body"} & set(card):
        run.fail("must define at least one of `hero_image`, `title`, `actions` or `body`", at)
    if "icon" in card and "slack_icon" in card:
        run.fail("must define either `icon` or `slack_icon`", f"{at}/icon")


CARD: Final = block_shape(
    {
        "hero_image": may(_IMAGE),
        "icon": may(_IMAGE),
        "slack_icon": may(Typed({"icon": Shape({"name": need(Enum(ICONS))}, typed=True)})),
        "title": may(Text(150, ANY_TEXT)),
        "subtitle": may(Text(150, ANY_TEXT)),
        "body": may(Text(200, ANY_TEXT)),
        "subtext": may(Text(200, ANY_TEXT)),
        "actions": may(Items(_BUTTON, 1, 3)),
    },
    _shows_something,
)
CAROUSEL: Final = block_shape({"elements": need(Items(Typed({"card": CARD}), 1, 10))}, surfaces=("message", "home"))


def _collapses(container: dict[str, Any], at: str, run: Run) -> None:
    if ("title" in container) == ("rich_text_title" in container):
        run.fail("must define either `title` or `rich_text_title`", f"{at}/type")
    foldable = container.get("is_collapsible", False)
    if container.get("default_collapsed") and not foldable:
        run.fail("`default_collapsed` needs `is_collapsible`", f"{at}/default_collapsed")
    if container.get("has_header_divider") and foldable:
        run.fail("`has_header_divider` is not supported with `is_collapsible`", f"{at}/has_header_divider")


def _container(classic: Mapping[str, Shape]) -> Shape:
    return block_shape(
        {
            "title": may(Text(150)),
            "rich_text_title": may(_RICH_TEXT),
            "subtitle": may(Text(150, ANY_TEXT)),
            "icon": may(_IMAGE),
            "width": may(Enum(("narrow", "standard", "wide", "full"))),
            "is_collapsible": may(Bool()),
            "default_collapsed": may(Bool()),
            "has_header_divider": may(Bool()),
            "child_blocks": need(Items(Typed(classic, only=IN_CONTAINERS), 1, 10)),
        },
        _collapses,
        surfaces=("message", "home"),
    )


CONTEXT_ACTIONS: Final = block_shape(
    {"elements": need(Items(Typed(ELEMENTS, where="context_actions"), 1, 5))}, surfaces=("message",)
)

_SOURCE: Final = Typed({"url": Shape({"url": need(URL), "text": need(Str(3000, 1))}, typed=True)})
_TASK: Final[Mapping[str, Field]] = {
    "task_id": need(Str(255, 1)),
    "title": need(Str(3000, 1)),
    "status": _STATUS,
    "details": may(_RICH_TEXT),
    "output": may(_RICH_TEXT),
    "sources": may(Items(_SOURCE)),
}


def _begun(card: dict[str, Any], at: str, run: Run) -> None:
    """Only a plan knows tasks that wait."""
    if card["status"] == "pending":
        run.fail(
            "must be a valid enum value", f"{at}/status", type="enum", expected=["in_progress", "complete", "error"]
        )


def _own_task_ids(plan: dict[str, Any], at: str, run: Run) -> None:
    seen: set[str] = set()
    for number, task in enumerate(plan["tasks"]):
        if task["task_id"] in seen:
            run.fail(f'`task_id` "{task["task_id"]}" already exists', f"{at}/tasks/{number}/task_id")
        seen.add(task["task_id"])


TASK_CARD: Final = block_shape(_TASK, _begun, surfaces=("message",))
PLAN: Final = block_shape(
    {
        "title": need(Str(3000, 1)),
        "tasks": need(Items(Shape({"type": may(Enum(("task_card",))), "block_id": may(BLOCK_ID), **_TASK}), 0, 50)),
    },
    _own_task_ids,
    surfaces=("message",),
)


def newer(classic: Mapping[str, Shape]) -> dict[str, Shape]:
    """The newer blocks; `classic` are those that may stand in a container."""
    return {
        "alert": ALERT,
        "card": CARD,
        "carousel": CAROUSEL,
        "container": _container(classic),
        "context_actions": CONTEXT_ACTIONS,
        "data_table": DATA_TABLE,
        "data_visualization": DATA_VISUALIZATION,
        "plan": PLAN,
        "task_card": TASK_CARD,
    }
