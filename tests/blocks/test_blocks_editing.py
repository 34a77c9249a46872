"""The form that changes an input: what it offers, what it reads, and what it shows of the difference."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from blocks import editing, ids
from blocks.editing import Entered, Kind
from blocks.ids import Where
from sandbox.validate import check
from store.types import Approvers, Edited, Terms
from tests.blocks import cases
from tests.blocks.test_blocks_properties import JSON, WORDS

WHERE = Where(channel="C07DEPLOYS1", ts="1764511320.000100")


def editable(value: Any, schema: Any = None, **changes: Any):
    return cases.approval(
        input_json=json.dumps(value), input_schema=json.dumps(schema or {}), terms=Terms(may_edit=True), **changes
    )


def untouched(view: dict[str, Any]) -> dict[str, Any]:
    """The state of a form that nobody touched, as Slack sends it."""
    state: dict[str, Any] = {}
    for block in view["blocks"]:
        if block["type"] != "input":
            continue
        element = block["element"]
        held = (
            {"selected_option": element["initial_option"]}
            if element["type"] == "static_select"
            else {"value": element.get("initial_value")}
        )
        state[block["block_id"]] = {element["action_id"]: {"type": element["type"], **held}}
    return state


def typed(words: str | None) -> dict[str, Any]:
    return {ids.TEXT: {"type": "plain_text_input", "value": words}}


@settings(max_examples=200, deadline=None)
@given(value=st.one_of(JSON, st.dictionaries(WORDS, JSON, max_size=8)), new=WORDS)
def test_whatever_may_be_changed_fits_slacks_rules_and_comes_back_as_it_was(value: Any, new: str) -> None:
    approval = editable(value)
    if not editing.offered(approval):
        return
    view = editing.form(approval, WHERE).payload()

    read = editing.read(approval, untouched(view))

    assert check.view(view) == []
    assert isinstance(read, Entered)
    assert json.loads(read.input_json) == value
    other = Edited(input_json=json.dumps({"changed": new, "kept": value}), digest="a" * 64)
    assert check.view(editing.compare(approval, other, WHERE).payload()) == []


def test_a_choice_of_the_schema_is_a_menu_and_a_number_stays_a_number() -> None:
    approval = editable(
        {"env": "staging", "count": 3, "force": False, "note": "", "plan": {"a": [1]}},
        {"properties": {"env": {"enum": ["staging", "production"]}}},
    )

    kinds = [field.kind for field in editing.fields(approval)]
    state = untouched(editing.form(approval, WHERE).payload())
    state["f.0"] = {ids.VALUE: {"selected_option": {"value": "1"}}}
    state["f.1"] = typed("4.5")
    state["f.2"] = {ids.VALUE: {"selected_option": {"value": "0"}}}
    state["f.4"] = typed('{"a": [2]}')
    read = editing.read(approval, state)

    assert kinds == [Kind.CHOICE, Kind.NUMBER, Kind.CHOICE, Kind.TEXT, Kind.JSON]
    assert isinstance(read, Entered)
    assert read.input_json == '{"env":"production","count":4.5,"force":true,"note":"","plan":{"a":[2]}}'


def test_what_is_no_value_is_said_at_its_field() -> None:
    approval = editable({"count": 3, "plan": {"a": 1}, "force": True})
    state = {"f.0": typed("three"), "f.1": typed('{"a":\n}'), "f.2": {}}

    assert editing.read(approval, state) == {
        "f.0": "Not a number.",
        "f.1": "Not valid JSON: line 2.",
        "f.2": "Choose one.",
    }


def test_a_problem_stands_at_the_field_that_its_pointer_names() -> None:
    approval = editable({"a/b": 1, "c": {"d": 2}})

    found = editing.at_fields(approval, [("/c/d", "Too much."), ("/a~1b", "Too little."), ("", "Odd.")])

    assert found == {"f.1": "Too much.", "f.0": "Too little."}


def test_a_long_difference_shows_each_key_that_differs_and_says_that_others_stay() -> None:
    before = {f"k{n}": [f"{n}-{m}" for m in range(40)] for n in range(20)}
    after = {**before, "k7": ["new"]}
    view = editing.compare(editable(before), Edited(input_json=json.dumps(after), digest="a" * 64), WHERE)
    shown = json.dumps(view.payload())

    assert "7-39" in shown
    assert "new" in shown
    assert "8-0" not in shown.replace("18-0", "")
    assert "The others stay as asked." in shown


def test_it_is_offered_only_where_one_person_may_and_a_form_holds_it() -> None:
    fits = editable({"a": 1})

    assert editing.offered(fits)
    assert not editing.offered(cases.approval(input_json='{"a": 1}', input_schema="{}"))
    assert not editing.offered(editable({}))
    assert not editing.offered(editable({f"k{n}": n for n in range(editing.MOST_FIELDS + 1)}))
    assert not editing.offered(editable({"a": "x" * 3_001}))
    assert editing.offered(editable({"a": "x" * 3_000}, approvers=Approvers(users=("U1",))))
