"""The input of a tool as a person must see it, and the body of a confirmation."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocks import action, approval, limits, lines
from tests.blocks.cases import PAINT, replace
from tests.blocks.cases import approval as asked


def rows(value: object) -> list[str]:
    return action.input_rows(json.dumps(value, ensure_ascii=False))


def test_keys_keep_the_order_of_the_sender_and_are_padded() -> None:
    assert rows({"zone": "a", "id": 1}) == ['zone  "a"', "id    1"]


def test_text_and_number_look_different() -> None:
    assert rows({"a": "1", "b": 1}) == ['a  "1"', "b  1"]


def test_numbers_stay_as_they_were_sent() -> None:
    assert action.input_rows('{"rate": 1.0, "big": 1e3, "n": -0}') == ["rate  1.0", "big   1e3", "n     -0"]


def test_null_and_booleans_are_json() -> None:
    assert rows({"a": None, "b": True}) == ["a  null", "b  true"]


def test_text_with_breaks_is_spelled_out_line_by_line() -> None:
    assert rows({"body": "Hi,\n\nbye"}) == ["body  3 lines", "  │ Hi,", "  │ ", "  │ bye"]


def test_windows_line_ends_are_named_and_a_lone_carriage_return_is_shown() -> None:
    assert rows({"a": "x\r\ny"}) == ["a  2 lines, each ended by CR LF", "  │ x", "  │ y"]
    assert rows({"a": "x\r\ny\nz"}) == ["a  3 lines", "  │ x⟦U+000D⟧", "  │ y", "  │ z"]


def test_long_nested_values_open_below_and_short_ones_stay_on_the_line() -> None:
    long_one = [f"statement number {n} of the migration" for n in range(3)]

    assert rows({"do": long_one, "to": [1, 2]}) == [
        "do  [",
        '  "statement number 0 of the migration",',
        '  "statement number 1 of the migration",',
        '  "statement number 2 of the migration"',
        "]",
        "to  [1, 2]",
    ]


@pytest.mark.parametrize("key", ["- x", "+ y", 'a  "b"', "a\nb", "", "│", "1"])
def test_a_key_that_could_look_like_something_else_is_quoted(key: str) -> None:
    assert rows({key: 1}) == [f"{json.dumps(key, ensure_ascii=False)}  1"]


@pytest.mark.parametrize(("value", "shown"), [({}, "{}"), ([], "[]"), ("x", '"x"'), (5, "5"), (None, "null")])
def test_an_input_that_is_no_object_or_an_empty_one_is_shown_as_it_is(value: object, shown: str) -> None:
    assert rows(value) == [shown]


def test_a_changed_input_marks_what_differs() -> None:
    old, new = rows({"service": "api", "version": "1.4.2"}), rows({"service": "api", "version": "1.4.3"})

    assert action.difference(old, new) == ['  service  "api"', '- version  "1.4.2"', '+ version  "1.4.3"']


def test_inputs_too_long_to_compare_are_shown_without_marks() -> None:
    many = [str(n) for n in range(201)]

    assert action.difference(many, many[1:]) == []


def test_twenty_four_lines_are_the_whole_action_and_twenty_five_are_not() -> None:
    whole = asked(input_json=json.dumps({f"k{n}": n for n in range(24)}))
    more = asked(input_json=json.dumps({f"k{n}": n for n in range(25)}))

    assert action.on_card(whole).left == 0
    assert action.on_card(more).left == 13
    assert len(action.on_card(more).lines) == 12


def test_a_line_is_counted_escaped() -> None:
    fits = asked(input_json=json.dumps({"q": "&" * 540}))
    over = asked(input_json=json.dumps({"q": "&" * 580}))

    assert action.on_card(fits).left == 0
    assert action.on_card(over).left > 0


def test_a_title_too_long_for_the_header_stands_whole_below_and_is_reviewed() -> None:
    long_title = "a" * 140 + "\u202e" * 10
    card = approval.card(asked(title=long_title), PAINT)
    whole = next(block for block in card.blocks if block["block_id"] == "whole.1")

    assert "⟦U+202E⟧" * 10 in whole["elements"][0]["elements"][1]["text"]
    assert card.blocks[-1]["elements"][0]["action_id"] == "so.review"


def test_a_difference_that_does_not_fit_gives_way_to_the_input_itself() -> None:
    new = asked(input_json=json.dumps({f"k{n}": n for n in range(20)}), supersedes="apr_old")
    old = replace(new, input_json=json.dumps({f"k{n}": -n for n in range(20)}))

    shown = action.on_card(new, replaces=old)

    assert shown.left == 0
    assert shown.lines[1].parts[0]["text"] == "k1   1"


def test_a_folded_line_of_code_says_that_it_goes_on() -> None:
    folded = lines.folded([lines.code("x" * 1500)])

    assert [line.parts[0]["text"][:2] for line in folded] == ["xx", "↪ ", "↪ "]
    assert all(line.cost <= lines.FOLD for line in folded)


def test_a_confirmation_of_one_short_line_fits_a_row_and_a_longer_one_does_not() -> None:
    short = asked(tool_name=None, input_json=None, body="Send it.")
    two = asked(tool_name=None, input_json=None, body="Send it.\nTo all.")

    assert action.in_one_row(short, 300) == ("Send it.", True)
    assert action.in_one_row(two, 300) == ("Send it. To all.", False)


PARTS = st.recursive(
    st.none() | st.booleans() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=6), inner, max_size=6),
    max_leaves=30,
)


@given(PARTS, st.sampled_from([60, 150, 300]))
def test_a_row_holds_the_beginning_of_the_action_and_is_whole_only_where_all_of_it_is_there(value, budget) -> None:
    written = json.dumps(value, ensure_ascii=False)
    whole = f"deploy.release {written}"

    shown = action.in_one_row(asked(input_json=written), budget)

    assert shown == (limits.clip(whole, budget), limits.cost(whole) <= budget)


def test_a_row_of_a_list_is_whole_only_where_there_are_no_details() -> None:
    confirmed = {"tool_name": None, "input_json": None, "body": "Send it."}

    for what in ({}, confirmed):
        assert action.in_one_row(asked(**what), 300)[1]
        assert not action.in_one_row(asked(**what, details="1 to destroy"), 300)[1]


def test_details_that_are_too_long_never_push_away_an_input_that_fits() -> None:
    rows = {f"key{number:02}": number for number in range(20)}
    shown = action.on_card(asked(input_json=json.dumps(rows), details="line\n" * 50))

    assert [line.parts[0]["text"].split()[0] for line in shown.lines] == list(rows)
    assert shown.left == 52
    assert action.on_card(asked(details="one\ntwo")).left == 0


def test_changed_details_are_marked_like_a_changed_input() -> None:
    old, new = asked(details="same\nold"), asked(details="same\nnew")

    words = [line.parts[0]["text"] for line in action.action_lines(new, replaces=old)]

    assert words[-3:] == ["  same", "- old", "+ new"]
