"""Waiting over HTTP for a page that is not empty, and for the end of what was approved."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from store.types import Approval, Decision, ExecutionStatus, Surface
from tests.api.site import Reply, Site, approval
from tests.parts import ANA

WAITING = "/v1/interactions?state=approved&claimed=false&wait=60"


async def asked(site: Site, **more: Any) -> Approval:
    reply = await site.call("POST", "/v1/approvals", approval(**more))
    found = await site.parts.store.find_approval(tenant="default", id=reply.json["id"])
    assert found is not None
    return found


async def approved(site: Site, **more: Any) -> Approval:
    return (await site.parts.decide(await asked(site, **more))).approval


async def claimed(site: Site, one: Approval, **more: Any) -> Reply:
    body = {"digest": one.digest, "claim_id": "c-1", **more}
    return await site.call("POST", f"/v1/approvals/{one.id}/claim", body)


async def reported(site: Site, one: Approval, status: str) -> None:
    reply = await site.call("POST", f"/v1/approvals/{one.id}/report", {"claim_id": "c-1", "status": status})
    assert reply.status == 200, reply


def ids(reply: Reply) -> list[str]:
    assert reply.status == 200, reply
    return [item["id"] for item in reply.json["items"]]


async def soon(waiting: asyncio.Task[Reply]) -> Reply:
    return await asyncio.wait_for(waiting, 10)


async def test_a_page_comes_as_soon_as_something_is_on_it(site: Site) -> None:
    one = await asked(site)
    waiting = asyncio.create_task(site.call("GET", WAITING))
    await site.parts.hub.listens(1)
    other = await asked(site, operation_id="other")
    assert not waiting.done()
    await site.parts.decide(one)

    assert ids(await soon(waiting)) == [one.id]
    assert other.is_pending
    await site.parts.hub.listens(0)


async def test_a_page_with_something_on_it_comes_at_once(site: Site) -> None:
    one = await approved(site)

    assert ids(await asyncio.wait_for(site.call("GET", WAITING), 10)) == [one.id]


async def test_what_changed_between_looking_and_waiting_is_not_missed(site: Site) -> None:
    """Each decision falls into some other moment of the waiter's first look."""
    for turn in range(20):
        one = await asked(site, operation_id=f"turn-{turn}")
        waiting = asyncio.create_task(site.call("GET", WAITING))
        for _ in range(turn):
            await asyncio.sleep(0)
        await site.parts.decide(one)
        assert ids(await soon(waiting)) == [one.id]
        await claimed(site, one)


async def test_what_another_process_committed_is_found_within_a_second(site: Site) -> None:
    one = await asked(site)
    waiting = asyncio.create_task(site.call("GET", WAITING))
    await site.parts.hub.listens(1)
    await site.parts.store.decide_approval(
        tenant="default",
        id=one.id,
        actor=ANA,
        decision=Decision.ALLOW_ONCE,
        at=site.parts.clock.now(),
        surface=Surface.CARD,
    )

    assert ids(await soon(waiting)) == [one.id]


async def test_a_page_that_stays_empty_comes_empty_after_its_time(site: Site) -> None:
    reply = await asyncio.wait_for(site.call("GET", "/v1/interactions?kind=question&wait=1"), 10)

    assert (ids(reply), reply.json["next_cursor"]) == ([], None)


async def test_a_shutdown_answers_those_who_wait_for_a_page(site: Site) -> None:
    waiting = asyncio.create_task(site.call("GET", WAITING))
    await site.parts.hub.listens(1)
    await asyncio.wait_for(site.runner.cleanup(), 10)

    assert ids(await waiting) == []
    await site.parts.hub.listens(0)


async def test_who_hangs_up_listens_no_more(site: Site) -> None:
    waiting = asyncio.create_task(site.call("GET", WAITING))
    await site.parts.hub.listens(1)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)

    await site.parts.hub.listens(0)


async def test_what_is_stuck_is_waited_for_too(site: Site) -> None:
    reply = await asyncio.wait_for(site.call("GET", "/v1/interactions?stuck=true&wait=1"), 10)

    assert ids(reply) == []


async def test_a_wrong_filter_is_not_waited_with(site: Site) -> None:
    for query in ("cursor=nonsense", "state=open", "stuck=true&kind=approval", "limit=0"):
        reply = await asyncio.wait_for(site.call("GET", f"/v1/interactions?wait=60&{query}"), 10)
        assert (reply.status, reply.code) == (422, "invalid")


@pytest.mark.parametrize("wait", ["61", "-1", "1.5", "true", ""])
async def test_a_wait_for_a_page_is_a_whole_number_up_to_sixty(site: Site, wait: str) -> None:
    reply = await site.call("GET", f"/v1/interactions?wait={wait}")

    assert (reply.status, reply.pointers) == (422, ["/wait"])


# -- for=finished -------------------------------------------------------------------------------------------------
def until_finished(site: Site, one: Approval, seconds: int = 60) -> asyncio.Task[Reply]:
    return asyncio.create_task(site.call("GET", f"/v1/interactions/{one.id}?wait={seconds}&for=finished"))


@pytest.mark.parametrize("status", ["succeeded", "failed"])
async def test_what_was_approved_is_finished_with_its_final_report(site: Site, status: str) -> None:
    one = await asked(site)
    waiting = until_finished(site, one)
    await site.parts.hub.holds(1)
    await site.parts.decide(one)
    await claimed(site, one)
    await reported(site, one, "running")
    assert not waiting.done()
    await reported(site, one, status)

    assert (await soon(waiting)).json["execution"]["status"] == status
    await site.parts.hub.holds(0)


async def test_a_denial_is_finished_whoever_claims_it(site: Site) -> None:
    one = await asked(site)
    waiting = until_finished(site, one)
    await site.parts.hub.holds(1)
    await site.parts.decide(one, Decision.DENY)

    assert (await soon(waiting)).json["state"] == "denied"


async def test_what_was_withdrawn_is_finished(site: Site) -> None:
    one = await asked(site)
    waiting = until_finished(site, one)
    await site.parts.hub.holds(1)
    await site.call("POST", f"/v1/interactions/{one.id}/withdraw", {})

    assert (await soon(waiting)).json["state"] == "withdrawn"


async def test_what_was_claimed_too_late_never_runs_and_is_finished(site: Site) -> None:
    one = await approved(site, run_within=60)
    waiting = until_finished(site, one)
    await site.parts.hub.holds(1)
    site.parts.clock.advance(timedelta(minutes=2))
    assert (await claimed(site, one)).json["execute"] is False

    assert (await soon(waiting)).json["execution"] is None


async def test_what_nobody_claimed_in_time_is_finished_once_that_was_noted(site: Site) -> None:
    one = await approved(site, run_within=60)
    assert (await until_finished(site, one, seconds=1)).json["state"] == "approved"
    now = site.parts.clock.advance(timedelta(minutes=2))
    waiting = until_finished(site, one)
    await site.parts.hub.holds(1)
    await site.parts.store.mark_stuck(now=now, limit=10)

    assert (await soon(waiting)).json["claimed_at"] is None


async def test_what_went_silent_is_not_finished_until_somebody_says_what_happened(site: Site) -> None:
    one = await approved(site)
    await claimed(site, one)
    reply = await until_finished(site, one, seconds=1)

    assert reply.json["execution"]["status"] == ExecutionStatus.CLAIMED


async def test_an_answered_question_is_finished(site: Site) -> None:
    question = await site.parts.ask_question(site.key)
    waiting = asyncio.create_task(site.call("GET", f"/v1/interactions/{question.id}?wait=60&for=finished"))
    await site.parts.hub.holds(1)
    await site.call("POST", f"/v1/interactions/{question.id}/withdraw", {})

    assert (await soon(waiting)).json["state"] == "withdrawn"


async def test_what_is_waited_for_is_one_of_two(site: Site) -> None:
    one = await asked(site)
    for words in ("claimed", "", "resolved&for=finished"):
        reply = await site.call("GET", f"/v1/interactions/{one.id}?for={words}")
        assert (reply.status, reply.pointers) == (422, ["/for"])
    assert (await site.call("GET", f"/v1/interactions/{one.id}?for=finished")).status == 200
