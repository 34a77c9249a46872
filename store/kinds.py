"""The closed sets of the domain: states, decisions, kinds. Each value is what stands in rows and in JSON."""

from enum import StrEnum


class Kind(StrEnum):
    QUESTION = "question"
    APPROVAL = "approval"


class State(StrEnum):
    """Where an interaction stands; derived from its timestamps, never from the clock."""

    PENDING = "pending"
    ANSWERED = "answered"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"

    @property
    def is_decided(self) -> bool:
        """A person said so: approved, denied or answered."""
        return self in {State.APPROVED, State.DENIED, State.ANSWERED}


class Decision(StrEnum):
    ALLOW_ONCE = "allow-once"
    ALLOW_CONVERSATION = "allow-conversation"
    ALLOW_ALWAYS = "allow-always"
    DENY = "deny"

    @property
    def allows(self) -> bool:
        """On the whitelist of allows; never "not deny"."""
        return self in ALLOWS


ALLOWS = frozenset({Decision.ALLOW_ONCE, Decision.ALLOW_CONVERSATION, Decision.ALLOW_ALWAYS})


class ActorKind(StrEnum):
    SLACK_USER = "slack_user"
    API_KEY = "api_key"
    GRANT = "grant"
    DEADLINE = "deadline"
    REQUESTER = "requester"
    #: A reminder, an escalation or a warning that was due.
    TIMER = "timer"
    #: Whoever has the database at hand: the command line.
    OPERATOR = "operator"


class Surface(StrEnum):
    """Through which door a transition came; recorded in its event."""

    CARD = "card"
    MODAL = "modal"
    LIST = "list"
    HOME = "home"
    API = "api"
    CLI = "cli"
    SWEEP = "sweep"


class Risk(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class ResumeKind(StrEnum):
    HANDLER = "handler"
    WEBHOOK = "webhook"
    PULL = "pull"


class Role(StrEnum):
    """What a posting is for."""

    CARD = "card"
    OUTCOME = "outcome"
    REMINDER = "reminder"
    NOTICE = "notice"


class About(StrEnum):
    """What happened that a line of role `outcome` says, once; and which timer a line of role `reminder` is for."""

    #: Somebody decided, answered, withdrew or replaced it, or nobody did in time.
    RESOLVED = "resolved"
    #: What came of an approval: the run reported how it ended, or none started in time. Never both.
    RAN = "ran"
    #: The run promised to report, and did not.
    UNKNOWN = "unknown"
    #: What was approved is not any more.
    TAKEN_BACK = "taken_back"
    #: Of role `reminder`: it still waits; others may decide by now; its deadline is near.
    REMINDED = "reminded"
    ESCALATED = "escalated"
    WARNED = "warned"


class PostingState(StrEnum):
    WAITING = "waiting"
    POSTED = "posted"
    FAILED = "failed"


class ExecutionStatus(StrEnum):
    CLAIMED = "claimed"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"

    @property
    def is_final(self) -> bool:
        return self in {ExecutionStatus.SUCCEEDED, ExecutionStatus.FAILED}


class Scope(StrEnum):
    ASK = "ask"
    READ = "read"
    DECIDE = "decide"
    WORK = "work"
    ADMIN = "admin"


class OnExpiry(StrEnum):
    """What a deadline that nobody met makes of an approval; it never approves."""

    EXPIRE = "expire"
    DENY = "deny"


class TimerKind(StrEnum):
    REMIND = "remind"
    ESCALATE = "escalate"
    #: The deadline is near.
    WARN = "warn"
