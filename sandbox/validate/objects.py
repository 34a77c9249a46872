"""Composition objects: option, option group, confirm, filter, dispatch config, workflow, images."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from sandbox.validate.spec import Bool, Enum, Field, Items, Rule, Run, Shape, Str, Surface, Text, may, need

ANY_TEXT: Final = ("plain_text", "mrkdwn")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")


def is_url(text: str) -> bool:
    return _URL.fullmatch(text) is not None


def _reachable(text: str) -> bool:
    """Could Slack's servers fetch this? An address of one's own machine or network is none of theirs."""
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
    except ValueError:
        return False
    if (
        parts.scheme not in ("http", "https")
        or not host
        or host == "localhost"
        or host.endswith((".local", ".localhost"))
    ):
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return True


URL: Final = Str(3000, 1, is_url, "must be a valid URL")
HTTPS: Final = Str(3000, 1, lambda text: is_url(text) and text.startswith("https://"), "must be a valid URL")
IMAGE_URL: Final = Str(3000, 1, _reachable, "downloading image failed")
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


def _filters_something(value: dict[str, Any], at: str, run: Run) -> None:
    if not value:
        run.fail("must define at least one filter", at)


FILTER: Final = Shape(
    {
        "include": may(Items(Enum(("im", "mpim", "private", "public")), 1, 4)),
        "exclude_external_shared_channels": may(Bool()),
        "exclude_bot_users": may(Bool()),
    },
    (_filters_something,),
)

WORKFLOW: Final = Shape(
    {
        "trigger": need(
            Shape(
                {
                    "url": need(URL),
                    "customizable_input_parameters": may(
                        Items(Shape({"name": need(Str(255, 1)), "value": need(Str(3000, 0))}), 1)
                    ),
                },
            ),
        ),
    },
)


def one_of(*names: str) -> Rule:
    """Exactly one of these fields must be there."""
    listed = " or ".join(f"`{name}`" for name in names)

    def rule(value: dict[str, Any], at: str, run: Run) -> None:
        if sum(name in value for name in names) != 1:
            run.fail(f"must define either {listed}", f"{at}/type")

    return rule


_FILE_ID: Final = re.compile(r"F[A-Z0-9]{8,}")
SLACK_FILE: Final = Shape(
    {
        "id": may(Str(255, 1, lambda text: _FILE_ID.fullmatch(text) is not None, "invalid slack file")),
        "url": may(URL),
    },
    (one_of("id", "url"),),
)


def block_shape(
    fields: Mapping[str, Field], *rules: Rule, surfaces: tuple[Surface, ...] = ("message", "modal", "home")
) -> Shape:
    """The shape of a block: its own fields, and a `block_id`."""
    return Shape({"block_id": may(BLOCK_ID), **fields}, rules, surfaces, typed=True)
