"""Who: approvers, deciders, askers. A mention is a ping, so each function says whether it may ping."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from blocks import limits, richtext
from blocks.surface import Block, Paint
from blocks.visible import one_line
from store.types import Actor, ActorKind, Approval, Approvers, Interaction

#: Of several who did something together, so many are named.
_SHOWN = 2
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400


def name(id: str, names: Mapping[str, str]) -> str:
    return limits.clip(one_line(names.get(id) or id), limits.NAME)


def asker(interaction: Interaction, names: Mapping[str, str]) -> str:
    """The person for whom the run acts, without a ping; where there is none, the key that asked."""
    if interaction.requested_by is not None:
        return name(interaction.requested_by, names)
    return limits.clip(one_line(interaction.asked_by.name or interaction.asked_by.id), limits.NAME)


def actor(one: Actor | None) -> list[Block]:
    """Who did it: `@ana`, `key ci-bot`, a standing permission."""
    if one is None:
        return [richtext.text("its run")]
    if richtext.is_user(one.id):
        return [richtext.user(one.id)]
    if one.kind is ActorKind.GRANT:
        return [richtext.text("a standing permission")]
    if one.kind is ActorKind.OPERATOR:
        return [richtext.text("an operator")]
    named = limits.clip(one_line(one.name or one.id), limits.NAME)
    return [richtext.text(f"key {named}" if named else "its run")]


def worker(approval: Approval) -> Block:
    """The label of whoever has its execution."""
    named = approval.claim.worker if approval.claim is not None else None
    return richtext.code(limits.clip(named, limits.NAME)) if named else richtext.text("its run")


def listed(names: Sequence[str]) -> str:
    """As `actors`, in words: `Ana and Ben`; more: `Ana, Ben and 2 more`."""
    more = len(names) - _SHOWN
    *others, last = [*names[:_SHOWN], f"{more} more"] if more > 0 else names or ["nobody"]
    return f"{', '.join(others)} and {last}" if others else last


def actors(several: Sequence[Actor]) -> list[Block]:
    """`@ana and @ben`; more: `@ana, @ben and 2 more`."""
    shown = several[:_SHOWN]
    more = len(several) - len(shown)
    listed = [actor(one) for one in shown]
    return joined([*listed, [richtext.text(f"{more} more")]] if more else listed, last="and")


def approvers(who: Approvers, paint: Paint, *, without: Iterable[str] = (), members_of: bool = False) -> list[Block]:
    """Those who may decide, at most ten: `@ana, @ben or @oncall-leads`. Pings only as `paint` allows."""
    left_out = set(without)
    entries = [_person(one, paint) for one in who.users if one not in left_out]
    groups = [_group(one, paint) for one in who.groups]
    entries += [[richtext.text("members of "), *group] if members_of else group for group in groups]
    entries += [[richtext.text(f"key {name(one, paint.names)}")] for one in who.keys if one not in left_out]
    more = len(entries) - limits.PEOPLE
    if more > 0:
        entries = [*entries[: limits.PEOPLE], [richtext.text(f"{more} more")]]
    return joined(entries, last="and" if more > 0 else "or") or [richtext.text("nobody")]


def _person(id: str, paint: Paint) -> list[Block]:
    if paint.mention and id not in paint.dm_users:
        return [richtext.user(id)]
    return [richtext.text(name(id, paint.names))]


def _group(id: str, paint: Paint) -> list[Block]:
    return [richtext.usergroup(id)] if paint.mention else [richtext.text(f"@{name(id, paint.names)}")]


def joined(entries: Sequence[Sequence[Block]], *, last: str) -> list[Block]:
    parts: list[Block] = []
    for place, entry in enumerate(entries):
        if place:
            parts.append(richtext.text(f" {last} " if place == len(entries) - 1 else ", "))
        parts.extend(entry)
    return parts


def duration(length: timedelta) -> str:
    """A finished length: `16 minutes`, `2 hours 5 minutes`, `3 days`."""
    seconds = max(int(length.total_seconds()), 0)
    if seconds < _MINUTE:
        return _counted(seconds, "second")
    if seconds < _HOUR:
        return _counted(seconds // _MINUTE, "minute")
    if seconds < _DAY:
        minutes = seconds % _HOUR // _MINUTE
        hours = _counted(seconds // _HOUR, "hour")
        return f"{hours} {_counted(minutes, 'minute')}" if minutes else hours
    return _counted(seconds // _DAY, "day")


def more(length: timedelta) -> str:
    """`4 more hours`; of mixed lengths `2 hours 30 minutes more`."""
    number, _, noun = duration(length).partition(" ")
    return f"{number} {noun} more" if " " in noun else f"{number} more {noun}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
