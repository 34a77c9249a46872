"""Who holds a run: leases that lapse, workers that come and go, a server that is away, and who may write."""

import asyncio
import json
import time
from dataclasses import replace

from signoff.runtime import Runtime
from tests.e2e.house import DEPLOYS
from tests.sdk.runtime.codes import append_effect, runtime
from tests.sdk.runtime.stage import DECIDED, QUICK, Line, Steps


async def leased(here, *, worker: str = "by hand") -> dict:
    reply = await here.work("lease", {"worker": worker, "codes": ["deploy", "confirm only"], "room": 1, "wait": 10})
    [run] = reply.json["runs"]
    return run


async def test_what_a_worker_lost_is_another_ones_and_only_that_one_writes(here) -> None:
    await here.start("deploy", "run")
    mine = await leased(here)
    lost = await leased(here, worker="another")

    written = await here.work("checkpoint", {"run_id": "run", "token": mine["token"], "state": {"by": "me"}})
    ended = await here.work("finish", {"run_id": "run", "token": mine["token"], "outcome": 1})
    renewed = await here.work(
        "renew", {"worker": "by hand", "runs": [{"run_id": "run", "token": mine["token"]}], "wait": 0}
    )

    assert lost["token"] != mine["token"]
    assert [(each.status, each.json["code"]) for each in (written, ended)] == [(409, "lease_lost")] * 2
    assert renewed.json["lost"] == ["run"]


async def test_a_lease_whose_answer_was_lost_interrupts_nothing(here) -> None:
    await here.start("echo", "run", input=1)
    await here.work("lease", {"worker": "gone", "codes": ["echo"], "room": 1, "wait": 0})

    async with here.hosting(runtime):
        run = await here.finished("run")

    assert run["status"] == "completed"


def held(told: Steps, name: str) -> Runtime:
    """A code that waits for its answer, and says how that ended."""
    runtime = Runtime()

    @runtime.code("held")
    async def code(input, access):
        try:
            await access.interaction.confirm("Go?")
        except asyncio.CancelledError:
            told.say(f"{name} cancelled")
            raise
        told.say(f"{name} answered")

    @code.recover
    async def recover(saved, access):
        told.say(f"{name} recovered")
        return name

    return runtime


async def test_a_worker_that_cannot_renew_loses_its_run_and_writes_nothing(here) -> None:
    line, first, second, told = Line(), Steps(), Steps(), Steps()
    await here.start("held", "run")
    async with here.hosting(held(told, "first"), through=line, worker="first", on_step=first):
        await first.reached("waiting")
        line.is_cut = True
        async with here.hosting(held(told, "second"), worker="second", on_step=second):
            await second.reached("waiting")
            line.is_cut = False
            await told.reached("first cancelled")
            await here.click()
            run = await here.finished("run")

    assert (run["outcome"], run["worker"]) == ("second", "second")
    assert told.said == ["first cancelled", "second recovered"]
    assert first.said == ["started", "asked", "waiting"]


async def test_of_two_attempts_at_one_run_one_executes_and_the_other_ends_it_as_interrupted(here) -> None:
    line, first, second, go_on = Line(paths="/v1/work/"), Steps(), Steps(), asyncio.Event()
    late, inside = Runtime(), Runtime()

    @inside.code("act")
    async def act(input, access):
        answer = await access.interaction.confirm("Go?")
        await go_on.wait()
        async with answer.execution() as action:
            append_effect(f"first {action.execute}")
            await asyncio.Event().wait()

    @late.code("act")
    async def never(input, access):
        raise AssertionError("the run was begun before")

    @never.recover
    async def recover(saved, access):
        go_on.set()
        await first.reached("claimed")
        async with saved.confirmation.execution() as action:
            append_effect(f"second {action.execute}")

    await here.start("act", "run")
    async with here.hosting(inside, through=line, worker="first", on_step=first):
        await here.click()
        await first.reached("delivered")
        # It does not hear that its lease lapses, and may still claim.
        line.is_cut = True
        async with here.hosting(late, worker="second", on_step=second):
            run = await here.finished("run")

    assert run["error"]["code"] == "RUN_INTERRUPTED"
    assert here.effects == ["first True"]


async def lapsed(here, run_id: str) -> None:
    """Wait until somebody else may take the run."""
    store = here.place.house.store
    async with asyncio.timeout(20):
        while not (await store.find_run(tenant="default", run_id=run_id)).is_free(await store.now()):  # noqa: ASYNC110 - time tells nobody
            await asyncio.sleep(0.05)


class LeaseFirst(Line):
    """Once it is `armed`, long polls for news come after the next lease."""

    def __init__(self) -> None:
        super().__init__()
        self._leased = asyncio.Event()
        self._leased.set()

    def arm(self) -> asyncio.Event:
        """Set once something was leased again."""
        self._leased.clear()
        return self._leased

    def __call__(self, call):
        async def later(method, path, body):
            if path == "/v1/work/renew" and json.loads(body)["wait"]:
                await self._leased.wait()
            answer = await call(method, path, body)
            if path == "/v1/work/lease":
                self._leased.set()
            return answer

        return super().__call__(later)


async def test_a_worker_does_not_take_its_own_run_away_after_a_server_was_gone_for_long(here) -> None:
    line, steps = LeaseFirst(), Steps()
    await here.start("deploy once", "run")
    async with here.hosting(runtime, through=line, on_step=steps):
        await steps.reached("waiting")
        line.is_cut = True
        await lapsed(here, "run")
        leased_again = line.arm()
        line.is_cut = False
        await leased_again.wait()
        await here.click()
        run = await here.finished("run")

    assert run["outcome"]["outcome"] == "confirmed"
    assert here.effects == ["run"]
    assert steps.said.count("started") == 1


async def test_code_that_blocks_service_and_worker_for_long_takes_no_run_away(here) -> None:
    steps, blocking = Steps(), Runtime()

    @blocking.code("block")
    async def block(input, access):
        time.sleep(2.5)  # noqa: ASYNC251 - as careless code does, here in the process of the service

    @blocking.code("wait")
    async def wait(input, access):
        return (await access.interaction.confirm("Go?")).is_confirmed

    await here.start("wait", "run")
    async with here.hosting(blocking, on_step=steps):
        await steps.reached("waiting")
        await here.start("block", "blocks")
        blocked = await here.finished("blocks")
        await here.click()
        run = await here.finished("run")

    assert (blocked["status"], run["outcome"]) == ("completed", True)


async def test_a_machine_that_stood_still_takes_no_run_from_a_worker_that_stood_still_with_it(here) -> None:
    steps = Steps()
    await here.start("deploy once", "run")
    async with here.hosting(runtime, on_step=steps, limits=replace(QUICK, lease_wait=30)):
        await steps.reached("waiting")
        time.sleep(2.5)  # noqa: ASYNC251 - the worker's next lease is under way meanwhile
        await here.click()
        run = await here.finished("run")

    assert (run["status"], here.effects) == ("completed", ["run"])


async def test_an_answer_is_handed_over_once(here) -> None:
    await here.start("confirm only", "run")
    run = await leased(here)
    asking = {"kind": "user_ask_confirmation", "request": {"title": "Go?"}}
    asked = await here.work("checkpoint", {"run_id": "run", "token": run["token"], "action": asking})
    action = asked.json["run"]["action"]
    delivery = {"run_id": "run", "token": run["token"], "delivered": action["id"]}

    early = await here.work("checkpoint", delivery)
    other = await here.work(
        "checkpoint", {"run_id": "run", "token": run["token"], "action": {**asking, "request": {"title": "No?"}}}
    )
    await here.click()
    first = await here.work("checkpoint", delivery)
    again = await here.work("checkpoint", delivery)
    taken = await leased(here, worker="another")
    second = await here.work("checkpoint", {**delivery, "token": taken["token"]})

    assert [(each.status, each.json.get("code")) for each in (early, other, second)] == [(409, "conflict")] * 3
    assert [first.status, again.status] == [200, 200]
    assert "no longer the run's current unanswered action" in second.json["detail"]


async def test_a_state_that_is_not_confirmed_within_the_retries_stops_the_run(here) -> None:
    line, steps = Line(), Steps()

    def on_step(step, run_id):
        line.is_cut = line.is_cut or step == "started"
        steps(step, run_id)

    await here.start("big state", "run", input={"bytes": 1})
    # The server is away for longer than the retries, and shorter than the lease.
    limits = replace(QUICK, retry_for=0.2)
    async with here.hosting(runtime, through=line, on_step=on_step, limits=limits):
        await steps.reached("finishing")
        line.is_cut = False
        run = await here.finished("run")

    assert (run["error"]["code"], run["error"]["retryable"]) == ("RUN_CHECKPOINT_FAILED", True)
    assert here.effects == []


async def test_a_worker_that_is_told_to_end_leaves_what_waits_to_the_next_one(here) -> None:
    await here.start("deploy", "run")
    async with here.process() as first:
        await here.place.card(DEPLOYS)
        assert await first.terminate() == 0
        left = await here.place.house.store.find_run(tenant="default", run_id="run")
        assert left.is_free(await here.place.house.store.now())

    async with here.process() as second:
        await here.click()
        run = await here.finished("run")

    assert run["outcome"]["outcome"] == "confirmed"
    assert "asked run" not in second.steps.said
    assert "finishing run" not in first.steps.said


async def test_a_worker_that_is_told_to_end_lets_running_code_reach_its_next_wait(here) -> None:
    slow, go_on, steps = Runtime(), asyncio.Event(), Steps()

    @slow.code("slow")
    async def code(input, access):
        await go_on.wait()
        await access.state.update({"half": True})
        await access.interaction.confirm("Go?")

    await here.start("slow", "run")
    async with here.hosting(slow, on_step=steps, limits=replace(QUICK, grace=10)) as working:
        await steps.reached("started")
        working.cancel()
        asyncio.get_running_loop().call_later(0.1, go_on.set)
        await asyncio.wait({working})

    run = await here.read("run")
    assert steps.said == ["started", "checkpointed", "asked"]
    assert (run["status"], run["state"]) == ("waiting", {"half": True})


async def test_no_more_code_runs_at_once_than_was_said_and_what_waits_does_not_count(here) -> None:
    busy, steps, run_ids = Runtime(), Steps(), [f"run {number}" for number in range(6)]
    most = now = 0

    async def step_on(access):
        nonlocal most, now
        now += 1
        most = max(most, now)
        await access.state.update({"now": now})
        now -= 1

    @busy.code("busy")
    async def code(input, access):
        await step_on(access)
        await access.interaction.confirm("Go?")
        await step_on(access)

    for run_id in run_ids:
        await here.start("busy", run_id, audience=DECIDED)
    async with here.hosting(busy, on_step=steps, limits=replace(QUICK, running=2)):
        await steps.reached("waiting", count=6)
        await here.decide_all(run_ids)
        await steps.reached("finished", count=6)

    assert most == 2
