"""An answer that does not do is told by what is wrong with it."""

import json

import pytest

from bot.slack.listeners.answer import unfinished
from bot.usecases.results import Invalid
from store.answers import Choice, check_answers
from store.types import Option, Question
from tests.blocks.cases import questions

OPTIONS = (Option(id="a", label="Ada"), Option(id="b", label="Bo"))
ONE = Question(id="q", prompt="Which one?", options=OPTIONS)
OWN = Question(id="q", prompt="Which one?", options=OPTIONS, allow_other=True)
FREE = Question(id="q", prompt="Which one?")
CASES = {
    "missing": (ONE, Choice(), "please answer “Which one?”. What you chose is kept."),
    "both": (OWN, Choice(option_ids=("a",), other="x"), "choose one or write your own, not both."),
    "too_long": (FREE, Choice(other="x" * 3001), "more than 3,000 characters"),
    "no_other": (ONE, Choice(other="x"), "choose one of the options."),
    "blank": (OWN, Choice(option_ids=("a",), other=" "), "cannot be blank."),
    "unknown_option": (ONE, Choice(option_ids=("z",)), "there is no such option."),
    "repeated_option": (ONE, Choice(option_ids=("a", "a")), "an option can be chosen once."),
    "too_many": (ONE, Choice(option_ids=("a", "b")), "choose one."),
    "not_skippable": (ONE, Choice(is_skipped=True), "cannot be skipped."),
    "skipped_with_answer": (ONE, Choice(is_skipped=True, other="x"), "not both."),
}


@pytest.mark.parametrize("code", CASES)
def test_each_problem_has_its_own_sentence(code) -> None:
    question, choice, words = CASES[code]
    problems = check_answers([question], {"q": choice})
    assert isinstance(problems, list)
    assert problems[0].code == code

    note = unfinished(Invalid(question=questions(question), problems=tuple(problems)))

    said = json.dumps(note.payload(), ensure_ascii=False)
    assert "Not submitted yet" in said
    assert words in said
    assert ("please answer" in said) is (code == "missing")


def test_of_several_questions_the_one_that_is_wrong_is_named() -> None:
    other = Question(id="p", prompt="And where?", is_skippable=True)
    problems = check_answers([other, ONE], {"q": Choice(other="x")})
    assert isinstance(problems, list)

    note = unfinished(Invalid(question=questions(other, ONE), problems=tuple(problems)))

    assert "Not submitted yet, at “Which one?”: " in json.dumps(note.payload(), ensure_ascii=False)
