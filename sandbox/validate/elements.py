"""Interactive elements and inputs, one shape each."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any, Final

from sandbox.validate.objects import (
    ACTION_ID,
    CONFIRM,
    DISPATCH,
    FILTER,
    IMAGE_URL,
    OPTION,
    OPTION_GROUP,
    OVERFLOW_OPTION,
    RICH_OPTION,
    SLACK_FILE,
    URL,
    WORKFLOW,
    one_of,
)
from sandbox.validate.rich_text import RICH_TEXT
from sandbox.validate.spec import (
    Bool,
    Enum,
    Field,
    Int,
    Items,
    Rule,
    Run,
    Shape,
    Spec,
    Str,
    Surface,
    Text,
    Where,
    may,
    need,
)

_EVERYWHERE: Final[tuple[Where, ...]] = ("section", "actions", "input")
_PLACEHOLDER: Final = may(Text(150))
_ID: Final[Mapping[str, Field]] = {"action_id": may(ACTION_ID)}
_ASK: Final[Mapping[str, Field]] = {**_ID, "confirm": may(CONFIRM)}
_FOCUS: Final[Mapping[str, Field]] = {"focus_on_load": may(Bool())}


def normal(option: Any) -> Any:
    """An option as Slack stores it, to compare two: `emoji` and `verbatim` at their defaults, key order forgotten."""
    if not isinstance(option, dict):
        return option
    made = {key: normal(value) for key, value in option.items()}
    if made.get("type") == "plain_text":
        made.setdefault("emoji", True)
    elif made.get("type") == "mrkdwn":
        made.setdefault("verbatim", False)
    return made


def option_lists(element: Mapping[str, Any]) -> list[list[Any]]:
    """The element's options, one list per group."""
    if "options" in element:
        return [element["options"]]
    return [group["options"] for group in element.get("option_groups", [])]


def _initial_one(element: dict[str, Any], at: str, run: Run) -> None:
    if "initial_option" in element:
        offered = [normal(option) for options in option_lists(element) for option in options]
        if normal(element["initial_option"]) not in offered:
            run.fail("must be one of the provided options", f"{at}/initial_option")


def _initial_many(element: dict[str, Any], at: str, run: Run) -> None:
    """All initial options must stand in one and the same list: Slack refuses them when spread over two groups."""
    if "initial_options" not in element:
        return
    chosen = [normal(option) for option in element["initial_options"]]
    lists = [[normal(option) for option in options] for options in option_lists(element)]
    twice = any(option in chosen[:number] for number, option in enumerate(chosen))
    if not chosen or twice or not any(all(option in options for option in chosen) for options in lists):
        run.fail("must be one of the provided options", f"{at}/initial_options")
    _at_most(element, "initial_options", at, run)


def _at_most(element: dict[str, Any], name: str, at: str, run: Run) -> None:
    most = element.get("max_selected_items")
    if most is not None and len(element.get(name, [])) > most:
        run.fail(f"no more than {most} items allowed", f"{at}/{name}", type="max_items", expected=most)


def _most_of(name: str) -> Rule:
    return lambda element, at, run: _at_most(element, name, at, run)


def _lengths(element: dict[str, Any], at: str, run: Run) -> None:
    low, high = element.get("min_length", 0), element.get("max_length", 3000)
    if low > high:
        run.fail("`min_length` must not be greater than `max_length`", f"{at}/min_length")
    if "initial_value" in element and not low <= len(element["initial_value"]) <= high:
        run.fail(f"must be less than {high + 1} characters", f"{at}/initial_value")


def _lines(element: dict[str, Any], at: str, run: Run) -> None:
    if element.get("min_lines", 1) > element.get("max_lines", 100):
        run.fail("`min_lines` must not be greater than `max_lines`", f"{at}/min_lines")


def _numbers(element: dict[str, Any], at: str, run: Run) -> None:
    """Bounds and start of a number: in order, and whole where only whole numbers are allowed."""
    given = {name: Decimal(element[name]) for name in ("min_value", "initial_value", "max_value") if name in element}
    if not element["is_decimal_allowed"]:
        for name in given:
            if "." in element[name]:
                run.fail("must be an integer", f"{at}/{name}")
    low, start, high = (given.get(name) for name in ("min_value", "initial_value", "max_value"))
    if low is not None and high is not None and low > high:
        run.fail("`min_value` must not be greater than `max_value`", f"{at}/min_value")
    elif start is not None and ((low is not None and start < low) or (high is not None and start > high)):
        run.fail("must be between `min_value` and `max_value`", f"{at}/initial_value")


def _is_date(text: str) -> bool:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _element(
    fields: Mapping[str, Field],
    *rules: Rule,
    places: tuple[Where, ...] = _EVERYWHERE,
    surfaces: tuple[Surface, ...] = ("message", "modal", "home"),
) -> Shape:
    return Shape(fields, rules, surfaces, places, typed=True)


def _matching(pattern: str, says: str) -> Str:
    return Str(255, 0, lambda text: re.fullmatch(pattern, text) is not None, says)


_DATE: Final = Str(255, 0, _is_date, "must be a valid date")
_TIME: Final = _matching(r"([01]\d|2[0-3]):[0-5]\d", "must be a valid time")
_PERSON: Final = _matching(r"[UW][A-Z0-9]{2,}", "must be a valid user id")
_PLACE: Final = _matching(r"[CDG][A-Z0-9]{2,}", "must be a valid conversation id")
_CHOICES: Final[Mapping[str, Field]] = {
    "options": may(Items(OPTION, 1, 100)),
    "option_groups": may(Items(OPTION_GROUP, 1, 100)),
}
_SELECT: Final[Mapping[str, Field]] = {**_ASK, **_FOCUS, "placeholder": _PLACEHOLDER}
_MANY: Final[Mapping[str, Field]] = {**_SELECT, "max_selected_items": may(Int(1))}
_QUERY: Final[Mapping[str, Field]] = {"min_query_length": may(Int(0))}
_CURRENT: Final[Mapping[str, Field]] = {"default_to_current_conversation": may(Bool()), "filter": may(FILTER)}


def _initials(spec: Spec) -> Field:
    return may(Items(spec, 1, 100))


_SELECTS: Final[dict[str, Shape]] = {
    "static_select": _element(
        {**_SELECT, **_CHOICES, "initial_option": may(OPTION)}, one_of("options", "option_groups"), _initial_one
    ),
    "multi_static_select": _element(
        {**_MANY, **_CHOICES, "initial_options": may(Items(OPTION))}, one_of("options", "option_groups"), _initial_many
    ),
    "external_select": _element({**_SELECT, **_QUERY, "initial_option": may(OPTION)}),
    "multi_external_select": _element(
        {**_MANY, **_QUERY, "initial_options": _initials(OPTION)}, _most_of("initial_options")
    ),
    "users_select": _element({**_SELECT, "initial_user": may(_PERSON)}),
    "multi_users_select": _element({**_MANY, "initial_users": _initials(_PERSON)}, _most_of("initial_users")),
    "conversations_select": _element(
        {**_SELECT, **_CURRENT, "initial_conversation": may(_PLACE), "response_url_enabled": may(Bool())}
    ),
    "multi_conversations_select": _element(
        {**_MANY, **_CURRENT, "initial_conversations": _initials(_PLACE)}, _most_of("initial_conversations")
    ),
    "channels_select": _element({**_SELECT, "initial_channel": may(_PLACE), "response_url_enabled": may(Bool())}),
    "multi_channels_select": _element({**_MANY, "initial_channels": _initials(_PLACE)}, _most_of("initial_channels")),
}

_BOXES: Final[dict[str, Shape]] = {
    "checkboxes": _element(
        {**_ASK, **_FOCUS, "options": need(Items(RICH_OPTION, 1, 10)), "initial_options": may(Items(RICH_OPTION))},
        _initial_many,
    ),
    "radio_buttons": _element(
        {**_ASK, **_FOCUS, "options": need(Items(RICH_OPTION, 1, 10)), "initial_option": may(RICH_OPTION)}, _initial_one
    ),
    "overflow": _element({**_ASK, "options": need(Items(OVERFLOW_OPTION, 1, 5))}, places=("section", "actions")),
    "button": _element(
        {
            **_ASK,
            "text": need(Text(75)),
            "value": may(Str(2000, 1)),
            "url": may(URL),
            "style": may(Enum(("primary", "danger"))),
            "accessibility_label": may(Str(75, 1)),
        },
        places=("section", "actions"),
    ),
}

_TYPING: Final[Mapping[str, Field]] = {
    **_ID,
    **_FOCUS,
    "placeholder": _PLACEHOLDER,
    "dispatch_action_config": may(DISPATCH),
}
_NUMBER: Final = _matching(r"-?\d+(\.\d+)?", "must be a valid number")

_INPUTS: Final[dict[str, Shape]] = {
    "plain_text_input": _element(
        {
            **_TYPING,
            "initial_value": may(Str()),
            "multiline": may(Bool()),
            "min_length": may(Int(0, 3000)),
            "max_length": may(Int(1, 3000)),
        },
        _lengths,
        places=("input",),
    ),
    "number_input": _element(
        {
            **_TYPING,
            "is_decimal_allowed": need(Bool()),
            "initial_value": may(_NUMBER),
            "min_value": may(_NUMBER),
            "max_value": may(_NUMBER),
        },
        _numbers,
        places=("input",),
        surfaces=("modal",),
    ),
    "email_text_input": _element({**_TYPING, "initial_value": may(Str())}, places=("input",), surfaces=("modal",)),
    "url_text_input": _element({**_TYPING, "initial_value": may(Str())}, places=("input",), surfaces=("modal",)),
    "file_input": _element(
        {**_ID, "filetypes": may(Items(Str(255, 1), 1)), "max_files": may(Int(1, 10))},
        places=("input",),
        surfaces=("modal",),
    ),
    "rich_text_input": _element(
        {
            **_TYPING,
            "action_id": need(ACTION_ID),
            "initial_value": may(RICH_TEXT),
            "min_lines": may(Int(1, 100)),
            "max_lines": may(Int(1, 100)),
        },
        _lines,
        places=("actions", "input"),
    ),
    "datepicker": _element({**_ASK, **_FOCUS, "placeholder": _PLACEHOLDER, "initial_date": may(_DATE)}),
    "timepicker": _element(
        {**_ASK, **_FOCUS, "placeholder": _PLACEHOLDER, "initial_time": may(_TIME), "timezone": may(Str(255, 1))}
    ),
    "datetimepicker": _element(
        {**_ASK, **_FOCUS, "initial_date_time": may(Int(1_000_000_000, 9_999_999_999))}, places=("actions", "input")
    ),
}

_PRESSED: Final[Mapping[str, Field]] = {"value": may(Str(2000, 1)), "accessibility_label": may(Str(75, 1))}
_FEEDBACK: Final = Shape({**_PRESSED, "text": need(Text(75)), "value": need(Str(2000, 1))})

_BUTTONS: Final[dict[str, Shape]] = {
    "workflow_button": _element(
        {
            "action_id": need(ACTION_ID),
            "text": need(Text(75)),
            "workflow": need(WORKFLOW),
            "style": may(Enum(("primary", "danger"))),
            "accessibility_label": may(Str(75, 1)),
            "confirm": may(CONFIRM),
        },
        places=("section", "actions"),
    ),
    "feedback_buttons": _element(
        {**_ID, "positive_button": need(_FEEDBACK), "negative_button": need(_FEEDBACK)},
        places=("context_actions",),
        surfaces=("message",),
    ),
    "icon_button": _element(
        {
            **_ASK,
            **_PRESSED,
            "icon": need(Enum(("trash",))),
            "text": need(Text(75)),
            "visible_to_user_ids": may(Items(_PERSON, 1, 10)),
        },
        places=("context_actions",),
        surfaces=("message",),
    ),
}

_IMAGE: Final = _element(
    {
        "image_url": may(IMAGE_URL),
        "slack_file": may(SLACK_FILE),
        "alt_text": need(Str(2000, 1)),
    },
    one_of("image_url", "slack_file"),
    places=("section", "context"),
)

ELEMENTS: Final[Mapping[str, Shape]] = {**_SELECTS, **_BOXES, **_BUTTONS, **_INPUTS, "image": _IMAGE}
