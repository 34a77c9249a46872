"""Postgres when it breaks: connections killed in mid-call, statements that take too long, servers that are gone."""

import asyncio
import socket
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

import asyncpg
import pytest

from store import errors
from store.open import open_store
from store.sql.listener import Pulse, listening
from store.types import Approvers, Decision, ExecutionStatus, State
from tests.store.contract.makers import (
    ANA,
    BEN,
    HANDLER,
    HOUR,
    NOW,
    TENANT,
    YES,
    a_question,
    an_approval,
    answer,
    asked,
    cards,
    claim,
    decide,
    decided,
    now_is,
    said,
    withdraw,
)
from tests.store.cutter import Cutter

KILL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'signoff' AND datname = current_database()"


@pytest.fixture
async def store(postgres_url):
    opened = await open_store(postgres_url)
    yield opened
    assert opened._database.is_idle
    await opened.close()


@pytest.fixture
async def other(postgres_url):
    connection = await asyncpg.connect(postgres_url)
    yield connection
    await connection.close()


@pytest.fixture
async def cut(postgres_url):
    """A store behind a network that can lose replies, and that network."""
    cutter = Cutter(postgres_url)
    async with cutter.listening() as url:
        opened = await open_store(url)
        yield opened, cutter
        assert opened._database.is_idle
        await opened.close()


async def test_after_a_restart_of_the_server_every_call_works(store, other) -> None:
    approval = await asked(store)
    await asyncio.gather(*(store.list_pending(tenant=TENANT) for _ in range(8)))
    await other.execute(KILL)

    outcomes = await asyncio.gather(
        decide(store, approval), *(store.list_pending(tenant=TENANT) for _ in range(8)), return_exceptions=True
    )

    assert not [each for each in outcomes if isinstance(each, BaseException)]
    assert not outcomes[0].already_resolved


async def test_a_connection_killed_in_mid_call_gets_one_repeat(store, other, postgres_url) -> None:
    approval = await asked(store)
    async with other.transaction():
        await other.execute("SELECT 1 FROM interactions FOR UPDATE")
        call = asyncio.ensure_future(decide(store, approval))
        await _waiting(postgres_url, 1)
        killer = await asyncpg.connect(postgres_url)
        await killer.execute(f"{KILL} AND wait_event_type = 'Lock'")
        await _waiting(postgres_url, 1)
        await killer.close()

    outcome = await call

    assert (outcome.already_resolved, outcome.approval.state) == (False, State.APPROVED)
    assert await said(store, approval) == ["created", "approved"]


async def test_killed_twice_is_unconfirmed_and_calling_again_is_safe(store, other, postgres_url) -> None:
    approval = await asked(store)
    killer = await asyncpg.connect(postgres_url)
    async with other.transaction():
        await other.execute("SELECT 1 FROM interactions FOR UPDATE")
        call = asyncio.ensure_future(decide(store, approval))
        for _ in range(2):
            await _waiting(postgres_url, 1)
            await killer.execute(f"{KILL} AND wait_event_type = 'Lock'")
        with pytest.raises(errors.Unconfirmed):
            await call
    await killer.close()

    assert (await now_is(store, approval)).is_pending
    assert not (await decide(store, approval)).already_resolved


async def _waiting(url: str, count: int) -> None:
    """Until so many of the store's statements wait for a lock."""
    connection = await asyncpg.connect(url)
    sql = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'signoff'"
        " AND datname = current_database() AND wait_event_type = 'Lock'"
    )
    while await connection.fetchval(sql) < count:  # noqa: ASYNC110  # another process's state has no event
        await asyncio.sleep(0.005)
    await connection.close()


async def test_a_decision_whose_reply_was_lost_is_ones_own(cut) -> None:
    store, network = cut
    approval = await asked(store)

    async with network.losing():
        outcome = await decide(store, approval)

    assert (outcome.already_resolved, outcome.approval.state) == (False, State.APPROVED)
    assert await said(store, approval) == ["created", "approved"]
    assert [each.wanted for each in await cards(store, approval)] == [2, 2]


async def test_a_lost_vote_is_counted_once(cut) -> None:
    store, network = cut
    approval = await asked(store, approvers=Approvers(quorum=2))

    async with network.losing():
        outcome = await decide(store, approval)

    assert (outcome.already_resolved, outcome.approval.state) == (False, State.PENDING)
    assert await said(store, approval) == ["created", "voted"]


async def test_a_lost_reply_to_a_late_click_is_an_expiry(cut) -> None:
    store, network = cut
    approval = await asked(store)

    async with network.losing():
        # The statement that changes nothing says nothing to lose but itself.
        outcome = await decide(store, approval, at=NOW + HOUR)

    assert (outcome.already_resolved, outcome.approval.state) == (True, State.EXPIRED)
    assert await said(store, approval) == ["created", "expired"]


async def test_somebody_elses_decision_is_never_taken_for_ones_own(cut) -> None:
    store, network = cut
    approval = await decided(store)

    async with network.losing():
        outcome = await decide(store, approval, actor=BEN, decision=Decision.DENY)

    assert (outcome.already_resolved, outcome.approval.state) == (True, State.APPROVED)


async def test_twice_lost_is_unconfirmed_and_calling_again_is_safe(cut) -> None:
    store, network = cut
    approval = await asked(store)

    async with network.losing(2):
        with pytest.raises(errors.Unconfirmed):
            await decide(store, approval)

    again = await decide(store, approval)
    assert (again.already_resolved, again.approval.state, again.approval.resolved_by) == (True, State.APPROVED, ANA)
    assert await said(store, approval) == ["created", "approved"]


async def test_an_ask_whose_reply_was_lost_is_created(cut) -> None:
    store, network = cut
    approval, replacement = an_approval(), an_approval()
    replacement = replace(replacement, supersedes=approval.id)

    async with network.losing():
        first = await store.create_approval(approval=approval)
    async with network.losing():
        second = await store.create_approval(approval=replacement)

    assert (first.created, first.interaction) == (True, approval)
    assert (second.created, second.interaction) == (True, replacement)
    assert (await now_is(store, approval)).superseded_by == replacement.id


async def test_an_answer_and_a_withdrawal_whose_replies_were_lost_are_ones_own(cut) -> None:
    store, network = cut
    question, other = await asked(store, a_question()), await asked(store, a_question())

    async with network.losing():
        answered = await answer(store, question)
    async with network.losing():
        gone = await withdraw(store, other)

    assert (answered.already_resolved, answered.question.answers) == (False, YES)
    assert gone.withdrawn


async def test_a_claim_and_its_report_whose_replies_were_lost_are_ones_own(cut) -> None:
    store, network = cut
    approval = await decided(store)

    async with network.losing():
        claimed = await claim(store, approval)
    async with network.losing():
        reported = await store.report_execution(
            tenant=TENANT, id=approval.id, claim_id="claim-1", status=ExecutionStatus.FAILED, at=NOW + HOUR
        )

    assert (claimed.claimed, claimed.execute) == (True, True)
    assert reported.execution.status is ExecutionStatus.FAILED
    assert await said(store, approval) == ["created", "approved", "claimed", "reported"]


async def test_work_whose_replies_were_lost_is_finished(cut) -> None:
    store, network = cut
    approval = await decided(store, resume=HANDLER)
    until = {"now": NOW + HOUR, "until": NOW + 2 * HOUR}
    (telling,) = await store.lease_resumptions(**until, limit=1, handlers={"deploy"}, webhooks=False)
    painting, failing = await store.lease_postings(**until, limit=2)

    async with network.losing():
        assert await store.finish_resumption(interaction=approval, lease=telling.lease, now=NOW + HOUR)
    async with network.losing():
        assert await store.finish_posting(
            posting=painting.posting, lease=painting.lease, painted=2, now=NOW + HOUR, channel="C1", ts="1.1"
        )
    async with network.losing():
        assert await store.retry_posting(posting=failing.posting, lease=failing.lease, error="boom", due_at=None)

    assert (await now_is(store, approval)).resumption.wakes == 1
    assert [(each.painted, each.error) for each in await cards(store, approval)] == [(2, None), (0, "boom")]


async def test_a_click_that_waits_too_long_is_unconfirmed_within_its_budget(store, other) -> None:
    approval = await asked(store)
    loop = asyncio.get_running_loop()
    async with other.transaction():
        await other.execute("SELECT 1 FROM interactions FOR UPDATE")
        started = loop.time()
        with pytest.raises(errors.Unconfirmed):
            await decide(store, approval)
        assert loop.time() - started < 2.5

    assert not (await decide(store, approval)).already_resolved


async def test_people_do_not_wait_behind_work(store) -> None:
    approval, question, other = await asked(store), await asked(store, a_question()), await asked(store)

    async with AsyncExitStack() as work:
        for _ in range(10):
            await work.enter_async_context(store._database.write())

        assert not (await decide(store, approval)).already_resolved
        assert (await decide(store, approval, actor=BEN)).already_resolved
        assert (await claim(store, approval)).execute
        assert not (await answer(store, question)).already_resolved
        assert (await withdraw(store, other)).withdrawn


async def test_a_cancelled_caller_leaves_a_whole_transition_and_no_connection(store) -> None:
    approvals = [await asked(store) for _ in range(20)]
    calls = [asyncio.ensure_future(decide(store, approval)) for approval in approvals]
    readers = [asyncio.ensure_future(store.list_pending(tenant=TENANT)) for _ in range(20)]
    await asyncio.sleep(0)

    for call in [*calls, *readers]:
        call.cancel()
    await asyncio.gather(*calls, *readers, return_exceptions=True)
    await store._calls.finish()

    for approval in approvals:
        assert await said(store, approval) == ["created", "approved"]


async def test_other_processes_hear_of_every_transition(store, postgres_url) -> None:
    """One after the other, since several of one interaction at once are told as one."""
    replica = await open_store(postgres_url)
    async with replica.changes() as ids:
        approval = await asked(store)
        heard = [await anext(ids)]
        await decide(store, approval)
        heard.append(await anext(ids))
        await claim(store, approval)
        heard.append(await anext(ids))
        question = await asked(store, a_question())
        heard.append(await anext(ids))
        await answer(store, question, answers=YES)
        heard.append(await anext(ids))
    await replica.close()

    assert heard == [approval.id] * 3 + [question.id] * 2


async def test_a_listener_that_was_cut_off_listens_again(store, other, postgres_url) -> None:
    async with store.changes() as ids:
        await other.execute(KILL)
        listening = asyncio.ensure_future(anext(ids))
        while not listening.done():
            await asked(store)
            await asyncio.wait([listening], timeout=0.1)

        assert (await listening).startswith("apr_")


async def test_a_line_that_died_without_a_word_is_noticed_and_mended(store, postgres_url) -> None:
    cutter = Cutter(postgres_url)
    async with cutter.listening() as url, listening(url, pulse=Pulse(every=0.02, patience=0.1)) as ids:
        cutter.is_silent = True
        await _waiting_for(lambda: cutter.seen > 1)
        cutter.is_silent = False

        heard = asyncio.ensure_future(anext(ids))
        while not heard.done():
            await asked(store)
            await asyncio.wait([heard], timeout=0.1)

        assert (await heard).startswith("apr_")


async def _waiting_for(condition) -> None:
    while not condition():  # noqa: ASYNC110  # sockets of another side tell no event
        await asyncio.sleep(0.005)


async def test_a_server_that_is_gone_is_unconfirmed(store, postgres_url) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"postgresql://u:p@127.0.0.1:{closed.getsockname()[1]}/d"
        with pytest.raises(errors.Unconfirmed):
            await open_store(address)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.2):
                async with listening(address) as ids:
                    await anext(ids)


async def test_a_wrong_password_says_so(postgres_url) -> None:
    from urllib.parse import urlsplit

    parts = urlsplit(postgres_url)
    wrong = parts._replace(netloc=f"postgres:wrong@{parts.hostname}:{parts.port}").geturl()

    with pytest.raises(asyncpg.InvalidPasswordError):
        await open_store(wrong)
