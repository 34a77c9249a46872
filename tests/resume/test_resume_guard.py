"""No address that a stranger names makes us connect to where it should not."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.resume.guard import AddressGuard

HOSTILE_HOSTS = (
    "127.0.0.1",
    "localhost",
    "[::1]",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "①②⑦.⓪.⓪.①",
    "[::ffff:127.0.0.1]",
    "0.0.0.0",
    "[::]",
    "[64:ff9b::7f00:1]",
    "127.0.0.1.",
    "app.localhost",
)
STRICT = AddressGuard()
LOCAL = AddressGuard(allow=("127.0.0.0/8", "::1/128"))


class Loopback(AbstractResolver):
    """A name server that answers for every name with addresses of its liking."""

    def __init__(self, *addresses: str) -> None:
        self._addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None: ...


class Door:
    """Listens on the loopback and counts who knocks."""

    def __init__(self) -> None:
        self.knocks = 0
        self.port = 0

    async def opened(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.knocks += 1
        writer.close()


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    door = Door()
    server = await asyncio.start_server(door.opened, host="127.0.0.1", port=0)
    door.port = server.sockets[0].getsockname()[1]
    async with server:
        yield door


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("host", HOSTILE_HOSTS)
def test_a_hostile_address_is_refused_when_it_is_asked_for(host: str, scheme: str) -> None:
    assert STRICT.problem(f"{scheme}://{host}/hook") is not None
    assert STRICT.problem(f"{scheme}://{host}:8443/hook") is not None


@pytest.mark.parametrize("host", HOSTILE_HOSTS)
async def test_a_hostile_address_is_never_connected_to(host: str, door: Door) -> None:
    assert await _error(STRICT, f"https://{host}:{door.port}/hook") is not None
    assert door.knocks == 0


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("::ffff:127.0.0.1", "127.0.0.1"), ("10.0.0.1", "127.0.0.1")])
async def test_a_name_that_leads_inside_is_never_connected_to(addresses: tuple[str, ...], door: Door) -> None:
    url = f"https://hooks.example.com:{door.port}/hook"

    assert STRICT.problem(url) is None
    assert await _error(STRICT, url, resolver=Loopback(*addresses)) is not None
    assert door.knocks == 0


async def test_a_name_that_leads_into_an_allowed_network_is_connected_to(door: Door) -> None:
    await _error(LOCAL, f"https://hooks.example.com:{door.port}/hook", resolver=Loopback("127.0.0.1"))

    assert door.knocks > 0


async def _error(guard: AddressGuard, url: str, **more: Any) -> aiohttp.ClientError | OSError | None:
    connector = aiohttp.TCPConnector(
        socket_factory=guard.socket_factory(is_encrypted=True), use_dns_cache=False, **more
    )
    async with aiohttp.ClientSession(connector=connector, trust_env=False) as session:
        try:
            async with session.post(url, data=b""):
                return None
        except (aiohttp.ClientError, OSError) as error:
            return error


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.88.99.1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "2002:7f00:1::",
        "2001:0:7f00:1::",
        "64:ff9b:1::1",
        "::7f00:1",
        "::ffff:0:127.0.0.1",
        "not an address",
        "",
    ],
)
def test_no_socket_goes_to_an_address_that_is_not_public(address: str) -> None:
    assert not STRICT.permits(address, is_encrypted=True)


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:93.184.215.14"])
def test_public_addresses_are_reached_encrypted_only(address: str) -> None:
    assert STRICT.permits(address, is_encrypted=True)
    assert not STRICT.permits(address, is_encrypted=False)
    assert not LOCAL.permits(address, is_encrypted=False)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hook",
        "//example.com/hook",
        "ftp://example.com/hook",
        "file:///etc/passwd",
        "https://",
        "https:///hook",
        "https://user:password@example.com/hook",
        "https://user@example.com/hook",
        "https://example.com:99999/hook",
        "https://example.com:port/hook",
        "https://[::1/hook",
        "https://exa mple.com/hook",
        "https://example.com/ho\nok",
        "http://example.com/hook",
        "https://intranet/hook",
        "https://\u202eexample.com/",
        "https://" + "a" * 64 + ".com/",
        "https://" + "a." * 130 + "com/",
        "https://example..com/",
        "https://256.0.0.1/",
        "https://1.2.3.4.5/",
        "https://example.0x7f/",
        "https://4294967297/",
    ],
)
def test_what_is_no_public_https_address_is_refused_with_a_sentence(url: str) -> None:
    problem = STRICT.problem(url)

    assert problem is not None
    assert problem.endswith(".")


@pytest.mark.parametrize(
    "url",
    ["https://example.com/hook", "https://example.com:8443/a?b=c", "https://93.184.215.14/", "https://bücher.example/"],
)
def test_public_https_addresses_will_do(url: str) -> None:
    assert STRICT.problem(url) is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/hook", "http://localhost:9/", "https://[::1]/", "http://runner/"])
def test_allowed_networks_will_do_in_either_way(url: str) -> None:
    assert LOCAL.problem(url) is None
    assert LOCAL.problem("http://10.0.0.1/") is not None


def test_what_is_no_network_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        AddressGuard(allow=("10.0.0.0/99",))
