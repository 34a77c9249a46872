"""Asking, waiting and claiming in one go: what `approved` and the decorated tool share."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from signoff import asking, flows, outcomes
from signoff.asking import Asker
from signoff.asks import AskingAction, AskingQuestions, AskingTool, Question
from signoff.executing import Executing
from signoff.types import Approval, QuestionSet
from signoff.wire import Flow

#: raise: an error where nothing may run. text: no error; the refusal's own words, for a model to read.
OnDenial: TypeAlias = Literal["raise", "text"]
#: Says in a text how the world is: read before the ask and again before the claim.
World: TypeAlias = Callable[[], str]


class _Running(TypedDict, total=False):
    """How an approved action is waited for and run.

    `timeout`: seconds of waiting, which leave the ask open; without it, as long as the ask is. `worker`,
    `report_within`, `accept_edited`: as of an execution. `revalidate` says in a text how the world is: called before
    the ask and before the claim, and nothing runs where the two differ.
    """

    timeout: float | None
    worker: str
    report_within: int | None
    accept_edited: bool
    revalidate: World


class ApprovedAction(AskingAction, _Running, total=False):
    """An approval, and how what it allows is run."""


class ApprovedTool(AskingTool, _Running, total=False):
    """The same, where the action is a call of a function."""


class Approving:
    """One ask on its way to its execution. `asked`: as it stood when it was asked."""

    asked: Approval

    def __init__(self, asker: Asker, title: str, terms: ApprovedAction) -> None:
        self._asker = asker
        self._title = title
        self._timeout = terms.get("timeout")
        self._world = terms.get("revalidate")
        self._how: Executing = {name: terms[name] for name in _HOW if name in terms}  # type: ignore[literal-required, assignment]  # names of both
        self._ask: Any = {name: given for name, given in terms.items() if name not in _Running.__annotations__}

    def decided(self) -> Flow[Approval]:
        """Ask, and wait. Raises StillWaiting, and what asking raises."""
        if self._world is not None:
            self._ask["revalidate"] = self._world()
        self.asked = yield from asking.approval(self._asker, self._title, self._ask)
        found = yield from flows.wait(self._asker.wire, self.asked, timeout=self._timeout)
        return flows.same(self.asked, found)

    def how(self) -> Executing:
        """How to execute what was decided: by the digest of the ask, in the world as it is now."""
        self._how["digest"] = self.asked.digest
        if self._world is not None:
            self._how["revalidate"] = self._world()
        return self._how


_HOW = ("worker", "report_within", "accept_edited")


def answered(
    asker: Asker, questions: Sequence[Question], ask: AskingQuestions, *, timeout: float | None
) -> Flow[QuestionSet]:
    """Ask, and wait for answers. Raises Expired, Withdrawn, StillWaiting, and what asking raises."""
    asked = yield from asking.questions(asker, questions, ask)
    found = flows.same(asked, (yield from flows.wait(asker.wire, asked, timeout=timeout)))
    ended = outcomes.of_state(found)
    if ended is not None:
        raise ended
    return found
