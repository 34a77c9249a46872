"""How a question is asked: buttons, a menu, checkboxes, a field. The same inputs serve messages and forms."""

from collections.abc import Sequence
from enum import StrEnum

from blocks import elements, ids, limits, richtext
from blocks.surface import Block
from blocks.visible import one_line
from store.types import Option, Question

MOST_BUTTONS = 5
#: Words of ours on buttons: a run's label that says the same is shown in quotes.
_OURS = frozenset(
    {
        "approve",
        "deny",
        "deny with reason",
        "review and approve",
        "submit",
        "submit all",
        "skip",
        "other",
        "answer",
        "show all",
        "withdraw",
        "keep waiting",
        "wake the run again",
    }
)


class Control(StrEnum):
    BUTTONS = "buttons"
    #: A menu that answers at once.
    MENU = "menu"
    SELECT = "select"
    CHECKBOXES = "checkboxes"
    MULTI = "multi"
    FIELD = "field"


def control(question: Question, *, alone: bool = True) -> Control:
    """`alone`: the only question of its card, so that a click may answer at once."""
    count = len(question.options)
    if not count:
        return Control.FIELD
    if question.multiple:
        described = any(option.description for option in question.options)
        most = limits.CHECKBOXES if described else MOST_BUTTONS
        return Control.CHECKBOXES if count <= most else Control.MULTI
    if not alone:
        return Control.SELECT
    if count <= MOST_BUTTONS and all(limits.cost(label(one)) <= limits.BUTTON_SHORT for one in question.options):
        return Control.BUTTONS
    # In a menu that answers at once, what is chosen already could not be sent: it answers to a change.
    return Control.SELECT if question.allow_other or question.default else Control.MENU


def label(option: Option) -> str:
    """A run's label, in quotes where it could be taken for a button of ours."""
    words = one_line(option.label)
    return f"“{words}”" if words.rstrip(".… ").casefold() in _OURS else words


def _is_long(option: Option) -> bool:
    return limits.cost(label(option)) > limits.OPTION


def entry(option: Option, place: int, value: str) -> Block:
    """An option of a menu; a long one starts with its number, and stands whole in a list above."""
    words = f"{place + 1}. {label(option)}" if _is_long(option) else label(option)
    return elements.option(words, value, option.description)


def whole_labels(question: Question) -> list[Block]:
    """What the menu cannot hold: long labels under their numbers, long descriptions with their labels."""
    made: list[Block] = []
    for place, option in enumerate(question.options):
        words = [richtext.text(one_line(option.label))] if _is_long(option) else []
        described = option.description or ""
        if limits.cost(one_line(described)) > limits.OPTION:
            words = [richtext.bold(f"{one_line(option.label)}: "), richtext.text(described)]
        if words:
            made.append(richtext.listing([words], ordered=True, offset=place))
    return made


def described_options(question: Question) -> list[Block]:
    """The descriptions of options that are buttons, as a list above them."""
    items = [
        [richtext.bold(f"{label(option)}: "), richtext.text(option.description)]
        for option in question.options
        if option.description
    ]
    return [richtext.listing(items)] if items else []


def fields(index: int, question: Question, *, title: str, hint: str | None, optional: bool, alone: bool) -> list[Block]:
    """The input block of a question, and that for an own answer. Their ids stay the same over repaints."""
    kind = control(question, alone=alone)
    owns = question.allow_other and kind is not Control.FIELD
    blocks = [
        elements.input(
            ids.question_block(index),
            title,
            _element(question, kind),
            optional=optional or owns,
            hint=hint,
        )
    ]
    if owns:
        own = elements.text_input(ids.TEXT, longest=limits.TYPED, hint="Your answer")
        words = "Or write your own" if alone else f"{index + 1}. Or write your own"
        blocks.append(elements.input(ids.other_block(index), words, own, optional=True))
    return blocks


def count(question: Question) -> int:
    """How many input blocks a question takes."""
    return 2 if question.allow_other and question.options else 1


def _element(question: Question, kind: Control) -> Block:
    if kind is Control.FIELD:
        initial = question.default[0] if question.default else None
        return elements.text_input(ids.TEXT, longest=limits.TYPED, multiline=True, initial=initial, hint="Your answer")
    entries = [entry(option, place, str(place)) for place, option in enumerate(question.options)]
    chosen = [entries[place] for place in default_indexes(question)]
    if kind is Control.SELECT or kind is Control.MENU:
        return elements.select(ids.VALUE, entries, placeholder="Choose one", chosen=chosen[0] if chosen else None)
    element: Block = {
        "type": "checkboxes" if kind is Control.CHECKBOXES else "multi_static_select",
        "action_id": ids.VALUE,
        "options": entries,
    }
    if chosen:
        element["initial_options"] = chosen
    if kind is Control.MULTI:
        element["placeholder"] = elements.plain("Choose one or more")
    return element


def default_indexes(question: Question) -> tuple[int, ...]:
    """The options chosen from the start, in the order of the options."""
    return tuple(place for place, option in enumerate(question.options) if option.id in question.default)


def menu(id: str, index: int, question: Question) -> Block:
    """A menu that answers at once, after a dialog that cannot name the choice: it is fixed before."""
    entries = [entry(one, place, ids.encode(id, index, place)) for place, one in enumerate(question.options)]
    select = elements.select(ids.CHOOSE, entries, placeholder="Choose to answer")
    return elements.confirmed(
        select,
        asks="Send this answer?",
        explains="The run gets what you chose, and goes on. It cannot be changed afterwards.",
        yes="Send",
        no="Choose again",
    )


def picks(id: str, index: int, question: Question) -> list[Block]:
    """A button for each option; never styled: the run's words must not look like ours."""
    return [
        elements.button(
            ids.suffixed(ids.PICK, place), label(option), ids.encode(id, index, place), says=f"Answer: {label(option)}"
        )
        for place, option in enumerate(question.options)
    ]


def length(questions: Sequence[Question]) -> int:
    """Input blocks of a set."""
    return sum(count(question) for question in questions)
