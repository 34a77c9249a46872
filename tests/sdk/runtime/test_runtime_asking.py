"""What a run asks, as it is sent: the runtime's words in, the API's words out, and no way to give an answer with it."""

import pytest

from signoff.asks import Question
from signoff.runtime import Proposal
from signoff.runtime.asking import as_asked, proposal_request, questions_request
from signoff.types import Option

DESTINATION = {
    "id": "destination",
    "question": "Where should the result be used?",
    "options": [{"id": "local", "label": "Local project"}, {"id": "shared", "label": "Shared service"}],
    "is_skippable": False,
}


def test_a_question_is_sent_as_a_prompt() -> None:
    request = questions_request([DESTINATION])

    assert request == {
        "questions": [
            {
                "id": "destination",
                "prompt": "Where should the result be used?",
                "options": DESTINATION["options"],
                "is_skippable": False,
            }
        ]
    }


def test_what_is_none_is_left_out() -> None:
    request = questions_request([{**DESTINATION, "description": None, "options": None}])

    assert request == {
        "questions": [
            {"id": "destination", "prompt": "Where should the result be used?", "is_skippable": False},
        ]
    }


def test_a_typed_question_is_sent_as_the_mapping_is() -> None:
    typed = Question(
        id="destination",
        prompt="Where should the result be used?",
        options=[Option(id="local", label="Local project"), Option(id="shared", label="Shared service")],
    )

    assert (
        questions_request([typed])["questions"][0].items() >= questions_request([DESTINATION])["questions"][0].items()
    )


def test_a_text_among_the_options_is_label_and_id() -> None:
    sent = questions_request([{"id": "r", "question": "Which?", "options": ["eu", "us"]}])["questions"][0]

    assert sent["options"] == [{"id": "eu", "label": "eu"}, {"id": "us", "label": "us"}]


@pytest.mark.parametrize("field", ["answer", "is_confirmed", "value", "isSkippable"])
def test_a_question_with_a_field_that_is_none_of_its_own_is_refused_by_name(field) -> None:
    with pytest.raises(ValueError, match=f"question 1 has '{field}'; its fields are id, question"):
        questions_request([DESTINATION, {**DESTINATION, field: "Local project"}])


@pytest.mark.parametrize("wrong", [[], "Where?", DESTINATION, None])
def test_no_list_of_questions_is_refused(wrong) -> None:
    with pytest.raises(TypeError, match="a list of one question or more"):
        questions_request(wrong)


def test_a_question_without_a_question_is_refused() -> None:
    with pytest.raises(ValueError, match="question 0 needs an id and a question"):
        questions_request([{"id": "a"}])


def test_a_short_text_is_the_title_of_what_is_confirmed() -> None:
    assert proposal_request("Approve this operation?") == {"title": "Approve this operation?"}


def test_further_lines_of_a_text_are_its_body() -> None:
    assert proposal_request("Publish?\n\n- a\n- b\n") == {"title": "Publish?", "body": "- a\n- b"}


def test_a_long_first_line_is_shown_whole() -> None:
    text = "word " * 60

    assert proposal_request(text) == {"title": "Please confirm", "body": text.strip()}


@pytest.mark.parametrize("wrong", ["", "  \n", None, 3])
def test_nothing_to_read_is_refused(wrong) -> None:
    with pytest.raises(TypeError, match="a text for people to read"):
        proposal_request(wrong)


def test_a_proposal_that_says_it_is_confirmed_is_only_text() -> None:
    request = proposal_request({"title": "Pay 900", "is_confirmed": True, "answer": "yes"})

    assert set(request) == {"title", "body"}
    assert '"is_confirmed": true' in request["body"]


def test_a_typed_proposal_is_an_action_with_its_tool() -> None:
    proposal = Proposal(title="Deploy", tool_name="deploy", input={"b": 1, "a": 2}, risk="high")

    request = proposal_request(proposal)

    assert request == {"title": "Deploy", "tool_name": "deploy", "input": {"b": 1, "a": 2}, "risk": "high"}
    assert list(request["input"]) == ["b", "a"]


def test_a_tool_without_input_has_the_input_null() -> None:
    assert proposal_request(Proposal(title="Restart", tool_name="restart"))["input"] is None


def test_what_was_asked_comes_back_in_the_words_of_the_runtime() -> None:
    assert as_asked(questions_request([DESTINATION])) == {"questions": [DESTINATION]}
    assert as_asked({"title": "Go?"}) == {"title": "Go?"}
