"""Workers of hosted runs: what they pull, hold, save and end, and what becomes of the cards meanwhile."""

import asyncio
from typing import Any

import pytest

from store.answers import Choice
from store.types import Decision
from tests.api.hosting import Worker, failed, interaction_now, leased, run_now, start
from tests.api.site import Site


@pytest.fixture
def worker(site: Site) -> Worker:
    return Worker(site)


async def found(site: Site, run: Any) -> Any:
    return await site.parts.store.find_interaction(tenant="default", id=run["action"]["interaction_id"])


async def decide(site: Site, run: Any, decision: Decision = Decision.ALLOW_ONCE) -> None:
    await site.parts.decide(await found(site, run), decision)


async def test_a_run_is_pulled_asks_hears_its_answer_and_ends(site: Site, worker: Worker) -> None:
    run = await leased(site)
    assert (run["run_id"], run["code"], run["input"], run["state"]) == ("run-1", "ship", {"b": 1, "a": 2}, None)
    assert (run["status"], run["is_new"], run["worker"], list(run["input"])) == ("queued", True, "w-1", ["b", "a"])
    assert await worker.renew(run) == {"lost": [], "stopping": [], "answered": []}
    assert (await run_now(site))["status"] == "running"

    asked = (await worker.confirm(run)).json["run"]
    assert (asked["status"], asked["cursor"]) == ("waiting", 1)
    action = asked["action"]
    assert (action["kind"], action["operation_id"], action["cursor"]) == ("user_ask_confirmation", "action-1", 1)
    assert action["request"] == {"title": "Ship 1.4?", "body": "To *everybody*."}
    shown = action["interaction"]
    assert (shown["state"], shown["run_id"], shown["operation_id"]) == ("pending", "run-1", "action-1")
    assert (shown["approvers"]["users"], shown["title"]) == (["U0ANA"], "Ship 1.4?")
    assert (await worker.renew(run))["answered"] == []

    await decide(site, asked)
    (answered,) = (await worker.renew(run))["answered"]
    assert (answered["run_id"], answered["action"]["interaction"]["state"]) == ("run-1", "approved")
    told = (await worker.checkpoint(run, delivered=action["id"])).json["run"]
    assert (told["status"], told["action"]["delivered_at"] is None) == ("running", False)
    assert (await worker.renew(run))["answered"] == []

    assert (await worker.checkpoint(run, state={"z": 1, "a": [2]})).json["run"]["state"] == {"z": 1, "a": [2]}
    ended = (await worker.finish(run, outcome={"outcome": "shipped"})).json["run"]
    assert (ended["status"], ended["outcome"], ended["error"]) == ("completed", {"outcome": "shipped"}, None)
    assert await run_now(site) == ended
    assert await worker.lease() == []


async def test_questions_are_asked_of_the_audience_and_their_answers_come_back(site: Site, worker: Worker) -> None:
    run = await leased(site)

    asked = (await worker.ask(run)).json["run"]
    await site.parts.answer(await found(site, asked), {"region": Choice(option_ids=("eu",))})

    (answered,) = (await worker.renew(run))["answered"]
    interaction = answered["action"]["interaction"]
    assert interaction["answers"] == {"region": {"is_skipped": False, "value": "Europe", "option_ids": ["eu"]}}
    assert (interaction["expires_at"], interaction["title"]) == (None, "Which region?")
    assert (await worker.checkpoint(run, delivered=answered["action"]["id"])).status == 200
