"""Handlers are told until they return, run what was approved once, and never hide how it went."""

import asyncio
import sys
import textwrap
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot import practice
from bot.resume import Handlers, Resumed, on_resume
from bot.resume.handlers import BadApp
from bot.resume.hosted_app import load_handlers
from bot.resume.practice import hello
from bot.service import Service
from store.answers import Choice
from store.types import Decision, ExecutionStatus, Interaction, Resume, ResumeKind
from tests.parts import ForgetfulStore, Parts
from tests.resume.stage import dispatching, now, owed

DEPLOY = Resume(kind=ResumeKind.HANDLER, target="deploy")


async def test_an_approved_run_is_told_claims_and_reports_success(parts: Parts) -> None:
    ran: asyncio.Queue[object] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            assert action.execute
            action.detail = "3 pods"
            await ran.put((resumed.decision, action.input))

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY, input={"z": 1, "a": 2})
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        told = await ran.get()
        await dispatcher.drain(5)
    found = await now(parts, asked)

    assert told == (Decision.ALLOW_ONCE, {"z": 1, "a": 2})
    assert found.claim.worker == "deploy"
    assert (found.execution.status, found.execution.detail) == (ExecutionStatus.SUCCEEDED, "3 pods")
    assert await owed(parts, after=timedelta(days=1)) == []


async def test_a_denied_run_is_told_and_nothing_may_run(parts: Parts) -> None:
    seen: asyncio.Queue[tuple[bool, bool]] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            await seen.put((action.claimed, action.execute))

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, deploy):
        await parts.decide(asked, Decision.DENY)
        assert await seen.get() == (True, False)
    assert (await now(parts, asked)).execution is None
    assert await owed(parts, after=timedelta(days=1)) == []


async def test_an_expired_run_is_told_and_its_execution_is_refused_quietly(parts: Parts) -> None:
    seen: asyncio.Queue[object] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            await seen.put((resumed.interaction.state, resumed.decision, action.claimed, action.execute))

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY, expires_in=60)
    parts.clock.advance(60)
    await parts.store.expire_due(now=parts.clock.now())
    async with dispatching(parts, deploy):
        assert await seen.get() == ("expired", None, False, False)
    assert (await now(parts, asked)).resumption.told_at == parts.clock.now()


async def test_answers_are_handed_over_and_are_not_executed(parts: Parts) -> None:
    seen: asyncio.Queue[object] = asyncio.Queue()

    @on_resume("ask")
    async def ask(resumed: Resumed) -> None:
        assert resumed.answers is not None
        await seen.put(resumed.answers["region"].value)
        with pytest.raises(TypeError):
            async with resumed.execution():
                pass

    key, _ = await parts.key()
    asked = await parts.ask_question(key, resume=Resume(kind=ResumeKind.HANDLER, target="ask"))
    async with dispatching(parts, ask):
        await parts.answer(asked, {"region": Choice(option_ids=("eu",))})
        assert await seen.get() == "Europe"
    assert (await now(parts, asked)).resumption.told_at is not None


async def test_a_crash_before_the_claim_is_told_again_ever_later_and_then_stuck(parts: Parts) -> None:
    called: asyncio.Queue[None] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(_: Resumed) -> None:
        await called.put(None)
        raise RuntimeError("the cluster is away")

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    waits = []
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        while True:
            await called.get()
            await dispatcher.drain(5)
            after = (await now(parts, asked)).resumption
            if after.due_at is None:
                break
            waits.append((after.due_at - parts.clock.now()).total_seconds())
            parts.clock.advance(waits[-1])
            parts.hub.ring()

    assert waits == [1, 5, 30, 120, 600, 600, 600, 600, 600]
    assert after.last_error == "RuntimeError: the cluster is away"
    assert after.stuck_at == parts.clock.now()


async def test_a_crash_after_the_claim_is_failed_and_never_run_again(parts: Parts) -> None:
    called: asyncio.Queue[None] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution():
            await called.put(None)
            raise RuntimeError("helm said no")

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        await called.get()
        await dispatcher.drain(5)
    found = await now(parts, asked)

    assert found.execution.status is ExecutionStatus.FAILED
    assert found.execution.detail == "RuntimeError: helm said no"
    assert (found.resumption.last_error, found.resumption.stuck_at) == (None, None)
    assert await owed(parts, after=timedelta(days=1)) == []


async def test_a_handler_that_returns_without_a_claim_is_woken_three_times_and_then_stuck(parts: Parts) -> None:
    called: asyncio.Queue[int] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        await called.put(resumed.interaction.resumption.wakes)

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    waits = []
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        for wake in range(4):
            assert await called.get() == wake
            await dispatcher.drain(5)
            due_at = (await now(parts, asked)).resumption.due_at
            if due_at is not None:
                waits.append(due_at - parts.clock.now())
                parts.clock.advance(waits[-1])
                parts.hub.ring()

    assert waits == [timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30)]
    parts.clock.advance(timedelta(minutes=30))
    assert [stuck.id for stuck in await parts.store.mark_stuck(now=parts.clock.now())] == [asked.id]


async def test_a_claim_whose_reply_was_lost_is_repeated_and_runs_once(parts: Parts) -> None:
    ran: asyncio.Queue[bool] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            await ran.put(action.execute)

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    forgetful = ForgetfulStore(parts.store, lost=2)
    service = Service(store=forgetful, clock=parts.clock, hub=parts.hub, directory=parts.directory)
    async with dispatching(parts, deploy, service=service):
        await parts.decide(asked)
        assert await ran.get() is True
    assert (await now(parts, asked)).execution.status is ExecutionStatus.SUCCEEDED


async def test_the_lease_is_held_while_a_handler_runs(parts: Parts) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    @on_resume("deploy")
    async def deploy(_: Resumed) -> None:
        begun.set()
        await go_on.wait()

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    store = ForgetfulStore(parts.store, lost=0)
    async with dispatching(parts, deploy, store=store, first_lease=timedelta(seconds=0.3), lease=timedelta(seconds=60)):
        await parts.decide(asked)
        await begun.wait()
        parts.clock.advance(0.29)
        store.renewed.clear()
        await store.renewed.wait()
        owed_to_others = await owed(parts, after=timedelta(seconds=59))
        go_on.set()

    assert owed_to_others == []


async def test_what_a_shutdown_cuts_off_before_the_claim_is_told_again_once_its_lease_lapsed(parts: Parts) -> None:
    begun = asyncio.Event()

    @on_resume("deploy")
    async def deploy(_: Resumed) -> None:
        begun.set()
        await asyncio.Event().wait()

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        await begun.wait()
        await dispatcher.drain(0)

    assert await owed(parts, after=timedelta(seconds=5)) == []
    assert await owed(parts, after=timedelta(seconds=6)) == [asked.id]


async def test_what_a_shutdown_cuts_off_while_it_runs_is_not_called_failed(parts: Parts) -> None:
    begun = asyncio.Event()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            await action.running("half way")
            begun.set()
            await asyncio.Event().wait()

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        await begun.wait()
        await dispatcher.drain(0)

    assert (await now(parts, asked)).execution.status is ExecutionStatus.RUNNING
    assert await owed(parts, after=timedelta(days=1)) == []


async def test_a_promise_to_report_is_kept_by_itself(parts: Parts) -> None:
    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution("pod-7", report_within=1):
            await store.reported.wait()
            first = await due(resumed.interaction)
            parts.clock.advance(0.5)
            while await due(resumed.interaction) == first:
                store.reported.clear()
                await store.reported.wait()
        done.set()

    async def due(asked: Interaction) -> datetime | None:
        return (await now(parts, asked)).execution.report_due_at  # type: ignore[no-any-return]  # of an approval

    done = asyncio.Event()
    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    store = ForgetfulStore(parts.store, lost=0)
    service = Service(store=store, clock=parts.clock, hub=parts.hub, directory=parts.directory)
    async with dispatching(parts, deploy, service=service):
        await parts.decide(asked)
        async with asyncio.timeout(10):
            await done.wait()
    found = await now(parts, asked)
    said = [
        event.details.get("status")
        for event in await parts.store.list_events(tenant="default", interaction_id=asked.id)
    ]

    assert (found.claim.worker, found.execution.report_within) == ("pod-7", 1)
    assert found.execution.status is ExecutionStatus.SUCCEEDED
    assert [status for status in said if status is not None] == ["running", "succeeded"]


async def test_two_workers_run_each_of_many_approvals_once(parts: Parts) -> None:
    ran: list[str] = []
    finished = asyncio.Event()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            if action.execute:
                ran.append(resumed.interaction.id)
        if len(ran) >= len(asked):
            finished.set()

    key, _ = await parts.key()
    asked = [await parts.ask(key, resume=DEPLOY, run_id=f"run-{n}") for n in range(40)]
    async with dispatching(parts, deploy, concurrency=3), dispatching(parts, deploy, concurrency=3):
        for each in asked:
            await parts.decide(each)
        await finished.wait()

    assert sorted(ran) == sorted(each.id for each in asked)


async def test_a_worker_takes_only_runs_whose_handler_it_has(parts: Parts) -> None:
    seen: asyncio.Queue[str] = asyncio.Queue()

    @on_resume("other")
    async def other(resumed: Resumed) -> None:
        await seen.put(resumed.interaction.run_id)

    key, _ = await parts.key()
    mine = await parts.ask(key, resume=Resume(kind=ResumeKind.HANDLER, target="other"), run_id="mine")
    foreign = await parts.ask(key, resume=DEPLOY, run_id="foreign")
    pulled = await parts.ask(key, run_id="pulled")
    async with dispatching(parts, other) as dispatcher:
        for each in (foreign, pulled, mine):
            await parts.decide(each)
        assert await seen.get() == "mine"
        await dispatcher.drain(5)

    assert await owed(parts, handlers=("deploy", "other")) == [foreign.id]


def _module(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.py").write_text(textwrap.dedent(text))


def test_handlers_are_found_in_a_module_of_the_current_folder(tmp_path: Path) -> None:
    _module(
        tmp_path,
        "shop_runs",
        """
        from bot.resume import on_resume

        @on_resume("refund")
        @on_resume("payout")
        async def pay(resumed): ...

        several = [pay]
        nothing = []
        """,
    )

    found = load_handlers("shop_runs", folder=tmp_path)
    sys.path.remove(str(tmp_path))

    assert found.names == {"refund", "payout"}
    assert load_handlers("shop_runs:several").names == {"refund", "payout"}
    assert load_handlers("shop_runs:pay").names == {"refund", "payout"}
    assert load_handlers(None).names == frozenset()


@pytest.mark.parametrize(
    ("app", "words"),
    [
        ("no_such_module_here", "no module"),
        ("shop.py", "not a file"),
        ("json", "no handler"),
        ("json:nothing_there", "has no nothing_there"),
        (":x", "not a file"),
    ],
)
def test_an_app_that_cannot_be_used_is_refused_with_a_sentence(app: str, words: str) -> None:
    with pytest.raises(BadApp, match=words):
        load_handlers(app)


def test_the_house_has_a_handler_beside_those_of_the_app_and_its_name_is_taken() -> None:
    @on_resume("deploy")
    async def deploy(_: Resumed) -> None: ...

    @on_resume(practice.HANDLER)
    async def theirs(_: Resumed) -> None: ...

    assert Handlers([deploy]).with_ours(hello).names == {"deploy", practice.HANDLER}
    with pytest.raises(BadApp, match=practice.HANDLER):
        Handlers([theirs]).with_ours(hello)


def test_a_handler_is_an_async_function_with_a_name_of_its_own() -> None:
    async def one(_: Resumed) -> None: ...

    async def two(_: Resumed) -> None: ...

    with pytest.raises(TypeError):
        on_resume("")(one)
    with pytest.raises(TypeError):
        on_resume("x")(lambda _: None)  # type: ignore[arg-type,return-value]  # what a user would try
    with pytest.raises(BadApp, match="two handlers"):
        Handlers([on_resume("x")(one), on_resume("x")(two)])
