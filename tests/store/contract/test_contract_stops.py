"""Stops: while one holds, nothing of its tools executes."""

from dataclasses import replace

import pytest

from store import errors
from store.types import PATIENCE, Decision, ExecutionStatus, State
from tests.store.contract.makers import (
    ANA,
    HANDLER,
    HOUR,
    MINUTE,
    NOW,
    OTHER,
    TENANT,
    a_question,
    a_stop,
    asked,
    behind,
    claim,
    decide,
    decided,
    go,
    now_is,
    paint,
    report,
    said,
)


async def held(store, tenant=TENANT):
    return list(await store.list_stops(tenant=tenant))


async def test_a_stop_holds_until_it_is_ended(store) -> None:
    stop = a_stop(tool="deploy.*", reason="bad release")

    assert await store.add_stop(stop=stop) == stop
    assert await held(store) == [stop]
    (ended,) = await go(store, "deploy.*")

    assert (ended.id, ended.ended_at, ended.ended_by, ended.reason) == (stop.id, NOW + HOUR, ANA, "bad release")
    assert await held(store) == []
    assert not await go(store, "deploy.*")


async def test_what_is_stopped_already_is_returned_instead(store) -> None:
    first = await store.add_stop(stop=a_stop(tool="deploy.*"))

    assert await store.add_stop(stop=a_stop(tool="deploy.*", at=NOW + MINUTE)) == first
    narrower = await store.add_stop(stop=a_stop(tool="deploy.api", at=NOW + MINUTE))

    assert await held(store) == [first, narrower]


async def test_after_its_end_a_tool_can_be_stopped_anew(store) -> None:
    await store.add_stop(stop=a_stop())
    await go(store)

    second = await store.add_stop(stop=a_stop(at=NOW + HOUR))

    assert await held(store) == [second]


async def test_exactly_that_stop_is_ended_and_without_a_tool_all_are(store) -> None:
    every, some = a_stop(), a_stop(tool="deploy.*", at=NOW + MINUTE)
    one = a_stop(tool="deploy.api", at=NOW + 2 * MINUTE)
    for stop in (some, one, every):
        await store.add_stop(stop=stop)

    assert await held(store) == [every, some, one]
    assert [stop.id for stop in await go(store, "deploy.*")] == [some.id]
    assert await held(store) == [every, one]
    assert [stop.id for stop in await go(store)] == [every.id, one.id]


async def test_the_star_is_the_stop_of_everything(store) -> None:
    every, one = await store.add_stop(stop=a_stop(tool="*")), await store.add_stop(stop=a_stop(tool="deploy.api"))

    assert every.tool is None
    assert await store.add_stop(stop=a_stop()) == every
    assert [stop.id for stop in await go(store, "*")] == [every.id]
    assert await held(store) == [one]


@pytest.mark.parametrize(
    ("pattern", "tool", "stopped"),
    [
        (None, "deploy.api", True),
        (None, None, True),
        ("deploy.*", "deploy.api", True),
        ("deploy.*", "deploy.", True),
        ("deploy.*", "deploy", False),
        ("deploy.*", "mail.deploy.api", False),
        ("deploy.*", None, False),
        ("deploy.api", "deploy.api", True),
        ("deploy.api", "deploy.api2", False),
        ("deploy.api", "Deploy.api", False),
        ("d%*", "deploy", False),
        ("d_p*", "deploy", False),
        ("dé*", "déploie", True),
        ("a*b", "a*b", True),
        ("a*b", "axb", False),
    ],
)
async def test_a_stop_is_about_the_tools_that_it_names(store, pattern, tool, stopped) -> None:
    approval = await decided(store, tool_name=tool, input_json=tool and "{}")
    other = await decided(store, tool_name=tool, input_json=tool and "{}")
    await paint(store, now=NOW + MINUTE)

    stop = await store.add_stop(stop=a_stop(tool=pattern))

    assert await behind(store, approval) == [stopped, stopped]
    outcome = await claim(store, approval)
    assert (outcome.claimed, outcome.execute) == (not stopped, not stopped)
    assert outcome.stopped == (stop if stopped else None)
    await go(store)
    assert (await claim(store, other)).execute


async def test_a_stopped_claim_changes_nothing_and_works_after_the_end(store) -> None:
    approval = await decided(store)
    await store.add_stop(stop=a_stop())

    outcome = await claim(store, approval)
    again = await claim(store, approval)

    assert again == outcome
    assert (outcome.claimed, outcome.execute, outcome.claim_id) == (False, False, None)
    assert outcome.approval == approval == await now_is(store, approval)
    assert await said(store, approval) == ["created", "approved"]
    await go(store)
    assert (await claim(store, approval)).execute


async def test_the_oldest_stop_is_named(store) -> None:
    approval = await decided(store, tool_name="deploy.api", input_json="{}")
    later, first = a_stop(at=NOW + MINUTE), a_stop(tool="deploy.*")
    await store.add_stop(stop=later)
    await store.add_stop(stop=first)

    assert (await claim(store, approval)).stopped == first


async def test_while_stopped_another_action_is_refused_as_ever(store) -> None:
    approval = await decided(store)
    await store.add_stop(stop=a_stop())

    with pytest.raises(errors.DigestMismatch):
        await claim(store, approval, digest="other")


async def test_a_denial_can_be_claimed_while_stopped(store) -> None:
    approval = await asked(store)
    await decide(store, approval, decision=Decision.DENY)
    await store.add_stop(stop=a_stop())

    outcome = await claim(store, approval)

    assert (outcome.claimed, outcome.execute, outcome.stopped) == (True, False, None)


async def test_what_runs_already_goes_on_and_its_claim_is_answered_the_same(store) -> None:
    approval = await decided(store)
    first = await claim(store, approval)
    await paint(store, now=NOW + HOUR)

    await store.add_stop(stop=a_stop())

    assert await claim(store, approval) == first
    assert await behind(store, approval) == [False, False]
    assert (await report(store, approval, ExecutionStatus.SUCCEEDED)).execution.status is ExecutionStatus.SUCCEEDED


async def test_the_stop_of_another_tenant_stops_nothing_here(store) -> None:
    await store.add_stop(stop=a_stop(tenant=OTHER))
    approval = await decided(store)

    assert (await claim(store, approval)).execute
    assert not await go(store)
    assert len(await held(store, OTHER)) == 1


async def test_people_decide_while_stopped(store) -> None:
    approval = await asked(store)
    await store.add_stop(stop=a_stop())

    assert (await decide(store, approval)).approval.state is State.APPROVED


async def test_cards_of_what_is_held_up_show_the_stop_and_its_end(store) -> None:
    pending, approved = await asked(store), await decided(store)
    denied, withdrawn = await asked(store), await asked(store, expires_at=NOW + MINUTE)
    question, claimed = await asked(store, a_question()), await decided(store)
    await decide(store, denied, decision=Decision.DENY)
    await store.expire_due(now=NOW + MINUTE)
    await claim(store, claimed)
    held_up, others = (pending, approved, denied), (withdrawn, claimed, question)
    await paint(store, now=NOW + HOUR)

    for change in (store.add_stop(stop=a_stop(at=NOW + HOUR)), go(store)):
        await change
        assert all([all(await behind(store, each)) for each in held_up])
        assert not any([any(await behind(store, each)) for each in others])
        await paint(store, now=NOW + HOUR)


async def test_the_end_of_a_stop_tells_runs_anew(store) -> None:
    approval, pull, pending = (
        await decided(store, resume=HANDLER),
        await decided(store),
        await asked(store, resume=HANDLER),
    )
    taking = {"until": NOW + HOUR, "limit": 10, "handlers": {"deploy"}, "webhooks": True}
    (leased,) = await store.lease_resumptions(now=NOW + MINUTE, **taking)
    await store.finish_resumption(interaction=leased.interaction, lease=leased.lease, now=NOW + MINUTE)
    await store.add_stop(stop=a_stop())

    await go(store, at=NOW + HOUR)

    resumption = (await now_is(store, approval)).resumption
    assert (resumption.due_at, resumption.stuck_at, resumption.attempts) == (NOW + HOUR, None, 0)
    assert resumption.wakes == resumption.woken_from
    # A run that pulls has its whole patience again: the stop was not its fault.
    assert (await now_is(store, pull)).resumption == replace(pull.resumption, stuck_due_at=NOW + HOUR + PATIENCE)
    assert await now_is(store, pending) == pending
    assert [each.interaction.id for each in await store.lease_resumptions(now=NOW + HOUR, **taking)] == [approval.id]


async def test_what_another_stop_still_holds_is_not_executed(store) -> None:
    approval = await decided(store, tool_name="deploy.api", input_json="{}")
    every = await store.add_stop(stop=a_stop())
    await store.add_stop(stop=a_stop(tool="deploy.*", at=NOW + MINUTE))

    await go(store, "deploy.*")

    assert (await claim(store, approval)).stopped == every
