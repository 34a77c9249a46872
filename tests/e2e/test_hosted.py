"""Hosted runs in whole services: in the service's own process, over two of them, stopped with a worker and without."""

import asyncio
from typing import Any

import pytest

from blocks import ids
from bot.console import Wanted, create_key
from sandbox.server import Sandbox
from tests.e2e.house import ANA, DEPLOYS, Place, at, has_buttons

START = {
    "code": "ship",
    "run_id": "ship-1",
    "input": "1.4.2",
    "audience": {"channels": [DEPLOYS], "approvers": {"users": [ANA]}},
}


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


@pytest.fixture
async def hosting(slack, database):
    async with at(slack, database, SIGNOFF_APP="tests.e2e.hosted:runtime") as found:
        yield found


async def ended(place: Place, run_id: str = "ship-1") -> Any:
    return (await place.api("GET", f"/v1/runs/{run_id}?wait=30")).json


@pytest.mark.parametrize(("choice", "state"), [(ids.APPROVE, "approved"), (ids.DENY, "denied")])
async def test_code_that_the_service_hosts_asks_and_ends_with_the_answer(
    slack: Sandbox, hosting: Place, choice: str, state: str
) -> None:
    assert (await hosting.api("POST", "/v1/runs", START)).status == 201
    card = await hosting.card(DEPLOYS)
    assert card.blocks[0]["text"]["text"] == "Ship 1.4.2?"

    await slack.person(ANA).click(DEPLOYS, card.ts, choice)

    run = await ended(hosting)
    assert (run["status"], run["outcome"]) == ("completed", state)
    assert run["action"]["interaction"]["claimed_at"] is not None


async def test_a_hosted_run_that_is_stopped_ends_and_its_card_waits_no_more(slack: Sandbox, hosting: Place) -> None:
    await hosting.api("POST", "/v1/runs", START)
    card = await hosting.card(DEPLOYS)

    await hosting.api("POST", "/v1/runs/ship-1/stop", {})

    run = await ended(hosting)
    assert (run["error"]["code"], run["error"]["message"]) == ("RUN_STOPPED", "told to")
    await slack.wait_for(lambda _: not has_buttons(card))


async def test_what_one_service_starts_or_answers_a_worker_at_the_other_hears_at_once(
    slack: Sandbox, postgres_url: str
) -> None:
    async with at(slack, postgres_url) as one, at(slack, postgres_url) as two:
        wanted = Wanted(
            tenant="default", name="w", scopes="work", any_approvers=False, expires=None, owner=None, both=False
        )
        works = await create_key(one.house.store, wanted)

        async def work(place: Place, what: str, body: dict[str, Any]) -> Any:
            reply = await place.api("POST", f"/v1/work/{what}", body, token=works)
            assert reply.status == 200, reply
            return reply.json

        pulling = asyncio.create_task(work(one, "lease", {"worker": "w", "codes": ["ship"], "wait": 30}))
        await two.api("POST", "/v1/runs", START)
        (run,) = (await asyncio.wait_for(pulling, 5))["runs"]
        mine = {"run_id": "ship-1", "token": run["token"]}
        renewing = asyncio.create_task(work(one, "renew", {"worker": "w", "runs": [mine], "wait": 30}))
        waiting = asyncio.create_task(two.api("GET", "/v1/runs/ship-1?wait=30"))
        action = {"kind": "user_ask_confirmation", "request": {"title": "Ship?"}}
        asked = (await work(two, "checkpoint", {**mine, "action": action}))["run"]["action"]
        card = await two.card(DEPLOYS)
        slack.bot_url = f"{two.house.url}/slack/events"

        await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

        told = await asyncio.wait_for(renewing, 5)
        assert [each["action"]["id"] for each in told["answered"]] == [asked["id"]]
        await work(one, "checkpoint", {**mine, "delivered": asked["id"]})
        await work(one, "finish", {**mine, "outcome": 1})
        assert (await asyncio.wait_for(waiting, 5)).json["status"] == "completed"
        approved = await one.read(asked["interaction_id"])
        assert approved["execution"]["status"] == "succeeded"
