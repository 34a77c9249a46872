"""Reminders, escalation and the warning before a deadline: what is due while an interaction waits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from store.rules.change import TIMER, Action, Change, is_late, step
from store.types import About, Approval, Hop, Interaction, Surface, Timer, TimerKind, WorkingHours

#: The warning comes so long before a deadline, or a quarter of the whole time where that is less.
WARN_BEFORE = timedelta(minutes=30)
#: What waits for less than this is not warned about.
SHORTEST_WARNED = timedelta(minutes=10)
#: Who was reminded this lately is not told of the deadline as well.
SPARING = timedelta(hours=1)
_WEEK = 7


@dataclass(frozen=True, kw_only=True, slots=True)
class Rung:
    """What a due timer comes to. `change`: None where it only moves. `timer`: when it is due next; None: never.

    `says`: what people are to be told, beside the cards.
    """

    change: Change[Interaction] | None
    timer: Timer | None
    says: About | None = None


def timers(interaction: Interaction) -> Sequence[Timer]:
    """What is due for a new interaction, each kind once: its next time."""
    first = (_reminding(interaction, 0), _escalating(interaction, 0), _warning(interaction, 0))
    return [timer for timer in first if timer is not None]


def warning_again(interaction: Interaction) -> Timer | None:
    """The warning before a deadline that was moved."""
    return _warning(interaction, 1)


def ring(interaction: Interaction, timer: Timer, *, now: datetime) -> Rung:
    """What becomes of an interaction whose timer is due; nothing, where it waits no longer."""
    if not interaction.is_pending or is_late(interaction, now):
        return Rung(change=None, timer=None)
    match timer.kind:
        case TimerKind.REMIND:
            return _remind(interaction, timer, now)
        case TimerKind.ESCALATE:
            return _escalate(interaction, timer, now)
    course = interaction.course
    warned = replace(interaction, course=replace(course, warned_at=now))
    was_reminded = bool(course.reminded_at) and now - course.reminded_at[-1] < SPARING
    says = None if was_reminded else About.WARNED
    return Rung(change=_rang(warned, Action.WARNED, now), timer=None, says=says)


def opens_at(hours: WorkingHours, at: datetime) -> datetime:
    """`at` itself within working hours, else the instant at which they begin next. Never: without days."""
    zone = ZoneInfo(hours.zone)
    today = at.astimezone(zone).date()
    # From yesterday: its hours may last over midnight.
    for ahead in range(-1, _WEEK + 1):
        day = today + timedelta(days=ahead)
        if day.weekday() not in hours.days:
            continue
        last = day if hours.start < hours.end else day + timedelta(days=1)
        # Compared as instants: wall clocks of one zone repeat themselves when they are put back.
        start = datetime.combine(day, hours.start, tzinfo=zone).astimezone(UTC)
        end = datetime.combine(last, hours.end, tzinfo=zone).astimezone(UTC)
        if at < end:
            return max(at, start)
    return at


def _remind(interaction: Interaction, timer: Timer, now: datetime) -> Rung:
    reminders = interaction.terms.reminders
    if reminders is None:
        return Rung(change=None, timer=None)
    opens = now if reminders.hours is None else opens_at(reminders.hours, now)
    if opens > now:
        return Rung(change=None, timer=replace(timer, due_at=opens))
    course = interaction.course
    reminded = replace(interaction, course=replace(course, reminded_at=(*course.reminded_at, now)))
    following = _reminding(interaction, timer.turn + 1)
    # Sent late (an outage, working hours), the next one keeps its distance all the same.
    spaced = None if following is None else replace(following, due_at=now + _gap(reminders.after, following.turn))
    return Rung(change=_rang(reminded, Action.REMINDED, now), timer=spaced, says=About.REMINDED)


def _escalate(interaction: Interaction, timer: Timer, now: datetime) -> Rung:
    step_ = interaction.terms.escalation[timer.turn]
    hop = Hop(at=now, users=step_.users, groups=step_.groups)
    course = interaction.course
    after = replace(interaction, course=replace(course, hops=(*course.hops, hop)))
    details = {"users": " ".join(hop.users), "groups": " ".join(hop.groups)}
    following = _escalating(interaction, timer.turn + 1)
    return Rung(change=_rang(after, Action.ESCALATED, now, details), timer=following, says=About.ESCALATED)


def _rang(after: Interaction, action: str, now: datetime, details: dict[str, str] | None = None) -> Change[Interaction]:
    return step(after, action=action, actor=TIMER, at=now, surface=Surface.SWEEP, details=details)


def _reminding(interaction: Interaction, turn: int) -> Timer | None:
    reminders = interaction.terms.reminders
    if reminders is None or turn >= reminders.most:
        return None
    due_at = interaction.created_at + sum((_gap(reminders.after, each) for each in range(turn + 1)), timedelta())
    return _timer(interaction, TimerKind.REMIND, due_at, turn)


def _gap(first: timedelta, turn: int) -> timedelta:
    return timedelta(seconds=first.total_seconds() * 2**turn)


def _escalating(interaction: Interaction, turn: int) -> Timer | None:
    steps = interaction.terms.escalation
    if turn >= len(steps):
        return None
    return _timer(interaction, TimerKind.ESCALATE, interaction.created_at + steps[turn].after, turn)


def _warning(interaction: Interaction, turn: int) -> Timer | None:
    deadline = interaction.expires_at
    if deadline is None or not isinstance(interaction, Approval):
        return None
    span = deadline - interaction.created_at
    if span < SHORTEST_WARNED:
        return None
    return _timer(interaction, TimerKind.WARN, deadline - min(WARN_BEFORE, span / 4), turn)


def _timer(interaction: Interaction, kind: TimerKind, due_at: datetime, turn: int) -> Timer:
    return Timer(tenant=interaction.tenant, interaction_id=interaction.id, kind=kind, due_at=due_at, turn=turn)
