"""A policy worded for people, and as JSON for programs. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from bot.actors import who
from bot.policy_options import DAYS
from bot.spans import in_words
from store.types import Approvers, OnExpiry, Policy, Reminders, WorkingHours


def headline(policy: Policy) -> str:
    how = "removed" if policy.removed else "set"
    return f"{policy.name}  revision {policy.revision}, {how} {_time(policy.set_at)} by {who(policy.set_by)}"


def lines(policy: Policy) -> Iterator[str]:
    """What it says, one thing a line."""
    terms = policy.terms
    yield f"for        {_for(policy.tools)}"
    yield f"approvers  {people(policy.approvers)}"
    yield f"decided by {rule(policy.approvers)}"
    yield f"cards to   {_places(policy) or 'wherever the ask says'}"
    yield f"waits      {_waits(policy)}"
    if terms.reminders is not None:
        yield f"reminders  {_reminders(terms.reminders)}"
    for step in terms.escalation:
        yield f"then also  after {in_words(step.after)}: {people_of(step.users, step.groups)}"
    yield f"more time  {'nobody gives any' if terms.extension is None else f'{in_words(terms.extension)}, once'}"
    if terms.may_edit:
        yield "edits      the approver may change the input, where the ask came with its schema"


def summary(policy: Policy) -> str:
    """One line of a list."""
    return (
        f"{policy.name:<16} {policy.revision:>3}  {_for(policy.tools)}: {rule(policy.approvers)}, "
        f"of {people(policy.approvers)}; {_waits(policy)}"
    )


def people(approvers: Approvers) -> str:
    return people_of(approvers.users, approvers.groups, approvers.keys)


def people_of(users: Sequence[str], groups: Sequence[str], keys: Sequence[str] = ()) -> str:
    return ", ".join([*users, *(f"group {group}" for group in groups), *(f"key {key}" for key in keys)])


def rule(approvers: Approvers) -> str:
    """How many decide, and on which conditions."""
    parts = [f"{_count(approvers.quorum, 'approval')} or {_count(approvers.denials, 'denial')}"]
    parts.append("who asked may decide, too" if approvers.allow_requester else "never by who asked")
    if approvers.require_reason:
        parts.append("a denial needs a reason")
    return ", ".join(parts)


def as_json(policy: Policy) -> dict[str, Any]:
    """All of it, in the names of the API; times in seconds."""
    approvers, terms = policy.approvers, policy.terms
    return {
        "name": policy.name,
        "revision": policy.revision,
        "set_at": policy.set_at.isoformat(),
        "set_by": {"kind": policy.set_by.kind.value, "id": policy.set_by.id or None, "name": policy.set_by.name},
        "removed": policy.removed,
        "tools": list(policy.tools),
        "approvers": {
            "users": list(approvers.users),
            "groups": list(approvers.groups),
            "keys": list(approvers.keys),
            "quorum": approvers.quorum,
            "denials": approvers.denials,
            "allow_requester": approvers.allow_requester,
            "require_reason": approvers.require_reason,
        },
        "channels": list(policy.destination.channels),
        "users": list(policy.destination.users),
        "max_expires": None if policy.max_expires is None else int(policy.max_expires.total_seconds()),
        "on_expiry": terms.on_expiry.value,
        "reminders": None if terms.reminders is None else _reminders_json(terms.reminders),
        "escalation": [
            {"after": int(step.after.total_seconds()), "users": list(step.users), "groups": list(step.groups)}
            for step in terms.escalation
        ],
        "extension": None if terms.extension is None else int(terms.extension.total_seconds()),
        "edit": terms.may_edit,
    }


def _reminders_json(reminders: Reminders) -> dict[str, Any]:
    hours = reminders.hours
    return {
        "after": int(reminders.after.total_seconds()),
        "most": reminders.most,
        "hours": None
        if hours is None
        else {
            "start": f"{hours.start:%H:%M}",
            "end": f"{hours.end:%H:%M}",
            "zone": hours.zone,
            "days": list(hours.days),
        },
    }


def _for(tools: Sequence[str]) -> str:
    return ", ".join(tools) if tools else "every tool, and confirmations"


def _places(policy: Policy) -> str:
    return ", ".join([*policy.destination.channels, *policy.destination.users])


def _waits(policy: Policy) -> str:
    then = "denied" if policy.terms.on_expiry is OnExpiry.DENY else "expired"
    if policy.max_expires is None:
        return f"as long as the ask says, then {then}"
    return f"at most {in_words(policy.max_expires)}, then {then}"


def _reminders(reminders: Reminders) -> str:
    often = "once" if reminders.most == 1 else f"at most {reminders.most}, each gap twice the one before"
    hours = "" if reminders.hours is None else f"; {_hours(reminders.hours)}"
    return f"after {in_words(reminders.after)}, {often}{hours}"


def _hours(hours: WorkingHours) -> str:
    first, last = hours.days[0], hours.days[-1]
    is_span = len(hours.days) > 1 and hours.days == tuple(range(first, last + 1))
    days = f"{DAYS[first]}-{DAYS[last]}" if is_span else ",".join(DAYS[day] for day in hours.days)
    return f"{hours.start:%H:%M}-{hours.end:%H:%M} {hours.zone}, {days}"


def _count(number: int, what: str) -> str:
    plural = {"approval": "approvals", "denial": "denials"}[what]
    return f"{number} {what if number == 1 else plural}"


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M UTC")
