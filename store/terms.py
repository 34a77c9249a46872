"""What holds for an interaction beside its action, and what happened to it on the way; policies, stops and timers."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from store.kinds import OnExpiry, TimerKind
from store.values import Actor, Approvers, Destination

#: How a stop of every tool is written.
EVERY_TOOL = "*"
#: What *Give me more time* adds, where nothing else is said.
DEFAULT_EXTENSION = timedelta(hours=4)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One pair that matters, shown above the action."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Link:
    """`url`: http or https; its host is always shown."""

    label: str
    url: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRef:
    """The policy that an ask came under, as it was then."""

    name: str
    revision: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkingHours:
    """When people may be reminded. `days`: 0 for Monday; `zone`: an IANA name.

    An end that is not after the start is on the following day.
    """

    start: time
    end: time
    zone: str
    days: tuple[int, ...] = (0, 1, 2, 3, 4)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reminders:
    """The first after so long; each gap after it is twice the one before."""

    after: timedelta
    most: int = 3
    hours: WorkingHours | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Escalation:
    """After so long undecided these may decide too. `after`: from the ask."""

    after: timedelta
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What an interaction is asked under. No part of the digest: what runs does not depend on it."""

    policy: PolicyRef | None = None
    on_expiry: OnExpiry = OnExpiry.EXPIRE
    reminders: Reminders | None = None
    #: By `after`, the first first.
    escalation: tuple[Escalation, ...] = ()
    #: How much time an approver may give once; None where nobody may.
    extension: timedelta | None = None
    may_edit: bool = False
    #: The person who answers for the key that asked, where it asked for somebody else: no approver of it, either.
    owner: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """An escalation that took place: who may decide since then, too."""

    at: datetime
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Extension:
    """More time, given once. `until`: the deadline since then."""

    actor: Actor
    at: datetime
    until: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Settlement:
    """What a person says of an execution that went silent. "It did not happen" makes one new claim possible."""

    actor: Actor
    at: datetime
    happened: bool
    #: When it had gone silent: the execution itself does not say so any more.
    silent_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What happened on the way that no other part of an interaction says."""

    #: When reminders were sent, oldest first.
    reminded_at: tuple[datetime, ...] = ()
    hops: tuple[Hop, ...] = ()
    #: When it was noted that its deadline is near.
    warned_at: datetime | None = None
    extension: Extension | None = None
    settlement: Settlement | None = None
    #: Claims that went silent and did not happen: they may take nothing any more.
    spent_claims: tuple[str, ...] = ()
    #: When an approver took the approval back.
    taken_back_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Edited:
    """The input as the approver changed it, and the digest of the action with it."""

    input_json: str
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """Who decides, how many, where cards go: one revision, kept for ever. Owned by operators, named, bound to keys.

    `tools`: names, or beginnings of names that end in `*`; empty: any, and confirmations. `max_expires`: the longest
    an ask may wait; None: as long as the contract allows. `removed`: from this revision on nobody asks under it.
    """

    tenant: str
    name: str
    revision: int
    set_at: datetime
    set_by: Actor
    approvers: Approvers
    destination: Destination = field(default_factory=Destination)
    tools: tuple[str, ...] = ()
    max_expires: timedelta | None = None
    terms: Terms = field(default_factory=Terms)
    removed: bool = False

    def covers(self, tool_name: str | None) -> bool:
        return not self.tools or (tool_name is not None and any(matches(each, tool_name) for each in self.tools))


@dataclass(frozen=True, kw_only=True, slots=True)
class Stop:
    """No claim executes from `at` until it is ended.

    `tool`: a name or a beginning with `*`; None, as which the star alone is read: all tools, and confirmations.
    """

    tenant: str
    id: str
    tool: str | None
    actor: Actor
    at: datetime
    reason: str | None = None
    ended_at: datetime | None = None
    ended_by: Actor | None = None

    def __post_init__(self) -> None:
        if self.tool == EVERY_TOOL:
            object.__setattr__(self, "tool", None)

    def holds(self, tool_name: str | None) -> bool:
        """Whether it keeps this tool from running."""
        return self.ended_at is None and self.names(tool_name)

    def names(self, tool_name: str | None) -> bool:
        """Whether it is about this tool; a confirmation is stopped by a stop of everything."""
        return self.tool is None or (tool_name is not None and matches(self.tool, tool_name))


@dataclass(frozen=True, kw_only=True, slots=True)
class Timer:
    """What is due at a time while an interaction is pending. `turn`: how often it was before; a compare-and-set."""

    tenant: str
    interaction_id: str
    kind: TimerKind
    due_at: datetime
    turn: int = 0


def matches(pattern: str, tool_name: str) -> bool:
    """`deploy.*` is every name that begins with `deploy.`; without the star it is that name."""
    return tool_name.startswith(pattern[:-1]) if pattern.endswith("*") else tool_name == pattern


def holding(stops: Iterable[Stop], tool_name: str | None) -> Stop | None:
    """The oldest stop that keeps this tool from running."""
    held = (stop for stop in stops if stop.holds(tool_name))
    return min(held, key=lambda stop: (stop.at, stop.id), default=None)
