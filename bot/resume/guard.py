"""Where a webhook may go: the address is looked at when it is asked for, and again on the socket that connects."""

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from yarl import URL

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

#: Global by name, and yet each leads into an IPv4 address that nobody has looked at, or nowhere at all.
_ODD: tuple[Network, ...] = tuple(
    ip_network(each)
    for each in (
        "::/96",
        "::ffff:0:0:0/96",
        "64:ff9b::/96",
        "64:ff9b:1::/48",
        "2001::/32",
        "2002::/16",
        "fec0::/10",
        "192.88.99.0/24",
    )
)
_LEGACY = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)(?:\.(?:0[xX][0-9a-fA-F]*|[0-9]+)){0,3}\.?")
_NAME = re.compile(r"(?=.{1,253}\.?\Z)(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?")
#: A host that ends so is meant as an address; whoever cannot read it as one may take it for another.
_NUMBER_AT_END = re.compile(r"(?:.*\.)?(?:0[xX][0-9a-fA-F]*|[0-9]+)\.*")
_LOOPBACK = ip_address("127.0.0.1")


class AddressRefused(OSError):
    """A connection to an address that webhooks may not go to was not made."""


class AddressGuard:
    """Public addresses over https; addresses inside `allow` (networks) in either way; nothing else."""

    def __init__(self, *, allow: Sequence[str] = ()) -> None:
        """Raises ValueError for what is no network."""
        self._allow: tuple[Network, ...] = tuple(ip_network(each) for each in allow)

    def permits(self, address: str, *, is_encrypted: bool) -> bool:
        """May a socket connect to this numeric address?"""
        ip = _numeric(address)
        if ip is None:
            return False
        if any(ip in network for network in self._allow if network.version == ip.version):
            return True
        return is_encrypted and _is_public(ip)

    def problem(self, url: str) -> str | None:
        """One sentence for whoever asked, or None. Looks nothing up: a name is judged when it is connected to."""
        try:
            parsed = URL(url)
            host = parsed.raw_host
        except ValueError:
            return "This is no web address."
        if parsed.scheme not in {"https", "http"} or not host or parsed.port is None or _has_odd_letters(url):
            return "This is no web address: give https://host/path."
        if parsed.user is not None or parsed.password is not None:
            return "A webhook's address holds no user and no password."
        return self._problem_of_host(host, is_encrypted=parsed.scheme == "https")

    def _problem_of_host(self, host: str, *, is_encrypted: bool) -> str | None:
        ip = _literal(host)
        if ip is not None and not self.permits(str(ip), is_encrypted=is_encrypted):
            return "The address is not public; an operator can allow its network with SIGNOFF_WEBHOOK_ALLOW."
        # A name may stand for an allowed network, if there is any: then the socket decides.
        if ip is None and not self._allow and not is_encrypted:
            return "A webhook's address begins with https://."
        if ip is None and (not _NAME.fullmatch(host) or _NUMBER_AT_END.fullmatch(host)):
            return "This is no web address: its host is no name."
        if ip is None and not self._allow and "." not in host.rstrip("."):
            return "The name is not public; an operator can allow its network with SIGNOFF_WEBHOOK_ALLOW."
        return None

    def socket_factory(self, *, is_encrypted: bool) -> Callable[[Any], socket.socket]:
        """For aiohttp's connector: makes sockets for addresses that are permitted, and raises AddressRefused else.

        This is the address that is connected to, after all resolving: a name cannot change its mind in between.
        """

        def make(addr_info: Any) -> socket.socket:
            family, type_, proto, _, where = addr_info
            if not self.permits(str(where[0]), is_encrypted=is_encrypted):
                raise AddressRefused(f"webhooks do not go to {where[0]}")
            return socket.socket(family=family, type=type_, proto=proto)

        return make


def _numeric(text: str) -> Address | None:
    try:
        ip = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else ip


def _literal(host: str) -> Address | None:
    """The address that a host stands for without any look-up; also as the resolver reads `127.1` and `0x7f000001`."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return _LOOPBACK
    if _LEGACY.fullmatch(name):
        try:
            return IPv4Address(socket.inet_aton(name))
        except OSError:
            return None
    return _numeric(name)


def _is_public(ip: Address) -> bool:
    odd = any(ip in network for network in _ODD if network.version == ip.version)
    return ip.is_global and not ip.is_multicast and not odd


def _has_odd_letters(url: str) -> bool:
    """Blanks and control characters mean different things to different readers."""
    return any(letter.isspace() or not letter.isprintable() for letter in url)
