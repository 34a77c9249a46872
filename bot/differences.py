"""Where two asks of one operation differ, as pointers into what was sent: names of places, never what stands there."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from store.types import Approval, Approvers, Interaction, QuestionSet

#: As many as are named, and characters of one part.
MOST = 20
_SHOWN = 100
_ABSENT = object()


def differs(standing: Interaction, asked: Interaction) -> tuple[str, ...]:
    """JSON pointers (RFC 6901); the empty one alone where it was asked as the other kind.

    What policies fill in is compared only where both came under the same revision: what an ask itself said of it is
    not kept. So nothing may be found although something differs.
    """
    if isinstance(standing, Approval) and isinstance(asked, Approval):
        return tuple(islice(_between(_of_approval(standing), _of_approval(asked), standing, asked), MOST))
    if isinstance(standing, QuestionSet) and isinstance(asked, QuestionSet):
        return tuple(islice(_between(_of_questions(standing), _of_questions(asked), standing, asked), MOST))
    return ("",)


def _between(old: dict[str, Any], new: dict[str, Any], standing: Interaction, asked: Interaction) -> Iterator[str]:
    yield from _pointers("", old, new)
    before, after = standing.terms.policy, asked.terms.policy
    if (before and before.name) != (after and after.name):
        yield "/policy"
    elif before == after:
        yield from _pointers("", _ruled(standing), _ruled(asked))
        # More time was given since: how long it was to wait is not kept.
        if standing.course.extension is None and _waits(standing) != _waits(asked):
            yield "/expires_in"


def _of_approval(one: Approval) -> dict[str, Any]:
    return {
        "title": one.title,
        "body": one.body,
        "tool_name": one.tool_name,
        "input": _json(one.input_json),
        "details": one.details,
        "facts": [asdict(fact) for fact in one.facts],
        "links": [asdict(link) for link in one.links],
        "input_schema": _json(one.input_schema),
        "revalidate": one.fingerprint,
        "risk": one.risk.value,
        "requested_by": one.requested_by,
        "supersedes": one.supersedes,
        "run_within": one.run_within.total_seconds(),
        "resume": f"{one.resume.kind.value} {one.resume.target}",
    }


def _of_questions(one: QuestionSet) -> dict[str, Any]:
    return {
        "title": one.title,
        "questions": [asdict(question) for question in one.questions],
        "resume": f"{one.resume.kind.value} {one.resume.target}",
    }


def _ruled(one: Interaction) -> dict[str, Any]:
    """Lists of who and where are sets: their order means nothing."""
    to, terms = one.destination, one.terms
    return {
        "approvers" if isinstance(one, Approval) else "respondents": _named(one.approvers),
        "channels": frozenset(to.channels),
        "users": frozenset(to.users),
        "thread_ts": to.thread_ts,
        "on_expiry": terms.on_expiry.value,
        "reminders": None if terms.reminders is None else asdict(terms.reminders),
        "escalation": [asdict(step) for step in terms.escalation],
    }


def _named(approvers: Approvers) -> dict[str, Any]:
    named = asdict(approvers)
    return {**named, **{name: frozenset(named[name]) for name in ("users", "groups", "keys")}}


def _waits(one: Interaction) -> float | None:
    return None if one.expires_at is None else (one.expires_at - one.created_at).total_seconds()


def _pointers(pointer: str, old: Any, new: Any) -> Iterator[str]:
    """The outermost places that differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*new, *old]):
            inner = f"{pointer}/{_escaped(name)}"
            yield from _pointers(inner, old.get(name, _ABSENT), new.get(name, _ABSENT))
    elif _is_list(old) and _is_list(new):
        for place in range(max(len(old), len(new))):
            yield from _pointers(f"{pointer}/{place}", _at(old, place), _at(new, place))
    elif old != new or isinstance(old, bool) is not isinstance(new, bool):
        yield pointer


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _at(values: Sequence[Any], place: int) -> Any:
    return values[place] if place < len(values) else _ABSENT


def _json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _escaped(part: str) -> str:
    clipped = part if len(part) <= _SHOWN else f"{part[:_SHOWN]}…"
    return clipped.replace("~", "~0").replace("/", "~1")
