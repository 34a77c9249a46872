"""No address reaches what listens on this machine: not as it is asked for, and not as it is sent to."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.resume.guard import AddressGuard
from bot.resume.webhook import NotTold
from store.types import Approval, Resume, ResumeKind
from tests.api.site import approval, open_site
from tests.parts import Parts, open_parts
from tests.resume.stage import LOOPBACK, receiving, sending, status
from tests.resume.test_resume_guard import Door, Loopback

STRICT = AddressGuard()
REFUSED = "the address is not public and not in SIGNOFF_WEBHOOK_ALLOW"
#: `{}`: where the port of what listens goes.
URLS = (
    "https://127.0.0.1{}/hook",
    "http://127.0.0.1{}/hook",
    "https://[::1]{}/hook",
    "https://localhost{}/hook",
    "https://localhost.{}/hook",
    "https://LOCALHOST{}/hook",
    "https://app.localhost{}/hook",
    "https://127.0.0.1.{}/hook",
    "https://127.0.0.1..{}/hook",
    "https://127.1{}/hook",
    "https://0177.0.0.1{}/hook",
    "https://017700000001{}/hook",
    "https://0x7f000001{}/hook",
    "https://0x7f.1{}/hook",
    "https://2130706433{}/hook",
    "https://①②⑦.⓪.⓪.①{}/hook",
    "https://１２７.0.0.1{}/hook",
    "https://127。0。0。1{}/hook",
    "https://ⓛocalhost{}/hook",
    "https://0.0.0.0{}/hook",
    "https://0{}/hook",
    "https://[::]{}/hook",
    "https://[::ffff:127.0.0.1]{}/hook",
    "https://[::ffff:7f00:1]{}/hook",
    "https://[::127.0.0.1]{}/hook",
    "https://[64:ff9b::7f00:1]{}/hook",
    "https://[2002:7f00:1::]{}/hook",
    "https://[2001:0:7f00:1::1]{}/hook",
    "https://[fe80::1%25lo]{}/hook",
    "https://224.0.0.1{}/hook",
    "https://[ff02::1]{}/hook",
    "https://169.254.169.254{}/hook",
    "https://example.com@127.0.0.1{}/hook",
    "https://user:password@localhost{}/hook",
    "https://127.0.0.1{}#@example.com/hook",
    "https://127.0.0.1%2f@example.com{}/hook",
    "https://example.com\\@127.0.0.1{}/hook",
    "https://127.0.0.1\\@example.com{}/hook",
    "https://127%2e0.0.1{}/hook",
    "https:///127.0.0.1{}/hook",
    "//127.0.0.1{}/hook",
    "ftp://127.0.0.1{}/hook",
)
#: What a name may come to stand for.
ADDRESSES = (
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",  # what a hostile name server says, not where we listen
    "::1",
    "::",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "fe80::1",
    "fd00:ec2::254",
    "224.0.0.1",
    "ff02::1",
    "255.255.255.255",
    "192.88.99.1",
)


@pytest.fixture
async def parts() -> AsyncIterator[Parts]:
    """On one store: where a socket goes hangs on none."""
    async with open_parts("memory://") as opened:
        yield opened


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    """Listens wherever this machine can be reached by itself, over both kinds of address, on one port."""
    async with a_door("0.0.0.0", "::") as found:  # the more it hears, the more the tests show
        yield found


@asynccontextmanager
async def a_door(*hosts: str, port: int = 0) -> AsyncIterator[Door]:
    door = Door()
    first, *others = [host for host in hosts if socket.has_ipv6 or ":" not in host]
    server = await asyncio.start_server(door.opened, host=first, port=port)
    door.port = server.sockets[0].getsockname()[1]
    more = [await asyncio.start_server(door.opened, host=host, port=door.port) for host in others]
    try:
        yield door
    finally:
        for each in (server, *more):
            each.close()
            await each.wait_closed()


async def decided(parts: Parts, url: str) -> Approval:
    """As if it had been asked for: no door of ours looked at the address."""
    key, _ = await parts.key(name=f"key-{url[:60]}")
    asked = await parts.ask(key, resume=Resume(kind=ResumeKind.WEBHOOK, target=url))
    return (await parts.decide(asked)).approval


async def errors_of(parts: Parts, asked: Approval) -> list[str | None]:
    return [each.error for each in await parts.store.list_deliveries(tenant=asked.tenant, interaction_id=asked.id)]


async def test_what_listens_here_is_heard_when_it_is_called(door: Door) -> None:
    """Else the tests below would show nothing."""
    for host in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"):
        reader, writer = await asyncio.open_connection(host, door.port)
        assert await reader.read() == b""
        writer.close()
    assert door.knocks == 4


@pytest.mark.parametrize("url", URLS, ids=ascii)
async def test_an_ask_with_a_hostile_address_is_refused_and_nothing_is_stored(
    parts: Parts, door: Door, url: str
) -> None:
    async with open_site(parts, guard=STRICT) as site:
        for port in ("", f":{door.port}"):
            reply = await site.call("POST", "/v1/approvals", approval(resume={"webhook": url.format(port)}))
            assert (reply.status, reply.code, reply.pointers) == (422, "invalid", ["/resume/webhook"])
        assert (await site.call("GET", "/v1/interactions")).json["items"] == []
    assert door.knocks == 0


@pytest.mark.parametrize("url", URLS, ids=ascii)
async def test_a_hostile_address_that_is_stored_all_the_same_is_not_sent_to(parts: Parts, door: Door, url: str) -> None:
    asked = await decided(parts, url.format(f":{door.port}"))

    async with sending(parts, guard=STRICT, resolver=Loopback("127.0.0.1", "::1")) as courier:
        outcome = await courier.tell(asked)

    assert isinstance(outcome, NotTold)
    assert await errors_of(parts, asked) == [outcome.error]
    assert door.knocks == 0


@pytest.mark.parametrize("address", ADDRESSES)
async def test_a_public_name_that_leads_inside_is_asked_for_and_never_connected_to(
    parts: Parts, door: Door, address: str
) -> None:
    url = f"https://hooks.example.com:{door.port}/hook"
    async with open_site(parts, guard=STRICT) as site:
        reply = await site.call("POST", "/v1/approvals", approval(resume={"webhook": url}))
        assert reply.status == 201
    asked = await parts.store.find_approval(tenant="default", id=reply.json["id"])
    assert asked is not None

    async with sending(parts, guard=STRICT, resolver=Loopback(address)) as courier:
        outcome = await courier.tell((await parts.decide(asked)).approval)

    assert outcome == NotTold(error=REFUSED)
    assert await errors_of(parts, asked) == [REFUSED]
    assert door.knocks == 0


class Rebinding(Loopback):
    """A name server that says one thing at first, and another from then on."""

    async def resolve(self, *arguments: Any, **more: Any) -> Any:
        found = await super().resolve(*arguments, **more)
        first, *rest = self._addresses
        self._addresses = (*rest, first) if rest else (first,)
        return found[:1]


async def test_a_name_that_changes_its_mind_between_two_attempts_is_not_followed(parts: Parts) -> None:
    guard = AddressGuard(allow=("127.0.0.1/32",))
    async with receiving(status(500), status(500)) as receiver:
        port = int(receiver.url.rpartition(":")[2].partition("/")[0])
        async with (
            a_door("127.8.8.8", port=port) as door,
            sending(parts, guard=guard, resolver=Rebinding("127.0.0.1", "127.8.8.8")) as courier,
        ):
            asked = await decided(parts, f"http://hooks.example.com:{port}/hook")
            outcomes = [await courier.tell(asked) for _ in range(4)]

    assert [each.error for each in outcomes if isinstance(each, NotTold)] == ["status 500", REFUSED] * 2
    assert (receiver.hits, door.knocks) == (2, 0)


async def test_a_name_with_an_address_inside_beside_others_connects_to_none_of_these(parts: Parts, door: Door) -> None:
    inside = ("10.0.0.1", "127.0.0.1", "::1", "0.0.0.0")  # as above
    asked = await decided(parts, f"https://hooks.example.com:{door.port}/hook")

    async with sending(parts, guard=STRICT, resolver=Loopback(*inside)) as courier:
        assert await courier.tell(asked) == NotTold(error=REFUSED)

    assert door.knocks == 0


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(parts: Parts, code: int) -> None:
    async with a_door("127.8.8.8") as door:
        elsewhere = status(code, Location=f"http://127.8.8.8:{door.port}/inside")
        async with receiving(elsewhere) as receiver, sending(parts, guard=LOOPBACK) as courier:
            outcome = await courier.tell(await decided(parts, receiver.url))

    assert outcome == NotTold(error=f"status {code}")
    assert door.knocks == 0


async def test_a_refresh_that_a_taken_answer_names_is_not_followed(parts: Parts) -> None:
    async with a_door("127.8.8.8") as door:
        inside = f"http://127.8.8.8:{door.port}/"

        async def refreshing(_: web.Request) -> web.Response:
            return web.Response(headers={"Location": inside, "Refresh": f"0; url={inside}", "Link": f"<{inside}>"})

        async with receiving(refreshing) as receiver, sending(parts, guard=LOOPBACK) as courier:
            await courier.tell(await decided(parts, receiver.url))

    assert door.knocks == 0


async def test_a_replay_goes_through_the_same_guard(parts: Parts, door: Door) -> None:
    asked = await decided(parts, f"https://hooks.example.com:{door.port}/hook")
    async with sending(parts, guard=STRICT, resolver=Loopback("127.0.0.1")) as courier:
        await courier.tell(asked)
        message = await parts.store.find_message(tenant=asked.tenant, interaction_id=asked.id)
        assert message is not None
        delivery = await courier.send_again(message, url=asked.resume.target or "")

    assert (delivery.error, delivery.status, door.knocks) == (REFUSED, None, 0)
