"""The parts of an ask, as a run writes them."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal, TypedDict

from msgspec import Struct

from signoff.types import Fact, Json, Link, Option, Risk

#: Seconds, or a timedelta of whole seconds.
Seconds = int | timedelta
#: One name or several: `#deploys`, `@ana`, `@payments-oncall`, `ana@acme.example`, or ids as Slack has them.
Names = str | Sequence[str]


class Question(Struct, frozen=True):
    """One question. Without options it takes free text; a text among the options is label and id at once.

    `default`: what is chosen from the start: an option's id, several where `multiple`, or a text.
    """

    id: str
    prompt: str
    options: Sequence[str | Option] = ()
    description: str | None = None
    multiple: bool = False
    allow_other: bool = False
    is_skippable: bool = False
    default: str | Sequence[str] | None = None


class Hours(Struct, frozen=True):
    """When people may be reminded: `days` 0 for Monday to 6, `zone` an IANA name, times as `09:00`."""

    start: str
    end: str
    zone: str
    days: tuple[int, ...] = (0, 1, 2, 3, 4)


class Reminders(Struct, frozen=True):
    """The first after `after`, each gap twice the one before, at most `most`."""

    after: Seconds
    most: int = 3
    hours: Hours | None = None


class Escalation(Struct, frozen=True):
    """Undecided so long after the ask, these people and groups may decide, too."""

    after: Seconds
    to: Names


class Asking(TypedDict, total=False):
    """What both kinds of ask may say. Under a policy, `to` and who decides may be left to it.

    `run_id`, `operation_id`: which run asks, and this ask within it; see `Signoff.run`. `to`: where cards go, channels
    and people. `thread_ts`: into this thread, with exactly one channel. `expires_in` None: never. `webhook`, `handler`:
    how the run is told; neither: it waits itself.
    """

    run_id: str
    operation_id: str
    policy: str
    to: Names
    thread_ts: str
    expires_in: Seconds | None
    reminders: Reminders
    escalation: Sequence[Escalation]
    webhook: str
    handler: str


class AskingQuestions(Asking, total=False):
    """`respondents`: people and groups, of whom any one may answer."""

    title: str
    respondents: Names


class AskingTool(Asking, total=False):
    """What an approval may say beside its title and its action.

    `approvers`: people and groups; `approver_keys`: names of keys. `quorum` of them have to agree. `input_schema`: with
    it the approver may change the input. `supersedes`: the id of the approval that this one replaces.
    """

    body: str
    risk: Risk
    details: str
    facts: dict[str, str] | Sequence[Fact]
    links: dict[str, str] | Sequence[Link]
    input_schema: dict[str, Json]
    requested_by: str
    approvers: Names
    approver_keys: Sequence[str]
    quorum: int
    denials: int
    allow_requester: bool
    require_reason: bool
    on_expiry: Literal["expire", "deny"]
    run_within: Seconds
    supersedes: str


class AskingAction(AskingTool, total=False):
    """With the action: both or neither; without, the approval confirms title and body."""

    tool_name: str
    input: Json


class AskingApproval(AskingAction, total=False):
    """`revalidate`: any text that stands for the world as it is now; the claim gives it again."""

    revalidate: str
