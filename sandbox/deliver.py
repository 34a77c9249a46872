"""How payloads reach the app: signed HTTP requests, or envelopes while a socket is connected."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Coroutine
from typing import Any, Final
from urllib.parse import urlencode

import aiohttp

from sandbox.clock import monotonic
from sandbox.core import Core
from sandbox.enterprise import dress_payload
from sandbox.logs import Delivery, Via
from sandbox.model import Json
from sandbox.socket import Sockets
from sandbox.weather import Journey, Send

FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
# Which interactive payloads may be answered in the ack itself.
ANSWERED: Final = frozenset({"view_submission", "block_suggestion"})
OK: Final = 200


def sign(secret: str, timestamp: str, body: bytes) -> str:
    """Slack's `v0` signature of a raw body."""
    base = f"v0:{timestamp}:".encode() + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


class Deliverer:
    """Sends to the app and reports what came back. Owns its HTTP session and the tasks of event retries."""

    def __init__(self, core: Core, sockets: Sockets) -> None:
        self._core = core
        self._sockets = sockets
        self._session: aiohttp.ClientSession | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        timeout = aiohttp.ClientTimeout(total=self._core.settings.ack_seconds)
        self._session = aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session is not None:
            await self._session.close()

    async def interactive(self, payload: Json) -> Delivery:
        """Clicks, submissions, look-ups: one try, never repeated."""
        kind = str(payload["type"])
        dressed = self._dressed(payload)

        async def send() -> Delivery:
            if len(self._sockets):
                return await self._by_socket(kind, "interactive", dressed, accepts=kind in ANSWERED)
            return await self.by_http(kind, dressed, urlencode({"payload": json.dumps(dressed)}).encode(), FORM)

        return await self._on_its_way(kind, dressed, send)

    async def command(self, fields: dict[str, str]) -> Delivery:
        """A slash command: one try, never repeated."""
        dressed = self._dressed(fields)

        async def send() -> Delivery:
            if len(self._sockets):
                return await self._by_socket("slash_command", "slash_commands", dressed, accepts=True)
            return await self.by_http("slash_command", dressed, urlencode(dressed).encode(), FORM)

        return await self._on_its_way("slash_command", dressed, send)

    async def event(self, payload: Json) -> Delivery:
        """An event: returns after the first try; further tries go on in the background until one is acknowledged."""
        payload = self._dressed(payload)
        first = await self._event(payload, 0, None)
        if first.failure is not None and first.failure != "no_request_url":
            self._spawn(self._retry(payload, first), f"event {payload['event_id']}")
        return first

    def _dressed(self, payload: Json) -> Json:
        return dress_payload(payload, self._core.settings.enterprise)

    async def _on_its_way(self, kind: str, payload: Json, send: Send) -> Delivery:
        patience = self._core.settings.ack_seconds
        journey = Journey(kind=kind, payload=payload, send=send, patience=patience, spawn=self._spawn)
        return await journey.through(self._core.weather)

    def _spawn(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _retry(self, payload: Json, last: Delivery) -> None:
        for number, delay in enumerate(self._core.settings.retry_delays, start=1):
            await asyncio.sleep(delay)
            last = await self._event(payload, number, _reason(last))
            if last.ok or last.failure == "no_retry":
                return

    async def _event(self, payload: Json, attempt: int, reason: str | None) -> Delivery:
        return await self._on_its_way("event", payload, lambda: self._send_event(payload, attempt, reason))

    async def _send_event(self, payload: Json, attempt: int, reason: str | None) -> Delivery:
        if len(self._sockets):
            return await self._by_socket("event", "events_api", payload, accepts=False, attempt=attempt)
        extra = {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason} if reason else {}
        raw = json.dumps(payload).encode()
        return await self.by_http("event", payload, raw, {"Content-Type": "application/json", **extra}, attempt=attempt)

    async def by_http(
        self, kind: str, payload: Json, raw: bytes, headers: dict[str, str], *, attempt: int = 0
    ) -> Delivery:
        """One signed request to the app, whatever else is connected; `payload` is what the log says it was."""
        started = monotonic()
        status: int | None = None
        body = ""
        failure: str | None = None
        if self._core.bot_url is None:
            failure = "no_request_url"
        else:
            try:
                status, body, failure = await self._post(self._core.bot_url, raw, headers)
            except TimeoutError:
                failure = "operation_timeout"
            except (aiohttp.ClientError, OSError):
                failure = "dispatch_failed"
        via: Via = "none" if failure == "no_request_url" else "http"
        elapsed = monotonic() - started
        return self._log(
            Delivery(
                kind=kind,
                payload=payload,
                via=via,
                status=status,
                body=body,
                elapsed=elapsed,
                failure=failure,
                attempt=attempt,
            ),
        )

    async def _post(self, url: str, raw: bytes, headers: dict[str, str]) -> tuple[int, str, str | None]:
        if self._session is None:
            raise RuntimeError("the sandbox is not running")
        timestamp = str(int(self._core.clock.now()))
        signed = {
            "User-Agent": "Slackbot 1.0",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": sign(self._core.settings.signing_secret, timestamp, raw),
            **headers,
        }
        async with self._session.post(url, data=raw, headers=signed, allow_redirects=False) as answer:
            body = (await answer.read()).decode(errors="replace")
            if answer.status == OK:
                return answer.status, body, None
            return answer.status, body, "no_retry" if answer.headers.get("X-Slack-No-Retry") == "1" else "http_error"

    async def _by_socket(self, kind: str, envelope: str, payload: Json, *, accepts: bool, attempt: int = 0) -> Delivery:
        started = monotonic()
        status: int | None = None
        body = ""
        failure: str | None = None
        try:
            ack = await self._sockets.deliver(envelope, payload, accepts=accepts, attempt=attempt)
            status, body = OK, _as_body(ack.payload)
        except TimeoutError:
            failure = "operation_timeout"
        except ConnectionError:
            failure = "dispatch_failed"
        elapsed = monotonic() - started
        return self._log(
            Delivery(
                kind=kind,
                payload=payload,
                via="socket",
                status=status,
                body=body,
                elapsed=elapsed,
                failure=failure,
                attempt=attempt,
            ),
        )

    def _log(self, delivery: Delivery) -> Delivery:
        self._core.deliveries.append(delivery)
        self._core.workspace.wake()
        return delivery


def _reason(last: Delivery) -> str:
    """Slack's words for why an event comes again."""
    words = {"operation_timeout": "http_timeout", "dispatch_failed": "connection_failed"}
    return words.get(last.failure or "", "http_error")


def _as_body(payload: Any) -> str:
    if payload is None or payload == {}:
        return ""
    return payload if isinstance(payload, str) else json.dumps(payload)
