"""One signed POST to a receiver. What it answers is looked at for its status, and never read or repeated."""

import asyncio
import email.utils
import json
import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from bot.clock import Clock
from bot.resume.backoff import LONGEST
from bot.resume.guard import AddressGuard, AddressRefused
from bot.resume.signing import read_secret, sign
from store.deliveries import TAKEN, Message
from store.types import Approval, Interaction

#: Seconds to connect, and for everything.
CONNECT = 10.0
TOTAL = 15.0
_GONE = 410
_SECONDS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """The receiver answered 2xx."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NotTold:
    """`error` is ours, a few words for the run's owner. `is_gone`: it wants no more. `wait`: what it asked for."""

    error: str
    is_gone: bool = False
    wait: timedelta | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Posted:
    """What came of one try. `status`: what the receiver answered, if anything."""

    outcome: Told | NotTold
    status: int | None = None


class WebhookSender:
    """Open while it sends: `async with WebhookSender(…) as sender`."""

    def __init__(
        self,
        *,
        secrets: Sequence[str],
        guard: AddressGuard,
        clock: Clock,
        resolver: AbstractResolver | None = None,
        total: float = TOTAL,
    ) -> None:
        """`secrets`: `whsec_…`, newest first; all of them sign. Raises BadSecret."""
        self._secrets = [read_secret(secret) for secret in secrets]
        self._guard = guard
        self._clock = clock
        self._resolver = resolver
        self._total = total
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        for scheme in ("https", "http"):
            session = self._session(is_encrypted=scheme == "https")
            self._sessions[scheme] = await self._stack.enter_async_context(session)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def post(self, url: str, *, id: str, body: bytes) -> Posted:
        """One try. Raises nothing that the receiver or its address could cause."""
        problem = self._guard.problem(url)
        if problem is not None:
            return Posted(outcome=NotTold(error=problem))
        headers = sign(self._secrets, id=id, at=self._clock.now(), body=body)
        try:
            return await self._post(URL(url), headers, body)
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            return Posted(outcome=NotTold(error=_words(error)))

    async def _post(self, url: URL, headers: dict[str, str], body: bytes) -> Posted:
        session = self._sessions[url.scheme]
        async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
            # Left without reading: no answer is too large or too slow to be told by.
            status = response.status
            if status in TAKEN:
                return Posted(outcome=Told(), status=status)
            wait = self._wait(response.headers.get("Retry-After", ""))
            return Posted(outcome=NotTold(error=f"status {status}", is_gone=status == _GONE, wait=wait), status=status)

    def _wait(self, retry_after: str) -> timedelta | None:
        """Seconds or an HTTP date, bounded; None where there is none that can be read."""
        if _SECONDS.fullmatch(retry_after):
            wait = timedelta(seconds=int(retry_after))
        else:
            try:
                at = email.utils.parsedate_to_datetime(retry_after)
            except (ValueError, OverflowError):
                return None
            wait = (at if at.tzinfo else at.replace(tzinfo=UTC)) - self._clock.now()
        return min(max(wait, timedelta(seconds=1)), LONGEST)

    def _session(self, *, is_encrypted: bool) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            socket_factory=self._guard.socket_factory(is_encrypted=is_encrypted),
            use_dns_cache=False,
            # A kept connection may be dead by now, and its name may stand for another address.
            force_close=True,
            resolver=self._resolver,
        )
        return aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=self._total, sock_connect=min(CONNECT, self._total)),
            trust_env=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            headers={"Content-Type": "application/json", "User-Agent": "signoff"},
        )


def message(interaction: Interaction) -> Message:
    """What its run is told now: one message for each wake."""
    wake = interaction.resumption.wakes
    data: dict[str, Any] = {
        "id": interaction.id,
        "kind": interaction.kind.value,
        "run_id": interaction.run_id,
        "operation_id": interaction.operation_id,
        "state": interaction.state.value,
        "wake": wake,
    }
    if isinstance(interaction, Approval):
        data["digest"] = interaction.digest
    body = {"type": "interaction.resolved", "timestamp": _time(interaction.resolved_at), "data": data}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Message(
        tenant=interaction.tenant,
        id=f"{interaction.id}_{wake}",
        interaction_id=interaction.id,
        wake=wake,
        # As it will be sent, so that what is kept is that.
        body=text.encode("utf-8", "replace").decode(),
    )


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _words(error: Exception) -> str:
    """What went wrong, in words that hold nothing of what the receiver said."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, AddressRefused):
        return "the address is not public and not in SIGNOFF_WEBHOOK_ALLOW"
    if isinstance(error, aiohttp.ClientSSLError):
        return "its certificate was not accepted"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name was not found"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "no connection"
    if isinstance(error, asyncio.TimeoutError):
        return "no answer in time"
    return "the connection broke"
