"""What was sent to a webhook, and sending it again, over HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.api import shapes
from bot.usecases.replaying import Replaying
from store.types import Resume, ResumeKind, Scope
from tests.api.site import Site, open_site
from tests.parts import Parts
from tests.resume.stage import Receiver, receiving, sending, status


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as found:
        yield found


@pytest.fixture
async def courier(parts: Parts) -> AsyncIterator[Any]:
    async with sending(parts) as found:
        yield found


@pytest.fixture
async def site(parts: Parts, courier: Any) -> AsyncIterator[Site]:
    replaying = Replaying(store=parts.store, clock=parts.clock, courier=courier)
    async with open_site(parts, replaying=replaying) as running:
        yield running


async def sent(site: Site, receiver: Receiver, courier: Any, *, times: int = 1) -> str:
    """The id of an approval of which so many attempts were made."""
    hook = Resume(kind=ResumeKind.WEBHOOK, target=receiver.url)
    approval = (await site.parts.decide(await site.parts.ask(site.key, resume=hook))).approval
    for _ in range(times):
        await courier.tell(approval)
        site.parts.clock.advance(1)
    return approval.id


async def test_attempts_are_listed_newest_first(site: Site, receiver: Receiver, courier: Any) -> None:
    receiver.script = [status(500)]
    id = await sent(site, receiver, courier, times=2)

    reply = await site.call("GET", f"/v1/interactions/{id}/deliveries")
    short = await site.call("GET", f"/v1/interactions/{id}/deliveries?limit=1")

    shapes.Deliveries.model_validate(reply.json)
    assert reply.json["items"] == [
        {
            "message_id": f"{id}_0",
            "wake": 0,
            "attempt": attempt,
            "at": at,
            "by_hand": False,
            "status": code,
            "error": None,
            "duration_ms": 0,
        }
        for attempt, at, code in ((2, "2026-11-30T12:00:01.000Z", 204), (1, "2026-11-30T12:00:00.000Z", 500))
    ]
    assert short.json["items"] == reply.json["items"][:1]


async def test_a_message_is_sent_again_with_its_id_and_its_bytes(site: Site, receiver: Receiver, courier: Any) -> None:
    receiver.script = [status(410)]
    id = await sent(site, receiver, courier)
    first = await receiver.arrived.get()

    reply = await site.call("POST", f"/v1/interactions/{id}/deliveries/replay", {})
    second = await receiver.arrived.get()
    named = await site.call("POST", f"/v1/interactions/{id}/deliveries/replay", {"message_id": f"{id}_0"})

    shapes.Replayed.model_validate(reply.json)
    assert reply.status == 200
    assert reply.json["told"] is True
    assert (reply.json["delivery"]["by_hand"], reply.json["delivery"]["status"]) == (True, 204)
    assert (second.body, second.headers["webhook-id"]) == (first.body, first.headers["webhook-id"])
    assert (named.json["delivery"]["attempt"], named.json["told"]) == (3, False)
    listed = (await site.call("GET", f"/v1/interactions/{id}/deliveries")).json["items"]
    assert [each["by_hand"] for each in listed] == [True, True, False]


async def test_where_nothing_was_sent_there_is_nothing_to_send_again(site: Site, receiver: Receiver) -> None:
    asked = await site.parts.ask(site.key)
    path = f"/v1/interactions/{asked.id}/deliveries"

    listed = await site.call("GET", path)
    refused = await site.call("POST", f"{path}/replay", {})
    unknown = await site.call("POST", f"{path}/replay", {"message_id": "other"})

    assert listed.json == {"items": []}
    assert (refused.status, refused.code) == (409, "nothing_sent")
    assert (unknown.status, unknown.code) == (404, "not_found")
    assert receiver.hits == 0


async def test_a_server_without_a_secret_sends_nothing_again(parts: Parts, receiver: Receiver, courier: Any) -> None:
    async with open_site(parts) as site:
        id = await sent(site, receiver, courier)
        refused = await site.call("POST", f"/v1/interactions/{id}/deliveries/replay", {})

    assert (refused.status, refused.code) == (409, "nothing_sent")
    assert "SIGNOFF_WEBHOOK_SECRET" in refused.json["detail"]
    assert receiver.hits == 1


async def test_whoever_may_only_ask_and_read_sends_nothing_again(site: Site, receiver: Receiver, courier: Any) -> None:
    id = await sent(site, receiver, courier)
    _, token = await site.parts.key(Scope.ASK, Scope.READ, name="run")

    listed = await site.call("GET", f"/v1/interactions/{id}/deliveries", token=token)
    refused = await site.call("POST", f"/v1/interactions/{id}/deliveries/replay", {}, token=token)

    assert (listed.status, refused.status, refused.code) == (200, 403, "scope")
    assert receiver.hits == 1


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "limit=1&limit=2", "other=1"])
async def test_what_a_list_does_not_take_is_refused(site: Site, query: str) -> None:
    asked = await site.parts.ask(site.key)

    reply = await site.call("GET", f"/v1/interactions/{asked.id}/deliveries?{query}")

    assert (reply.status, reply.code) == (422, "invalid")


@pytest.mark.parametrize("body", [{"message_id": 7}, {"message_id": "x" * 201}, {"wake": 1}, []])
async def test_what_a_replay_does_not_take_is_refused(site: Site, body: Any) -> None:
    asked = await site.parts.ask(site.key)

    reply = await site.call("POST", f"/v1/interactions/{asked.id}/deliveries/replay", body)

    assert (reply.status, reply.code) == (422, "invalid")
