"""What a use case came to, where a caller has to look."""

from dataclasses import dataclass

from bot.input_schema import InputProblem
from store.answers import Problem
from store.types import Approval, Interaction, QuestionSet, Stop


@dataclass(frozen=True, kw_only=True, slots=True)
class Invalid:
    """The answers do not fit the questions; nothing was stored and the question keeps waiting."""

    question: QuestionSet
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyRefused:
    """The ask names its own judges, with a key that may not."""

    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NotTheAsker:
    """Only who asked can withdraw."""

    requested_by: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Woken:
    """`woken` is False where nothing is to be told (any more); the interaction says why."""

    woken: bool
    interaction: Interaction


@dataclass(frozen=True, kw_only=True, slots=True)
class NotOperator:
    """Only operators may."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditRefused:
    """The input as it was changed will not do; nothing was stored and the approval keeps waiting."""

    approval: Approval
    problems: tuple[InputProblem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reported:
    """`stopped`: an operator has stopped this tool meanwhile; what already runs is asked to end."""

    approval: Approval
    stopped: Stop | None
