"""While a handler runs: what it promised, what stops it, and what is shown when it dies."""

import asyncio
from datetime import timedelta

from bot import edits
from bot.resume import Resumed, on_resume
from bot.resume.resumed import REPORT_WITHIN
from store.types import Actor, ActorKind, Decision, Edited, ExecutionStatus, Resume, ResumeKind, Stop, Surface
from tests.parts import Parts
from tests.resume.stage import dispatching, now, owed

DEPLOY = Resume(kind=ResumeKind.HANDLER, target="deploy")
CHIDI = Actor(kind=ActorKind.SLACK_USER, id="U0CHIDI")


async def stop(parts: Parts, tool: str | None = None) -> Stop:
    asked = Stop(tenant="default", id=f"stp_{tool}", tool=tool, actor=CHIDI, at=parts.clock.now(), reason="not now")
    return await parts.store.add_stop(stop=asked)


async def go(parts: Parts) -> None:
    await parts.store.end_stops(tenant="default", tool=None, actor=CHIDI, at=parts.clock.now())
    parts.hub.ring()


async def test_a_handler_promises_to_report_within_a_minute_unless_it_says_otherwise(parts: Parts) -> None:
    promised: asyncio.Queue[tuple[int | None, object]] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        wishes = {"slow": {"report_within": 600}, "careless": {"report_within": None}}
        async with resumed.execution(**wishes.get(resumed.interaction.run_id, {})):
            run = (await now(parts, resumed.interaction)).execution
            due = None if run.report_due_at is None else run.report_due_at - parts.clock.now()
            await promised.put((run.report_within, due))

    key, _ = await parts.key()
    async with dispatching(parts, deploy):
        for run_id in ("plain", "slow", "careless"):
            await parts.decide(await parts.ask(key, resume=DEPLOY, run_id=run_id))
        found = [await promised.get() for _ in range(3)]

    assert REPORT_WITHIN == 60
    assert set(found) == {(60, timedelta(seconds=60)), (600, timedelta(seconds=600)), (None, None)}


async def test_what_is_cut_off_while_it_runs_becomes_unknown_once_its_promise_is_broken(parts: Parts) -> None:
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

    parts.clock.advance(59)
    assert await parts.store.mark_unknown(now=parts.clock.now()) == []
    parts.clock.advance(1)
    assert [each.id for each in await parts.store.mark_unknown(now=parts.clock.now())] == [asked.id]
    assert (await now(parts, asked)).execution.status is ExecutionStatus.UNKNOWN
    assert await owed(parts, after=timedelta(days=1)) == []


async def test_it_did_not_happen_tells_the_handler_anew_and_it_runs_once_more(parts: Parts) -> None:
    ran: asyncio.Queue[bool] = asyncio.Queue()
    lasting = [True, False]

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            await ran.put(action.execute)
            if lasting.pop(0):
                await asyncio.Event().wait()

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        assert await ran.get() is True
        await dispatcher.drain(0)
    parts.clock.advance(60)
    await parts.store.mark_unknown(now=parts.clock.now())
    said = {"tenant": "default", "id": asked.id, "actor": CHIDI, "happened": False}
    assert (await parts.store.settle(**said, at=parts.clock.now(), surface=Surface.CARD)).settled
    async with dispatching(parts, deploy) as dispatcher:
        assert await ran.get() is True
        await dispatcher.drain(5)

    assert (await now(parts, asked)).execution.status is ExecutionStatus.SUCCEEDED
    assert len((await now(parts, asked)).course.spent_claims) == 1


async def test_a_stopped_handler_claims_nothing_is_no_failure_and_is_told_anew_when_it_goes_on(parts: Parts) -> None:
    seen: asyncio.Queue[tuple[bool, bool, str | None]] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            stopped = action.stopped
        await seen.put((action.claimed, action.execute, None if stopped is None else stopped.reason))

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    held = await stop(parts)
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        assert await seen.get() == (False, False, "not now")
        await dispatcher.drain(5)
        while_stopped = await now(parts, asked)
        await go(parts)
        assert await seen.get() == (True, True, None)
        await dispatcher.drain(5)
    after = await now(parts, asked)

    assert held.tool is None
    assert (while_stopped.claim, while_stopped.execution, while_stopped.resumption.last_error) == (None, None, None)
    assert (after.execution.status, after.resumption.stuck_at) == (ExecutionStatus.SUCCEEDED, None)


async def test_what_already_runs_hears_of_a_stop_with_its_report(parts: Parts) -> None:
    heard: asyncio.Queue[tuple[object, object, object]] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            before = await action.running("zone 1")
            held = await stop(parts, resumed.interaction.tool_name)
            await heard.put((before, await action.running("zone 2"), action.stopped))
            assert held == action.stopped

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY)
    async with dispatching(parts, deploy) as dispatcher:
        await parts.decide(asked)
        before, now_, stays = await heard.get()
        await dispatcher.drain(5)

    assert before is None
    assert (now_.actor, now_.reason) == (stays.actor, stays.reason) == (CHIDI, "not now")
    assert (await now(parts, asked)).execution.status is ExecutionStatus.SUCCEEDED


async def test_a_handler_runs_the_input_as_the_approver_changed_it(parts: Parts) -> None:
    ran: asyncio.Queue[tuple[bool, object]] = asyncio.Queue()

    @on_resume("deploy")
    async def deploy(resumed: Resumed) -> None:
        async with resumed.execution() as action:
            await ran.put((action.execute, action.input))

    key, _ = await parts.key()
    asked = await parts.ask(key, resume=DEPLOY, input={"zones": 3}, input_schema='{"type": "object"}')
    changed = edits.edited(asked, '{"zones": 2}')
    assert isinstance(changed, Edited)
    async with dispatching(parts, deploy):
        await parts.store.decide_approval(
            tenant="default",
            id=asked.id,
            actor=CHIDI,
            decision=Decision.ALLOW_ONCE,
            at=parts.clock.now(),
            surface=Surface.MODAL,
            edited=changed,
        )
        parts.hub.ring()
        assert await ran.get() == (True, {"zones": 2})
