"""Composition objects: option, option group, confirm, filter, dispatch config."""

import re
from typing import Any, Final

from sandbox.validate.spec import Bool, Enum, Items, Rule, Run, Shape, Str, Text, may, need

ANY_TEXT: Final = ("plain_text", "mrkdwn")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


def is_url(text: str) -> bool:
    return _URL.fullmatch(text) is not None


URL: Final = Str(3000, 1, is_url, "must be a valid URL")
BLOCK_ID: Final = Str(255, 1)
ACTION_ID: Final = Str(255, 1)


def _option(*, mrkdwn: bool = False, url: bool = False) -> Shape:
    kinds = ANY_TEXT if mrkdwn else ("plain_text",)
    fields = {"text": need(Text(75, kinds)), "value": need(Str(150, 1)), "description": may(Text(75, kinds))}
    if url:
        fields["url"] = may(URL)
    return Shape(fields)


OPTION: Final = _option()
RICH_OPTION: Final = _option(mrkdwn=True)
OVERFLOW_OPTION: Final = _option(url=True)
OPTION_GROUP: Final = Shape({"label": need(Text(75)), "options": need(Items(OPTION, 1, 100))})

CONFIRM: Final = Shape(
    {
        "title": need(Text(100)),
        "text": need(Text(300, ANY_TEXT)),
        "confirm": need(Text(30)),
        "deny": need(Text(30)),
        "style": may(Enum(("primary", "danger"))),
    },
)

DISPATCH: Final = Shape(
    {"trigger_actions_on": need(Items(Enum(("on_enter_pressed", "on_character_entered")), 1, 2))},
)

FILTER: Final = Shape(
    {
        "include": may(Items(Enum(("im", "mpim", "private", "public")), 1, 4)),
        "exclude_external_shared_channels": may(Bool()),
        "exclude_bot_users": may(Bool()),
    },
)


def one_of(*names: str) -> Rule:
    """Exactly one of these fields must be there."""
    listed = " or ".join(f"`{name}`" for name in names)

    def rule(value: dict[str, Any], at: str, run: Run) -> None:
        if sum(name in value for name in names) != 1:
            run.fail(f"must define either {listed}", f"{at}/type")

    return rule
