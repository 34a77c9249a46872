"""What callers may send, as strict models: no coercion, no unknown field. Turned into asks in `bot.api.asking`."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot import input_schema
from bot.asks import MAX_EXPIRES, MAX_INPUT, canonical_input
from store.answers import MAX_TEXT
from store.digest import MAX_DEPTH
from store.types import DEFAULT_CLAIM_WINDOW, DEFAULT_DEADLINE

MAX_DESTINATIONS = 20
MAX_DETAILS = 64 * 1024
TOO_MANY_OR_NONE = f"name 1 to {MAX_DESTINATIONS} channels and users for the cards"
#: Slack shows no more options as chosen from the start.
MOST_DEFAULTS = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
#: Browsers read a backslash as a slash, so that the host would be another one than is shown.
_NOT_IN_ADDRESSES = re.compile(r"[\s\\]")
_HOST = re.compile(r"[0-9a-z._-]+|[0-9a-f:.]+")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _plain(text: str) -> str:
    """Names are compared and quoted: no control characters in them."""
    if _CONTROL.search(text):
        raise ValueError("must not hold control characters")
    return text


def _once(names: list[str]) -> list[str]:
    """The same name twice means it once."""
    return list(dict.fromkeys(names))


def _small(given: Any) -> Any:
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


def _true(given: Any) -> Any:
    if given is not True:
        raise ValueError("must be true; leave it out otherwise")
    return given


def _brief(text: str) -> str:
    if len(text.encode("utf-8", "replace")) > MAX_DETAILS:
        raise ValueError(f"details have at most {MAX_DETAILS} bytes")
    return _not_blank(text)


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError("no time zone that is known here") from error
    return name


def _web(url: str) -> str:
    """What a person may follow: http or https, a host that every reader reads alike, no sign-in data."""
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in {"http", "https"} and bool(_HOST.fullmatch(parts.hostname or "")) and parts.port != 0
    except ValueError:
        is_web = False
    if not is_web or "@" in parts.netloc or _CONTROL.search(url) or _NOT_IN_ADDRESSES.search(url):
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
Users = Annotated[list[UserId], Field(max_length=100), AfterValidator(_once)]
Groups = Annotated[list[GroupId], Field(max_length=20), AfterValidator(_once)]


class Strict(BaseModel):
    """`true` is no number, `"1"` is no number, an unknown field is a mistake."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ApproversIn(Strict):
    """`quorum` approvals decide, and so do `denials` denials. `keys`: names of keys that may decide."""

    users: Users = []
    groups: Groups = []
    keys: Annotated[list[Name], Field(max_length=20), AfterValidator(_once)] = []
    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    denials: Annotated[int, Field(ge=1, le=20)] = 1
    allow_requester: bool = False
    require_reason: bool = False

    @model_validator(mode="after")
    def _named(self) -> Self:
        _somebody(self.users, self.groups, self.keys, what="user, group or key")
        if not self.groups and self.quorum > len(self.users) + len(self.keys):
            raise ValueError("quorum asks for more approvals than there are approvers")
        return self


class RespondentsIn(Strict):
    users: Users = []
    groups: Groups = []

    @model_validator(mode="after")
    def _named(self) -> Self:
        _somebody(self.users, self.groups)
        return self


class HoursIn(Strict):
    """When people may be reminded: `days` 0 for Monday to 6, `zone` an IANA name, times as `09:00`."""

    start: Clock
    end: Clock
    zone: Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_zone)]
    days: Annotated[list[Annotated[int, Field(ge=0, le=6)]], Field(min_length=1, max_length=7)] = [0, 1, 2, 3, 4]

    @model_validator(mode="after")
    def _forward(self) -> Self:
        if self.start >= self.end:
            raise ValueError("start must be before end")
        return self


class RemindersIn(Strict):
    """The first after `after` seconds; each gap is twice the one before; `most` in all."""

    after: Annotated[int, Field(ge=60, le=MAX_EXPIRES)]
    most: Annotated[int, Field(ge=1, le=10)] = 3
    hours: HoursIn | None = None


class EscalationIn(Strict):
    """After `after` seconds undecided these may decide, too."""

    after: Annotated[int, Field(ge=1, le=MAX_EXPIRES)]
    users: Users = []
    groups: Groups = []

    @model_validator(mode="after")
    def _named(self) -> Self:
        _somebody(self.users, self.groups)
        return self


class FactIn(Strict):
    label: Annotated[str, Field(min_length=1, max_length=60), Words]
    value: Annotated[str, Field(min_length=1, max_length=140), Words]


class LinkIn(Strict):
    label: Annotated[str, Field(min_length=1, max_length=60), Words]
    url: Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_web)]


class ResumeIn(Strict):
    """Exactly one of the three; left out altogether, the run pulls."""

    handler: Name | None = None
    webhook: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    pull: Annotated[bool, AfterValidator(_true)] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(way is not None for way in (self.handler, self.webhook, self.pull)) != 1:
            raise ValueError('give exactly one of {"handler": name}, {"webhook": url}, {"pull": true}')
        return self


class _Ask(Strict):
    """What both kinds of ask say about where and for how long. Under a policy its cards go out in any case."""

    run_id: Name
    policy: Name | None = None
    reminders: RemindersIn | None = None
    escalation: Annotated[list[EscalationIn], Field(max_length=5)] = []
    operation_id: Name | None = None
    channels: Annotated[list[ChannelId], Field(max_length=MAX_DESTINATIONS), AfterValidator(_once)] = []
    users: Annotated[list[UserId], Field(max_length=MAX_DESTINATIONS), AfterValidator(_once)] = []
    thread_ts: ThreadTs | None = None
    resume: ResumeIn | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> Self:
        if len(self.channels) + len(self.users) > MAX_DESTINATIONS:
            raise ValueError(TOO_MANY_OR_NONE)
        delays = [each.after for each in self.escalation]
        if delays != sorted(set(delays)):
            raise ValueError("escalation goes from the sooner to the later")
        if self.thread_ts is not None and (len(self.channels), len(self.users)) != (1, 0):
            raise ValueError("thread_ts goes with exactly one channel and no users")
        return self


class ApprovalIn(_Ask):
    """`POST /v1/approvals`. Without tool_name and input it confirms title and body."""

    title: Title
    body: Annotated[str, Field(max_length=20_000)] | None = None
    tool_name: Name | None = None
    input: Annotated[Any, AfterValidator(_small)] = None
    risk: Literal["low", "medium", "high"] = "medium"
    details: Annotated[str, AfterValidator(_brief)] | None = None
    facts: Annotated[list[FactIn], Field(max_length=4)] = []
    links: Annotated[list[LinkIn], Field(max_length=5)] = []
    input_schema: Annotated[dict[str, Any], AfterValidator(_small), AfterValidator(_schema)] | None = None
    revalidate: Fingerprint | None = None
    requested_by: UserId | None = None
    approvers: ApproversIn | None = None
    on_expiry: Literal["expire", "deny"] = "expire"
    expires_in: ExpiresIn | None = int(DEFAULT_DEADLINE.total_seconds())
    run_within: ExpiresIn = int(DEFAULT_CLAIM_WINDOW.total_seconds())
    supersedes: Annotated[str, Field(min_length=1, max_length=200)] | None = None

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
        _unique("option id", (option.id for option in options))
        _unique("label", (option.label for option in options))
        if self.multiple and not options:
            raise ValueError("multiple needs options to choose from")
        default = self.default or []
        if len(default) > 1 and not self.multiple:
            raise ValueError("one default, unless the question takes multiple answers")
        _unique("default", default)
        if options and not set(default) <= {option.id for option in options}:
            raise ValueError("default must be an option's id")
        return self


class QuestionsIn(_Ask):
    """`POST /v1/questions`: one interaction, all answered at once."""

    title: Title | None = None
    questions: Annotated[list[QuestionIn], Field(min_length=1, max_length=20)]
    respondents: RespondentsIn | None = None
    expires_in: ExpiresIn | None = None

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        _unique("question id", (question.id for question in self.questions))
        return self


class DecideIn(Strict):
    decision: Literal["allow-once", "allow-conversation", "allow-always", "deny"]
    feedback: Feedback | None = None
    digest: Annotated[str, Field(max_length=200)] | None = None


class AnswerIn(Strict):
    """`{"is_skipped": true}`, or a `value` (labels or own text), or `option_ids` and `other`."""

    is_skipped: bool
    value: str | list[str] | None = None
    option_ids: Annotated[list[str], Field(max_length=1000)] | None = None
    other: str | None = None


class AnswersIn(Strict):
    answers: Annotated[dict[str, AnswerIn], Field(max_length=100)]


class ClaimIn(Strict):
    digest: Annotated[str, Field(min_length=1, max_length=200)]
    worker: Name | None = None
    claim_id: Name | None = None
    report_within: Annotated[int, Field(ge=1, le=MAX_EXPIRES)] | None = None
    accept_edited: bool = False
    revalidate: Fingerprint | None = None


class ReportIn(Strict):
    claim_id: Name
    status: Literal["running", "succeeded", "failed"]
    detail: Feedback | None = None


class SettleIn(Strict):
    """What happened to an execution that went silent."""

    happened: bool


class StopIn(Strict):
    """`tool`: a name, or a beginning of names with a star; left out or only a star, everything is stopped."""

    tool: ToolPattern | None = None
    reason: Annotated[str, Field(max_length=300)] | None = None


class GoIn(Strict):
    tool: ToolPattern | None = None


class WithdrawIn(Strict):
    reason: Feedback | None = None


def _somebody(*lists: list[str], what: str = "user or group") -> None:
    """An empty list names nobody, never everybody."""
    if not any(lists):
        raise ValueError(f"name at least one {what}")


def _unique(what: str, given: Iterable[str]) -> None:
    """Two that read the same cannot be told apart by whoever answers."""
    doubled = [name for name, count in Counter(given).items() if count > 1]
    if doubled:
        raise ValueError(f"the same {what} twice: {doubled[0][:100]!r}")
