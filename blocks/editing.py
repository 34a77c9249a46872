"""Changing an input before it is approved: a form with a field for each key, then what differs, then *Approve*."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from blocks import action, elements, ids, limits, lines, reading, richtext
from blocks.ids import Where
from blocks.richtext import bold, text
from blocks.surface import Block, View
from blocks.visible import one_line
from store.types import Approval, Edited

MOST_FIELDS = 20
LONGEST_WHY = 300
#: Of an input that is no object there is one field.
_WHOLE = "input"
_TITLE = "Approve with changes"
NOTHING_DIFFERS = "Nothing differs from what was asked."

Json = Any


class Kind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    JSON = "json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One key of the input. `choices`: the values that its schema allows, where it names them."""

    key: str
    value: Json
    kind: Kind
    choices: tuple[Json, ...] = ()
    hint: str | None = None

    @property
    def words(self) -> str:
        """The value as it stands in its field."""
        return self.value if self.kind is Kind.TEXT else json.dumps(self.value, ensure_ascii=False)

    @property
    def label(self) -> str:
        return f"{one_line(self.key)} (JSON)" if self.kind is Kind.JSON else one_line(self.key)


def offered(approval: Approval) -> bool:
    """Whether its terms let one person change it, and a form can hold it whole."""
    if not approval.terms.may_edit or approval.input_json is None or approval.input_schema is None:
        return False
    found = fields(approval)
    return 0 < len(found) <= MOST_FIELDS and all(limits.cost(each.words) <= limits.TYPED for each in found)


def fields(approval: Approval) -> Sequence[Field]:
    """Of an object a field for each key, in the sender's order; of anything else one."""
    value = json.loads(approval.input_json or "null")
    schema = json.loads(approval.input_schema or "{}")
    if not isinstance(value, dict):
        return [_field(_WHOLE, value, schema)]
    known = schema.get("properties")
    told = known if isinstance(known, dict) else {}
    return [_field(key, part, told.get(key)) for key, part in value.items()]


def _field(key: str, value: Json, schema: Json) -> Field:
    said = schema if isinstance(schema, dict) else {}
    choices = _choices(value, said.get("enum"))
    hint = said.get("description")
    kind = Kind.CHOICE if choices else _kind(value)
    return Field(key=key, value=value, kind=kind, choices=choices, hint=hint if isinstance(hint, str) else None)


def _choices(value: Json, named: Json) -> tuple[Json, ...]:
    if isinstance(value, bool):
        return (True, False)
    if not isinstance(named, list) or not 0 < len(named) <= limits.OPTIONS:
        return ()
    plain = all(isinstance(each, str | int | float) for each in named)
    return tuple(named) if plain and any(_same(value, each) for each in named) else ()


def _same(one: Json, other: Json) -> bool:
    """`1` is not `true`."""
    return type(one) is type(other) and bool(one == other)


def _kind(value: Json) -> Kind:
    if isinstance(value, str):
        return Kind.TEXT
    return Kind.NUMBER if isinstance(value, int | float) else Kind.JSON


def form(approval: Approval, where: Where) -> View:
    """The input's fields, as they were asked."""
    explains = "Nothing happens before the next page: it shows what differs."
    what = richtext.rich_text("what", richtext.section(bold(approval.title)), richtext.section(text(explains)))
    why = elements.text_input(ids.TEXT, longest=LONGEST_WHY, multiline=True, hint="For the run and the card")
    return View(
        callback_id=ids.VIEW_EDIT,
        title="Edit input",
        submit="Compare",
        close="Keep waiting",
        blocks=(
            what,
            *(_input(place, field) for place, field in enumerate(fields(approval))),
            elements.input(ids.WHY_BLOCK, "Why", why, optional=True),
        ),
        private_metadata=ids.encode_metadata(approval.id, where),
    )


def _input(place: int, field: Field) -> Block:
    # What is empty may stay so; Slack would demand something else.
    optional = field.kind is Kind.TEXT and not field.words.strip()
    return elements.input(ids.field_block(place), field.label, _element(field), optional=optional, hint=field.hint)


def _element(field: Field) -> Block:
    if field.kind is Kind.CHOICE:
        entries = [elements.option(_choice(each), str(place)) for place, each in enumerate(field.choices)]
        chosen = next(place for place, each in enumerate(field.choices) if _same(each, field.value))
        return elements.select(ids.VALUE, entries, placeholder="Choose one", chosen=entries[chosen])
    multiline = field.kind is Kind.JSON or "\n" in field.words or limits.cost(field.words) > limits.OPTION
    return elements.text_input(
        ids.TEXT, longest=limits.TYPED, multiline=multiline, initial=field.words or None, hint=None
    )


def _choice(value: Json) -> str:
    return one_line(value) or '""' if isinstance(value, str) else json.dumps(value)


def _unified(words: str) -> str:
    """Fields come back with other line ends, and without what blanks stood around them."""
    return words.replace("\r\n", "\n").strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Entered:
    """What the form says: the input as JSON text, and why."""

    input_json: str
    why: str | None


def read(approval: Approval, values: reading.Values) -> Entered | Mapping[str, str]:
    """What was entered, or by block id what is wrong with it."""
    found: dict[str, Json] = {}
    wrong: dict[str, str] = {}
    known = fields(approval)
    for place, field in enumerate(known):
        try:
            found[field.key] = _value(field, reading.entry(values, ids.field_block(place)))
        except ValueError as error:
            wrong[ids.field_block(place)] = str(error)
    if wrong:
        return wrong
    is_object = isinstance(json.loads(approval.input_json or "null"), dict)
    value = found if is_object else found[_WHOLE]
    kept = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Entered(input_json=kept, why=reading.entry(values, ids.WHY_BLOCK).text or None)


def _value(field: Field, entry: reading.Entry) -> Json:
    """Raises ValueError with a sentence for the person."""
    if field.kind is Kind.CHOICE:
        if entry.place is None or entry.place >= len(field.choices):
            raise ValueError("Choose one.")
        return field.choices[entry.place]
    words = entry.text or ""
    if _unified(words) == _unified(reading.storable(field.words)):
        return field.value
    if field.kind is Kind.TEXT:
        return words
    try:
        value = json.loads(words)
    except json.JSONDecodeError as error:
        what = "a number" if field.kind is Kind.NUMBER else f"valid JSON: line {error.lineno}"
        raise ValueError(f"Not {what}.") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("Not valid JSON.") from error
    if field.kind is Kind.NUMBER and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ValueError("Not a number.")
    return value


def at_fields(approval: Approval, problems: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """By block id, from pointers into the input with sentences; what names no field stands at the first."""
    places = {field.key: place for place, field in enumerate(fields(approval))}
    found: dict[str, str] = {}
    for pointer, message in problems:
        key = pointer.removeprefix("/").partition("/")[0].replace("~1", "/").replace("~0", "~")
        found.setdefault(ids.field_block(places.get(key, 0)), limits.clip(message, limits.ERROR))
    return found


def differs(approval: Approval, edited: Edited) -> bool:
    return edited.digest != approval.digest


def compare(approval: Approval, edited: Edited, where: Where) -> View:
    """What differs, and the button that approves exactly this."""
    rows = action.difference(action.input_rows(approval.input_json or "null"), action.input_rows(edited.input_json))
    whole = lines.folded(lines.code(row) for row in rows)
    is_whole = 0 < len(whole) <= limits.PAGE_LINES
    shown = lines.pages(whole if is_whole else lines.folded(lines.code(row) for row in _changed(approval, edited)))
    explains = "Approve lets exactly this run, once, in place of what was asked."
    tool = [bold("Will run "), richtext.code(approval.tool_name)] if approval.tool_name is not None else []
    blocks = [
        richtext.rich_text("what", richtext.section(bold(approval.title)), richtext.section(text(explains))),
        *(
            richtext.rich_text(f"page.{place}", *lines.elements(page, heading=[] if place else tool))
            for place, page in enumerate(shown)
        ),
    ]
    if not is_whole:
        blocks.append(elements.context("rest", "Only the lines that differ are shown. The others stay as asked."))
    asked, now = (f"{digest[:4]} {digest[4:8]}" for digest in (approval.digest, edited.digest))
    blocks.append(elements.context("foot", f"{approval.short_code} · fingerprint {now}, asked with {asked}"))
    return View(
        callback_id=ids.VIEW_COMPARE,
        title=_TITLE,
        submit=_TITLE,
        close="Back",
        blocks=tuple(blocks),
        private_metadata=ids.encode_metadata(approval.id, where, digest=edited.digest),
    )


def _changed(approval: Approval, edited: Edited) -> Sequence[str]:
    """Of each key that differs, what it was and what it is; where there are no keys, all of both."""
    old, new = json.loads(approval.input_json or "null"), json.loads(edited.input_json)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return [*_marked("-", old), *_marked("+", new)]
    rows: list[str] = []
    for key in new:
        if key not in old or json.dumps(old[key]) != json.dumps(new[key]):
            rows += [*(_marked("-", {key: old[key]}) if key in old else []), *_marked("+", {key: new[key]})]
    return rows


def _marked(mark: str, value: Json) -> list[str]:
    return [f"{mark} {row}" for row in action.input_rows(json.dumps(value, ensure_ascii=False))]
