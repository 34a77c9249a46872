"""One websocket of Socket Mode: reads envelopes, answers each on itself, and leaves when it has answered them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import aiohttp
import structlog

from bot.tasks import TaskSet

log = structlog.get_logger("signoff.socket")

#: Seconds that a connection is still read after Slack announced its end, or until Slack closes it.
LINGER = 15.0
#: A dead peer never closes its side.
_CLOSE_WITHIN = 5.0

Payload = dict[str, Any]


class Connection:
    """`over` is set once another connection is needed; this one may have things to answer yet."""

    #: Seconds between two pings of ours; without an answer in half of that the websocket is dead.
    HEARTBEAT: ClassVar[float] = 10.0

    def __init__(
        self,
        websocket: aiohttp.ClientWebSocketResponse,
        *,
        answer: Callable[[Payload], Awaitable[Payload | None]],
        linger: float = LINGER,
    ) -> None:
        self._websocket = websocket
        self._answer = answer
        self._linger = linger
        self._hello = asyncio.Event()
        self._is_leaving = False
        self._answering = TaskSet()
        self.over = asyncio.Event()
        #: Slack's word for why it is over; None where it just closed.
        self.reason: str | None = None

    async def greeted(self, *, within: float) -> None:
        """Wait for Slack's `hello`. Raises TimeoutError, or ConnectionError where it is over before."""
        waiting = [asyncio.ensure_future(event.wait()) for event in (self._hello, self.over)]
        try:
            await asyncio.wait(waiting, timeout=within, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        if self.over.is_set():
            raise ConnectionError(self.reason or "closed")
        if not self._hello.is_set():
            raise TimeoutError("no hello")

    async def read(self) -> None:
        """Until it is closed by either side, or has lingered long enough; what it took is answered before it ends."""
        reading = asyncio.ensure_future(self._read())
        ending = asyncio.ensure_future(self.over.wait())
        try:
            await asyncio.wait({reading, ending}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({reading}, timeout=self._linger)
        finally:
            ending.cancel()
            reading.cancel()
            await asyncio.gather(reading, ending, return_exceptions=True)
            self.over.set()
        await self.leave(self._linger)

    def take_no_more(self) -> None:
        self._is_leaving = True

    async def leave(self, seconds: float) -> None:
        """Take nothing new, wait so long for what is being answered, close."""
        self.take_no_more()
        await self._answering.drain(seconds)
        try:
            await asyncio.wait_for(self._websocket.close(), _CLOSE_WITHIN)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            log.info("socket_not_closed", error=type(error).__name__)

    async def _read(self) -> None:
        async for message in self._websocket:
            if message.type is aiohttp.WSMsgType.TEXT:
                self._take(message.data)

    def _take(self, text: str) -> None:
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            log.warning("envelope_refused", reason="not an object")
        elif found.get("type") == "hello":
            self._hello.set()
        elif found.get("type") == "disconnect":
            self.reason = str(found.get("reason", ""))[:50]
            self.over.set()
        elif "envelope_id" in found:
            self._receive(found)

    def _receive(self, envelope: Payload) -> None:
        payload = envelope.get("payload")
        if not isinstance(payload, dict) or not payload:
            log.warning("envelope_refused", reason="no payload")
        elif self._is_leaving:
            # Not acknowledged: Slack tells the person that we were not there, and nothing happened.
            log.warning("envelope_refused", reason="leaving")
        else:
            self._answering.start(f"socket.{envelope['envelope_id']}", self._respond(envelope, payload))

    async def _respond(self, envelope: Payload, payload: Payload) -> None:
        """As over HTTP; and on this websocket, since Slack looks for the answer where it asked."""
        reply = await self._answer(payload)
        answer: Payload = {"envelope_id": envelope["envelope_id"]}
        if reply is not None and envelope.get("accepts_response_payload"):
            answer["payload"] = reply
        try:
            await self._websocket.send_str(json.dumps(answer))
        except (aiohttp.ClientError, OSError) as error:
            log.warning("envelope_answer_lost", error=type(error).__name__)
