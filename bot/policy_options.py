"""A policy as the command line says it, read and checked. Ids only: `policy_names` makes them of names. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.asks import MAX_EXPIRES
from bot.settings import HalfConfigured
from bot.spans import span
from store.types import (
    Actor,
    ActorKind,
    Approvers,
    Destination,
    Escalation,
    OnExpiry,
    Policy,
    Reminders,
    Terms,
    WorkingHours,
)

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
KEY = "key:"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_USER = re.compile(r"[UW][A-Z0-9]{1,30}")
_GROUP = re.compile(r"S[A-Z0-9]{1,30}")
_CHANNEL = re.compile(r"[CG][A-Z0-9]{1,30}")
TOOL = re.compile(r"[^*]{1,200}|[^*]{0,199}\*")
_HOURS = re.compile(r"((?:[01][0-9]|2[0-3]):[0-5][0-9])-((?:[01][0-9]|2[0-3]):[0-5][0-9])")
#: The limits of the API, here, too.
_MOST_USERS, _MOST_GROUPS, _MOST_KEYS, _MOST_PLACES, _MOST_STEPS = 100, 20, 20, 20, 5
_LONGEST = timedelta(seconds=MAX_EXPIRES)
IDS = "copy it in Slack: a person's profile, a group's page or a channel's details, ⋮, Copy ID"


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """All of a policy: what is not said has its default, whatever it was before."""

    tenant: str
    name: str
    approvers: str
    quorum: int = 1
    denials: int = 1
    allow_requester: bool = False
    require_reason: bool = False
    tools: str | None = None
    to: str | None = None
    max_expires: str | None = None
    on_expiry: str = "expire"
    remind_after: str | None = None
    remind_most: int | None = None
    hours: str | None = None
    zone: str | None = None
    days: str | None = None
    escalate: tuple[str, ...] = ()
    extension: str | None = None
    edit: bool = False


def read(said: Said, *, by: Actor, at: datetime) -> Policy:
    """The policy, with no revision yet. Raises HalfConfigured, which names the option and what to write."""
    if _NAME.fullmatch(said.name) is None:
        raise HalfConfigured("a policy's name: 1 to 80 letters, digits, dots, dashes and underscores")
    approvers = _approvers(said)
    return Policy(
        tenant=said.tenant,
        name=said.name,
        revision=0,
        set_at=at,
        set_by=by,
        approvers=approvers,
        destination=_places(said.to),
        tools=tuple(_tool(each) for each in parts(said.tools)),
        max_expires=_span("--max-expires", said.max_expires),
        terms=Terms(
            on_expiry=OnExpiry(said.on_expiry),
            reminders=_reminders(said),
            escalation=_steps(said.escalate),
            extension=_span("--extension", said.extension),
            may_edit=said.edit,
        ),
    )


def checked(said: Said) -> None:
    """Raises as `read`, without a word on who and when."""
    read(said, by=Actor(kind=ActorKind.OPERATOR), at=datetime.min.replace(tzinfo=UTC))


def _approvers(said: Said) -> Approvers:
    named = parts(said.approvers)
    keys = tuple(each.removeprefix(KEY) for each in named if each.startswith(KEY))
    users, groups = _people("--approvers", [each for each in named if not each.startswith(KEY)], f", or {KEY}NAME")
    if not named or "" in keys:
        whom = f"people (@name, U…), groups (@handle, S…) or keys ({KEY}NAME)"
        raise HalfConfigured(f"--approvers: name {whom}, with commas between")
    if len(keys) > _MOST_KEYS:
        raise HalfConfigured(f"--approvers: at most {_MOST_KEYS} keys")
    for option, needed in (("--quorum", said.quorum), ("--denials", said.denials)):
        if not groups and needed > len(users) + len(keys):
            raise HalfConfigured(f"{option}: {needed} of {len(users) + len(keys)} approvers never come together")
    if said.edit and said.quorum > 1:
        raise HalfConfigured("--edit: one person decides on an input that they changed; leave it out with --quorum 2")
    return Approvers(
        users=users,
        groups=groups,
        keys=keys,
        quorum=said.quorum,
        denials=said.denials,
        allow_requester=said.allow_requester,
        require_reason=said.require_reason,
    )


def _people(option: str, named: Sequence[str], beside: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Users and groups."""
    users = tuple(each for each in named if _USER.fullmatch(each))
    groups = tuple(each for each in named if _GROUP.fullmatch(each))
    others = [each for each in named if each not in users and each not in groups]
    if others:
        raise HalfConfigured(f"{option}: {others[0]!r} is no id; write @name, U… or S…{beside} ({IDS})")
    if len(users) > _MOST_USERS or len(groups) > _MOST_GROUPS:
        raise HalfConfigured(f"{option}: at most {_MOST_USERS} people and {_MOST_GROUPS} groups")
    return users, groups


def _places(text: str | None) -> Destination:
    named = parts(text)
    channels = tuple(each for each in named if _CHANNEL.fullmatch(each))
    users = tuple(each for each in named if _USER.fullmatch(each))
    others = [each for each in named if each not in channels and each not in users]
    if others:
        raise HalfConfigured(
            f"--to: {others[0]!r} is no id; write #name or C… for a channel, @name or U… for a person ({IDS})"
        )
    if len(named) > _MOST_PLACES:
        raise HalfConfigured(f"--to: at most {_MOST_PLACES} channels and people")
    return Destination(channels=channels, users=users)


def _tool(text: str) -> str:
    if TOOL.fullmatch(text) is None or not text.isprintable():
        raise HalfConfigured(
            f"--tools: {text!r}: write names, or their beginning and one star at its end, as 'deploy.*'"
        )
    return text


def _reminders(said: Said) -> Reminders | None:
    beside = {"--remind-most": said.remind_most, "--hours": said.hours, "--zone": said.zone, "--days": said.days}
    if said.remind_after is None:
        lonely = [option for option, given in beside.items() if given is not None]
        if lonely:
            raise HalfConfigured(f"{lonely[0]} goes with --remind-after")
        return None
    after = span(said.remind_after, option="--remind-after", most=_LONGEST)
    most = 3 if said.remind_most is None else said.remind_most
    return Reminders(after=after, most=most, hours=_hours(said))


def _hours(said: Said) -> WorkingHours | None:
    if said.hours is None:
        if said.zone is not None or said.days is not None:
            raise HalfConfigured("--zone and --days go with --hours")
        return None
    found = _HOURS.fullmatch(said.hours)
    if found is None or found[1] >= found[2]:
        raise HalfConfigured(f"--hours: {said.hours!r}; write the earlier and the later time, as 09:00-18:00")
    if said.zone is None:
        raise HalfConfigured("--hours goes with --zone, as Europe/Berlin")
    return WorkingHours(
        start=time.fromisoformat(found[1]),
        end=time.fromisoformat(found[2]),
        zone=_zone(said.zone),
        days=_days(said.days or "mon-fri"),
    )


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise HalfConfigured(
            f"--zone: {name!r} is no time zone that is known here; write one as Europe/Berlin"
        ) from None
    return name


def _days(text: str) -> tuple[int, ...]:
    """`mon-fri`, `mon,wed`, `fri-mon`."""
    found: set[int] = set()
    for part in parts(text.lower()):
        first, dash, last = part.partition("-")
        if first not in DAYS or (last if dash else first) not in DAYS:
            raise HalfConfigured(f"--days: {text!r}; write days and spans of them, as mon-fri or mon,wed")
        start, end = DAYS.index(first), DAYS.index(last if dash else first)
        found |= {(start + ahead) % len(DAYS) for ahead in range((end - start) % len(DAYS) + 1)}
    if not found:
        raise HalfConfigured("--days: name at least one")
    return tuple(sorted(found))


def _steps(given: Sequence[str]) -> tuple[Escalation, ...]:
    steps = sorted((_step(text) for text in given), key=lambda step: step.after)
    if len(steps) > _MOST_STEPS:
        raise HalfConfigured(f"--escalate: at most {_MOST_STEPS} times")
    if len({step.after for step in steps}) < len(steps):
        raise HalfConfigured("--escalate: each at a time of its own")
    return tuple(steps)


def _step(text: str) -> Escalation:
    first, *named = parts(text) or [""]
    if not first.startswith("after=") or not named:
        raise HalfConfigured(f"--escalate: {text!r}; write when and whom, as 'after=1h,S…,U…'")
    users, groups = _people("--escalate", named)
    after = span(first.removeprefix("after="), option="--escalate", most=_LONGEST)
    return Escalation(after=after, users=users, groups=groups)


def _span(option: str, text: str | None) -> timedelta | None:
    return None if text is None else span(text, option=option, most=_LONGEST)


def parts(text: str | None) -> list[str]:
    """What stands between commas, each once."""
    return list(dict.fromkeys(part.strip() for part in (text or "").split(",") if part.strip()))
