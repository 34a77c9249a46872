"""Socket Mode held by two processes on one Postgres: clicks spread over both, connections that break, one that ends."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import aiohttp
import pytest

from blocks import ids
from sandbox.model import Message
from sandbox.outcome import Outcome
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, DEPLOY, DEPLOYS, GENERAL, REPORTS
from tests.e2e.process import Serving, call, make_key, serving

CHANNELS = (DEPLOYS, REPORTS, GENERAL)
CLICKS = 50
CARDS = 24
#: Seconds within which a connection that broke is there again, and in which a process ends.
AGAIN, ENDS_WITHIN = 20, 20


@dataclass(kw_only=True)
class Fleet:
    slack: Sandbox
    replicas: list[Serving]
    token: str

    async def ask(self, number: int) -> str:
        """One approval in one of three channels; who asked is nobody, so that no line takes a turn."""
        body = {key: value for key, value in DEPLOY.items() if key != "requested_by"}
        body |= {"operation_id": f"op-{number}", "channels": [CHANNELS[number % 3]]}
        reply = await call("POST", f"{self.replicas[0].url}/v1/approvals", self.token, body)
        assert reply.status == 201, reply
        return str(reply.json["id"])

    async def ask_many(self, count: int) -> tuple[list[str], list[Message]]:
        asked = [await self.ask(number) for number in range(count)]
        await self.slack.wait_for(lambda _: len(self.cards()) == count, timeout=60)
        return asked, self.cards()

    def cards(self) -> list[Message]:
        return [card for channel in CHANNELS for card in self.slack.workspace.messages(channel)]

    async def click(self, card: Message, *, by: str = ANA) -> Outcome:
        return await self.slack.person(by).click(card.channel, card.ts, ids.APPROVE, stale=True)

    async def read(self, id: str) -> dict[str, object]:
        return dict((await call("GET", f"{self.replicas[-1].url}/v1/interactions/{id}", self.token)).json)

    def tickets(self) -> int:
        """How many were asked for; the sandbox lets each be used once."""
        return sum(made.method == "apps.connections.open" for made in self.slack.calls)

    def connections(self) -> list[object]:
        return list(self.slack.sockets._open)

    async def all_connected(self, but: list[object]) -> None:
        """Both hold a connection that is none of these."""
        await self.slack.wait_for(
            lambda _: len(self.connections()) == 2 and not set(self.connections()) & set(but), timeout=AGAIN
        )


@pytest.fixture
async def fleet(postgres_url) -> AsyncIterator[Fleet]:
    async with Sandbox() as slack, AsyncExitStack() as stack:
        token = {"SLACK_SIGNING_SECRET": "", "SLACK_APP_TOKEN": slack.app_token}
        replicas = [await stack.enter_async_context(serving(slack, postgres_url, **token)) for _ in range(2)]
        slack.bot_url = None
        found = Fleet(slack=slack, replicas=replicas, token=await make_key(slack, postgres_url))
        await found.all_connected(but=[])
        yield found


async def test_fifty_clicks_over_two_sockets_make_one_decision(fleet) -> None:
    asked, (card,) = await fleet.ask_many(1)

    outcomes = await asyncio.gather(*(fleet.click(card, by=(ANA, BEN)[n % 2]) for n in range(CLICKS)))

    assert all(outcome.ok and outcome.delivery.via == "socket" for outcome in outcomes)
    read = await fleet.read(asked[0])
    assert (read["state"], len(read["votes"])) == ("approved", 1)
    assert all([await last_envelope(replica) > 0 for replica in fleet.replicas])
    assert fleet.tickets() == 2


async def test_connections_that_break_during_clicks_lose_none_and_come_back_with_new_tickets(fleet) -> None:
    asked, cards = await fleet.ask_many(CARDS)
    cut, refreshed = before = fleet.connections()
    clicks = [asyncio.create_task(fleet.click(card)) for card in cards[: CARDS // 2]]
    # An envelope in flight changes nothing in the workspace: looked for at every turn of the loop.
    async with asyncio.timeout(AGAIN):
        while not cut.waiting:  # noqa: ASYNC110  # nothing sets an event for it
            await asyncio.sleep(0)
    in_flight = len(cut.waiting)
    cut.transport.abort()
    await fleet.slack.wait_for(lambda _: cut not in fleet.connections())
    await refreshed.ws.send_json(fleet.slack.sockets._disconnect("refresh_requested"))
    clicks += [asyncio.create_task(fleet.click(card)) for card in cards[CARDS // 2 :]]

    outcomes = await asyncio.gather(*clicks)
    await fleet.all_connected(but=before)
    lost = [card for card, outcome in zip(cards, outcomes, strict=True) if not outcome.ok]
    again = await asyncio.gather(*(fleet.click(card) for card in lost))

    # Whose answer was cut off is told so, and may have decided; everybody else's click counted.
    assert {outcome.delivery.failure for outcome in outcomes if not outcome.ok} <= {"dispatch_failed"}
    assert len(lost) <= in_flight
    assert all(outcome.ok for outcome in again)
    found = [await fleet.read(id) for id in asked]
    assert {(read["state"], len(read["votes"])) for read in found} == {("approved", 1)}
    assert fleet.tickets() == 4


async def test_one_replica_ends_in_bounded_time_while_the_other_takes_the_clicks(fleet) -> None:
    asked, cards = await fleet.ask_many(CARDS // 2)
    began = time.monotonic()
    ending = asyncio.create_task(fleet.replicas[0].terminate())
    lost = []
    for card in cards:
        outcome = await fleet.click(card)
        lost += [card] * (not outcome.ok)
    code = await ending
    took = time.monotonic() - began
    for card in lost:
        assert (await fleet.click(card)).ok

    found = [await fleet.read(id) for id in asked]
    assert {(read["state"], len(read["votes"])) for read in found} == {("approved", 1)}
    assert (code, took < ENDS_WITHIN) == (0, True)
    assert len(fleet.connections()) == 1
    assert len(lost) <= 1


async def last_envelope(replica: Serving) -> float:
    """Unix time of the last envelope that came in there, or 0."""
    async with aiohttp.ClientSession() as session, session.get(f"{replica.url}/metrics") as reply:
        lines = (await reply.text()).splitlines()
    (line,) = [line for line in lines if line.startswith("signoff_socket_last_envelope_seconds ")]
    return float(line.split()[-1])
