"""Whatever is resolved wakes its run: a handler, a signed webhook, or the run that waits."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from blocks import ids
from bot.clock import SystemClock
from bot.resume.signing import read_secret, verify
from tests.e2e import handlers
from tests.e2e.house import ANA, DEPLOYS, REPORTS, place

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture
async def here(database):
    async with place(
        database,
        SIGNOFF_APP="tests.e2e.handlers",
        SIGNOFF_WEBHOOK_SECRET=SECRET,
        SIGNOFF_WEBHOOK_ALLOW="127.0.0.0/8",
    ) as found:
        yield found


class Receiver:
    """Takes webhooks; answers with the statuses given, then 204."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.received: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self.url = ""

    async def hear(self, request: web.Request) -> web.Response:
        body = await request.read()
        id = verify([read_secret(SECRET)], headers=request.headers, body=body, now=SystemClock().now())
        await self.received.put((id, body))
        return web.Response(status=self.statuses.pop(0) if self.statuses else 204)


@asynccontextmanager
async def receiver(*statuses: int):
    found = Receiver(*statuses)
    app = web.Application()
    app.router.add_post("/hook", found.hear)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield found
    await runner.cleanup()


async def test_a_handler_runs_the_approved_action_once(here) -> None:
    asked = await here.ask(resume={"handler": "deploy"})
    card = await here.card(DEPLOYS)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    await here.shows(card, "Done")
    assert [execute for id, execute in handlers.RAN if id == asked["id"]] == [True]
    assert (await here.read(asked["id"]))["execution"]["status"] == "succeeded"


async def test_a_handler_is_told_of_a_denial_and_runs_nothing(here) -> None:
    asked = await here.ask(resume={"handler": "deploy"})
    card = await here.card(DEPLOYS)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.DENY)

    await handlers.until(lambda: (asked["id"], False) in handlers.RAN)


async def test_a_handler_that_breaks_after_its_claim_is_painted_as_failed(here) -> None:
    asked = await here.ask(resume={"handler": "breaks"})
    card = await here.card(DEPLOYS)

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    await here.shows(card, "zone 1 is not healthy")
    assert (await here.read(asked["id"]))["execution"]["status"] == "failed"


async def test_an_expiry_tells_the_run_and_paints_the_card(here) -> None:
    asked = await here.ask(resume={"handler": "report"}, expires_in=1)
    card = await here.card(DEPLOYS)

    read = await here.read(asked["id"], wait=10)

    assert read["state"] == "expired"
    await here.shows(card, "Nobody decided, nothing ran.")
    await handlers.until(lambda: (asked["id"], "expired") in handlers.TOLD)
    assert (await here.claim(asked)).json["claimed"] is False


async def test_a_webhook_is_signed_and_retried_with_equal_bytes(here) -> None:
    async with receiver(503) as hook:
        asked = await here.ask_question(resume={"webhook": hook.url})
        card = await here.card(REPORTS)
        await here.slack.person(ANA).click(REPORTS, card.ts, ids.SKIP)

        first = await asyncio.wait_for(hook.received.get(), 5)
        second = await asyncio.wait_for(hook.received.get(), 20)

    assert first == second
    data = json.loads(first[1])["data"]
    assert (data["id"], data["state"], data["wake"]) == (asked["id"], "answered", 0)


async def test_a_wait_returns_as_soon_as_a_person_decides(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    waiting = asyncio.create_task(here.read(asked["id"], wait=30))

    await here.slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)

    assert (await asyncio.wait_for(waiting, 2))["state"] == "approved"
