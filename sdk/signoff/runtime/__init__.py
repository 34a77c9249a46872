"""Hosted runs: code by name that asks people, waits without a deadline of its own, and survives restarts."""

from signoff.runtime.access import Access, RunInteraction, RunState
from signoff.runtime.answers import Confirmation, RunAnswer
from signoff.runtime.asking import Proposal
from signoff.runtime.attempt import OnStep
from signoff.runtime.code import Code
from signoff.runtime.errors import ErrorCode, RunError
from signoff.runtime.execution import RunExecution
from signoff.runtime.runtime import Runtime
from signoff.runtime.saved import Saved, SavedAction
from signoff.runtime.values import NotJson
from signoff.runtime.work import Call, Pace
from signoff.runtime.worker import Limits

__all__ = [
    "Access",
    "Call",
    "Code",
    "Confirmation",
    "ErrorCode",
    "Limits",
    "NotJson",
    "OnStep",
    "Pace",
    "Proposal",
    "RunAnswer",
    "RunError",
    "RunExecution",
    "RunInteraction",
    "RunState",
    "Runtime",
    "Saved",
    "SavedAction",
]
