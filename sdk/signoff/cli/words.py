"""What is said of an ask: who decides, until when, what became of it; and which exit code that is."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from signoff import errors, people
from signoff.cli.exits import Exit
from signoff.types import Actor, Approval, Interaction, QuestionSet

_EXITS: tuple[tuple[type[errors.NoGo], Exit], ...] = (
    (errors.Denied, Exit.DENIED),
    (errors.Expired, Exit.EXPIRED),
    (errors.Withdrawn, Exit.WITHDRAWN),
    (errors.AlreadyRan, Exit.ALREADY_RAN),
    (errors.StillWaiting, Exit.STILL_WAITING),
    (errors.Stopped, Exit.STILL_WAITING),
)


def exit_of(refusal: errors.NoGo) -> Exit:
    return next((code for kind, code in _EXITS if isinstance(refusal, kind)), Exit.ERROR)


def deciders(asked: Interaction) -> str:
    """`U07ANA4K2QX or U07BEN9D1MT`, `2 of U…, U…, S…`; of questions nobody is named to a run."""
    if not isinstance(asked, Approval):
        return ""
    who = asked.approvers
    hops = [id for hop in asked.escalated for id in (*hop.users, *hop.groups)]
    named = list(dict.fromkeys([*who.users, *who.groups, *(f"the key {name}" for name in who.keys), *hops]))
    if who.quorum > 1:
        return f"{who.quorum} of {', '.join(named)}"
    return listed(named)


def listed(names: Sequence[str], *, last: str = "or") -> str:
    if len(names) < 2:  # noqa: PLR2004 - one name, or none
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def progress(asked: Interaction) -> str:
    """`1 of 2 approved`, where one is not enough and somebody voted; else nothing."""
    if not isinstance(asked, Approval) or asked.approvers.quorum < 2 or not asked.votes:  # noqa: PLR2004 - the second one
        return ""
    yes = sum(1 for vote in asked.votes if vote.decision != "deny")
    return f"{yes} of {asked.approvers.quorum} approved"


def who(actor: Actor | None) -> str:
    return people.who(actor) or "nobody"


def moment(at: datetime, *, local: bool) -> str:
    """To the minute: in the zone of this machine, with its name, for people at it; UTC in logs."""
    if not local:
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    there = at.astimezone()
    return f"{there:%a} {there.day} {there:%b %H:%M} {there.tzname() or ''}".rstrip()


def cards(asked: Interaction) -> Iterable[str]:
    """Where its cards stand, as links."""
    return (each.permalink for each in asked.postings if each.role == "card" and each.permalink is not None)


def hops(asked: Interaction) -> Iterable[str]:
    return (listed([*hop.users, *hop.groups], last="and") for hop in asked.escalated)


def not_posted(asked: Interaction) -> Iterable[str]:
    for each in asked.postings:
        if each.role == "card" and each.state == "failed":
            yield f"Slack takes no card in {each.channel}: {each.error or 'it does not say why'}"


def became(refusal: errors.NoGo) -> str:
    """One sentence on why nothing runs here, for people at a shell."""
    found = refusal.interaction
    if isinstance(refusal, errors.Denied):
        if refusal.by is not None and refusal.by.kind == "deadline":
            return refusal.problem
        reason = f": {refusal.reason}" if refusal.reason else "; no reason was given"
        return f"Denied by {who(refusal.by)}{reason}"
    if isinstance(refusal, errors.NotStartedInTime):
        return "Approved, and not started in time: the time in which it may run is over. Nothing ran."
    if not isinstance(found, Approval):
        return _unanswered(refusal)
    if isinstance(refusal, errors.Expired):
        return "Nobody decided in time. Nothing ran."
    if isinstance(refusal, errors.Replaced):
        return f"Replaced by {found.superseded_by or 'another ask'}. Nothing ran."
    if isinstance(refusal, errors.Withdrawn):
        return f"Withdrawn by {_taker(found)}. Nothing ran."
    if isinstance(refusal, errors.StillWaiting):
        return "Nobody has decided yet. The ask stays open."
    return str(refusal)


def _unanswered(refusal: errors.NoGo) -> str:
    if isinstance(refusal, errors.Expired):
        return "Nobody answered in time."
    if isinstance(refusal, errors.Replaced):
        return f"Replaced by {refusal.superseded_by or 'another ask'}."
    if isinstance(refusal, errors.Withdrawn):
        return f"Withdrawn by {_taker(refusal.interaction)}."
    return "Nobody has answered yet. The ask stays open."


def _taker(found: Interaction) -> str:
    by = found.resolved_by
    return "who asked" if by is None or by.kind == "requester" else who(by)


def yes(found: Interaction) -> str:
    if isinstance(found, QuestionSet):
        return f"Answered by {who(found.resolved_by)}"
    assert isinstance(found, Approval)
    voters = [who(vote.by) for vote in found.votes if vote.decision != "deny"]
    people = voters if len(voters) > 1 else [who(found.resolved_by)]
    said = f": {found.feedback}" if found.feedback else ""
    return f"Approved by {listed(people, last='and')}{said}"
