"""Forms that are opened as they were left, and what of a form's state is kept for that."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blocks import ids, limits, modal, question, reading
from blocks.ids import Where
from sandbox.validate import check
from store.drafts import NO_DRAFT, Draft
from store.types import Question
from tests.blocks.cases import PAINT, approval, options, questions
from tests.blocks.test_blocks_reading import ONE, REGIONS, WORDS, one, several, typed

WHERE = Where(channel="C07DEPLOYS1", ts="1764511320.000100")
FAR = Question(id="f", prompt="Which far?", options=options(*(f"c{n}" for n in range(300))), default=("o7",))
NEEDED = "An answer is needed: choose above, or write it here."


def inputs_of(view) -> dict[str, dict]:
    return {block["block_id"]: block for block in view.payload()["blocks"] if block["type"] == "input"}


def initial(block: dict) -> object:
    element = block["element"]
    chosen = element.get("initial_options") or [element[key] for key in ("initial_option",) if key in element]
    return element.get("initial_value") or [option["value"] for option in chosen]


def test_of_a_state_all_is_kept_that_says_something_and_the_input_that_was_changed() -> None:
    values = {
        "q.0": several(),
        "q.1": one("1"),
        "q.1.other": typed(None),
        "q.2": typed(" hi "),
        "q.3": typed("   "),
        "elsewhere": one("0"),
    }

    assert reading.draft(values, changed="q.2") == Draft(chosen={1: (1,)}, typed={2: " hi "})
    assert reading.draft(values, changed="q.0") == Draft(chosen={0: (), 1: (1,)}, typed={2: " hi "})
    assert reading.draft(values, changed="q.1.other") == Draft(chosen={1: (1,)}, typed={1: "", 2: " hi "})
    assert reading.draft(values, changed="q.3") == Draft(chosen={1: (1,)}, typed={2: " hi ", 3: ""})


def test_a_searched_menu_and_a_reason_are_kept_too() -> None:
    searched = {"q.4": {f"{ids.VALUE}.qst_01": {"selected_options": [{"value": "250"}, {"value": "0"}]}}}

    assert reading.draft(searched, changed="q.4") == Draft(chosen={4: (250, 0)})
    assert reading.draft({ids.REASON_BLOCK: typed("no\x00")}, changed=ids.REASON_BLOCK) == Draft(typed={0: "no\ufffd"})


@pytest.mark.parametrize(
    "values", [{}, {"q.0": {}}, {"q.x": one("0")}, {"q.12345": one("0")}, {"act": one("0")}, {"q.0": {"other": {}}}]
)
def test_of_a_state_that_is_not_ours_nothing_is_kept(values) -> None:
    assert reading.draft(values, changed="q.0") == NO_DRAFT


@pytest.mark.parametrize("value", ["-1", "01", "٣", "1e3", "", "99999", " 1", "1_0"])
def test_only_a_place_as_we_write_it_is_a_place(value) -> None:
    assert reading.draft({"q.0": one(value)}, changed="q.9") == NO_DRAFT


def test_a_form_shows_what_was_kept_in_place_of_its_defaults() -> None:
    asked = questions(REGIONS, ONE, WORDS, FAR)

    plain = inputs_of(modal.form(asked, WHERE))
    kept = inputs_of(modal.form(asked, WHERE, draft=Draft(chosen={0: (1,), 3: (299,)}, typed={1: "mine", 2: "bye"})))
    emptied = inputs_of(modal.form(asked, WHERE, draft=Draft(chosen={0: (), 1: (), 3: ()}, typed={2: ""})))

    assert {name: initial(block) for name, block in plain.items()} == {
        "q.0": ["0", "2"],
        "q.1": ["1"],
        "q.1.other": [],
        "q.2": "hello",
        "q.3": ["7"],
    }
    assert {name: initial(block) for name, block in kept.items()} == {
        "q.0": ["1"],
        "q.1": ["1"],
        "q.1.other": "mine",
        "q.2": "bye",
        "q.3": ["299"],
    }
    assert {name: initial(block) for name, block in emptied.items()} == {
        "q.0": [],
        "q.1": [],
        "q.1.other": [],
        "q.2": [],
        "q.3": [],
    }
    assert kept["q.3"]["element"]["initial_option"]["text"]["text"] == "c299"


def test_a_form_says_that_it_is_filled_in_only_where_it_is() -> None:
    says = "Filled in as you left it."
    draft = Draft(typed={0: "No."})
    asked = questions(Question(id="t", prompt="Say it"))

    for view_of in (
        lambda **given: modal.deny_reason(approval(), WHERE, **given),
        lambda **given: modal.other(asked, 0, WHERE, **given),
        lambda **given: modal.form(asked, WHERE, **given),
    ):
        assert says not in json.dumps(view_of().payload())
        assert says in json.dumps(view_of(draft=draft).payload())


def test_of_a_draft_that_no_view_can_hold_the_longest_texts_are_left_out_and_it_says_so() -> None:
    asked = questions(*(Question(id=f"q{n}", prompt="Say it") for n in range(20)))
    most = Draft(typed=dict.fromkeys(range(20), "&" * 3_000) | {7: "brief"})

    view = modal.form(asked, WHERE, draft=most)

    assert check.view(view.payload()) == []
    filled = {block_id: words for block_id, block in inputs_of(view).items() if (words := initial(block))}
    assert filled["q.7"] == "brief"
    assert len(filled) < 20
    # No other would have fit.
    assert limits.VIEW - 3_000 * len("&amp;") - 500 < modal._size(view) <= limits.VIEW
    assert "but for the longest texts" in json.dumps(view.payload())


@settings(max_examples=60, deadline=None)
@given(
    chosen=st.dictionaries(st.integers(0, 9999), st.lists(st.integers(0, 9999), max_size=6).map(tuple), max_size=5),
    typed=st.dictionaries(st.integers(0, 5), st.text(max_size=80), max_size=5),
)
def test_whatever_was_kept_slack_accepts_the_form(chosen, typed) -> None:
    asked = questions(REGIONS, ONE, WORDS, FAR)

    view = modal.form(asked, WHERE, draft=Draft(chosen=chosen, typed=typed))

    assert check.view(view.payload()) == []


def optional(asked: Question, *, in_form: bool) -> list[tuple[bool, str | None]]:
    """Of the inputs of a question: whether Slack marks them as optional, and the hint under them."""
    other = Question(id="x", prompt="Other thing?", is_skippable=True)
    view = modal.form(questions(asked, other), WHERE).payload() if in_form else None
    blocks = view["blocks"] if view else question.card(questions(asked), PAINT).payload()["blocks"]
    mine = [b for b in blocks if b["type"] == "input" and b["block_id"].startswith("q.0")]
    return [(block["optional"], block.get("hint", {}).get("text")) for block in mine]


def test_where_one_of_two_inputs_is_needed_the_form_says_so() -> None:
    several_or_own = Question(id="r", prompt="Which?", options=options("a", "b", "c"), multiple=True, allow_other=True)
    one_or_own = Question(id="c", prompt="Which?", options=options(*"abcdefg"), allow_other=True)
    may_skip = Question(id="c", prompt="Which?", options=options("a", "b"), allow_other=True, is_skippable=True)

    # Slack can demand neither of the two in a form, and demands nothing in a message.
    assert optional(several_or_own, in_form=True) == [(True, None), (True, NEEDED)]
    assert optional(several_or_own, in_form=False) == [(False, None), (False, NEEDED)]
    # A single choice can be taken back only where it is optional.
    assert optional(one_or_own, in_form=False) == [(True, None), (False, NEEDED)]
    assert optional(may_skip, in_form=True) == [(True, "Leave it empty to skip."), (True, None)]
