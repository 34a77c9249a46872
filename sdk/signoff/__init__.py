"""What a run installs: ask people through Signoff, wait, claim, report.

Names are loaded when they are first used, so that `import signoff` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signoff.asks import Escalation as Escalation
    from signoff.asks import Hours as Hours
    from signoff.asks import Question as Question
    from signoff.asks import Reminders as Reminders
    from signoff.async_execution import AsyncAction as AsyncAction
    from signoff.asynchronous import AsyncSignoff as AsyncSignoff
    from signoff.client import Signoff as Signoff
    from signoff.decorating import requires_approval as requires_approval
    from signoff.errors import AlreadyRan as AlreadyRan
    from signoff.errors import AlreadyResolved as AlreadyResolved
    from signoff.errors import BadReply as BadReply
    from signoff.errors import Changed as Changed
    from signoff.errors import Conflict as Conflict
    from signoff.errors import Denied as Denied
    from signoff.errors import DigestMismatch as DigestMismatch
    from signoff.errors import Expired as Expired
    from signoff.errors import Forbidden as Forbidden
    from signoff.errors import Invalid as Invalid
    from signoff.errors import NoGo as NoGo
    from signoff.errors import NoRun as NoRun
    from signoff.errors import NotClaimant as NotClaimant
    from signoff.errors import NotConfigured as NotConfigured
    from signoff.errors import NotFound as NotFound
    from signoff.errors import NotReported as NotReported
    from signoff.errors import NotStartedInTime as NotStartedInTime
    from signoff.errors import Refused as Refused
    from signoff.errors import Replaced as Replaced
    from signoff.errors import RunConflict as RunConflict
    from signoff.errors import SignoffError as SignoffError
    from signoff.errors import SlackProblem as SlackProblem
    from signoff.errors import StillRunning as StillRunning
    from signoff.errors import StillWaiting as StillWaiting
    from signoff.errors import Stopped as Stopped
    from signoff.errors import Unauthorized as Unauthorized
    from signoff.errors import UnknownName as UnknownName
    from signoff.errors import Unreachable as Unreachable
    from signoff.errors import Withdrawn as Withdrawn
    from signoff.execution import Action as Action
    from signoff.hosted import HostedRun as HostedRun
    from signoff.hosted import RunAction as RunAction
    from signoff.hosted import RunFailure as RunFailure
    from signoff.hosted import RunPage as RunPage
    from signoff.hosted import RunStop as RunStop
    from signoff.hosted import RunSummary as RunSummary
    from signoff.hosted import StoppedRun as StoppedRun
    from signoff.runtime import Proposal as Proposal
    from signoff.runtime import RunError as RunError
    from signoff.runtime import Runtime as Runtime
    from signoff.types import Answer as Answer
    from signoff.types import Approval as Approval
    from signoff.types import Claim as Claim
    from signoff.types import Fact as Fact
    from signoff.types import Interaction as Interaction
    from signoff.types import Link as Link
    from signoff.types import Option as Option
    from signoff.types import QuestionSet as QuestionSet
    from signoff.webhook import BadSecret as BadSecret
    from signoff.webhook import BadWebhook as BadWebhook
    from signoff.webhook import Event as Event
    from signoff.webhook import verify_webhook as verify_webhook

__version__ = "0.1.0"

_HOMES = {
    "asks": ("Escalation", "Hours", "Question", "Reminders"),
    "asynchronous": ("AsyncSignoff",),
    "client": ("Signoff",),
    "decorating": ("requires_approval",),
    "errors": (
        "AlreadyRan", "AlreadyResolved", "BadReply", "Changed", "Conflict", "Denied", "DigestMismatch", "Expired",
        "Forbidden", "Invalid", "NoGo", "NoRun", "NotClaimant", "NotConfigured", "NotFound", "NotReported",
        "NotStartedInTime", "Refused", "Replaced", "RunConflict", "SignoffError", "SlackProblem", "StillRunning",
        "StillWaiting", "Stopped", "Unauthorized", "UnknownName", "Unreachable", "Withdrawn",
    ),
    "async_execution": ("AsyncAction",),
    "execution": ("Action",),
    "hosted": ("HostedRun", "RunAction", "RunFailure", "RunPage", "RunStop", "RunSummary", "StoppedRun"),
    "runtime": ("Proposal", "RunError", "Runtime"),
    "types": ("Answer", "Approval", "Claim", "Fact", "Interaction", "Link", "Option", "QuestionSet"),
    "webhook": ("BadSecret", "BadWebhook", "Event", "verify_webhook"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'signoff' has no attribute {name!r}")
    value = getattr(import_module(f"signoff.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
