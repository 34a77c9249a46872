"""What a person put into our inputs: Slack's `state.values`, read by the block ids that we gave. Pure decoding."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from blocks import ids, inputs
from store.drafts import Draft
from store.types import Question, QuestionSet

Values = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """The raw selection of one question. `text`: as typed; None when nothing, or blanks, were typed.

    For a question without options `text` is the answer; otherwise it is the own answer beside the options.
    """

    option_indexes: tuple[int, ...] = ()
    text: str | None = None

    @property
    def is_empty(self) -> bool:
        return not self.option_indexes and self.text is None


def read_state(question_set: QuestionSet, values: Values, *, in_view: bool = False) -> tuple[Chosen, ...]:
    """One `Chosen` a question, in their order. Unknown blocks, actions and options are ignored.

    In a message Slack does not report what was chosen from the start until somebody touches it: nothing reported
    there counts as the default. A view (`in_view`) reports what it shows, so nothing is nothing.
    """
    return tuple(_read(place, question, values, in_view) for place, question in enumerate(question_set.questions))


def draft(values: Values, *, changed: str) -> Draft:
    """What the inputs of a form hold, to be kept. `changed`: the id of the block whose input was just changed.

    Only of that one nothing is told as nothing: of the others Slack may not have told what they hold from the start.
    """
    chosen: dict[int, tuple[int, ...]] = {}
    typed: dict[int, str] = {}
    for block in values:
        place = ids.entered_of(block)
        if place is None:
            continue
        told = block == changed
        if text := _state(values, block, ids.TEXT):
            words = _words(text)
            typed |= {place: words or ""} if words or told else {}
        if options := _state(values, block, ids.VALUE):
            places = _places(options)
            chosen |= {place: places} if places or told else {}
    return Draft(chosen=chosen, typed=typed)


def own_answer(values: Values, index: int) -> str | None:
    """What was typed into the form of Other…"""
    return _typed(values, ids.other_block(index))


def reason(values: Values) -> str | None:
    """What was typed into the form of Deny with reason…"""
    return _typed(values, ids.REASON_BLOCK)


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What one field of ours holds: a text as it was typed, or the place of an option."""

    text: str | None = None
    place: int | None = None


def entry(values: Values, block: str) -> Entry:
    state = _state(values, block, ids.TEXT)
    value = state.get("value")
    places = _places(_state(values, block, ids.VALUE))
    text = storable(value) if isinstance(value, str) else None
    return Entry(text=text, place=places[0] if places else None)


def typed(values: Values) -> str | None:
    """All that was typed into a form, whoever's it is, in the order of its fields: to give it back.

    What was chosen from a menu has no `value`.
    """
    fields = (held.get("value") for block in values.values() if isinstance(block, Mapping) for held in _held(block))
    words = [storable(value).strip() for value in fields if isinstance(value, str)]
    return "\n\n".join(word for word in words if word) or None


def _held(block: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [held for held in block.values() if isinstance(held, Mapping)]


def _read(index: int, question: Question, values: Values, in_view: bool) -> Chosen:  # noqa: FBT001 - private
    block = ids.question_block(index)
    if not question.options:
        typed = _typed(values, block)
        default = question.default[0] if question.default and not in_view else None
        return Chosen(text=default if typed is None else typed)
    chosen = _indexes(question, _state(values, block, ids.VALUE))
    own = _typed(values, ids.other_block(index)) if question.allow_other else None
    # Who writes an own answer beside an untouched single default means the words: a menu cannot be emptied.
    may_default = not chosen and not in_view and (own is None or question.multiple)
    return Chosen(option_indexes=inputs.default_indexes(question) if may_default else chosen, text=own)


def _state(values: Values, block: str, action: str) -> Mapping[str, Any]:
    found = values.get(block)
    held = found if isinstance(found, Mapping) else {}
    # A menu that is searched has the interaction's id behind its own.
    state = next((part for name, part in held.items() if ids.base(str(name)) == action), None)
    return state if isinstance(state, Mapping) else {}


def _typed(values: Values, block: str) -> str | None:
    return _words(_state(values, block, ids.TEXT))


def _words(state: Mapping[str, Any]) -> str | None:
    value = state.get("value")
    return storable(value) if isinstance(value, str) and value.strip() else None


def storable(text: str) -> str:
    """What no database keeps (U+0000, half of a surrogate pair) becomes U+FFFD: the rest is what the person wrote."""
    return text.replace("\x00", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _indexes(question: Question, state: Mapping[str, Any]) -> tuple[int, ...]:
    given = set(_places(state))
    chosen = tuple(place for place in range(len(question.options)) if place in given)
    return chosen if question.multiple else chosen[:1]


def _places(state: Mapping[str, Any]) -> tuple[int, ...]:
    """The values of our entries are the places of their options."""
    several = state.get("selected_options")
    entries = several if isinstance(several, list) else [state.get("selected_option")]
    given = (entry.get("value") for entry in entries if isinstance(entry, Mapping))
    return tuple(int(value) for value in given if isinstance(value, str) and _PLACE.fullmatch(value))


#: As `str` writes it: no zeros in front, ASCII digits.
_PLACE = re.compile(r"0|[1-9][0-9]{0,3}")
