"""What a network and a restart take away: replies, connections, the server itself. Nothing is asked or run twice."""

import asyncio

import pytest

import signoff
from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, DEPLOYS
from tests.e2e.process import make_key, serving
from tests.sdk.cutter import Cutter
from tests.sdk.either import DEPLOY, TITLE, Either, inputs


@pytest.fixture
async def cutter(here):
    async with Cutter(here.house.url).listening() as found:
        yield found


@pytest.fixture
async def far(here, kind, cutter):
    """A client behind the cutter."""
    client = Either(kind(url=cutter.url, key=here.token, patience=5, environment={}))
    yield client
    await client.close()


async def approve(here) -> None:
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)


async def test_a_lost_reply_to_an_ask_asks_once(here, far, cutter) -> None:
    cutter.lose("/v1/approvals", 2)

    asked = await far.request()

    assert cutter.passed == ["POST /v1/approvals"] * 3
    assert [each.id for each in (await far.list()).items] == [asked.id]


async def test_a_lost_reply_to_a_claim_still_runs_once(here, far, cutter) -> None:
    cutter.lose("/claim")
    running = asyncio.create_task(far.approved(inputs))
    await approve(here)

    assert await running == DEPLOY["input"]
    assert len([path for path in cutter.passed if path.endswith("/claim")]) == 2


async def test_a_lost_reply_to_the_final_report_is_reported_once(here, far, cutter) -> None:
    asked = await far.request()
    await approve(here)
    found = await far.wait(asked)
    cutter.lose("/report", 3)

    await far.executed(found, inputs)

    assert (await far.read(asked)).progress.status == "succeeded"


async def test_a_lost_reply_to_a_withdrawal_does_not_matter(here, far, cutter) -> None:
    asked = await far.request()
    cutter.lose("/withdraw")

    assert (await far.withdraw(asked)).interaction.state == "withdrawn"


async def test_a_decision_is_not_sent_twice(here, far, cutter) -> None:
    asked = await far.request()
    cutter.lose("/decide")

    with pytest.raises(signoff.Unreachable):
        await far.decide(asked, "deny")

    assert len([path for path in cutter.passed if path.endswith("/decide")]) == 1


async def test_an_end_that_cannot_be_reported_is_said_and_does_not_hide_the_runs_own_error(here, far, cutter) -> None:
    asked = await far.request()
    await approve(here)
    found = await far.wait(asked)

    def broken(_):
        cutter.upstream = "http://127.0.0.1:9"
        raise RuntimeError("zone 2 is down")

    far.client._asker.wire.patience = 0.1
    with pytest.raises(RuntimeError, match="zone 2") as failed:
        await far.executed(found, broken)

    assert "could not be reported" in failed.value.__notes__[0]


async def test_an_effect_that_cannot_be_reported_is_no_success(here, far, cutter) -> None:
    asked = await far.request()
    await approve(here)
    found = await far.wait(asked)

    def cut(_):
        cutter.upstream = "http://127.0.0.1:9"

    far.client._asker.wire.patience = 0.1
    with pytest.raises(signoff.NotReported, match="do not run it again"):
        await far.executed(found, cut)


async def test_where_nobody_listens_the_error_says_where_and_what_to_set(kind) -> None:
    client = Either(kind(url="http://127.0.0.1:9", key="so_x", patience=0.2, environment={}))

    with pytest.raises(signoff.Unreachable, match=r"No answer from http://127\.0\.0\.1:9: .*SIGNOFF_URL"):
        await client.me()

    await client.close()


async def test_a_wait_outlives_a_server_that_is_killed_and_started_again(kind, tmp_path) -> None:
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with Sandbox() as slack, Cutter("").listening() as cutter:
        async with serving(slack, database) as first:
            token = await make_key(slack, database)
            cutter.upstream = first.url
            so = Either(kind(url=cutter.url, key=token, patience=10, environment={}))
            running = asyncio.create_task(so.approved(inputs))
            card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS)))[0]
            first.kill()
            await first.gone()
        async with serving(slack, database) as second:
            cutter.upstream = second.url
            await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

            assert await asyncio.wait_for(running, 30) == DEPLOY["input"]
            assert len((await so.list()).items) == 1
            await so.close()


async def due(here, asked):
    """When the next report is due: the same report again moves nothing that a run sees, and this."""
    found = await here.house.store.find_approval(tenant="default", id=asked.id)
    return found.execution.report_due_at


async def test_the_reports_that_a_run_promised_are_made_while_it_works(here) -> None:
    async with signoff.AsyncSignoff(url=here.house.url, key=here.token, environment={}) as so:
        asked = await so.run("run-1").request_approval(TITLE, **DEPLOY)
        await approve(here)
        async with (await so.wait(asked)).execution(report_within=1) as action:
            at = action.approval.progress.at
            for words in ("zone 1 of 3", "zone 2 of 3"):
                await action.running(words)
                said = (await so.read(asked)).progress
                assert (said.status, said.detail, said.at >= at) == ("running", words, True)
            # Silent for longer than was promised: what is beside it keeps the promise.
            promised = await due(here, asked)
            while (await due(here, asked) - promised).total_seconds() < 1.5:
                assert (await so.read(asked)).progress.status == "running"


def test_a_thread_keeps_the_promise_for_code_that_blocks(here_in_a_thread) -> None:
    here, call = here_in_a_thread
    with signoff.Signoff(url=here.house.url, key=here.token, environment={}) as so:
        asked = so.run("run-1").request_approval(TITLE, **DEPLOY)
        call(approve(here))
        with so.execution(so.wait(asked), report_within=1):
            promised = call(due(here, asked))
            while (call(due(here, asked)) - promised).total_seconds() < 1.5:
                assert so.read(asked).progress.status in {"claimed", "running"}
        assert so.read(asked).progress.status == "succeeded"


async def test_what_no_exception_ended_is_not_reported(here, so) -> None:
    class Interrupted(BaseException):
        pass

    asked = await so.request()
    await approve(here)
    found = await so.wait(asked)

    def interrupted(_):
        raise Interrupted

    with pytest.raises(Interrupted):
        await so.executed(found, interrupted)

    assert (await so.read(asked)).progress.status in {"claimed", "running"}
