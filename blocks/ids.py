"""Every action id, callback id and block id, and what buttons carry: an interaction's id and a choice, no authority.

Action ids are unique within a block only, so where several of one verb sit side by side they have a suffix:
`so.pick.2`, `so.page.next`. `base()` drops it; listeners and `ACTIONS` know the base.
"""

import json
import re
from dataclasses import dataclass
from enum import StrEnum

APPROVE = "so.approve"
DENY = "so.deny"
DENY_REASON = "so.deny_reason"
REVIEW = "so.review"
SHOW_ALL = "so.show_all"
PAGE = "so.page"
MORE = "so.more"
WAKE = "so.wake"
HAPPENED = "so.happened"
NOT_HAPPENED = "so.not_happened"
PICK = "so.pick"
CHOOSE = "so.choose"
OTHER = "so.other"
SUBMIT = "so.submit"
SKIP = "so.skip"
FORM = "so.form"
LIST_FILTER = "so.list_filter"
LIST_PAGE = "so.list_page"
WITHDRAW = "so.withdraw"
PRACTICE = "so.practice"
EXTEND = "so.extend"
TAKE_BACK = "so.take_back"

#: Elements in input blocks: read when their form is submitted. In a message they send nothing; in a form, what was
#: entered so far, to be kept. Whatever comes of that is said to nobody.
VALUE = "so.value"
TEXT = "so.text"
INPUTS = frozenset({VALUE, TEXT})

#: What a person can press, choose or fill in: each has a listener.
ACTIONS = frozenset(
    {
        APPROVE,
        DENY,
        DENY_REASON,
        REVIEW,
        SHOW_ALL,
        PAGE,
        MORE,
        WAKE,
        HAPPENED,
        NOT_HAPPENED,
        PICK,
        CHOOSE,
        OTHER,
        SUBMIT,
        SKIP,
        FORM,
        LIST_FILTER,
        LIST_PAGE,
        WITHDRAW,
        PRACTICE,
        VALUE,
        TEXT,
        EXTEND,
        TAKE_BACK,
    }
)

#: Callback ids of views.
VIEW_DENY = "so.deny_reason"
VIEW_REVIEW = "so.review"
VIEW_SHOW_ALL = "so.show_all"
VIEW_OTHER = "so.other"
VIEW_FORM = "so.form"
VIEW_CLOSED = "so.closed"
VIEW_LOADING = "so.loading"
VIEW_HOME = "so.home"
VIEW_EDIT = "so.edit"
VIEW_COMPARE = "so.compare"
#: Forms whose inputs are kept when they are closed.
FORMS = frozenset({VIEW_DENY, VIEW_OTHER, VIEW_FORM})
#: Views with a submit button: each has a listener.
SUBMISSIONS = frozenset({VIEW_DENY, VIEW_REVIEW, VIEW_OTHER, VIEW_FORM, VIEW_EDIT, VIEW_COMPARE})

#: Block ids of inputs stay the same over repaints, so that nobody loses what they are typing.
REASON_BLOCK = "reason"
WHY_BLOCK = "why"
_OTHER = ".other"

_ID = re.compile(r"(?:apr|qst)_[0-9A-Za-z]{1,64}")
_NUMBER = re.compile(r"[0-9]{1,4}")
_TARGET = re.compile(rf"({_ID.pattern})(?::({_NUMBER.pattern})(?::({_NUMBER.pattern}))?)?")
_CHANNEL = re.compile(r"[CDG][A-Z0-9]{1,20}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_TS = re.compile(r"[0-9]{1,12}\.[0-9]{1,8}")


class Verb(StrEnum):
    """What the ⋯ menu of a card offers."""

    SHOW = "show"
    WITHDRAW = "withdraw"
    TAKE_BACK = "unvote"
    EDIT = "edit"


class Filter(StrEnum):
    """What `/pending` shows."""

    MINE = "mine"
    APPROVALS = "approvals"
    QUESTIONS = "questions"
    ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """The message that a form was opened from, to reply beside it. Empty where there was none (Home)."""

    channel: str = ""
    ts: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """What a button or a menu entry points at: an interaction, perhaps a question of it and an option."""

    id: str
    question: int | None = None
    option: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Metadata:
    """What a view remembers. `question`: of which question the own answer is asked; `digest`: of what it shows."""

    id: str
    where: Where
    question: int | None = None
    digest: str | None = None


def base(action_id: str) -> str:
    """`so.pick.2` is a `so.pick`."""
    return ".".join(action_id.split(".")[:2])


def searched(action_id: str) -> str | None:
    """The interaction whose options a look-up is for: the last part of `so.value.qst_…`."""
    target = action_id.removeprefix(f"{VALUE}.")
    return target if target != action_id and _ID.fullmatch(target) else None


def question_of(block_id: str) -> int | None:
    """Which question the block `q.3` is of."""
    name, _, place = block_id.partition(".")
    return int(place) if name == "q" and _NUMBER.fullmatch(place) else None


def entered_of(block_id: str) -> int | None:
    """Of which question an input holds something: `q.3`, `q.3.other`; the reason of a denial counts as 0."""
    return 0 if block_id == REASON_BLOCK else question_of(block_id.removesuffix(_OTHER))


def suffixed(action_id: str, suffix: int | str) -> str:
    return f"{action_id}.{suffix}"


def block(name: str, revision: int) -> str:
    """The id of a painted block; new on each paint, so that Slack draws it anew."""
    return f"{name}.{revision}"


def field_block(place: int) -> str:
    return f"f.{place}"


def question_block(index: int) -> str:
    return f"q.{index}"


def other_block(index: int) -> str:
    return f"q.{index}{_OTHER}"


def encode(id: str, question: int | None = None, option: int | None = None) -> str:
    return ":".join([id, *(str(part) for part in (question, option) if part is not None)])


def decode(value: str) -> Target | None:
    """The target of `apr_…`, `qst_…:0` or `qst_…:0:2`; None for anything else, however it came here."""
    found = _TARGET.fullmatch(value)
    if found is None:
        return None
    question, option = (None if number is None else int(number) for number in found.group(2, 3))
    return Target(id=found[1], question=question, option=option)


def encode_menu(verb: Verb, id: str) -> str:
    return f"{verb}:{id}"


def decode_menu(value: str) -> tuple[Verb, str] | None:
    verb, _, target = value.partition(":")
    if verb not in set(Verb) or not _ID.fullmatch(target):
        return None
    return Verb(verb), target


def encode_page(id: str, page: int) -> str:
    return f"{id}:{page}"


def decode_page(value: str) -> tuple[str, int] | None:
    """Interaction id and page, counted from 0."""
    target, _, page = value.partition(":")
    return (target, int(page)) if _ID.fullmatch(target) and _NUMBER.fullmatch(page) else None


def encode_list(shown: Filter, page: int) -> str:
    return f"{shown}:{page}"


def decode_list(value: str) -> tuple[Filter, int] | None:
    """Filter and page of a list's button or menu entry; a filter alone is its first page."""
    shown, _, page = value.partition(":")
    if shown not in set(Filter) or not _NUMBER.fullmatch(page or "0"):
        return None
    return Filter(shown), int(page or "0")


def list_row(shown: Filter, page: int, place: int) -> str:
    """The block of a row of a list. It says which page it is of, so that a click in it draws that page again."""
    return f"row.{encode_list(shown, page)}.{place}"


def list_of(block_id: str) -> tuple[Filter, int] | None:
    """Filter and page of the list in which this row stands, or any block that starts with the row's id."""
    name, _, rest = block_id.partition(".")
    return decode_list(rest.partition(".")[0]) if name == "row" else None


def encode_metadata(id: str, where: Where, *, question: int | None = None, digest: str | None = None) -> str:
    kept = {"i": id, "c": where.channel, "t": where.ts, "q": question, "d": digest}
    return json.dumps({key: value for key, value in kept.items() if value not in (None, "")}, separators=(",", ":"))


def decode_metadata(text: str) -> Metadata | None:
    """None for what we did not write: a view's metadata travels through the client."""
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(kept, dict) or not _ID.fullmatch(str(kept.get("i", ""))):
        return None
    question = kept.get("q")
    if question is not None and (isinstance(question, bool) or not isinstance(question, int) or question < 0):
        return None
    channel, ts = str(kept.get("c", "")), str(kept.get("t", ""))
    if (channel and not _CHANNEL.fullmatch(channel)) or (ts and not _TS.fullmatch(ts)):
        return None
    digest = kept.get("d")
    if digest is not None and not _DIGEST.fullmatch(str(digest)):
        return None
    return Metadata(id=str(kept["i"]), where=Where(channel=channel, ts=ts), question=question, digest=digest)
