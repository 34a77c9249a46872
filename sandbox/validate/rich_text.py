"""rich_text: its four containers and the pieces inside them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from sandbox.validate.objects import URL
from sandbox.validate.spec import Bool, Enum, Field, Int, Items, Run, Shape, Str, Typed, may, need

_FONT: Final = ("bold", "italic", "strike", "underline", "code")
_MENTION: Final = ("bold", "italic", "strike", "underline", "highlight", "client_highlight", "unlink")
_ALL: Final = (*_FONT, "highlight", "client_highlight", "unlink")


def _style(*names: str) -> Field:
    return may(Shape({name: may(Bool()) for name in names}))


def _id(prefixes: str, what: str) -> Field:
    pattern = re.compile(f"[{prefixes}][A-Z0-9]{{2,}}")
    return need(Str(255, 1, lambda text: pattern.fullmatch(text) is not None, f"must be a valid {what} id"))


_EMOJI_NAME: Final = re.compile(r"[a-z0-9_+'\-]+(::skin-tone-[2-6])?")
_COLOR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_TOKEN: Final = re.compile(r"\{([^{}]*)\}")
_DATE_TOKENS: Final = frozenset(
    [
        "date_num",
        "date_slash",
        "date_long",
        "date_long_full",
        "date_long_pretty",
        "date",
        "date_pretty",
        "date_short",
        "date_short_pretty",
        "time",
        "time_secs",
        "ago",
        "day_divider_pretty",
    ],
)


def _date_format(text: str) -> bool:
    """Names at least one piece of the date, and none that Slack does not know."""
    tokens = _TOKEN.findall(text)
    return bool(tokens) and all(token in _DATE_TOKENS for token in tokens)


def _piece(fields: Mapping[str, Field], *styles: str) -> Shape:
    styled = {**fields, "style": _style(*styles)} if styles else fields
    return Shape(styled, typed=True)


PIECES: Final[Mapping[str, Shape]] = {
    "text": _piece({"text": need(Str(1_000_000, 1))}, *_ALL),
    "link": _piece({"url": need(URL), "text": may(Str(1_000_000, 1)), "unsafe": may(Bool())}, *_ALL),
    "emoji": _piece(
        {
            "name": need(
                Str(255, 1, lambda text: _EMOJI_NAME.fullmatch(text) is not None, "must be a valid emoji name")
            ),
            "unicode": may(Str(255, 1)),
            "skin_tone": may(Int(1, 6)),
        },
        *_MENTION,
    ),
    "user": _piece({"user_id": _id("UW", "user")}, *_MENTION),
    "usergroup": _piece({"usergroup_id": _id("SG", "usergroup")}, *_MENTION),
    "channel": _piece({"channel_id": _id("CDG", "channel")}, *_MENTION),
    "team": _piece({"team_id": _id("TE", "team")}, *_MENTION),
    "broadcast": _piece({"range": need(Enum(("here", "channel", "everyone")))}, *_MENTION),
    "color": _piece(
        {"value": need(Str(7, 7, lambda text: _COLOR.fullmatch(text) is not None, "must be a valid color"))}, *_MENTION
    ),
    "date": _piece(
        {
            "timestamp": need(Int(1)),
            "format": need(Str(255, 1, _date_format, "must be a valid date format")),
            "url": may(URL),
            "fallback": may(Str(255, 1)),
        },
        *_ALL,
    ),
}

_BORDER: Final = may(Enum((0, 1)))
_LINE: Final = Items(Typed(PIECES))
_PLAIN: Final = Items(Typed(PIECES, only=frozenset({"text", "link"})))
_SECTION: Final = Shape({"elements": need(_LINE)}, typed=True)

CONTAINERS: Final[Mapping[str, Shape]] = {
    "rich_text_section": _SECTION,
    "rich_text_list": Shape(
        {
            "elements": need(Items(Typed({"rich_text_section": _SECTION}), 1)),
            "style": need(Enum(("bullet", "ordered"))),
            "indent": may(Int(0, 8)),
            "offset": may(Int(0)),
            "border": _BORDER,
        },
        typed=True,
    ),
    "rich_text_preformatted": Shape(
        {"elements": need(_PLAIN), "border": _BORDER, "language": may(Str(255, 1))}, typed=True
    ),
    "rich_text_quote": Shape({"elements": need(_LINE), "border": _BORDER}, typed=True),
}


def _says_something(block: dict[str, Any], at: str, run: Run) -> None:
    if not any(part.get("elements") for part in block["elements"]):
        run.fail("must be more than 0 characters", f"{at}/elements")


BODY: Final[Mapping[str, Field]] = {"elements": need(Items(Typed(CONTAINERS), 1))}
RICH_TEXT: Final = Shape({"type": need(Enum(("rich_text",))), **BODY}, (_says_something,))
RULES: Final = (_says_something,)
