"""However much hangs when it is told to stop, a service ends within one deadline."""

import asyncio
import time

import aiohttp

from blocks import ids
from bot.api import schemas  # noqa: F401  imported early, so that the first request is not slow
from bot.console import Wanted, create_key
from bot.settings import Settings
from bot.wiring import running
from sandbox.server import Sandbox
from tests.e2e import hanging
from tests.e2e.house import ANA, BEN, DEPLOY, DEPLOYS

#: Seconds. Two things hang below for ever, in two places: one after the other they would take twice as long.
DRAIN = 2.0


async def test_a_handler_and_a_call_to_slack_that_hang_hold_up_a_shutdown_once(tmp_path) -> None:
    async with Sandbox() as slack, aiohttp.ClientSession() as session:
        settings = Settings(
            DATABASE_URL=f"sqlite:///{tmp_path / 'signoff.db'}",
            PORT=0,
            SLACK_BOT_TOKEN=slack.bot_token,
            SLACK_SIGNING_SECRET=slack.signing_secret,
            SLACK_API_URL=slack.api_url,
            SIGNOFF_APP="tests.e2e.hanging",
        )
        async with running(settings, drain=DRAIN) as house:
            slack.bot_url = f"{house.url}/slack/events"
            await _ask(house, session)
            card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS)))[0]
            stuck = slack.faults.add("*", delay=60)
            clicked = await slack.person(ANA).click(DEPLOYS, card.ts, ids.APPROVE)
            late = await slack.person(BEN).click(DEPLOYS, card.ts, ids.DENY, stale=True)
            await asyncio.wait_for(hanging.begun.get(), 10)
            began = time.monotonic()
        took = time.monotonic() - began
        slack.faults.remove(stuck)

    assert (clicked.ok, late.ok) == (True, True)
    assert DRAIN * 0.9 < took < DRAIN * 1.8


async def _ask(house, session: aiohttp.ClientSession) -> None:
    wanted = Wanted(
        tenant="default", name="demo", scopes="ask", any_approvers=True, expires=None, owner=None, both=False
    )
    headers = {"Authorization": f"Bearer {await create_key(house.store, wanted)}"}
    body = {**DEPLOY, "resume": {"handler": "hangs"}}
    async with session.post(f"{house.url}/v1/approvals", json=body, headers=headers) as reply:
        assert reply.status == 201
