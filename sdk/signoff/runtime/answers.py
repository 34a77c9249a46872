"""What people said, as the code gets it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from signoff.errors import Denied
from signoff.outcomes import of_state
from signoff.runtime.execution import RunExecution
from signoff.runtime.wire import Action
from signoff.types import Actor, AnyInteraction, Approval, QuestionSet


@dataclass(frozen=True, kw_only=True, slots=True)
class RunAnswer:
    """To one question.

    `answer`: a label or their own words; a list of these where several are allowed; None where it was skipped.
    `option_ids`: of the options that were chosen.
    """

    question_id: str
    is_skipped: bool
    answer: str | list[str] | None = None
    option_ids: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Confirmation:
    """A yes or a no. `feedback`: what came with it; `by`: who said it. `input`: of the tool, as it was approved."""

    is_confirmed: bool
    feedback: str | None
    by: Actor | None
    input: Any
    opens: Callable[[], AbstractAsyncContextManager[RunExecution]]

    def execution(self) -> AbstractAsyncContextManager[RunExecution]:
        """The one execution that a yes authorizes: `async with answer.execution() as action: if action.execute: …`.

        Entering claims it. `execute` is False after a no, and where it was executed before: `status` says how that
        ended. What is under way with an outcome that nobody knows ends the run as RUN_INTERRUPTED. Leaving reports
        succeeded, or failed where the body raised.

        Raises:
            RunError: CONFLICT, it was opened before, or the next ask came first and took the yes for done.
            SignoffError: it could not be claimed, and nothing ran; NotReported: it ran, and nobody could be told.
        """
        return self.opens()


def resolved(action: Action) -> AnyInteraction:
    """What people decided or answered. Raises Expired, Withdrawn: it ended without that."""
    asked = action.interaction
    assert asked is not None, "an answer without an interaction"
    ended = of_state(asked)
    # A no is an answer.
    if ended is not None and not isinstance(ended, Denied):
        raise ended
    return asked


def answers_of(asked: QuestionSet) -> list[RunAnswer]:
    """In the order of the questions."""
    said = asked.answers or {}
    return [
        RunAnswer(
            question_id=question.id,
            is_skipped=said[question.id].is_skipped,
            answer=_plain(said[question.id].value),
            option_ids=said[question.id].option_ids,
        )
        for question in asked.questions
    ]


def confirmation_of(asked: Approval, opens: Callable[[], AbstractAsyncContextManager[RunExecution]]) -> Confirmation:
    return Confirmation(
        is_confirmed=asked.state == "approved",
        feedback=asked.feedback,
        by=asked.resolved_by,
        input=asked.approved_input,
        opens=opens,
    )


def _plain(value: str | tuple[str, ...] | None) -> str | list[str] | None:
    return list(value) if isinstance(value, tuple) else value
