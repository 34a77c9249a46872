"""How a question is asked: buttons, a menu, checkboxes, a field. The same inputs serve messages and forms."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from blocks import elements, ids, limits, richtext
from blocks.surface import Block
from blocks.visible import one_line
from store.drafts import NO_DRAFT, Draft
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
        "take back",
        "edit input",
        "compare",
        "approve with changes",
        "it happened",
        "it did not happen",
        "send me a practice request",
        "refresh",
    }
)


class Control(StrEnum):
    BUTTONS = "buttons"
    #: A menu that answers at once.
    MENU = "menu"
    SELECT = "select"
    CHECKBOXES = "checkboxes"
    MULTI = "multi"
    #: In a form, where descriptions are to be read and nothing has to be unchosen.
    RADIO = "radio"
    #: Menus whose options are not in them: Slack asks for those that fit what somebody types.
    SEARCH = "search"
    MULTI_SEARCH = "multi_search"
    FIELD = "field"


_SEARCHES = frozenset({Control.SEARCH, Control.MULTI_SEARCH})


def control(question: Question, *, alone: bool = True, most: int = limits.OPTIONS, in_form: bool = False) -> Control:
    """`alone`: the only question of its card, so that a click may answer at once. `most`: options that a menu holds."""
    count = len(question.options)
    if not count:
        return Control.FIELD
    if count > most:
        return Control.MULTI_SEARCH if question.multiple else Control.SEARCH
    if question.multiple:
        described = any(option.description for option in question.options)
        return Control.CHECKBOXES if count <= (limits.CHECKBOXES if described else MOST_BUTTONS) else Control.MULTI
    if in_form and _suits_radio(question):
        return Control.RADIO
    if not alone:
        return Control.SELECT
    if count <= MOST_BUTTONS and all(limits.cost(label(one)) <= limits.BUTTON_SHORT for one in question.options):
        return Control.BUTTONS
    # In a menu that answers at once, what is chosen already could not be sent: it answers to a change.
    return Control.SELECT if question.allow_other or question.default else Control.MENU


def _suits_radio(question: Question) -> bool:
    """Few options with descriptions; and nobody needs to unchoose, which radio buttons cannot do."""
    described = any(option.description for option in question.options)
    may_empty = question.is_skippable or question.allow_other
    return described and not may_empty and len(question.options) <= limits.CHECKBOXES


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


def cuts_labels(question: Question) -> bool:
    """Whether some option is said whole only in a list of its own."""
    return any(_is_long(one) or _is_long_description(one) for one in question.options)


def _is_long_description(option: Option) -> bool:
    return limits.cost(one_line(option.description or "")) > limits.OPTION


def whole_labels(question: Question) -> list[Block]:
    """What the menu cannot hold: long labels under their numbers, long descriptions with their labels."""
    made: list[Block] = []
    for place, option in enumerate(question.options):
        words = [richtext.text(one_line(option.label))] if _is_long(option) else []
        described = option.description or ""
        if _is_long_description(option):
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """How a question stands in its card or form. `id`: of the interaction.

    `most`: options that a menu holds. `words`: what label and hint may each take; what they cut stands whole in
    *Show all*. `prefill`: whether a suggested text is filled in. `draft`: what stands in place of defaults.
    """

    id: str
    alone: bool = False
    in_form: bool = False
    most: int = limits.OPTIONS
    words: int = limits.LABEL
    prefill: bool = True
    draft: Draft = NO_DRAFT


def fields(index: int, question: Question, asking: Asking, *, title: str, hint: str | None) -> list[Block]:
    """The input block of a question, and that for an own answer. Their ids stay the same over repaints."""
    kind = control(question, alone=asking.alone, most=asking.most, in_form=asking.in_form)
    owns = question.allow_other and kind is not Control.FIELD
    # Of two inputs Slack can demand neither. In a message it demands nothing at all, so only what is to be emptied
    # by hand there, a single choice, has to be optional.
    either = owns and (asking.in_form or not question.multiple)
    element = _element(index, question, kind, asking)
    optional = question.is_skippable or either
    blocks = [elements.input(ids.question_block(index), title, element, optional=optional, hint=hint)]
    if owns:
        blocks.append(_own(index, question, asking))
    return [elements.heard(block) for block in blocks] if asking.in_form else blocks


def _own(index: int, question: Question, asking: Asking) -> Block:
    """The input for an own answer. Slack marks optional inputs so: where an answer is needed, the hint says it."""
    initial = asking.draft.typed.get(index)
    field = elements.text_input(ids.TEXT, longest=limits.TYPED, initial=initial, hint="Your answer")
    words = "Or write your own" if asking.alone else f"{index + 1}. Or write your own"
    optional = question.is_skippable or asking.in_form
    hint = None if question.is_skippable else _NEEDED
    return elements.input(ids.other_block(index), words, field, optional=optional, hint=hint)


_NEEDED = "An answer is needed: choose above, or write it here."


def count(question: Question) -> int:
    """How many input blocks a question takes."""
    return 2 if question.allow_other and question.options else 1


def _element(index: int, question: Question, kind: Control, asking: Asking) -> Block:
    if kind is Control.FIELD:
        initial = question.default[0] if question.default and asking.prefill else None
        initial = asking.draft.typed.get(index, initial)
        return elements.text_input(ids.TEXT, longest=limits.TYPED, multiline=True, initial=initial, hint="Your answer")
    if kind in _SEARCHES:
        return _search(question, asking.id, _chosen(index, question, asking.draft))
    entries = [entry(option, place, str(place)) for place, option in enumerate(question.options)]
    chosen = [entries[place] for place in _chosen(index, question, asking.draft)]
    if kind in {Control.SELECT, Control.RADIO}:
        single = elements.select(ids.VALUE, entries, placeholder="Choose one", chosen=chosen[0] if chosen else None)
        return single if kind is Control.SELECT else _as_radio(single)
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


def _as_radio(select: Block) -> Block:
    return {key: part for key, part in select.items() if key != "placeholder"} | {"type": "radio_buttons"}


def _chosen(index: int, question: Question, draft: Draft) -> tuple[int, ...]:
    """The options that are chosen when it is opened, in the order of the options."""
    if index not in draft.chosen:
        return default_indexes(question)
    places = tuple(place for place in range(len(question.options)) if place in set(draft.chosen[index]))
    return places if question.multiple else places[:1]


def _search(question: Question, id: str, places: Sequence[int]) -> Block:
    """A menu that Slack fills: its action id names the interaction, as nothing else in a look-up surely does."""
    chosen = [entry(question.options[place], place, str(place)) for place in places]
    element: Block = {
        "type": "multi_external_select" if question.multiple else "external_select",
        "action_id": ids.suffixed(ids.VALUE, id),
        "placeholder": elements.plain(f"Type to search {len(question.options):,} options"),
        "min_query_length": 0,
    }
    if chosen:
        element |= {"initial_options": chosen} if question.multiple else {"initial_option": chosen[0]}
    return element


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What a search came to: the first options, as entries, and how many there are in all."""

    entries: tuple[Block, ...]
    total: int

    def payload(self) -> Block:
        """Slack's answer to a look-up. More than a menu shows stand under a line that says how many there are."""
        if self.total <= len(self.entries):
            return {"options": list(self.entries)}
        says = elements.plain(f"{len(self.entries)} of {self.total:,}: type to find the others")
        return {"option_groups": [{"label": says, "options": list(self.entries)}]}


NOTHING_FOUND = Found(entries=(), total=0)


def search(question: Question, query: str) -> Found:
    """Options whose label holds the query, whatever the case; those that start with it first."""
    wanted = one_line(query).strip().casefold()
    starts: list[int] = []
    holds: list[int] = []
    for place, option in enumerate(question.options):
        words = one_line(option.label).casefold()
        if words.startswith(wanted):
            starts.append(place)
        elif wanted in words:
            holds.append(place)
    found = [*starts, *holds]
    shown = (entry(question.options[place], place, str(place)) for place in found[: limits.OPTIONS])
    return Found(entries=tuple(shown), total=len(found))


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
