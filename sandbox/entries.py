"""What people have entered in the stateful elements of a message or view, and Slack's shape of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sandbox.expanded import file, fits, rich_text
from sandbox.model import Json
from sandbox.stored import echo
from sandbox.validate.elements import option_lists
from sandbox.validate.walk import blocks_in, elements_of

State = Mapping[str, Mapping[str, Any]]
Place = tuple[str, str]


class Impossible(Exception):
    """Nobody could do this in Slack's client: the button is not there, the value is not on offer."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How one element type reports its value: under `key`, starting from the element's `initial`."""

    key: str
    initial: str
    mode: Literal["option", "options", "one", "many"]


KINDS: Final[Mapping[str, Kind]] = {
    "static_select": Kind("selected_option", "initial_option", "option"),
    "external_select": Kind("selected_option", "initial_option", "option"),
    "radio_buttons": Kind("selected_option", "initial_option", "option"),
    "multi_static_select": Kind("selected_options", "initial_options", "options"),
    "multi_external_select": Kind("selected_options", "initial_options", "options"),
    "checkboxes": Kind("selected_options", "initial_options", "options"),
    "users_select": Kind("selected_user", "initial_user", "one"),
    "conversations_select": Kind("selected_conversation", "initial_conversation", "one"),
    "channels_select": Kind("selected_channel", "initial_channel", "one"),
    "multi_users_select": Kind("selected_users", "initial_users", "many"),
    "multi_conversations_select": Kind("selected_conversations", "initial_conversations", "many"),
    "multi_channels_select": Kind("selected_channels", "initial_channels", "many"),
    "datepicker": Kind("selected_date", "initial_date", "one"),
    "timepicker": Kind("selected_time", "initial_time", "one"),
    "datetimepicker": Kind("selected_date_time", "initial_date_time", "one"),
    "plain_text_input": Kind("value", "initial_value", "one"),
    "number_input": Kind("value", "initial_value", "one"),
    "email_text_input": Kind("value", "initial_value", "one"),
    "url_text_input": Kind("value", "initial_value", "one"),
    "rich_text_input": Kind("rich_text_value", "initial_value", "one"),
    "file_input": Kind("files", "initial_files", "many"),
}


def elements(blocks: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Every interactive element with its block."""
    for block, _ in blocks_in(blocks):
        for element, _ in elements_of(block):
            if "action_id" in element:
                yield block, element


def find(blocks: list[Json], action_id: str, block_id: str | None) -> tuple[Json, Json] | None:
    """The first element with this action_id, in this block if one is named."""
    for block, element in elements(blocks):
        if element["action_id"] == action_id and block_id in (None, block["block_id"]):
            return block, element
    return None


def initial(element: Json) -> Any:
    """The short value an element starts with: option values, texts; None or [] without one."""
    kind = KINDS[element["type"]]
    given = element.get(kind.initial)
    if kind.mode == "option":
        return given["value"] if given else None
    if kind.mode == "options":
        return [option["value"] for option in given or []]
    return list(given or []) if kind.mode == "many" else given


@dataclass(slots=True)
class Entries:
    """By person and surface ("message:C…:ts", "view:V…"): short values of touched elements, and options looked up."""

    _touched: dict[tuple[str, str], dict[Place, Any]] = field(default_factory=dict, init=False)
    _offered: dict[tuple[str, str], dict[Place, dict[str, Json]]] = field(default_factory=dict, init=False)

    def take(self, who: tuple[str, str], blocks: list[Json], state: State, *, lenient: bool = False) -> None:
        """Remember a whole state as a client sends it. What still stands at its start counts as untouched.

        Raises Impossible when an element is not there or does not offer the value. `lenient`: elements that are gone
        are passed over, as the client may be behind.
        """
        for block_id, actions in state.items():
            for action_id, value in actions.items():
                found = find(blocks, action_id, block_id)
                if found is None and lenient:
                    continue
                if found is None or found[1]["type"] not in KINDS:
                    raise Impossible(f"no entry {action_id} in block {block_id}")
                touched = self._touched.get(who, {})
                if _empty(value, found[1]) != _empty(initial(found[1]), found[1]) or (block_id, action_id) in touched:
                    self.touch(who, found, value)

    def touch(self, who: tuple[str, str], found: tuple[Json, Json], value: Any) -> None:
        """One element was changed to `value`. Raises Impossible when that is not on offer."""
        block, element = found
        self.shape(who, block, element, value)
        self._touched.setdefault(who, {})[(block["block_id"], element["action_id"])] = _empty(value, element)

    def forget(self, who: tuple[str, str]) -> None:
        self._touched.pop(who, None)
        self._offered.pop(who, None)

    def offer(self, who: tuple[str, str], place: Place, options: list[Json]) -> None:
        """The app answered a look-up with these options."""
        known = self._offered.setdefault(who, {}).setdefault(place, {})
        known.update({option["value"]: option for option in options})

    def current(self, who: tuple[str, str], block: Json, element: Json) -> Any:
        """What the person sees in the element now, as a short value."""
        touched = self._touched.get(who, {})
        place = (block["block_id"], element["action_id"])
        return touched[place] if place in touched else _empty(initial(element), element)

    def values(self, who: tuple[str, str], blocks: list[Json], *, with_initial: bool) -> Json:
        """Slack's `state.values`. Untouched elements report nothing, or what they started with (a submission)."""
        made: Json = {}
        touched = self._touched.get(who, {})
        for block, element in elements(blocks):
            if element["type"] not in KINDS:
                continue
            place = (block["block_id"], element["action_id"])
            start = initial(element) if with_initial else None
            made.setdefault(place[0], {})[place[1]] = self._kept(who, block, element, touched.get(place, start))
        return made

    def _kept(self, who: tuple[str, str], block: Json, element: Json, value: Any) -> Json:
        """The shape of a value chosen earlier; what a repaint no longer offers is gone."""
        try:
            return self.shape(who, block, element, value)
        except Impossible:
            return self.shape(who, block, element, None)

    def shape(self, who: tuple[str, str], block: Json, element: Json, value: Any) -> Json:
        """`{"type": …, key: …}` of one element with this short value."""
        kind = KINDS[element["type"]]
        place = (block["block_id"], element["action_id"])
        known = self._options(who, place, element)
        value = _empty(value, element)
        if kind.mode == "option":
            shown: Any = None if value is None else _pick(known, value)
        elif kind.mode == "options":
            shown = [_pick(known, part) for part in _list(value)]
        elif element["type"] == "file_input":
            shown = _files(element, _list(value))
        else:
            shown = _list(value) if kind.mode == "many" else value
        if element["type"] == "rich_text_input":
            shown = rich_text(shown)
        return {"type": element["type"], kind.key: echo(shown)}

    def _options(self, who: tuple[str, str], place: Place, element: Json) -> dict[str, Json]:
        found = {option["value"]: option for options in option_lists(element) for option in options}
        for name in ("initial_option", "initial_options"):
            given = element.get(name, [])
            found.update({option["value"]: option for option in (given if isinstance(given, list) else [given])})
        return {**found, **self._offered.get(who, {}).get(place, {})}


def _empty(value: Any, element: Json) -> Any:
    """One way to say nothing: None, or [] for elements that hold many."""
    many = KINDS[element["type"]].mode in ("options", "many")
    if value is None or value == "":
        return [] if many else None
    return list(value) if many and isinstance(value, list | tuple) else value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Impossible("this element holds a list")
    return value


def _files(element: Json, names: list[Any]) -> list[Json]:
    """File objects for names; as many, and of such kinds, as the input takes."""
    if len(names) > element.get("max_files", 10):
        raise Impossible(f"this input takes {element.get('max_files', 10)} files")
    wrong = [name for name in names if not isinstance(name, str) or not fits(name, element.get("filetypes"))]
    if wrong:
        raise Impossible(f"this input takes no {wrong[0]!r}")
    return [file(name) for name in names]


def _pick(known: dict[str, Json], value: Any) -> Json:
    if not isinstance(value, str) or value not in known:
        raise Impossible(f"{value!r} is not on offer")
    return known[value]
