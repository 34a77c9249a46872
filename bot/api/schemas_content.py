"""What is asked, as strict models: an action to approve, questions to answer. Where and of whom: `bot.api.schemas`."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot import input_schema
from bot.asks import MAX_EXPIRES, MAX_INPUT, canonical_input
from store.answers import MAX_TEXT
from store.digest import MAX_DEPTH

MAX_DETAILS = 64 * 1024
#: Slack shows no more options as chosen from the start.
MOST_DEFAULTS = 100
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: Browsers read a backslash as a slash, so that the host would be another one than is shown.
_NOT_IN_ADDRESSES = re.compile(r"[\s\\]")
_HOST = re.compile(r"[0-9a-z._-]+|[0-9a-f:.]+")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _plain(text: str) -> str:
    """Names are compared and quoted: no control characters in them."""
    if CONTROL.search(text):
        raise ValueError("must not hold control characters")
    return text


def once(names: list[str]) -> list[str]:
    """The same name twice means it once."""
    return list(dict.fromkeys(names))


def small(given: Any) -> Any:
    """Within what the contract says of `input` and its schema, which have their own depth whatever they are sent in."""
    if _depth(given) > MAX_DEPTH:
        raise ValueError(f"it nests at most {MAX_DEPTH} deep")
    if given is not None and len(canonical_input(given).encode()) > MAX_INPUT:
        raise ValueError(f"it has at most {MAX_INPUT} bytes of JSON")
    return given


def _depth(value: Any) -> int:
    """Levels of objects and lists; 0 for a plain value."""
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, dict | list)]:
        depth += 1
        level = [inner for part in level for inner in (part.values() if isinstance(part, dict) else part)]
    return depth


def _listed(given: Any) -> Any:
    """One default may be written without its list."""
    return [given] if isinstance(given, str) else given


def _brief(text: str) -> str:
    if len(text.encode("utf-8", "replace")) > MAX_DETAILS:
        raise ValueError(f"details have at most {MAX_DETAILS} bytes")
    return _not_blank(text)


def _web(url: str) -> str:
    """What a person may follow: http or https, a host that every reader reads alike, no sign-in data."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and bool(_HOST.fullmatch(parts.hostname or "")) and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or "@" in parts.netloc or CONTROL.search(url) or _NOT_IN_ADDRESSES.search(url):
        raise ValueError("an http or https address with a host in plain letters, and without a user")
    return url


def _schema(given: dict[str, Any]) -> dict[str, Any]:
    problem = input_schema.wrong_schema(given)
    if problem is not None:
        raise ValueError(f"this is no JSON Schema: {problem}")
    return given


Words = AfterValidator(_not_blank)
#: What those two checks let through, for the description: no control characters, and one that is no space.
_LINE = {"pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}
_WORDS = {"pattern": r"\S"}
Name = Annotated[str, Field(min_length=1, max_length=200, json_schema_extra=_LINE), Words, AfterValidator(_plain)]
LocalId = Annotated[str, Field(min_length=1, max_length=100, json_schema_extra=_LINE), Words, AfterValidator(_plain)]
Title = Annotated[str, Field(min_length=1, max_length=150, json_schema_extra=_WORDS), Words]
Feedback = Annotated[str, Field(max_length=MAX_TEXT)]
UserId = Annotated[str, Field(pattern=r"^[UW][A-Z0-9]{1,30}$")]
ChannelId = Annotated[str, Field(pattern=r"^[CG][A-Z0-9]{1,30}$")]
GroupId = Annotated[str, Field(pattern=r"^S[A-Z0-9]{1,30}$")]
ThreadTs = Annotated[str, Field(pattern=r"^[0-9]{1,12}\.[0-9]{6}$")]
Fingerprint = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_plain)]
Clock = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
ToolPattern = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^*]*\*?$"), Words, AfterValidator(_plain)]
ExpiresIn = Annotated[int, Field(ge=1, le=MAX_EXPIRES)]
Users = Annotated[list[UserId], Field(max_length=100), AfterValidator(once)]
Groups = Annotated[list[GroupId], Field(max_length=20), AfterValidator(once)]


class Strict(BaseModel):
    """`true` is no number, `"1"` is no number, an unknown field is a mistake."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FactIn(Strict):
    label: Annotated[str, Field(min_length=1, max_length=60), Words]
    value: Annotated[str, Field(min_length=1, max_length=140), Words]


class LinkIn(Strict):
    label: Annotated[str, Field(min_length=1, max_length=60), Words]
    url: Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_web)]


class ActionIn(Strict):
    """One action to approve. Without tool_name and input it confirms title and body."""

    title: Title
    body: Annotated[str, Field(max_length=20_000)] | None = None
    tool_name: Name | None = None
    input: Annotated[Any, AfterValidator(small)] = None
    risk: Literal["low", "medium", "high"] = "medium"
    details: Annotated[str, AfterValidator(_brief)] | None = None
    facts: Annotated[list[FactIn], Field(max_length=4)] = []
    links: Annotated[list[LinkIn], Field(max_length=5)] = []
    input_schema: Annotated[dict[str, Any], AfterValidator(small), AfterValidator(_schema)] | None = None
    revalidate: Fingerprint | None = None

    @model_validator(mode="after")
    def _whole_action(self) -> Self:
        if (self.tool_name is None) is not (self.input is None):
            raise ValueError("tool_name and input go together: give both or neither")
        if self.input_schema is not None and self.input is None:
            raise ValueError("input_schema describes an input: give one")
        if self.input_schema is not None and (wrong := input_schema.problems(self.input_schema, self.input)):
            raise ValueError(f"the input does not fit its own input_schema: {wrong[0].message}")
        return self


class OptionIn(Strict):
    id: LocalId
    label: Annotated[str, Field(min_length=1, max_length=300), Words]
    description: Annotated[str, Field(max_length=300)] | None = None


class QuestionIn(Strict):
    """One question. Without options it takes free text. `default`: option ids (or one), or a text."""

    id: LocalId
    prompt: Annotated[str, Field(min_length=1, max_length=3000), Words]
    description: Annotated[str, Field(max_length=3000)] | None = None
    options: Annotated[list[OptionIn], Field(min_length=1, max_length=1000)] | None = None
    multiple: bool = False
    allow_other: bool = False
    is_skippable: bool = False
    default: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]],
            BeforeValidator(_listed),
            Field(min_length=1, max_length=MOST_DEFAULTS),
        ]
        | None
    ) = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        options = self.options or []
        unique("option id", (option.id for option in options))
        unique("label", (option.label for option in options))
        if self.multiple and not options:
            raise ValueError("multiple needs options to choose from")
        default = self.default or []
        if len(default) > 1 and not self.multiple:
            raise ValueError("one default, unless the question takes multiple answers")
        unique("default", default)
        if options and not set(default) <= {option.id for option in options}:
            raise ValueError("default must be an option's id")
        return self


class QuestionSetIn(Strict):
    """One to twenty questions, all answered at once."""

    title: Title | None = None
    questions: Annotated[list[QuestionIn], Field(min_length=1, max_length=20)]

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        unique("question id", (question.id for question in self.questions))
        return self


def unique(what: str, given: Iterable[str]) -> None:
    """Two that read the same cannot be told apart by whoever answers."""
    doubled = [name for name, count in Counter(given).items() if count > 1]
    if doubled:
        raise ValueError(f"the same {what} twice: {doubled[0][:100]!r}")
