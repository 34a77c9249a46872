"""How a hosted run fails: a code, a message, and whether starting it again may help."""

from typing import Literal

from signoff.errors import SignoffError
from signoff.executing import named, sendable

#: RUN_INTERRUPTED: it cannot go on after a restart, or nobody knows whether its effect happened; never replayed.
#: RUN_STOPPED: somebody stopped it. RUN_CHECKPOINT_FAILED: its state or its ask could not be saved.
#: RUN_FAILED: its code raised. CONFLICT: it asked, or was answered, out of turn.
ErrorCode = Literal["RUN_INTERRUPTED", "RUN_STOPPED", "RUN_CHECKPOINT_FAILED", "RUN_FAILED", "CONFLICT"]


class RunError(SignoffError):
    """What a run ends with, or (CONFLICT) what its code did wrong.

    Code may raise it itself, to say what people read of the failure and whether starting again may help.
    """

    def __init__(self, code: ErrorCode, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.retryable = retryable

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def interrupted(why: str) -> RunError:
    return RunError("RUN_INTERRUPTED", why)


def stopped() -> RunError:
    return RunError("RUN_STOPPED", "somebody stopped this run")


def not_saved(why: str, *, retryable: bool) -> RunError:
    return RunError("RUN_CHECKPOINT_FAILED", why, retryable=retryable)


def conflict(why: str) -> RunError:
    return RunError("CONFLICT", why)


def failed(error: BaseException) -> RunError:
    """What to write of an exception that came out of a run's code."""
    if isinstance(error, RunError):
        words = error.message if error.code == "RUN_FAILED" else error
        return RunError("RUN_FAILED", sendable(words), retryable=bool(error.retryable))
    return RunError("RUN_FAILED", named(error))
