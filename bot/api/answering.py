"""Answers as programs send them, as choices: a label stands for its option, any other text is one's own."""

from collections.abc import Mapping, Sequence

from bot.api.errors import Fault
from bot.api.schemas import AnswerIn
from store.answers import Choice
from store.types import Question


def choices(questions: Sequence[Question], sent: Mapping[str, AnswerIn]) -> dict[str, Choice] | list[Fault]:
    """What was chosen, by question id, still to be checked against the questions; or what cannot be read."""
    known = {question.id: question for question in questions}
    read = {name: _choice(known.get(name), answer) for name, answer in sent.items()}
    faults = [Fault(pointer=pointer(name), message=found) for name, found in read.items() if isinstance(found, str)]
    return faults or {name: found for name, found in read.items() if isinstance(found, Choice)}


def pointer(question_id: str) -> str:
    escaped = question_id.replace("~", "~0").replace("/", "~1")
    return f"/answers/{escaped}"


def _choice(question: Question | None, answer: AnswerIn) -> Choice | str:
    """A choice, or what is wrong. Without a question there is nothing to look labels up in; it is refused later."""
    if answer.value is None or question is None:
        return Choice(is_skipped=answer.is_skipped, option_ids=tuple(answer.option_ids or ()), other=answer.other)
    if answer.option_ids is not None or answer.other is not None:
        return "Give value, or option_ids and other; not both."
    if isinstance(answer.value, list) is not question.multiple:
        return "Give a list of texts." if question.multiple else "Give one text, not a list."
    values = [answer.value] if isinstance(answer.value, str) else answer.value
    by_label = {option.label: option.id for option in question.options}
    own = [text for text in values if text not in by_label]
    if len(own) > 1:
        return "At most one text of your own."
    return Choice(
        is_skipped=answer.is_skipped,
        option_ids=tuple(by_label[text] for text in values if text in by_label),
        other=own[0] if own else None,
    )
