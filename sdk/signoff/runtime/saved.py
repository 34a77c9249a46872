"""What `recover` gets: the run's newest action, and what people said to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from signoff.runtime.answers import Confirmation, RunAnswer
from signoff.runtime.asking import as_asked
from signoff.runtime.wire import Action, ActionKind


@dataclass(frozen=True, kw_only=True, slots=True)
class SavedAction:
    """`request`: what was asked, as it was saved. `cursor`: how many actions the run had with it; 1 for the first."""

    id: str
    kind: ActionKind
    request: Any
    cursor: int
    operation_id: str


class Saved:
    """What is left of a run after a restart: its newest action, and what people said to it."""

    def __init__(self, action: SavedAction, read: Callable[[], list[RunAnswer] | Confirmation]) -> None:
        self.action = action
        self._read = read

    @property
    def answer(self) -> list[RunAnswer] | Confirmation:
        """The accepted answer: a list for questions, in their order. Raises Expired, Withdrawn: there is none."""
        return self._read()

    @property
    def answers(self) -> list[RunAnswer]:
        """The same where it is to questions. Raises TypeError: it is to a proposal. Expired, Withdrawn."""
        answer = self.answer
        if isinstance(answer, Confirmation):
            raise TypeError(f"the action {self.action.id} was a confirmation; it has no answers")
        return answer

    @property
    def confirmation(self) -> Confirmation:
        """The same where it is to a proposal. Raises TypeError: it is to questions. Expired, Withdrawn."""
        answer = self.answer
        if not isinstance(answer, Confirmation):
            raise TypeError(f"the action {self.action.id} was questions; it has no confirmation")
        return answer


def saved_of(action: Action, read: Callable[[], list[RunAnswer] | Confirmation]) -> Saved:
    saved = SavedAction(
        id=action.id,
        kind=action.kind,
        request=as_asked(action.request),
        cursor=action.cursor,
        operation_id=action.operation_id,
    )
    return Saved(saved, read)
