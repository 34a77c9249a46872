"""Two whole services on one Postgres and one workspace: what one does, the other knows at once; one decision, one run."""

import asyncio
from collections import Counter

import pytest

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e import handlers
from tests.e2e.house import ANA, BEN, DEPLOYS, at

CLICKS = 50


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


@pytest.fixture
async def replicas(slack, postgres_url):
    """The second one is where the workspace sends clicks, unless a test says otherwise."""
    app = {"SIGNOFF_APP": "tests.e2e.handlers"}
    async with at(slack, postgres_url, **app) as one, at(slack, postgres_url, **app) as two:
        yield one, two


async def test_a_wait_on_one_replica_ends_at_once_when_the_other_takes_the_click(slack, replicas) -> None:
    one, two = replicas
    asked = await one.ask()
    card = await one.card(DEPLOYS)
    waiting = asyncio.create_task(one.read(asked["id"], wait=30))

    slack.bot_url = f"{two.house.url}/slack/events"
    clicked = await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    assert clicked.ok
    assert (await asyncio.wait_for(waiting, 2))["state"] == "approved"


async def test_fifty_clicks_over_both_make_one_decision_and_one_resumption(slack, replicas) -> None:
    one, two = replicas
    asked = await one.ask(resume={"handler": "deploy"})
    card = await one.card(DEPLOYS)
    doors = [f"{place.house.url}/slack/events" for place in (one, two)]
    people = [slack.person(ANA), slack.person(BEN)]

    async def click(number: int):
        slack.bot_url = doors[number % 2]
        return await people[number // 2 % 2].click(DEPLOYS, card.ts, ids.APPROVE, stale=True)

    outcomes = await asyncio.gather(*(click(number) for number in range(CLICKS)))
    await one.shows(card, "Done")

    assert [await took(place) for place in (one, two)] == [CLICKS / 2, CLICKS / 2]
    assert Counter(outcome.status for outcome in outcomes) == {200: CLICKS}
    read = await two.read(asked["id"])
    assert (read["state"], len(read["votes"])) == ("approved", 1)
    assert read["execution"]["status"] == "succeeded"
    assert [id for id, _ in handlers.RAN if id == asked["id"]] == [asked["id"]]
    assert [execute for id, execute in handlers.RAN if id == asked["id"]] == [True]


async def took(place) -> float:
    """How many of Slack's requests came in here, and were answered with 200."""
    async with place.session.get(f"{place.house.url}/metrics") as reply:
        lines = (await reply.text()).splitlines()
    wanted = 'signoff_http_requests_total{method="POST",route="/slack/events",status="200"}'
    return sum(float(line.split()[-1]) for line in lines if line.startswith(wanted))


async def test_one_replica_ends_and_the_other_goes_on(slack, postgres_url) -> None:
    async with at(slack, postgres_url) as one:
        async with at(slack, postgres_url):
            asked = await one.ask()
            card = await one.card(DEPLOYS)
        slack.bot_url = f"{one.house.url}/slack/events"

        clicked = await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

        assert clicked.ok
        assert (await one.read(asked["id"], wait=5))["state"] == "approved"
