"""Hosted runs: started once, held by one worker at a time, ended once, and what each writes is fenced."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from store import errors
from store.runs import (
    ActionKind,
    Ending,
    HeldRun,
    Run,
    RunError,
    RunErrorCode,
    RunStatus,
    RunStop,
)
from tests.store.contract.makers import ANA, HOUR, MINUTE, MOMENT, NOW, OTHER, TENANT
from tests.store.contract.makers_runs import a_run

LEASE = timedelta(seconds=60)
ASK = '{"title": "Ship?", "input": {"b": 1, "a": 2}}'
DONE = Ending(outcome_json='{"outcome": "done"}')
BROKEN = Ending(error=RunError(code=RunErrorCode.FAILED, message="it raised", retryable=True))


async def started(store, **fields: Any) -> Run:
    return (await store.start_run(run=a_run(**fields))).run


async def lease(store, *, at=NOW, limit=10, codes=("ship",), tenant=TENANT, worker="w-1") -> Any:
    return await store.lease_runs(tenant=tenant, codes=codes, worker=worker, now=at, until=at + LEASE, limit=limit)


async def leased(store, **fields: Any) -> Run:
    """A run that a worker has just taken."""
    run = await started(store, **fields)
    (taken,) = [each for each in await lease(store) if each.id == run.id]
    return taken


def mine(run: Run, **more: Any) -> dict[str, Any]:
    """The arguments of its holder."""
    return {"tenant": run.tenant, "run_id": run.id, "token": run.lease.token, **more}


async def act(store, run: Run, **more: Any) -> Run:
    given = {"kind": ActionKind.CONFIRMATION, "request_json": ASK, "at": NOW + MINUTE, **more}
    return await store.save_action(**mine(run), **given)


async def asked(store, run: Run, *, interaction_id="apr_1") -> Run:
    """A run whose action was asked."""
    saved = await act(store, run)
    return await store.note_asked(**mine(run, cursor=saved.cursor, interaction_id=interaction_id))


async def found(store, run: Run) -> Run:
    return await store.find_run(tenant=run.tenant, run_id=run.id)


async def renew(store, *runs: Run, at=NOW + MINUTE) -> Any:
    tokens = {run.id: run.lease.token for run in runs}
    return await store.renew_runs(tenant=TENANT, tokens=tokens, now=at, until=at + LEASE)


def a_stop(**more: Any) -> RunStop:
    return RunStop(**{"at": NOW + MINUTE, "actor": ANA, "reason": "not today", **more})


async def stop(store, run: Run, **more: Any) -> Run:
    return await store.stop_run(tenant=run.tenant, run_id=run.id, stop=a_stop(**more))


async def test_a_run_is_found_as_it_was_started(store) -> None:
    run = a_run()

    first = await store.start_run(run=run)

    assert (first.created, first.run, await found(store, run)) == (True, run, run)
    assert (run.status, run.is_finished, run.is_free(NOW)) == (RunStatus.QUEUED, False, True)
    assert await store.find_run(tenant=OTHER, run_id=run.id) is None


async def test_the_same_start_again_gives_the_run_as_it_is_and_another_one_is_a_conflict(store) -> None:
    run = await leased(store)

    again = await store.start_run(run=a_run(id=run.id, created_at=NOW + HOUR))

    assert (again.created, again.run) == (False, run)
    with pytest.raises(errors.OtherStart, match=run.id):
        await store.start_run(run=a_run(id=run.id, request_digest="other"))
    assert (await store.start_run(run=a_run(id=run.id, tenant=OTHER, request_digest="other"))).created


async def test_of_starts_at_once_one_creates(store) -> None:
    runs = [a_run(id="run-1") for _ in range(8)]

    outcomes = await asyncio.gather(*(store.start_run(run=run) for run in runs))

    assert sum(outcome.created for outcome in outcomes) == 1
    assert {outcome.run.id for outcome in outcomes} == {"run-1"}


async def test_a_worker_takes_what_it_has_code_for_the_oldest_first(store) -> None:
    second = await started(store, created_at=NOW - MINUTE)
    first = await started(store, created_at=NOW - HOUR)
    await started(store, code="other")
    await started(store, tenant=OTHER)
    third = await started(store)

    one = await lease(store, limit=2, codes=("ship", "sail"))
    two = await lease(store, worker="w-2")

    assert [run.id for run in one] == [first.id, second.id]
    assert [run.id for run in two] == [third.id]
    assert [(run.worker, run.lease.until) for run in (*one, *two)] == [("w-1", NOW + LEASE)] * 2 + [
        ("w-2", NOW + LEASE)
    ]
    assert await lease(store) == []
    assert await found(store, first) == one[0]
    assert one[0].status is RunStatus.QUEUED


async def test_a_lapsed_lease_is_taken_by_another_and_its_token_is_void(store) -> None:
    run = await leased(store)
    assert await lease(store, at=NOW + LEASE - MOMENT) == []

    (taken,) = await lease(store, at=NOW + LEASE, worker="w-2")

    assert taken.id == run.id
    assert taken.lease.token != run.lease.token
    late = mine(run)
    for call in (
        store.save_state(**late, state_json="1", at=NOW),
        store.save_action(**late, kind=ActionKind.CONFIRMATION, request_json=ASK, at=NOW),
        store.note_asked(**late, cursor=1, interaction_id="apr_1"),
        store.drop_action(**late, cursor=1),
        store.mark_delivered(**late, action_id="act_1", at=NOW),
        store.finish_run(**late, ending=DONE, at=NOW),
    ):
        with pytest.raises(errors.LeaseLost, match=run.id):
            await call
    assert await renew(store, run) == []
    assert await found(store, run) == taken


async def test_two_workers_that_pull_at_once_never_take_the_same_run(store) -> None:
    runs = [await started(store) for _ in range(30)]

    taken = await asyncio.gather(*(lease(store, limit=4, worker=f"w-{n}") for n in range(10)))
    rest = await lease(store, limit=30)

    ids = [run.id for each in (*taken, rest) for run in each]
    assert sorted(ids) == sorted(run.id for run in runs)


async def test_a_lapsed_lease_that_nobody_took_is_still_held(store) -> None:
    run = await leased(store)

    saved = await store.save_state(**mine(run), state_json='{"b": 1, "a": 2}', at=NOW + HOUR)

    assert saved.state_json == '{"b": 1, "a": 2}'
    assert saved.lease == run.lease


async def test_a_state_that_says_its_place_replaces_no_newer_one(store) -> None:
    run = await leased(store)
    first, second = mine(run, state_json="1", at=NOW, saves=1), mine(run, state_json="2", at=NOW, saves=2)

    saved = [await store.save_state(**each) for each in (first, first, second)]

    assert [(each.saves, each.state_json) for each in saved] == [(1, "1"), (1, "1"), (2, "2")]
    for late in (first, {**second, "state_json": "3"}, {**second, "saves": 4}):
        with pytest.raises(errors.StaleState):
            await store.save_state(**late)
    assert (await store.save_state(**mine(run, state_json="2", at=NOW))).saves == 3
    assert await found(store, run) == replace(saved[2], saves=3)


async def test_what_is_given_back_is_free_at_once_and_only_that(store) -> None:
    for _ in range(4):
        await started(store)
    kept, given, done, foreign = await lease(store)
    await store.finish_run(**mine(done), ending=DONE, at=NOW)
    tokens = {given.id: given.lease.token, done.id: done.lease.token, foreign.id: "theirs", "run_none": "t"}

    assert await store.release_runs(tenant=OTHER, tokens=tokens, now=NOW + MINUTE / 2) == []
    assert await store.release_runs(tenant=TENANT, tokens=tokens, now=NOW + MINUTE / 2) == [given.id]

    (taken,) = await lease(store, at=NOW + MINUTE / 2)
    assert (taken.id, taken.lease.token != given.lease.token) == (given.id, True)
    assert await store.release_runs(tenant=TENANT, tokens={given.id: given.lease.token}, now=NOW + MINUTE) == []
    assert (await found(store, taken)).lease == taken.lease
    assert (await found(store, done)).is_finished
    assert (await found(store, kept)).lease == kept.lease


async def test_what_was_given_back_and_not_taken_can_be_renewed(store) -> None:
    run = await leased(store)
    await store.release_runs(tenant=TENANT, tokens={run.id: run.lease.token}, now=NOW + MINUTE / 2)

    assert [each.run_id for each in await renew(store, run)] == [run.id]
    assert await lease(store, at=NOW + MINUTE) == []


async def test_renewing_holds_all_that_are_ours_and_begins_them(store) -> None:
    runs = [await started(store) for _ in range(5)]
    taken = await lease(store)
    stopping, waiting = taken[1], taken[2]
    await stop(store, stopping)
    await asked(store, waiting, interaction_id="apr_7")
    await store.finish_run(**mine(taken[4]), ending=DONE, at=NOW)
    foreign = replace(taken[3], lease=replace(taken[3].lease, token="theirs"))

    told = await renew(store, taken[0], stopping, waiting, foreign, taken[4])

    held = partial(HeldRun, until=NOW + MINUTE + LEASE, has_begun=True)
    assert sorted(told, key=lambda each: each.run_id) == sorted(
        [
            held(run_id=taken[0].id, is_stopping=False),
            held(run_id=stopping.id, is_stopping=True),
            held(run_id=waiting.id, is_stopping=False, interaction_id="apr_7"),
        ],
        key=lambda each: each.run_id,
    )
    again = await store.held_runs(tenant=TENANT, tokens={waiting.id: waiting.lease.token, foreign.id: "theirs"})
    assert again == [held(run_id=waiting.id, is_stopping=False, interaction_id="apr_7")]
    (not_begun,) = await store.held_runs(tenant=TENANT, tokens={taken[3].id: taken[3].lease.token})
    assert not_begun == HeldRun(run_id=taken[3].id, until=taken[3].lease.until, has_begun=False, is_stopping=False)
    assert await store.held_runs(tenant=OTHER, tokens={waiting.id: waiting.lease.token}) == []
    after = await found(store, taken[0])
    assert (after.lease.until, after.begun_at, after.status) == (NOW + MINUTE + LEASE, NOW + MINUTE, RunStatus.RUNNING)
    assert (await found(store, taken[3])).begun_at is None
    assert len(runs) == len(taken)


async def test_a_run_begins_once(store) -> None:
    run = await leased(store)
    await renew(store, run, at=NOW + MOMENT)
    await renew(store, run, at=NOW + MINUTE)
    await store.save_state(**mine(run), state_json="1", at=NOW + MINUTE)
    fresh = await leased(store)

    begun = await store.save_state(**mine(fresh), state_json="1", at=NOW + MINUTE)

    assert (await found(store, run)).begun_at == NOW + MOMENT
    assert begun.begun_at == NOW + MINUTE


async def test_an_action_is_saved_asked_and_delivered(store) -> None:
    run = await leased(store)

    saved = await act(store, run)
    noted = await store.note_asked(**mine(run, cursor=1, interaction_id="apr_1"))
    delivered = await store.mark_delivered(**mine(run, action_id=saved.action.id, at=NOW + HOUR))

    action = saved.action
    assert (saved.cursor, action.cursor, action.operation_id, saved.status) == (1, 1, "action-1", RunStatus.WAITING)
    assert (action.kind, action.request_json, action.created_at) == (ActionKind.CONFIRMATION, ASK, NOW + MINUTE)
    assert action.id.startswith("act_")
    assert noted.action == replace(action, interaction_id="apr_1")
    assert delivered.action == replace(noted.action, delivered_at=NOW + HOUR, delivered_to=run.lease.token)
    assert delivered.status is RunStatus.RUNNING
    assert await found(store, run) == delivered


async def test_what_was_done_before_is_recognised(store) -> None:
    run = await leased(store)
    saved = await act(store, run)

    same = await act(store, run, request_json='{"input":{"a":2,"b":1},"title":"Ship?"}', at=NOW + HOUR, cursor=1)
    noted = [await store.note_asked(**mine(run, cursor=1, interaction_id="apr_1")) for _ in range(2)]
    told = [await store.mark_delivered(**mine(run, action_id=saved.action.id, at=NOW + n * HOUR)) for n in (1, 2)]
    ended = [await store.finish_run(**mine(run, ending=DONE, at=NOW + n * HOUR)) for n in (3, 4)]

    assert same == saved
    assert noted[0] == noted[1]
    assert told[0] == told[1]
    assert ended[0] == ended[1] == await found(store, run)


async def test_while_an_action_is_open_there_is_no_other(store) -> None:
    run = await asked(store, await leased(store))

    for other in (
        {"request_json": '{"title": "Other?"}'},
        {"kind": ActionKind.QUESTIONS},
        {"cursor": 2},
    ):
        with pytest.raises(errors.NotCurrent) as raised:
            await act(store, run, **other)
        assert raised.value.id == run.action.id
    with pytest.raises(errors.NotCurrent):
        await store.note_asked(**mine(run, cursor=1, interaction_id="apr_2"))
    with pytest.raises(errors.NotCurrent):
        await store.note_asked(**mine(run, cursor=2, interaction_id="apr_1"))
    assert await found(store, run) == run


async def test_a_late_duplicate_of_an_action_asks_nothing_new(store) -> None:
    run = await asked(store, await leased(store))
    await store.mark_delivered(**mine(run, action_id=run.action.id, at=NOW))

    with pytest.raises(errors.NotCurrent):
        await act(store, run, cursor=1)

    following = await act(store, run, cursor=2)
    assert (following.cursor, following.action.operation_id, following.action.interaction_id) == (2, "action-2", None)
    assert following.action.delivered_at is None


async def test_an_answer_is_delivered_to_one_lease(store) -> None:
    run = await asked(store, await leased(store))
    delivered = await store.mark_delivered(**mine(run, action_id=run.action.id, at=NOW))
    (other,) = await lease(store, at=NOW + HOUR)

    with pytest.raises(errors.NotCurrent):
        await store.mark_delivered(**mine(other, action_id=run.action.id, at=NOW))

    assert (await found(store, run)).action == delivered.action


async def test_only_the_newest_action_that_was_asked_is_delivered(store) -> None:
    run = await leased(store)
    with pytest.raises(errors.NotCurrent):
        await store.mark_delivered(**mine(run, action_id="act_1", at=NOW))
    saved = await act(store, run)

    for action_id in (saved.action.id, "act_other"):
        with pytest.raises(errors.NotCurrent):
            await store.mark_delivered(**mine(run, action_id=action_id, at=NOW))

    assert await found(store, run) == saved


async def test_an_action_that_could_not_be_asked_leaves_nothing(store) -> None:
    run = await leased(store)
    await act(store, run)

    dropped = await store.drop_action(**mine(run, cursor=1))

    assert (dropped.cursor, dropped.action, dropped.status) == (0, None, RunStatus.RUNNING)
    again = await act(store, run, cursor=1)
    assert again.action.operation_id == "action-1"
    kept = await store.note_asked(**mine(run, cursor=1, interaction_id="apr_1"))
    assert await store.drop_action(**mine(run, cursor=1)) == kept
    assert await store.drop_action(**mine(run, cursor=9)) == kept


@pytest.mark.parametrize(("ending", "status"), [(DONE, RunStatus.COMPLETED), (BROKEN, RunStatus.FAILED)])
async def test_a_run_ends_for_good(store, ending, status) -> None:
    run = await asked(store, await leased(store))

    ended = await store.finish_run(**mine(run, ending=ending, at=NOW + HOUR))

    assert (ended.status, ended.ending, ended.finished_at, ended.lease) == (status, ending, NOW + HOUR, None)
    assert ended.finished_by == run.lease.token
    assert await found(store, run) == ended
    assert await lease(store, at=NOW + 9 * HOUR) == []
    assert await renew(store, run) == []
    for call in (
        store.save_state(**mine(run), state_json="1", at=NOW),
        store.finish_run(**mine(run, ending=Ending(outcome_json="2"), at=NOW)),
        store.finish_run(**{**mine(run), "token": "theirs"}, ending=ending, at=NOW),
    ):
        with pytest.raises(errors.LeaseLost):
            await call
    assert await store.finished_among(ids=[(TENANT, run.id), (OTHER, run.id), (TENANT, "no")]) == {(TENANT, run.id)}
    assert await store.finished_among(ids=[]) == set()


async def test_a_run_that_is_to_stop_takes_no_checkpoint_but_an_end(store) -> None:
    run = await asked(store, await leased(store))

    stopping = await stop(store, run)

    assert stopping == replace(run, stop=a_stop())
    assert await stop(store, run, reason="again") == stopping
    for call in (
        store.save_state(**mine(run), state_json="1", at=NOW),
        act(store, run),
        store.mark_delivered(**mine(run, action_id=run.action.id, at=NOW)),
    ):
        with pytest.raises(errors.RunStopping):
            await call
    assert await store.note_asked(**mine(run, cursor=1, interaction_id="apr_1")) == stopping
    ended = await store.finish_run(**mine(run, ending=DONE, at=NOW))
    assert (ended.ending, ended.stop) == (DONE, a_stop())


async def test_what_has_ended_is_not_stopped_and_what_is_not_there_is_missing(store) -> None:
    run = await leased(store)
    ended = await store.finish_run(**mine(run, ending=DONE, at=NOW))

    assert await stop(store, run) == ended
    for missing in (replace(run, tenant=OTHER), replace(run, id="no")):
        with pytest.raises(errors.NotFound):
            await stop(store, missing)
        with pytest.raises(errors.NotFound):
            await store.save_state(**mine(missing), state_json="1", at=NOW)


async def test_of_a_stop_and_a_finish_at_once_the_finish_stands(store) -> None:
    for _ in range(10):
        run = await leased(store)
        ended, stopped = await asyncio.gather(
            store.finish_run(**mine(run, ending=DONE, at=NOW + MINUTE)), stop(store, run)
        )
        after = await found(store, run)

        assert after.ending == ended.ending == DONE
        assert (after.stop is not None) == (stopped.stop is not None)


async def test_of_checkpoints_at_once_under_two_tokens_only_the_holders_count(store) -> None:
    run = await leased(store)
    (other,) = await lease(store, at=NOW + HOUR, worker="w-2")

    outcomes = await asyncio.gather(
        *(store.save_state(**mine(each), state_json=f'"{each.worker}"', at=NOW) for each in (run, other) * 6),
        return_exceptions=True,
    )

    assert [isinstance(outcome, errors.LeaseLost) for outcome in outcomes] == [True, False] * 6
    assert (await found(store, run)).state_json == '"w-2"'


async def test_the_same_action_saved_many_times_at_once_is_one(store) -> None:
    run = await leased(store)

    saved = await asyncio.gather(*(act(store, run) for _ in range(8)))

    assert {each.action.id for each in saved} == {(await found(store, run)).action.id}


async def test_renewals_of_many_at_once_do_not_hold_each_other_up(store) -> None:
    for _ in range(20):
        await started(store)
    taken = await lease(store, limit=20)

    told = await asyncio.gather(*(renew(store, *each) for each in (taken, taken[::-1]) * 4))

    assert [len(each) for each in told] == [20] * 8


async def test_what_is_to_stop_and_nobody_holds_is_taken_to_be_ended(store) -> None:
    queued, held = await started(store), await leased(store, code="ship")
    foreign = await started(store, tenant=OTHER)
    going = await started(store, code="other")
    for run in (queued, held, foreign):
        await stop(store, run)
    at = NOW + MINUTE
    assert await lease(store, at=NOW + HOUR) == []

    none = await store.lease_stopping(now=at, until=at + LEASE, limit=9, tenant=TENANT, run_id=going.id)
    one = await store.lease_stopping(now=NOW, until=at + LEASE, limit=9, tenant=OTHER, run_id=foreign.id)
    both = await store.lease_stopping(now=at, until=at + LEASE, limit=9)

    assert none == []
    assert [run.id for run in one] == [foreign.id]
    assert {run.id for run in both} == {queued.id, held.id}
    assert await store.lease_stopping(now=at, until=at + LEASE, limit=9) == []
    with pytest.raises(errors.LeaseLost):
        await store.finish_run(**mine(held), ending=DONE, at=at)


async def test_runs_are_listed_newest_first_by_page(store) -> None:
    runs = [await started(store, id=f"run-{n}", created_at=NOW + n * MINUTE) for n in range(5)]
    await started(store, id="theirs", tenant=OTHER)
    await started(store, id="else", code="other", created_at=NOW - HOUR)

    pages = [await store.list_runs(tenant=TENANT, code="ship", limit=2)]
    while pages[-1].next_cursor is not None:
        pages.append(await store.list_runs(tenant=TENANT, code="ship", limit=2, cursor=pages[-1].next_cursor))

    assert [[run.id for run in page.items] for page in pages] == [["run-4", "run-3"], ["run-2", "run-1"], ["run-0"]]
    assert pages[0].items == (runs[4].summary, runs[3].summary)
    assert len((await store.list_runs(tenant=TENANT)).items) == 6
    with pytest.raises(errors.BadCursor):
        await store.list_runs(tenant=TENANT, cursor=pages[0].next_cursor)
    with pytest.raises(errors.BadCursor):
        await store.list_runs(tenant=TENANT, cursor="x")


async def test_runs_are_listed_by_status(store) -> None:
    by_status = {
        RunStatus.QUEUED: await started(store, code="idle"),
        RunStatus.RUNNING: await leased(store),
        RunStatus.WAITING: await asked(store, await leased(store)),
        RunStatus.COMPLETED: await asked(store, await leased(store)),
        RunStatus.FAILED: await leased(store),
    }
    await renew(store, by_status[RunStatus.RUNNING])
    await store.finish_run(**mine(by_status[RunStatus.COMPLETED], ending=DONE, at=NOW))
    await store.finish_run(**mine(by_status[RunStatus.FAILED], ending=BROKEN, at=NOW))

    for status, run in by_status.items():
        (listed,) = (await store.list_runs(tenant=TENANT, status=status)).items
        assert (listed.id, listed.status) == (run.id, status)
        assert listed == (await found(store, run)).summary
