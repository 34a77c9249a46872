"""One interaction as the design tells its life, in plain Python: nothing here asks the store's own rules."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE = timedelta(minutes=1)
#: When people may be reminded, where an ask says so: as in `shapes.OFFICE`.
OPENS, CLOSES, ZONE, WORKDAYS = 9, 17, ZoneInfo("America/New_York"), range(5)


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How something is asked."""

    is_question: bool = False
    quorum: int = 1
    denials: int = 1
    denies_late: bool = False
    lasts: timedelta | None = timedelta(hours=1)
    more: timedelta | None = None
    window: timedelta = timedelta(hours=1)
    tool: str | None = "deploy.api"
    world: str | None = None
    reminded_after: timedelta | None = None
    reminders: int = 2
    keeps_hours: bool = False
    steps: tuple[timedelta, ...] = ()
    resume: str = "pull"


@dataclass
class Line:
    """One message in Slack."""

    role: str
    address: str
    turn: int = 0
    wanted: int = 1
    painted: int = 0
    channel: str | None = None
    ts: str | None = None
    thread_ts: str | None = None


@dataclass
class Telling:
    told: datetime | None = None
    due: datetime | None = None
    attempts: int = 0
    wakes: int = 0
    woken_from: int = 0
    error: str | None = None
    stuck: datetime | None = None
    stuck_due: datetime | None = None
    lease: int | None = None
    leased_until: datetime | None = None

    def is_free(self, now: datetime) -> bool:
        return self.leased_until is None or self.leased_until <= now


@dataclass
class Claim:
    id: str
    at: datetime
    execute: bool


@dataclass
class Run:
    status: str
    at: datetime
    started: datetime
    within: int | None
    due: datetime | None
    detail: str | None = None


@dataclass
class Life:
    tenant: str
    id: str
    number: int
    asked: datetime
    shape: Shape
    deadline: datetime | None
    content: str = "request"
    replaces: str | None = None
    state: str = "pending"
    ended: datetime | None = None
    by: tuple[str, str] | None = None
    reason: str | None = None
    successor: str | None = None
    votes: dict[str, tuple[str, datetime, str | None]] = field(default_factory=dict)
    decision: str | None = None
    feedback: str | None = None
    edited: str | None = None
    claim: Claim | None = None
    run: Run | None = None
    opened: datetime | None = None
    lapsed: datetime | None = None
    spent: list[str] = field(default_factory=list)
    settled: tuple[str, datetime, bool] | None = None
    taken_back: datetime | None = None
    reminded: list[datetime] = field(default_factory=list)
    hops: list[tuple[datetime, str]] = field(default_factory=list)
    warned: datetime | None = None
    extended: tuple[str, datetime, datetime] | None = None
    timers: dict[str, tuple[datetime, int]] = field(default_factory=dict)
    telling: Telling = field(default_factory=Telling)
    lines: list[Line] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    # --- what is so

    @property
    def is_pending(self) -> bool:
        return self.state == "pending"

    @property
    def is_unclaimed(self) -> bool:
        return self.state in {"approved", "denied"} and self.claim is None

    @property
    def digest(self) -> str:
        return self.edited or "digest"

    @property
    def window_ends(self) -> datetime | None:
        return None if self.opened is None else self.opened + self.shape.window

    def is_late(self, at: datetime) -> bool:
        return self.is_pending and self.deadline is not None and at >= self.deadline

    def is_open(self, at: datetime) -> bool:
        """Once it was noted that it is over, it stays so."""
        return self.window_ends is not None and at < self.window_ends and self.lapsed is None

    def edges(self) -> list[datetime]:
        """When something turns."""
        told = self.telling
        ends = [self.deadline if self.is_pending else None, self.window_ends, self.run and self.run.due]
        telling = [told.due, told.stuck_due, told.leased_until]
        return [each for each in [*ends, *telling, *(due for due, _ in self.timers.values())] if each is not None]

    # --- what happens

    def happens(self, action: str) -> None:
        """Something happened: it is written down, and every message is behind."""
        self.said.append(action)
        self.want()

    def want(self) -> None:
        for line in self.lines:
            line.wanted += 1

    def ends(self, state: str, at: datetime, by: tuple[str, str]) -> None:
        self.state, self.ended, self.by = state, at, by
        if state in {"approved", "denied"}:
            self.opened = at
        self.happens(state)
        if self.shape.resume != "pull":
            self.owe(at)
        elif self.is_unclaimed:
            self.telling.stuck_due = at + 15 * MINUTE

    def expires(self) -> None:
        """At the deadline itself, whoever noticed."""
        assert self.deadline is not None
        denies = self.shape.denies_late and not self.shape.is_question
        if denies:
            self.decision = "deny"
        self.ends("denied" if denies else "expired", self.deadline, ("deadline", ""))

    def owe(self, at: datetime) -> None:
        self.telling.due, self.telling.stuck_due = at, at + 15 * MINUTE

    def tell_anew(self, at: datetime, *, is_other: bool = False) -> None:
        """Another message, with fresh wakes, unless the last one never arrived and says the same."""
        told = self.telling
        is_new = is_other and self.shape.resume != "pull"
        if is_new or (told.told is not None and told.due is None):
            told.wakes += 1
        told.woken_from = told.wakes
        told.attempts, told.error, told.stuck, told.stuck_due, told.due = 0, None, None, None, None
        if self.shape.resume == "pull":
            told.stuck_due = at + 15 * MINUTE
        else:
            self.owe(at)


def opening(at: datetime) -> datetime:
    """The next instant within working hours, looked for minute by minute."""
    local = at.astimezone(ZONE)
    if _is_open(local):
        return at
    each = at.replace(second=0, microsecond=0)
    while not _is_open(each.astimezone(ZONE)):
        each += MINUTE
    return each.astimezone(UTC)


def _is_open(local: datetime) -> bool:
    return local.weekday() in WORKDAYS and OPENS <= local.hour < CLOSES
