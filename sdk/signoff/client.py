"""`Signoff`: ask people, wait, run once. Every call is a flow that `AsyncSignoff` drives, too."""

import os
import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar, Unpack, overload

from signoff import approving, asking, flows, runs, starting, tools
from signoff.approving import ApprovedAction, ApprovedTool, Approving, OnDenial
from signoff.asking import Asker
from signoff.asks import AskingApproval, AskingQuestions, Question
from signoff.errors import StillWaiting
from signoff.executing import Executing
from signoff.execution import Action, Execution
from signoff.flows import Claiming, Listing
from signoff.hosted import HostedRun, RunPage, RunSummary, StoppedRun
from signoff.previews import Preview
from signoff.settings import read_settings
from signoff.starting import RunListing, Starting
from signoff.types import (
    Answered,
    AnyInteraction,
    Approval,
    Claim,
    Decided,
    Interaction,
    Json,
    Matches,
    Me,
    Page,
    QuestionSet,
    Reported,
    Withdrawal,
    Woken,
)
from signoff.wire import Flow, Wire

if TYPE_CHECKING:
    from signoff.driving import Threaded

A = TypeVar("A", bound=Interaction)
T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


class Calls:
    """All that a run may do. Every method raises Refused and its kinds, Unreachable and BadReply; see `errors`."""

    def __init__(self, io: "Threaded", asker: Asker) -> None:
        self._io = io
        self._asker = asker

    def run(self, run_id: str, *, operation_id: str | None = None) -> "BoundCalls":
        """The same client for one run. As `with so.run("deploy-812"):` it names the run for all that is called inside.

        `operation_id` names one ask within the run; without it, asks are told apart by their content.
        """
        return BoundCalls(self._io, self._asker.named_as(run_id, operation_id))

    def request_approval(self, title: str, **ask: Unpack[AskingApproval]) -> Approval:
        """Ask people to approve one action. The same ask again, by run and operation, is the same approval.

        Raises:
            NoRun, UnknownName, Conflict: nobody says which run; a name means nobody; asked before in other words.
            TypeError: the input is not plain JSON.
        """
        return self._ours(self._drive(asking.approval(self._asker, title, ask)))

    def ask_questions(self, questions: Sequence[Question], **ask: Unpack[AskingQuestions]) -> QuestionSet:
        """Ask people one to twenty questions, answered at once. Raises as `request_approval`."""
        return self._ours(self._drive(asking.questions(self._asker, questions, ask)))

    def preview_approval(self, title: str, **ask: Unpack[AskingApproval]) -> Preview:
        """What the ask would come to: its card, its digest, who can decide, warnings. Nothing is stored or posted."""
        return self._drive(asking.preview_approval(self._asker, title, ask))

    def preview_questions(self, questions: Sequence[Question], **ask: Unpack[AskingQuestions]) -> Preview:
        """The same for questions."""
        return self._drive(asking.preview_questions(self._asker, questions, ask))

    @overload
    def wait(self, asked: A, *, timeout: float | None = None) -> A: ...
    @overload
    def wait(self, asked: str, *, timeout: float | None = None) -> AnyInteraction: ...
    def wait(self, asked: Interaction | str, *, timeout: float | None = None) -> Interaction:
        """The same once it is resolved, in whatever way: look at `state`. A server that restarts is waited for.

        Raises:
            StillWaiting: after `timeout` seconds. The ask stays open.
        """
        return self._ours(self._drive(flows.wait(self._asker.wire, asked, timeout=timeout)))

    def read(self, asked: Interaction | str) -> AnyInteraction:
        """As it stands. Raises NotFound."""
        return self._ours(self._drive(flows.read(self._asker.wire, asked)))

    def find(self, operation_id: str, *, run_id: str | None = None) -> AnyInteraction | None:
        """What this run asked under this operation; None where it did not."""
        run_id, _ = self._asker.run_of({} if run_id is None else {"run_id": run_id})
        found = self._drive(flows.find(self._asker.wire, run_id=run_id, operation_id=operation_id))
        return None if found is None else self._ours(found)

    def list(self, **filters: Unpack[Listing]) -> Page:
        """One page: pending ones by deadline, everything else newest first. `cursor=page.next_cursor` is the next."""
        page = self._drive(flows.listing(self._asker.wire, filters))
        for found in page.items:
            self._ours(found)
        return page

    def claim(self, asked: Approval | str, **terms: Unpack[Claiming]) -> Claim:
        """Take the one execution. Run only on `execute`; `execution` does this, and the reports, for you.

        Raises:
            DigestMismatch: the approver changed the input, and `accept_edited` was not given.
        """
        claim_id = terms.pop("claim_id", None) or flows.new_claim_id()
        return self._drive(flows.claim(self._asker.wire, asked, claim_id=claim_id, terms=terms))

    def report(
        self,
        asked: Approval | str,
        status: Literal["running", "succeeded", "failed"],
        *,
        claim_id: str,
        detail: str | None = None,
    ) -> Reported:
        """What became of a claimed execution. The same final report again changes nothing. Raises NotClaimant."""
        return self._drive(flows.report(self._asker.wire, asked, claim_id=claim_id, status=status, detail=detail))

    def withdraw(self, asked: Interaction | str, *, reason: str | None = None) -> Withdrawal:
        """Take an ask back. `withdrawn` is false where it was resolved before."""
        return self._drive(flows.withdraw(self._asker.wire, asked, reason=reason))

    def wake(self, asked: Interaction | str) -> Woken:
        """Have its run told again, by handler or webhook. `woken` is false where nothing is owed to it."""
        return self._drive(flows.wake(self._asker.wire, asked))

    def decide(
        self, asked: Approval | str, decision: Literal["allow-once", "deny"], *, feedback: str | None = None
    ) -> Decided:
        """As a key that the ask names in `approver_keys`; never of an ask of its own. Raises Forbidden."""
        return self._drive(flows.decide(self._asker.wire, asked, decision=decision, feedback=feedback))

    def answer(self, asked: QuestionSet | str, answers: Mapping[str, str | Sequence[str] | None]) -> Answered:
        """As a key, under the same rule: by question id a label or text, several of them, or None to skip."""
        return self._drive(flows.answer(self._asker.wire, asked, answers))

    def start_run(self, code: str, input: Json = None, **terms: Unpack[Starting]) -> HostedRun:
        """Start a hosted run: code that a worker has under this name, with an input. What was started before is found again.

        The run is named as asks name theirs: `run_id=`, `with so.run(…)`, SIGNOFF_RUN_ID or the CI job; never invented,
        since a made-up name would start another run after a lost answer. A run and asks of the same name are listed
        together.

        Raises:
            NoRun, UnknownName: nobody names the run; a name means nobody.
            RunConflict: a run of this name was started with another code, input, state or audience.
            TypeError: the input or the state is not plain JSON.
        """
        return self._drive(starting.start(self._asker, code, input, terms))

    def read_run(self, run: RunSummary | str) -> HostedRun:
        """As it stands. Raises NotFound."""
        return self._drive(starting.read(self._asker.wire, run))

    def wait_for_run(self, run: RunSummary | str, *, timeout: float | None = None) -> HostedRun:
        """The run once it is finished, with its `outcome` or its `error`. A server that restarts is waited for.

        Raises:
            StillRunning: after `timeout` seconds. The run goes on.
        """
        return self._drive(starting.wait(self._asker.wire, run, timeout=timeout))

    def stop_run(self, run: RunSummary | str, *, reason: str | None = None) -> StoppedRun:
        """Have it end, with RUN_STOPPED. `stopped` is false while its worker still ends it, or where it had ended."""
        return self._drive(starting.stop(self._asker.wire, run, reason=reason))

    def list_runs(self, **filters: Unpack[RunListing]) -> RunPage:
        """One page of hosted runs, newest first. `cursor=page.next_cursor` is the next."""
        return self._drive(starting.listing(self._asker.wire, filters))

    def me(self) -> Me:
        """What this key is."""
        return self._drive(flows.me(self._asker.wire))

    def look_up(self, name: str) -> Matches:
        """Whom a name, an address or an id stands for in Slack, or who comes nearest."""
        return self._drive(flows.look_up(self._asker.wire, name))

    def execution(self, approval: Approval, **how: Unpack[Executing]) -> Execution:
        """Claim, report that it runs, and how it ended: `with so.execution(approval) as action:`.

        Entering never raises for what may not run: then `action.execute` is False, `action.refusal` says why, and
        `action.input` raises it. An exception inside is reported as failed and goes on. What is no `Exception`, such as
        Ctrl-C, is not reported: nobody knows what it interrupted, and the card shows it as unknown.

        Raises:
            DigestMismatch: with `accept_edited=False`, where the approver changed the input.
            NotReported: it ran, and its end could not be reported.
        """
        return Execution(wire=self._asker.wire, io=self._io, approval=approval, how=how)

    @contextmanager
    def approved(
        self, title: str, *, on_denial: OnDenial = "raise", **terms: Unpack[ApprovedAction]
    ) -> Iterator[Action]:
        """Ask, wait, claim and report: `with so.approved("Deploy api", …) as action: deploy(**action.input)`.

        With `on_denial="text"` nothing is raised where nothing may run: look at `action.execute`, and give a model
        `str(action.refusal)`.

        Raises:
            NoGo: Denied, Expired, Withdrawn, AlreadyRan, StillWaiting and their kinds; see `errors`.
        """
        approving = Approving(self._asker, title, terms)
        try:
            found = self._drive(approving.decided())
        except StillWaiting as refusal:
            if on_denial == "raise":
                raise
            yield self.execution(approving.asked).refused(refusal)
            return
        with self.execution(found, **approving.how()) as action:
            if action.refusal is not None and on_denial == "raise":
                raise action.refusal
            yield action

    @overload
    def requires_approval(
        self,
        *,
        title: str | None = None,
        tool_name: str | None = None,
        leave_out: Collection[str] = (),
        on_denial: Literal["raise"] = "raise",
        **terms: Unpack[ApprovedTool],
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
    @overload
    def requires_approval(
        self,
        *,
        title: str | None = None,
        tool_name: str | None = None,
        leave_out: Collection[str] = (),
        on_denial: Literal["text"],
        **terms: Unpack[ApprovedTool],
    ) -> Callable[[Callable[P, R]], Callable[P, R | str]]: ...
    def requires_approval(
        self,
        *,
        title: str | None = None,
        tool_name: str | None = None,
        leave_out: Collection[str] = (),
        on_denial: OnDenial = "raise",
        **terms: Unpack[ApprovedTool],
    ) -> Any:
        """A decorator: the function runs once for each approval, with its arguments as they were approved.

        People see the arguments by name, defaults filled in, all of them but those to `leave_out`. `title` may name
        them: "Deploy {service}". The same call again in a run is the same approval, and does not run again; what is
        meant twice needs `with so.run(run, operation_id=…):` around it. With `on_denial="text"` the function returns
        the refusal as a text, for a model to read, instead of raising NoGo.

        Raises (the function): TypeError for arguments that are not plain JSON, before anything is asked.
        """

        def decorate(function: Callable[..., Any]) -> Any:
            tool = tools.Tool(
                function, title=title, tool_name=tool_name, leave_out=leave_out, on_denial=on_denial, terms=terms
            )
            return tools.threaded(function, tool, lambda: nullcontext(self))

        return decorate

    def answered(
        self, questions: Sequence[Question], *, timeout: float | None = None, **ask: Unpack[AskingQuestions]
    ) -> QuestionSet:
        """Ask, and wait for the answers: `so.answered([…], …).answer("region").value`.

        Raises:
            NoGo: Expired, Withdrawn, StillWaiting: no answers came, or not yet.
        """
        return self._ours(self._drive(approving.answered(self._asker, questions, ask, timeout=timeout)))

    def _drive(self, flow: Flow[T]) -> T:
        return self._io.drive(flow)

    def _ours(self, found: A) -> A:
        """So that it can be executed by itself."""
        found.__dict__["home"] = self
        return found


class BoundCalls(Calls):
    """A client for one run; as a context, the run of all that is called inside, decorated tools among it."""

    def __enter__(self) -> Self:
        runs.enter(self._asker.named)
        return self

    def __exit__(self, *_: object) -> None:
        runs.leave()


class Signoff(Calls):
    """A client for programs that block. Safe to share between threads; `with` or `close` ends it.

    `url` and `key` default to SIGNOFF_URL (http://127.0.0.1:8300) and SIGNOFF_KEY. `patience`: seconds for which a
    server that does not answer is tried again; five times as many while waiting, and for the end of an execution.

    Raises:
        NotConfigured: says what is missing.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        patience: float = 60.0,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        # Here, since it takes longest to load: what only names the client need not wait for it.
        from signoff.driving import Threaded

        given = os.environ if environment is None else environment
        settings = read_settings(url=url, key=key, environment=given)
        wire = Wire(url=settings.url, clock=clock, chance=chance, patience=patience)
        super().__init__(
            Threaded(url=settings.url, headers=settings.headers, sleep=sleep), Asker(wire=wire, environment=given)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._io.close()
