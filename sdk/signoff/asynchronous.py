"""`AsyncSignoff`: what `Signoff` does, on an event loop. The same flows, the same words."""

# ruff: noqa: ASYNC109  the same words as Signoff has; and `timeout` ends with how to go on

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar, Unpack, overload

from signoff import approving, asking, flows, runs, starting, tools
from signoff.approving import ApprovedAction, ApprovedTool, Approving, OnDenial
from signoff.asking import Asker
from signoff.asks import AskingApproval, AskingQuestions, Question
from signoff.async_execution import AsyncAction, AsyncExecution
from signoff.errors import StillWaiting
from signoff.executing import Executing
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
    from signoff.driving import Looped

A = TypeVar("A", bound=Interaction)
T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


class AsyncCalls:
    """All that a run may do, to be awaited. What each method takes and raises is written at the same one of `Calls`."""

    def __init__(self, io: "Looped", asker: Asker) -> None:
        self._io = io
        self._asker = asker

    def run(self, run_id: str, *, operation_id: str | None = None) -> "AsyncBoundCalls":
        """The same client for one run. As `with so.run("deploy-812"):` it names the run for all that is called inside."""
        return AsyncBoundCalls(self._io, self._asker.named_as(run_id, operation_id))

    async def request_approval(self, title: str, **ask: Unpack[AskingApproval]) -> Approval:
        """Ask people to approve one action. The same ask again, by run and operation, is the same approval."""
        return self._ours(await self._drive(asking.approval(self._asker, title, ask)))

    async def ask_questions(self, questions: Sequence[Question], **ask: Unpack[AskingQuestions]) -> QuestionSet:
        """Ask people one to twenty questions, answered at once. Raises as `request_approval`."""
        return self._ours(await self._drive(asking.questions(self._asker, questions, ask)))

    async def preview_approval(self, title: str, **ask: Unpack[AskingApproval]) -> Preview:
        """What the ask would come to: its card, its digest, who can decide, warnings. Nothing is stored or posted."""
        return await self._drive(asking.preview_approval(self._asker, title, ask))

    async def preview_questions(self, questions: Sequence[Question], **ask: Unpack[AskingQuestions]) -> Preview:
        """The same for questions."""
        return await self._drive(asking.preview_questions(self._asker, questions, ask))

    @overload
    async def wait(self, asked: A, *, timeout: float | None = None) -> A: ...
    @overload
    async def wait(self, asked: str, *, timeout: float | None = None) -> AnyInteraction: ...
    async def wait(self, asked: Interaction | str, *, timeout: float | None = None) -> Interaction:
        """The same once it is resolved, in whatever way: look at `state`. A server that restarts is waited for."""
        return self._ours(await self._drive(flows.wait(self._asker.wire, asked, timeout=timeout)))

    async def read(self, asked: Interaction | str) -> AnyInteraction:
        """As it stands. Raises NotFound."""
        return self._ours(await self._drive(flows.read(self._asker.wire, asked)))

    async def find(self, operation_id: str, *, run_id: str | None = None) -> AnyInteraction | None:
        """What this run asked under this operation; None where it did not."""
        run_id, _ = self._asker.run_of({} if run_id is None else {"run_id": run_id})
        found = await self._drive(flows.find(self._asker.wire, run_id=run_id, operation_id=operation_id))
        return None if found is None else self._ours(found)

    async def list(self, **filters: Unpack[Listing]) -> Page:
        """One page: pending ones by deadline, everything else newest first. `cursor=page.next_cursor` is the next."""
        page = await self._drive(flows.listing(self._asker.wire, filters))
        for found in page.items:
            self._ours(found)
        return page

    async def claim(self, asked: Approval | str, **terms: Unpack[Claiming]) -> Claim:
        """Take the one execution. Run only on `execute`; `execution` does this, and the reports, for you."""
        claim_id = terms.pop("claim_id", None) or flows.new_claim_id()
        return await self._drive(flows.claim(self._asker.wire, asked, claim_id=claim_id, terms=terms))

    async def report(
        self,
        asked: Approval | str,
        status: Literal["running", "succeeded", "failed"],
        *,
        claim_id: str,
        detail: str | None = None,
    ) -> Reported:
        """What became of a claimed execution. The same final report again changes nothing. Raises NotClaimant."""
        return await self._drive(flows.report(self._asker.wire, asked, claim_id=claim_id, status=status, detail=detail))

    async def withdraw(self, asked: Interaction | str, *, reason: str | None = None) -> Withdrawal:
        """Take an ask back. `withdrawn` is false where it was resolved before."""
        return await self._drive(flows.withdraw(self._asker.wire, asked, reason=reason))

    async def wake(self, asked: Interaction | str) -> Woken:
        """Have its run told again, by handler or webhook. `woken` is false where nothing is owed to it."""
        return await self._drive(flows.wake(self._asker.wire, asked))

    async def decide(
        self, asked: Approval | str, decision: Literal["allow-once", "deny"], *, feedback: str | None = None
    ) -> Decided:
        """As a key that the ask names in `approver_keys`; never of an ask of its own. Raises Forbidden."""
        return await self._drive(flows.decide(self._asker.wire, asked, decision=decision, feedback=feedback))

    async def answer(self, asked: QuestionSet | str, answers: Mapping[str, str | Sequence[str] | None]) -> Answered:
        """As a key, under the same rule: by question id a label or text, several of them, or None to skip."""
        return await self._drive(flows.answer(self._asker.wire, asked, answers))

    async def start_run(self, code: str, input: Json = None, **terms: Unpack[Starting]) -> HostedRun:
        """Start a hosted run: code that a worker has under this name, with an input. What was started before is found again."""
        return await self._drive(starting.start(self._asker, code, input, terms))

    async def read_run(self, run: RunSummary | str) -> HostedRun:
        """As it stands. Raises NotFound."""
        return await self._drive(starting.read(self._asker.wire, run))

    async def wait_for_run(self, run: RunSummary | str, *, timeout: float | None = None) -> HostedRun:
        """The run once it is finished, with its `outcome` or its `error`. A server that restarts is waited for."""
        return await self._drive(starting.wait(self._asker.wire, run, timeout=timeout))

    async def stop_run(self, run: RunSummary | str, *, reason: str | None = None) -> StoppedRun:
        """Have it end, with RUN_STOPPED. `stopped` is false while its worker still ends it, or where it had ended."""
        return await self._drive(starting.stop(self._asker.wire, run, reason=reason))

    async def list_runs(self, **filters: Unpack[RunListing]) -> RunPage:
        """One page of hosted runs, newest first. `cursor=page.next_cursor` is the next."""
        return await self._drive(starting.listing(self._asker.wire, filters))

    async def me(self) -> Me:
        """What this key is."""
        return await self._drive(flows.me(self._asker.wire))

    async def look_up(self, name: str) -> Matches:
        """Whom a name, an address or an id stands for in Slack, or who comes nearest."""
        return await self._drive(flows.look_up(self._asker.wire, name))

    def execution(self, approval: Approval, **how: Unpack[Executing]) -> AsyncExecution:
        """Claim, report that it runs, and how it ended: `async with so.execution(approval) as action:`."""
        return AsyncExecution(wire=self._asker.wire, io=self._io, approval=approval, how=how)

    @asynccontextmanager
    async def approved(
        self, title: str, *, on_denial: OnDenial = "raise", **terms: Unpack[ApprovedAction]
    ) -> AsyncIterator[AsyncAction]:
        """Ask, wait, claim and report: `async with so.approved("Deploy api", …) as action: deploy(**action.input)`."""
        approving = Approving(self._asker, title, terms)
        try:
            found = await self._drive(approving.decided())
        except StillWaiting as refusal:
            if on_denial == "raise":
                raise
            yield self.execution(approving.asked).refused(refusal)
            return
        async with self.execution(found, **approving.how()) as action:
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
    ) -> Callable[[Callable[P, Coroutine[Any, Any, R]]], Callable[P, Coroutine[Any, Any, R]]]: ...
    @overload
    def requires_approval(
        self,
        *,
        title: str | None = None,
        tool_name: str | None = None,
        leave_out: Collection[str] = (),
        on_denial: Literal["text"],
        **terms: Unpack[ApprovedTool],
    ) -> Callable[[Callable[P, Coroutine[Any, Any, R]]], Callable[P, Coroutine[Any, Any, R | str]]]: ...
    def requires_approval(
        self,
        *,
        title: str | None = None,
        tool_name: str | None = None,
        leave_out: Collection[str] = (),
        on_denial: OnDenial = "raise",
        **terms: Unpack[ApprovedTool],
    ) -> Any:
        """A decorator: the function runs once for each approval, with its arguments as they were approved."""

        def decorate(function: Callable[..., Any]) -> Any:
            tool = tools.Tool(
                function, title=title, tool_name=tool_name, leave_out=leave_out, on_denial=on_denial, terms=terms
            )
            return tools.looped(function, tool, lambda: nullcontext(self))

        return decorate

    async def answered(
        self, questions: Sequence[Question], *, timeout: float | None = None, **ask: Unpack[AskingQuestions]
    ) -> QuestionSet:
        """Ask, and wait for the answers: `so.answered([…], …).answer("region").value`."""
        return self._ours(await self._drive(approving.answered(self._asker, questions, ask, timeout=timeout)))

    async def _drive(self, flow: Flow[T]) -> T:
        return await self._io.drive(flow)

    def _ours(self, found: A) -> A:
        """So that it can be executed by itself."""
        found.__dict__["home"] = self
        return found


class AsyncBoundCalls(AsyncCalls):
    """A client for one run; as a context, the run of all that is called inside, decorated tools among it."""

    def __enter__(self) -> Self:
        runs.enter(self._asker.named)
        return self

    def __exit__(self, *_: object) -> None:
        runs.leave()


class AsyncSignoff(AsyncCalls):
    """A client for one event loop; `async with` or `close` ends it. Arguments and errors as of `Signoff`.

    `url` and `key` default to SIGNOFF_URL (http://127.0.0.1:8300) and SIGNOFF_KEY. `patience`: seconds for which a
    server that does not answer is tried again.

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
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        # Here, since it takes longest to load: what only names the client need not wait for it.
        from signoff.driving import Looped

        given = os.environ if environment is None else environment
        settings = read_settings(url=url, key=key, environment=given)
        wire = Wire(url=settings.url, clock=clock, chance=chance, patience=patience)
        super().__init__(
            Looped(url=settings.url, headers=settings.headers, sleep=sleep), Asker(wire=wire, environment=given)
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._io.close()
