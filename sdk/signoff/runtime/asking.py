"""What a run asks, as it is sent: the runtime says `question`, the API says `prompt`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs, to_builtins

from signoff.asks import Question
from signoff.types import Fact, Json, Link, Risk

_LONGEST_TITLE = 150
_FIELDS = ("id", "question", "description", "options", "is_skippable", "multiple", "allow_other", "default")


class Proposal(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What people are to confirm, as they read it. `body`: Markdown. `tool_name` and `input`: both or neither.

    It is shown, and nothing else: whatever it says of answers is text.
    """

    title: str
    body: str | None = None
    tool_name: str | None = None
    input: Json = None
    risk: Risk | None = None
    details: str | None = None
    facts: tuple[Fact, ...] = ()
    links: tuple[Link, ...] = ()


def questions_request(questions: Sequence[Question | Mapping[str, Any]]) -> dict[str, Any]:
    """Raises TypeError, ValueError: no question, or one in another shape; the message says which, and what fits."""
    if isinstance(questions, str | bytes | Mapping) or not isinstance(questions, Sequence) or not questions:
        raise TypeError("ask_questions takes a list of one question or more")
    return {"questions": [_question(each, index) for index, each in enumerate(questions)]}


def proposal_request(proposal: str | Proposal | Mapping[str, Any]) -> dict[str, Any]:
    """The first line of a text is the title, where it is short enough; a mapping is shown as it stands, as JSON."""
    if isinstance(proposal, Proposal):
        request: dict[str, Any] = to_builtins(proposal)
        # An input that is null is one, beside its tool.
        return request | {"input": proposal.input} if proposal.tool_name is not None else request
    if isinstance(proposal, Mapping):
        shown = json.dumps(dict(proposal), ensure_ascii=False, indent=2)
        return {"title": "Please confirm", "body": f"```json\n{shown}\n```"}
    if not isinstance(proposal, str) or not proposal.strip():
        raise TypeError("confirm takes a text for people to read, or a Proposal")
    first, _, rest = proposal.strip().partition("\n")
    if len(first) > _LONGEST_TITLE:
        return {"title": "Please confirm", "body": proposal.strip()}
    return {"title": first, "body": rest.strip()} if rest.strip() else {"title": first}


def as_asked(request: Json) -> Json:
    """A saved request of questions, in the runtime's words again; any other as it is."""
    if not isinstance(request, dict) or not isinstance(request.get("questions"), list):
        return request
    renamed = [
        {"question" if name == "prompt" else name: value for name, value in question.items()}
        for question in request["questions"]
    ]
    return {**request, "questions": renamed}


def _question(given: Question | Mapping[str, Any], index: int) -> dict[str, Any]:
    if isinstance(given, Question):
        return _sent({name: value for name, value in structs.asdict(given).items() if value not in (None, ())})
    if not isinstance(given, Mapping):
        raise TypeError(f"question {index} is a {type(given).__name__}; give a Question or a mapping")
    unknown = sorted(set(given) - set(_FIELDS))
    if unknown:
        raise ValueError(f"question {index} has {', '.join(map(repr, unknown))}; its fields are {', '.join(_FIELDS)}")
    if not {"id", "question"} <= set(given):
        raise ValueError(f"question {index} needs an id and a question")
    kept = {name: value for name, value in given.items() if value is not None}
    return _sent({"prompt" if name == "question" else name: value for name, value in kept.items()})


def _sent(question: dict[str, Any]) -> dict[str, Any]:
    """A text among the options is label and id at once."""
    if "options" not in question:
        return question
    options = [
        {"id": each, "label": each} if isinstance(each, str) else to_builtins(each) for each in question["options"]
    ]
    for option in options:
        if option.get("description", "") is None:
            del option["description"]
    return {**question, "options": options}
