"""Reminders, escalations, warnings and deadlines over real processes: each once, none early, none late."""

import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from sandbox.server import Sandbox
from store.open import open_store
from tests.e2e.house import ANA, BEN, CHIDI, DEPLOY, DEPLOYS, GENERAL, ONCALL, REPORTS
from tests.e2e.process import call, make_key, running, serving

#: Of each kind, due at once over both processes.
MANY = 5
#: Seconds. The sweeps look once a second, and again a second after the wall clock was stepped.
AFTER, DEADLINE, SLACKNESS = 4, 7, 4
STEPS = {"forward": "600", "back": "-600"}
#: Each in a channel of its own: Slack takes one message a second in each.
WAYS: dict[str, dict[str, Any]] = {
    "remind": {"channels": [DEPLOYS], "reminders": {"after": 3600, "most": 1}, "expires_in": 86_400},
    "escalate": {
        "channels": [REPORTS],
        "escalation": [{"after": 3600, "users": [CHIDI], "groups": [ONCALL]}],
        "expires_in": 86_400,
    },
    "warn": {"channels": [GENERAL], "expires_in": 7200},
}


@dataclass(kw_only=True)
class Site:
    url: str
    token: str

    async def ask(self, number: int, **changes: Any) -> str:
        body = {**DEPLOY, "run_id": f"run-{number}", "title": f"Deploy {number}", **changes}
        reply = await call("POST", f"{self.url}/v1/approvals", self.token, body)
        assert reply.status == 201, reply
        return str(reply.json["id"])


@pytest.fixture
async def slack():
    async with Sandbox() as found:
        yield found


@pytest.fixture
async def store(postgres_url):
    opened = await open_store(postgres_url)
    yield opened
    await opened.close()


async def actions(store, id: str) -> Counter[str]:
    return Counter(event.action for event in await store.list_events(tenant="default", interaction_id=id))


async def standing(slack, count: int) -> None:
    await slack.wait_for(lambda _: len([m for m in messages(slack) if m.thread_ts is None]) >= count, timeout=60)


def messages(slack) -> list[Any]:
    return [message for channel in (DEPLOYS, REPORTS, GENERAL) for message in slack.workspace.messages(channel)]


def lines(slack) -> list[Any]:
    return [message for message in messages(slack) if message.blocks[0].get("block_id") == "note"]


async def test_over_two_processes_each_reminder_escalation_warning_and_deadline_happens_once(
    slack, store, postgres_url
) -> None:
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(serving(slack, postgres_url))
        await stack.enter_async_context(running(slack, postgres_url, "serve"))
        site = Site(url=one.url, token=await make_key(slack, postgres_url))
        asked = {
            way: [await site.ask(10 * MANY * place + n, **more) for n in range(MANY)]
            for place, (way, more) in enumerate(WAYS.items())
        }
        await standing(slack, 3 * MANY)

        await make_due(postgres_url, asked)
        late = [await site.ask(1000 + n, expires_in=1, channels=[GENERAL]) for n in range(MANY)]
        await slack.wait_for(lambda _: len(lines(slack)) >= 3 * MANY + MANY, timeout=90)

        happened = {"remind": "reminded", "escalate": "escalated", "warn": "warned"}
        for way, ids_ in asked.items():
            assert [(await actions(store, id))[happened[way]] for id in ids_] == [1] * MANY
        assert [await actions(store, id) for id in late] == [Counter(created=1, expired=1)] * MANY
        # One line for each in the thread of its card, each with one ping for each person.
        assert set(Counter(line.thread_ts for line in lines(slack)).values()) == {1}
        words = Counter(line.text.partition(":")[0] for line in lines(slack))
        assert words == Counter(
            {
                "Still waiting": MANY,
                "You may decide this, too": MANY,
                "Expires soon": MANY,
                "<@U07DANA5WFD> Expired": MANY,
            }
        )


async def make_due(url: str, asked: dict[str, list[str]]) -> None:
    """All at one instant, by the database's clock."""
    connection = await asyncpg.connect(url)
    for way, ids_ in asked.items():
        done = await connection.execute(
            "UPDATE timers SET due_at = now() WHERE kind = $1 AND interaction_id = ANY($2)", way, ids_
        )
        assert done == f"UPDATE {MANY}"
    await connection.close()


@pytest.mark.parametrize("way", STEPS)
async def test_a_wall_clock_that_is_stepped_makes_nothing_early_and_nothing_late(
    slack, store, postgres_url, tmp_path, way
) -> None:
    step = tmp_path / "step"
    step.write_text("0")
    async with serving(slack, postgres_url, module="tests.e2e.stepped", STEP=str(step)) as house:
        site = Site(url=house.url, token=await make_key(slack, postgres_url))
        began = time.monotonic()
        more = {"escalation": [{"after": AFTER, "users": [CHIDI]}], "approvers": {"users": [ANA, BEN]}}
        id_ = await site.ask(1, expires_in=DEADLINE, **more)
        await standing(slack, 1)

        step.write_text(STEPS[way])
        await slack.wait_for(lambda _: len(lines(slack)) >= 1, timeout=30)
        escalated = time.monotonic() - began
        await slack.wait_for(lambda _: len(lines(slack)) >= 2, timeout=30)
        expired = time.monotonic() - began

    assert AFTER - 0.5 <= escalated <= AFTER + SLACKNESS
    assert DEADLINE - 0.5 <= expired <= DEADLINE + SLACKNESS
    found = await store.find_approval(tenant="default", id=id_)
    assert AFTER <= (found.course.hops[0].at - found.created_at).total_seconds() <= AFTER + SLACKNESS
    assert found.resolved_at == found.expires_at
    assert await actions(store, id_) == Counter(created=1, escalated=1, expired=1)
    assert any("wall_clock_stepped" in line for line in house.lines)
