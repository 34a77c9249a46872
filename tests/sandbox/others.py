"""What other packages say to a payload: slack_sdk.models, slackblocks, blockkit. Each has a door here that takes plain JSON.

They are libraries to build blocks with, so the JSON is built again with their classes. What their classes cannot say at all
(an unknown field, a null, a type they never heard of) is `Unjudged`.
"""

import inspect
import logging
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import blockkit.core as bk
import slackblocks.blocks as sb
import slackblocks.elements as se
import slackblocks.messages as sm
import slackblocks.objects as so
import slackblocks.views as sv
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View
from slackblocks._core import resolve
from slackblocks.errors import InvalidUsageError
from slackblocks.rich_text import RichText as SlackblocksText
from slackblocks.rich_text import RichTextCodeBlock, RichTextList, RichTextQuote, RichTextSection
from slackblocks.rich_text import RichTextLink as SlackblocksLink

Json = dict[str, Any]


class Unjudged(Exception):
    """This package cannot even say such a thing."""


class Refused(Exception):
    """This package says no."""


# -- slack_sdk ----------------------------------------------------------------------------------------------------
logging.getLogger("slack_sdk.models.blocks").setLevel(logging.ERROR)


def slack_sdk(kind: str, value: Any) -> None:
    try:
        if kind == "view":
            View(**value).to_dict()
            return
        for block in value:
            parsed = Block.parse(block)
            if parsed is None:
                raise Unjudged
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parsed.to_dict()
    except SlackObjectFormationError as refused:
        raise Refused(str(refused)) from refused
    except (TypeError, AttributeError, KeyError, ValueError) as other:
        raise Unjudged(str(other)) from other


# -- the two that are built by classes ----------------------------------------------------------------------------
Classes = Mapping[str, Callable[..., Any]]
OBJECTS = {
    "confirm": "confirm",
    "options": "option",
    "initial_option": "option",
    "initial_options": "option",
    "option_groups": "option_group",
    "filter": "filter",
    "dispatch_action_config": "dispatch",
    "slack_file": "slack_file",
    "workflow": "workflow",
    "trigger": "trigger",
    "customizable_input_parameters": "parameter",
    "column_settings": "column",
    "positive_button": "feedback_button",
    "negative_button": "feedback_button",
    "segments": "segment",
    "series": "series",
    "data": "point",
    "axis_config": "axes",
    "style": "style",
}
ELEMENT_FIELDS = frozenset({"element", "accessory", "icon", "hero_image"})


class Builder:
    """Builds JSON again with one package's classes: `blocks` and `elements` by type, `objects` by role."""

    def __init__(self, *, blocks: Classes, elements: Classes, objects: Classes, renamed: Mapping[str, str]) -> None:
        self._blocks, self._elements, self._objects = blocks, elements, objects
        self._renamed = renamed

    def block(self, value: Any) -> Any:
        return self._typed(value, self._blocks)

    def _typed(self, value: Any, table: Classes) -> Any:
        if not isinstance(value, dict) or not isinstance(value.get("type"), str) or value["type"] not in table:
            raise Unjudged(f"no class for {value!r:.80}")
        return self._made(table[value["type"]], value, drop="type")

    def made(self, name: str, value: Json) -> Any:
        return self._made(self._objects[name], value, drop="type")

    def _made(self, kind: Callable[..., Any], value: Json, drop: str = "") -> Any:
        parts = {}
        for name, part in value.items():
            if name == drop:
                continue
            if part is None:
                raise Unjudged("a null")
            parts[self._renamed.get(name, name)] = self._part(name, part, inside=value)
        known = inspect.signature(kind).parameters
        open_end = any(one.kind is one.VAR_KEYWORD for one in known.values())
        if not open_end and not set(parts) <= set(known):
            raise Unjudged("an unknown field")
        missing = [
            name
            for name, one in known.items()
            if one.default is one.empty and one.kind is not one.VAR_KEYWORD and name not in parts
        ]
        if missing == ["options"] and "option_groups" in parts:
            parts["options"] = None
        elif missing == ["action_id"] or (set(missing) <= {"id", "url", "customizable_input_parameters"} and missing):
            parts |= dict.fromkeys(missing)
        elif missing:
            raise Refused(f"{missing} missing")
        return kind(**parts)

    def _part(self, name: str, part: Any, *, inside: Json) -> Any:
        if isinstance(part, list):
            return [self._item(name, one, inside) for one in part]
        return self._item(name, part, inside)

    def _item(self, name: str, part: Any, inside: Json) -> Any:
        if isinstance(part, list):
            return [self._item(name, one, inside) for one in part]
        if not isinstance(part, dict):
            return part
        if name in ("blocks", "child_blocks"):
            return self.block(part)
        kind = part.get("type")
        if name in ELEMENT_FIELDS or (name in ("elements", "actions") and inside.get("type") != "carousel"):
            if kind in ("plain_text", "mrkdwn"):
                return self._text(part)
            return self._typed(part, self._elements)
        if name in ("elements", "initial_value", "rows", "rich_text_title", "details", "output", "tasks"):
            return self._typed(part, self._blocks)
        if name in ("chart", "slack_icon", "sources"):
            return self._typed(part, self._objects)
        if "text" in part and (kind in ("plain_text", "mrkdwn") or name not in OBJECTS):
            return self._text(part)
        if name in OBJECTS and OBJECTS[name] in self._objects:
            return self._made(self._objects[OBJECTS[name]], part)
        raise Unjudged(f"no class for {name}")

    def _text(self, part: Json) -> Any:
        kind = part.get("type")
        if kind not in ("plain_text", "mrkdwn") or not set(part) <= {"type", "text", "emoji", "verbatim"}:
            raise Unjudged("a text object that it cannot say")
        if None in part.values() or "text" not in part:
            raise Unjudged("a null")
        return self._objects["text"](**part)


def _slackblocks_text(**part: Any) -> Any:
    return so.Text(part.pop("text"), type_=so.TextType(part.pop("type")), **part)


def _slackblocks_link(url: str, text: str | None = None, unsafe: bool | None = None, style: Json | None = None) -> Any:
    return SlackblocksLink(url, text, unsafe, **(style or {}))


def _slackblocks_piece(text: str, style: Json | None = None) -> Any:
    return SlackblocksText(text, **(style or {}))


def _style(**flags: bool) -> Json:
    if not set(flags) <= {"bold", "italic", "strike", "code"}:
        raise Unjudged("a style that it cannot say")
    return flags


SLACKBLOCKS = Builder(
    blocks={
        "actions": sb.ActionsBlock,
        "alert": sb.AlertBlock,
        "card": sb.CardBlock,
        "carousel": sb.CarouselBlock,
        "container": sb.ContainerBlock,
        "context": sb.ContextBlock,
        "context_actions": sb.ContextActionsBlock,
        "data_table": sb.DataTableBlock,
        "data_visualization": sb.DataVisualizationBlock,
        "divider": sb.DividerBlock,
        "file": sb.FileBlock,
        "header": sb.HeaderBlock,
        "image": sb.ImageBlock,
        "input": sb.InputBlock,
        "markdown": sb.MarkdownBlock,
        "plan": sb.PlanBlock,
        "raw_text": so.RawText,
        "raw_number": so.RawNumber,
        "rich_text": sb.RichTextBlock,
        "section": sb.SectionBlock,
        "table": sb.TableBlock,
        "task_card": sb.TaskCardBlock,
        "video": sb.VideoBlock,
    },
    elements={
        "button": se.Button,
        "channels_select": se.ChannelSelectMenu,
        "checkboxes": se.CheckboxGroup,
        "conversations_select": se.ConversationSelectMenu,
        "datepicker": se.DatePicker,
        "datetimepicker": se.DateTimePicker,
        "email_text_input": se.EmailInput,
        "external_select": se.ExternalSelectMenu,
        "feedback_buttons": se.FeedbackButtons,
        "file_input": se.FileInput,
        "icon_button": se.IconButton,
        "image": se.Image,
        "link": _slackblocks_link,
        "multi_channels_select": se.ChannelMultiSelectMenu,
        "multi_conversations_select": se.ConversationMultiSelectMenu,
        "multi_external_select": se.ExternalMultiSelectMenu,
        "multi_static_select": se.StaticMultiSelectMenu,
        "multi_users_select": se.UserMultiSelectMenu,
        "number_input": se.NumberInput,
        "overflow": se.OverflowMenu,
        "plain_text_input": se.PlainTextInput,
        "radio_buttons": se.RadioButtonGroup,
        "rich_text_input": se.RichTextInput,
        "rich_text_list": RichTextList,
        "rich_text_preformatted": RichTextCodeBlock,
        "rich_text_quote": RichTextQuote,
        "rich_text_section": RichTextSection,
        "static_select": se.StaticSelectMenu,
        "text": _slackblocks_piece,
        "timepicker": se.TimePicker,
        "url_text_input": se.URLInput,
        "users_select": se.UserSelectMenu,
        "workflow_button": se.WorkflowButton,
    },
    objects={
        "area": so.AreaChart,
        "axes": so.AxisConfig,
        "bar": so.BarChart,
        "column": so.ColumnSettings,
        "confirm": so.ConfirmationDialogue,
        "dispatch": so.DispatchActionConfiguration,
        "feedback_button": se.FeedbackButton,
        "filter": so.ConversationFilter,
        "home": sv.HomeTabView,
        "icon": so.SlackIcon,
        "line": so.LineChart,
        "modal": sv.ModalView,
        "option": so.Option,
        "option_group": so.OptionGroup,
        "parameter": so.InputParameter,
        "pie": so.PieChart,
        "point": so.DataPoint,
        "segment": so.ChartSegment,
        "series": so.DataSeries,
        "slack_file": so.SlackFile,
        "style": _style,
        "text": _slackblocks_text,
        "trigger": so.Trigger,
        "url": se.URLSource,
        "workflow": so.Workflow,
    },
    renamed={"initial_date_time": "initial_datetime"},
)


def slackblocks(kind: str, value: Any) -> None:
    try:
        if kind == "view":
            resolve(SLACKBLOCKS.made(value["type"], value))
        else:
            resolve(sm.Message("C1", "text", [SLACKBLOCKS.block(block) for block in value]))
    except InvalidUsageError as refused:
        raise Refused(str(refused)) from refused
    except (TypeError, AttributeError, KeyError, ValueError) as other:
        raise Unjudged(str(other)) from other


def _blockkit_classes() -> tuple[dict[str, Any], dict[str, Any]]:
    blocks, elements = {}, {}
    inside = {"File": blocks, "Image": blocks, "RichText": blocks, "RawText": blocks, "Input": blocks}
    top = {"Actions", "Context", "Divider", "Header", "Markdown", "Section", "Table", "Video"}
    for name, kind in vars(bk).items():
        if inspect.isclass(kind) and issubclass(kind, bk.Component) and kind not in (bk.Component, bk.Text):
            made = kind()._fields.get("type")
            if made is not None and isinstance(made.value, str):
                inside.get(name, blocks if name in top else elements)[made.value] = kind
    return blocks, elements


def _number(
    is_decimal_allowed: Any,
    initial_value: str | None = None,
    min_value: str | None = None,
    max_value: str | None = None,
    **more: Any,
) -> Any:
    """It wants numbers where Slack has texts."""
    given = {"initial_value": initial_value, "min_value": min_value, "max_value": max_value}
    if not all(value is None or isinstance(value, str) for value in given.values()):
        raise Unjudged("a number in place of a text")
    numbers = {name: float(value) if "." in value else int(value) for name, value in given.items() if value is not None}
    return bk.NumberInput(is_decimal_allowed=is_decimal_allowed, **numbers, **more)


_BLOCKS, _ELEMENTS = _blockkit_classes()
BLOCKKIT = Builder(
    blocks=_BLOCKS,
    elements={**_ELEMENTS, "number_input": _number},
    objects={
        "column": bk.ColumnSettings,
        "confirm": bk.Confirm,
        "dispatch": bk.DispatchActionConfig,
        "filter": bk.ConversationFilter,
        "home": bk.Home,
        "modal": bk.Modal,
        "option": bk.Option,
        "option_group": bk.OptionGroup,
        "parameter": bk.InputParameter,
        "slack_file": bk.SlackFile,
        "style": bk.RichStyle,
        "text": bk.Text,
        "trigger": bk.Trigger,
        "workflow": bk.Workflow,
    },
    renamed={},
)


def blockkit(kind: str, value: Any) -> None:
    try:
        if kind == "view":
            BLOCKKIT.made(value["type"], value).build()
        else:
            bk.Message(text="text", blocks=[BLOCKKIT.block(block) for block in value]).build()
    except (bk.FieldValidationError, bk.ComponentValidationError) as refused:
        raise Refused(str(refused)) from refused
    except (TypeError, AttributeError, KeyError, ValueError) as other:
        raise Unjudged(str(other)) from other


OTHERS: Mapping[str, Callable[[str, Any], None]] = {
    "slack_sdk": slack_sdk,
    "slackblocks": slackblocks,
    "blockkit": blockkit,
}


def opinions(kind: str, value: Any) -> dict[str, str]:
    """By package: "takes", "cannot say", or its words of refusal. `kind`: "blocks" or "view"."""
    found = {}
    for name, judge in OTHERS.items():
        try:
            judge(kind, value)
        except Unjudged:
            found[name] = "cannot say"
        except Refused as refused:
            found[name] = f"refuses: {refused}"
        else:
            found[name] = "takes"
    return found
