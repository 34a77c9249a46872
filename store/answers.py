"""What a person chose, checked against what was asked. Pure; the same rules for every door."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.types import Answer, Question

#: Free text of one answer, in characters.
MAX_TEXT = 3000


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One raw answer, before any check: chosen option ids in the order given, and own text."""

    is_skipped: bool = False
    option_ids: tuple[str, ...] = ()
    other: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Why one answer does not do. `code` is for programs, `message` a sentence for people."""

    question_id: str
    code: str
    message: str


def check_answers(questions: Sequence[Question], choices: Mapping[str, Choice]) -> dict[str, Answer] | list[Problem]:
    """All answers, by question id in the order asked; or everything that is wrong with them.

    A question without a choice counts as left empty: skipped where it may be, missing otherwise.
    """
    answers: dict[str, Answer] = {}
    problems = [
        Problem(question_id=name, code="unknown_question", message="There is no such question.")
        for name in choices
        if name not in {question.id for question in questions}
    ]
    for question in questions:
        checked = _check(question, choices.get(question.id, Choice()))
        if isinstance(checked, Problem):
            problems.append(checked)
        else:
            answers[question.id] = checked
    return problems or answers


def _check(question: Question, choice: Choice) -> Answer | Problem:
    text = (choice.other or "").strip()
    if choice.is_skipped or (not choice.option_ids and not text):
        return _skip(question, choice)
    if choice.other is not None and not text:
        return _problem(question, "blank", "An answer of your own cannot be blank.")
    problem = _first_problem(question, choice, text)
    if problem is not None:
        return problem
    labels = {option.id: option.label for option in question.options}
    values = tuple(labels[chosen] for chosen in choice.option_ids) + ((text,) if text else ())
    return Answer(
        is_skipped=False,
        value=values if question.multiple else values[0],
        option_ids=choice.option_ids,
        other=text if text and question.options else None,
    )


def _skip(question: Question, choice: Choice) -> Answer | Problem:
    if choice.is_skipped and (choice.option_ids or choice.other is not None):
        return _problem(question, "skipped_with_answer", "Skip it or answer it, not both.")
    if question.is_skippable:
        return Answer(is_skipped=True)
    if choice.is_skipped:
        return _problem(question, "not_skippable", "This question cannot be skipped.")
    return _problem(question, "missing", "Please answer this question.")


def _first_problem(question: Question, choice: Choice, text: str) -> Problem | None:
    known = {option.id for option in question.options}
    if not set(choice.option_ids) <= known:
        return _problem(question, "unknown_option", "There is no such option.")
    if len(set(choice.option_ids)) != len(choice.option_ids):
        return _problem(question, "repeated_option", "An option can be chosen once.")
    if text and question.options and not question.allow_other:
        return _problem(question, "no_other", "Choose one of the options.")
    if len(text) > MAX_TEXT:
        return _problem(question, "too_long", f"At most {MAX_TEXT:,} characters.")
    if not question.multiple and len(choice.option_ids) > 1:
        return _problem(question, "too_many", "Choose one.")
    if not question.multiple and choice.option_ids and text:
        return _problem(question, "both", "Choose one or write your own, not both.")
    return None


def _problem(question: Question, code: str, message: str) -> Problem:
    return Problem(question_id=question.id, code=code, message=message)
