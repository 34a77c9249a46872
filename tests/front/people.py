"""Kinds of people, and what each is told: the rows of the matrix in `test_front_people`."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from store.types import Approvers, Escalation, Terms

TEAM, ORG = "T07ACME00", "E07ACMEORG"
ANA, BEN, CHIDI, DANA = "U07ANA4K2QX", "U07BEN9D1MT", "U07CHIDI3EZ", "U07DANA5WFD"
GUEST, GONE, BOT, EVE = "U07GUEST8ZZ", "U07GONE00XX", "U07SIGNOFF1", "U08EVE5NWND"
ONCALL = "S07ONCALL01"
HOP = timedelta(minutes=10)
_ESCALATES = Terms(escalation=(Escalation(after=HOP, users=(CHIDI,)),))


@dataclass(frozen=True, kw_only=True)
class Kind:
    """`refused`: the words that the refusal must hold, the rule and who could; empty where this person decides."""

    user: str
    approvers: Approvers
    refused: tuple[str, ...] = ()
    team: str = TEAM
    enterprise: str | None = None
    requested_by: str | None = DANA
    terms: Terms = field(default_factory=Terms)
    #: Whether its escalation took place.
    escalated: bool = False
    #: How Slack's look-ups fail: arguments of a fault.
    fault: dict[str, Any] | None = None


def _named(user: str) -> Approvers:
    return Approvers(users=(user, BEN))


KINDS: dict[str, Kind] = {
    "a member named by id": Kind(user=ANA, approvers=_named(ANA)),
    "a member by group": Kind(user=CHIDI, approvers=Approvers(groups=(ONCALL,))),
    "of a group that nobody can ever read": Kind(
        user=CHIDI,
        approvers=Approvers(users=(ANA,), groups=("S07NOGROUP1",)),
        fault={"method": "usergroups.users.list", "error": "no_such_subteam"},
        refused=("Nobody can be found in", "S07NOGROUP1", DANA, "can ask again"),
    ),
    "a member who is neither named nor in the group": Kind(
        user=ANA,
        approvers=Approvers(users=(BEN,), groups=(ONCALL,)),
        refused=("You cannot decide this: ", "only ", BEN, "members of ", ONCALL, "Nothing changed"),
    ),
    "a stranger": Kind(
        user=CHIDI, approvers=_named(ANA), refused=("You cannot decide this: ", "only ", ANA, BEN, "Nothing changed")
    ),
    "who asked": Kind(
        user=DANA, approvers=_named(DANA), refused=("You asked for this yourself, ", BEN, "Nothing changed")
    ),
    "who answers for the key that asked for somebody else": Kind(
        user=ANA,
        approvers=_named(ANA),
        terms=Terms(owner=ANA),
        refused=("You asked for this yourself, ", BEN, "Nothing changed"),
    ),
    "who asked, where that is allowed": Kind(user=DANA, approvers=Approvers(users=(DANA, BEN), allow_requester=True)),
    "a guest": Kind(user=GUEST, approvers=_named(GUEST), refused=("guests cannot", BEN, "Nothing changed")),
    "a bot": Kind(user=BOT, approvers=_named(BOT), refused=("only people with an active account can", BEN)),
    "a deactivated account": Kind(
        user=GONE, approvers=_named(GONE), refused=("only people with an active account can", BEN)
    ),
    "of another workspace": Kind(
        user=EVE, team="T08NORTH00", approvers=_named(EVE), refused=("people of other workspaces cannot", BEN)
    ),
    "of another organisation": Kind(
        user=EVE,
        team="T08NORTH00",
        enterprise="E08NORTHORG",
        approvers=_named(EVE),
        refused=("people of other workspaces cannot", BEN),
    ),
    "of another workspace of the same organisation": Kind(
        user="U09SAMEORG1", team="T09ACMEEU0", enterprise=ORG, approvers=_named("U09SAMEORG1")
    ),
    "who is escalated to later": Kind(
        user=CHIDI, approvers=_named(ANA), terms=_ESCALATES, refused=("You cannot decide this: ", "only ", ANA, BEN)
    ),
    "who was escalated to": Kind(user=CHIDI, approvers=_named(ANA), terms=_ESCALATES, escalated=True),
    "of a group that nobody can read now": Kind(
        user=CHIDI,
        approvers=Approvers(groups=(ONCALL,)),
        fault={"method": "usergroups.users.list", "status": 500},
        refused=("We could not check who belongs to ", ONCALL, "click again in a minute"),
    ),
    "a member by group whose account nobody can read": Kind(
        user=CHIDI,
        approvers=Approvers(users=(BEN,), groups=(ONCALL,)),
        fault={"method": "users.info", "status": 500},
        refused=("Guests cannot decide this, and we could not check your account", BEN, "click again in a minute"),
    ),
    "a member named by id whose account nobody can read": Kind(
        user=ANA, approvers=_named(ANA), fault={"method": "users.info", "status": 500}
    ),
}
