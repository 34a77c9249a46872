"""Slack's state of our inputs, as raw selections; and what buttons carry."""

import pytest

from blocks import ids, inputs, question, reading
from blocks.ids import Filter, Metadata, Target, Verb, Where
from blocks.inputs import Control
from blocks.reading import Chosen
from store.types import Question
from tests.blocks.cases import PAINT, options, questions

REGIONS = Question(id="r", prompt="Which?", options=options("a", "b", "c"), multiple=True, default=("o0", "o2"))
ONE = Question(id="c", prompt="Which one?", options=options("a", "b"), allow_other=True, default=("o1",))
WORDS = Question(id="t", prompt="Say it", default=("hello",))


def several(*values: str) -> dict[str, object]:
    return {ids.VALUE: {"type": "multi_static_select", "selected_options": [{"value": value} for value in values]}}


def one(value: str | None) -> dict[str, object]:
    return {ids.VALUE: {"type": "static_select", "selected_option": None if value is None else {"value": value}}}


def typed(value: str | None) -> dict[str, object]:
    return {ids.TEXT: {"type": "plain_text_input", "value": value}}


def read(asked: Question, values: dict[str, object], *, in_view: bool = False) -> Chosen:
    return reading.read_state(questions(asked), values, in_view=in_view)[0]


def test_what_was_chosen_is_read_in_the_order_of_the_options() -> None:
    assert read(REGIONS, {"q.0": several("2", "1")}) == Chosen(option_indexes=(1, 2))


@pytest.mark.parametrize("values", [{}, {"q.0": {}}, {"q.0": several()}, {"q.0": {ids.VALUE: None}}])
def test_an_untouched_default_counts_as_chosen_in_a_message(values: dict[str, object]) -> None:
    assert read(REGIONS, values).option_indexes == (0, 2)


def test_a_form_that_shows_nothing_chosen_means_nothing() -> None:
    assert read(REGIONS, {"q.0": several()}, in_view=True).is_empty
    assert read(WORDS, {"q.0": typed(None)}, in_view=True).is_empty


def test_own_words_beside_an_untouched_single_default_are_the_answer() -> None:
    assert read(ONE, {"q.0": one(None), "q.0.other": typed("mine")}) == Chosen(text="mine")


def test_own_words_beside_a_choice_are_both_given() -> None:
    assert read(ONE, {"q.0": one("0"), "q.0.other": typed("mine")}) == Chosen(option_indexes=(0,), text="mine")


def test_words_are_read_as_typed_and_blanks_are_none() -> None:
    assert read(WORDS, {"q.0": typed(" hi ")}).text == " hi "
    assert read(WORDS, {"q.0": typed("  ")}).text == "hello"


@pytest.mark.parametrize("value", ["7", "-1", "x", "", "01"])
def test_an_option_that_is_not_there_is_ignored(value: str) -> None:
    assert read(ONE, {"q.0": one(value)}, in_view=True).is_empty


@pytest.mark.parametrize("values", [{"q.0": 5}, {"q.0": {ids.VALUE: "x"}}, {"q.9": several("0")}, {"reason": []}])
def test_a_state_of_another_shape_is_no_choice(values: dict[str, object]) -> None:
    assert read(REGIONS, values, in_view=True).is_empty


def test_own_words_count_only_where_they_are_allowed() -> None:
    assert read(REGIONS, {"q.0": several("0"), "q.0.other": typed("mine")}) == Chosen(option_indexes=(0,))


def test_the_fields_of_the_small_forms_are_read() -> None:
    assert reading.reason({"reason": typed("no")}) == "no"
    assert reading.reason({}) is None
    assert reading.own_answer({"q.3.other": typed("mine")}, 3) == "mine"


@pytest.mark.parametrize(
    ("asked", "alone", "expected"),
    [
        (Question(id="q", prompt="p"), True, Control.FIELD),
        (Question(id="q", prompt="p", options=options("a", "b")), True, Control.BUTTONS),
        (Question(id="q", prompt="p", options=options("a", "b")), False, Control.SELECT),
        (Question(id="q", prompt="p", options=options("x" * 31)), True, Control.MENU),
        (Question(id="q", prompt="p", options=options(*"abcdef")), True, Control.MENU),
        (Question(id="q", prompt="p", options=options(*"abcdef"), default=("o1",)), True, Control.SELECT),
        (Question(id="q", prompt="p", options=options(*"abcdef"), allow_other=True), True, Control.SELECT),
        (Question(id="q", prompt="p", options=options(*"abcde"), multiple=True), True, Control.CHECKBOXES),
        (Question(id="q", prompt="p", options=options(*"abcdef"), multiple=True), True, Control.MULTI),
        (Question(id="q", prompt="p", options=options(*map(str, range(101)))), True, Control.SEARCH),
        (
            Question(id="q", prompt="p", options=options(*map(str, range(101))), multiple=True),
            False,
            Control.MULTI_SEARCH,
        ),
    ],
)
def test_the_control_follows_from_the_question(asked: Question, alone: bool, expected: Control) -> None:
    assert inputs.control(asked, alone=alone) is expected


@pytest.mark.parametrize("label", ["Approve", "deny", "SUBMIT", "Skip", "Other…", "Other...", " Approve "])
def test_a_label_of_a_run_that_looks_like_ours_is_quoted(label: str) -> None:
    card = question.card(questions(Question(id="q", prompt="p", options=options(label))), PAINT)
    [button] = card.blocks[-1]["elements"]

    assert button["text"]["text"] == f"“{label.strip()}”"
    assert "style" not in button


def test_inputs_keep_their_ids_over_repaints_and_painted_blocks_do_not() -> None:
    asked = questions(REGIONS)
    first, second = (
        [block["block_id"] for block in question.card(asked, question.Paint(revision=n)).blocks] for n in (1, 2)
    )

    assert set(first) & set(second) == {"q.0"}


def test_questions_that_do_not_fit_a_message_are_answered_in_a_form() -> None:
    texts = [Question(id=f"t{n}", prompt="p") for n in range(4)]
    wide = Question(id="w", prompt="p", options=options(*("&" * 300 for _ in range(30))), multiple=True)

    assert question.fits_message(texts[:3])
    assert not question.fits_message(texts)
    assert not question.fits_message([wide])
    for asked in (texts, [wide]):
        card = question.card(questions(*asked), PAINT)
        assert [button["action_id"] for button in card.blocks[-1]["elements"]] == [ids.FORM]


def test_what_was_found_by_a_search_is_read_like_any_choice() -> None:
    many = Question(id="m", prompt="p", options=options(*(f"o{n}" for n in range(101))), multiple=True)
    found = {
        ids.suffixed(ids.VALUE, "qst_01"): {"type": "multi_external_select", "selected_options": [{"value": "99"}]}
    }

    assert read(many, {"q.0": found}).option_indexes == (99,)
    assert read(Question(id="o", prompt="p", options=many.options, default=("o7",)), {}).option_indexes == (7,)


def test_a_search_finds_what_starts_with_the_words_before_what_holds_them() -> None:
    labels = [f"Customer {n}" for n in range(150)] + ["Northwind", "The north", "NORTH Sea", "Straße 1"]
    many = Question(id="m", prompt="p", options=options(*labels))

    def labelled(query: str) -> list[str]:
        return [entry["text"]["text"] for entry in inputs.search(many, query).entries]

    assert labelled("north") == ["Northwind", "NORTH Sea", "The north"]
    assert labelled("STRASSE") == ["Straße 1"]
    assert labelled("nobody") == []
    assert inputs.search(many, "nobody").payload() == {"options": []}
    assert labelled(" customer 149 ") == ["Customer 149"]


def test_a_search_that_finds_more_than_a_menu_shows_says_how_many() -> None:
    many = Question(id="m", prompt="p", options=options(*(f"Customer {n}" for n in range(1000))))

    [group] = inputs.search(many, "").payload()["option_groups"]

    assert group["label"]["text"] == "100 of 1,000: type to find the others"
    assert [option["value"] for option in group["options"]] == [str(n) for n in range(100)]


@pytest.mark.parametrize(
    ("action", "id"),
    [
        ("so.value.qst_01", "qst_01"),
        ("so.value", None),
        ("so.value.", None),
        ("so.value.qst_", None),
        ("so.value.x", None),
        ("so.text.qst_01", None),
    ],
)
def test_a_look_up_names_its_interaction_or_none(action: str, id: str | None) -> None:
    assert ids.searched(action) == id


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("apr_01KB9Q4V7M", Target(id="apr_01KB9Q4V7M")),
        ("qst_01:0", Target(id="qst_01", question=0)),
        ("qst_01:3:12", Target(id="qst_01", question=3, option=12)),
        ("qst_01:0:0:0", None),
        ("qst_01:-1", None),
        ("qst_01:٣", None),
        ("apr_", None),
        ("", None),
        ("show:apr_01", None),
        ("apr_01\n", None),
    ],
)
def test_a_value_points_at_a_target_or_at_nothing(value: str, target: Target | None) -> None:
    assert ids.decode(value) == target
    if target is not None:
        assert ids.encode(target.id, target.question, target.option) == value


def test_values_of_menus_pages_and_lists_come_back_as_they_were_given() -> None:
    assert ids.decode_menu(ids.encode_menu(Verb.WITHDRAW, "apr_01")) == (Verb.WITHDRAW, "apr_01")
    assert ids.decode_page(ids.encode_page("apr_01", 2)) == ("apr_01", 2)
    assert ids.decode_list(ids.encode_list(Filter.ALL, 1)) == (Filter.ALL, 1)
    assert ids.decode_list("questions") == (Filter.QUESTIONS, 0)


@pytest.mark.parametrize("value", ["", "drop:apr_01", "show:", "show:x", "withdraw:apr_01:2"])
def test_a_forged_menu_value_is_nothing(value: str) -> None:
    assert ids.decode_menu(value) is None


@pytest.mark.parametrize("value", ["", "apr_01", "apr_01:x", "apr_01:99999", "x:1"])
def test_a_forged_page_is_nothing(value: str) -> None:
    assert ids.decode_page(value) is None


@pytest.mark.parametrize("value", ["", "everything", "mine:x", "mine:-1"])
def test_a_forged_list_value_is_nothing(value: str) -> None:
    assert ids.decode_list(value) is None


def test_metadata_comes_back_and_holds_ids_only() -> None:
    where = Where(channel="C07DEPLOYS1", ts="1764511320.000100")
    written = ids.encode_metadata("qst_01", where, question=0)

    assert ids.decode_metadata(written) == Metadata(id="qst_01", where=where, question=0)
    assert written == '{"i":"qst_01","c":"C07DEPLOYS1","t":"1764511320.000100","q":0}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"i":"x"}',
        '{"i":"apr_1","q":true}',
        '{"i":"apr_1","q":-1}',
        '{"i":"apr_1","c":"<x>"}',
        '{"i":"apr_1","t":"1"}',
        "nul",
    ],
)
def test_forged_metadata_is_nothing(text: str) -> None:
    assert ids.decode_metadata(text) is None


def test_an_action_id_without_its_suffix_is_the_one_that_listeners_know() -> None:
    assert ids.base(ids.suffixed(ids.PICK, 3)) == ids.PICK
    assert ids.base(ids.APPROVE) == ids.APPROVE


def test_a_row_of_a_list_says_which_page_it_is_of() -> None:
    assert ids.list_of(f"{ids.list_row(ids.Filter.ALL, 11, 7)}.act") == (ids.Filter.ALL, 11)
    assert [ids.list_of(block) for block in ("row.3.act", "row.all:x.3", "pages", "row.", "row.all:1:2.3")] == [
        None
    ] * 5
