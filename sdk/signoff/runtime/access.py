"""What hosted code gets beside its input: its run's id, its interaction with people, its durable state."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from signoff.asks import Question
from signoff.runtime.answers import Confirmation, RunAnswer
from signoff.runtime.asking import Proposal, proposal_request, questions_request
from signoff.runtime.values import from_json

if TYPE_CHECKING:
    from signoff.runtime.attempt import Attempt


class Access:
    """Of one attempt at one run; it does nothing more once that has ended."""

    __slots__ = ("_attempt",)

    def __init__(self, attempt: "Attempt") -> None:
        self._attempt = attempt

    @property
    def run_id(self) -> str:
        return self._attempt.run_id

    @property
    def state(self) -> "RunState":
        return RunState(self._attempt)

    @property
    def interaction(self) -> "RunInteraction":
        return RunInteraction(self._attempt)


class RunState:
    """JSON that outlives this process: what `recover` needs beside the answer."""

    __slots__ = ("_attempt",)

    def __init__(self, attempt: "Attempt") -> None:
        self._attempt = attempt

    @property
    def value(self) -> Any:
        """JSON of the last checkpoint, or of the run's start. A copy: change it with `update`."""
        return from_json(self._attempt.state)

    async def update(self, value: Any) -> None:
        """Save this JSON in place of what was there; it stands once this returns.

        Where it cannot be saved, the run ends as RUN_CHECKPOINT_FAILED, and the code is cancelled here.
        """
        await self._attempt.save(value)


class RunInteraction:
    """People answer, nobody else: there is no way to give an answer along with what is asked."""

    __slots__ = ("_attempt",)

    def __init__(self, attempt: "Attempt") -> None:
        self._attempt = attempt

    async def ask_questions(self, questions: Sequence[Question | Mapping[str, Any]]) -> list[RunAnswer]:
        """Ask all of them at once, and wait. The answers, in the order of the questions.

        A question: `signoff.Question`, or a mapping of `id, question, description?, options[{id, label, description?}],
        is_skippable, multiple?, allow_other?`.

        Raises:
            TypeError, ValueError: no questions, or not in this shape.
            RunError: CONFLICT, this run waits for an answer already; RUN_FAILED, the server does not take it, and why.
            Expired, Withdrawn: it ended without an answer.
        """
        answer = await self._attempt.ask("user_ask_questions", questions_request(questions))
        assert isinstance(answer, list), "asked questions, got a confirmation"
        return answer

    async def confirm(self, proposal: str | Proposal | Mapping[str, Any]) -> Confirmation:
        """Show people what is to happen, and wait for their yes or no. It holds for what was shown, and nothing else.

        Raises: as `ask_questions`. A no is an answer, not an error.
        """
        answer = await self._attempt.ask("user_ask_confirmation", proposal_request(proposal))
        assert isinstance(answer, Confirmation), "asked to confirm, got answers"
        return answer
