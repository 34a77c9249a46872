"""The state of an approval that waits: who may decide, until when, who said what so far, and what time has brought."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from blocks import limits, people, phase, richtext
from blocks.richtext import bold, date, text
from blocks.surface import Block, Paint
from blocks.visible import one_line
from store.types import ActorKind, Approval, Hop, Interaction, Risk, Vote

#: A hop this long before the deadline, or less, is on the deadline's day for most readers: the time says it.
_SAME_DAY = timedelta(hours=12)
#: A reason beside a vote; the whole of it stands where it decides.
_WHY = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """As `status.Status`, whose emoji and verb are the same for all that wait."""

    line: Sequence[Block]
    says: str
    below: Sequence[Block] = ()


def of(approval: Approval, paint: Paint) -> Waiting:
    says, lead = _lead(approval)
    line = [*lead, *_from_whom(approval, paint), *_until(approval)]
    if approval.supersedes is not None:
        replaces = richtext.link(paint.replaces_link, "an earlier request")
        line += [text("\nReplaces "), replaces, text("; its votes do not count here.")]
    line += brought(approval, "decide")
    return Waiting(line=line, says=says, below=votes(approval))


def progress(approval: Approval) -> str:
    """`1 of 2 approvals, 1 of 2 denials`: as far as there is any, and more than one is needed."""
    who = approval.approvers
    allows, denies = len(phase.approvals_so_far(approval)), len(phase.denials_so_far(approval))
    counted = [f"{allows} of {who.quorum} approvals"] if who.quorum > 1 and allows else []
    return ", ".join([*counted, f"{denies} of {who.denials} denials"] if denies else counted)


def _lead(approval: Approval) -> tuple[str, list[Block]]:
    """The start of the fallback text, and the first words: bold is what presses most, or how far it has come."""
    so_far = progress(approval)
    asks = _asks(approval)
    pressing = [word for word, is_so in _PRESSING if is_so(approval)]
    counted = f"{so_far}. " if not so_far or "approvals" in so_far else f"{so_far} so far. "
    if not pressing:
        line = [bold(counted), text(asks)] if so_far else [bold(asks)]
    elif pressing == [_HIGH] and not so_far:
        line = [bold(f"{_HIGH}, {asks[0].lower()}{asks[1:]}")]
    else:
        first = ", ".join([pressing[0], *(f"{word[0].lower()}{word[1:]}" for word in pressing[1:])])
        deadline = approval.expires_at if is_expiring(approval) else None
        when = [bold(f"{first}. ")] if deadline is None else [bold(f"{first}, "), date(deadline), text(". ")]
        line = [*when, text(f"{counted if so_far else ''}{asks}")]
    return _says(approval, so_far, pressing), line


def _says(approval: Approval, so_far: str, pressing: list[str]) -> str:
    if pressing and pressing != [_HIGH]:
        return f"{pressing[0] if pressing[0] != _HIGH else pressing[1]}: "
    if so_far:
        return f"{so_far}: "
    if pressing:
        return "High-risk approval needed: "
    if approval.approvers.quorum > 1:
        return f"{approval.approvers.quorum} approvals needed: "
    return "Approval needed: " if approval.tool_name is not None else "Please confirm: "


def _asks(approval: Approval) -> str:
    allows = len(phase.approvals_so_far(approval))
    if allows:
        missing = approval.approvers.quorum - allows
        return "One more from " if missing == 1 else f"{missing} more from "
    return "Waiting for " if approval.approvers.quorum == 1 else f"Needs {approval.approvers.quorum} approvals from "


def is_expiring(approval: Approval) -> bool:
    return approval.is_pending and approval.course.warned_at is not None


_HIGH = "High risk"
#: First words, the most pressing first.
_PRESSING: Sequence[tuple[str, Callable[[Approval], bool]]] = (
    ("Changed, look again", lambda approval: approval.supersedes is not None),
    (_HIGH, lambda approval: approval.risk is Risk.HIGH),
    ("Expires soon", is_expiring),
)


def _from_whom(approval: Approval, paint: Paint) -> list[Block]:
    """Who may decide by now, without those who have approved: they have done their part."""
    done = [vote.actor.id for vote in phase.approvals_so_far(approval)]
    keys = [vote.actor.name for vote in phase.approvals_so_far(approval) if vote.actor.kind is ActorKind.API_KEY]
    return people.approvers(approval.deciders, paint, without=[*done, *keys])


def _until(approval: Approval) -> list[Block]:
    if approval.expires_at is None or is_expiring(approval):
        return []
    return [text(", until "), date(approval.expires_at)]


def brought(one: Interaction, verb: str) -> list[Block]:
    """What time has brought, in a line of its own: `Reminded …. Since 17:32 @chidi may decide too. @ana gave 4 more hours ….`

    `verb`: what they may do.
    """
    course = one.course
    parts: list[list[Block]] = []
    if course.reminded_at:
        parts.append([text("Reminded "), date(course.reminded_at[-1]), text(".")])
    parts += [_hop(one, hop, verb) for hop in _hops(one)]
    if course.extension is not None:
        given = course.extension
        length = people.more(one.terms.extension) if one.terms.extension is not None else "more time"
        parts.append([*people.actor(given.actor), text(f" gave {length} "), date(given.at), text(".")])
    line: list[Block] = []
    for place, part in enumerate(parts):
        line += [text(" " if place else "\n"), *part]
    return line


def _hops(one: Interaction) -> Sequence[Hop]:
    """The first ones, as many as there can be; with those whom they let decide."""
    barred = one.barred
    may = [replace(hop, users=tuple(u for u in hop.users if u not in barred)) for hop in one.course.hops]
    return [hop for hop in may if hop.users or hop.groups][: limits.HOPS]


def _hop(one: Interaction, hop: Hop, verb: str) -> list[Block]:
    shown = [richtext.user(user) for user in hop.users] + [richtext.usergroup(group) for group in hop.groups]
    entries = [[who] for who in shown[: limits.HOP_PEOPLE]]
    more = len(shown) - len(entries)
    if more > 0:
        entries.append([text(f"{more} more")])
    is_near = one.expires_at is not None and one.expires_at - hop.at <= _SAME_DAY
    at = date(hop.at, richtext.TIME) if is_near else date(hop.at)
    return [text("Since "), at, text(" "), *people.joined(entries, last="and"), text(f" may {verb} too.")]


def votes(approval: Approval) -> list[Block]:
    """Both kinds, oldest first; those of a single decision are no votes."""
    items = [_vote(vote) for vote in approval.votes[: limits.VOTES]]
    more = len(approval.votes) - len(items)
    if more > 0:
        items.append([text(f"and {more} more")])
    return [richtext.listing(items)] if items else []


def _vote(vote: Vote) -> list[Block]:
    said = [*people.actor(vote.actor), text(" approved " if vote.decision.allows else " denied "), date(vote.at)]
    why = limits.clip(one_line(vote.feedback or ""), _WHY)
    return [*said, text(f": {why}")] if why else said
