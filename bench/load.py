"""The load generator, a process of its own: signed clicks over kept-alive connections, each for its own approval.

One job per line of standard input, one result per line of standard output, both JSON.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bot.slack.signature import sign


class Connection(asyncio.Protocol):
    """One request at a time; an answer's status, once its whole body is here."""

    def __init__(self) -> None:
        self._buffer = b""
        self._answered: asyncio.Future[int] | None = None
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.lower().split(b"\r\n")
        length = next((int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")), 0)
        if len(rest) < length or self._answered is None:
            return
        self._buffer = rest[length:]
        self._answered.set_result(int(lines[0].split()[1]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(exc or ConnectionResetError("closed before the answer"))

    async def send(self, request: bytes) -> int:
        assert self._transport is not None
        self._answered = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answered

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def signed(body: bytes, *, secret: str, host: str) -> bytes:
    """A whole HTTP request, as Slack sends clicks."""
    timestamp = str(int(time.time()))
    headers = (
        f"POST /slack/events HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\nAccept-Encoding: gzip,deflate\r\n"
        "User-Agent: Slackbot 1.0 (+https://api.slack.com/robots)\r\nConnection: keep-alive\r\n"
        f"X-Slack-Request-Timestamp: {timestamp}\r\nX-Slack-Signature: {sign(secret, timestamp=timestamp, body=body)}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return headers.encode() + body


async def drive(port: int, requests: Sequence[bytes], *, concurrency: int) -> dict[str, Any]:
    """Send everything, `concurrency` at a time. Latencies are in milliseconds."""
    loop = asyncio.get_running_loop()
    waiting = iter(requests)
    latencies: list[float] = []
    statuses: Counter[int] = Counter()

    async def clicker(connection: Connection) -> None:
        for request in waiting:
            began = time.perf_counter()
            status = await asyncio.wait_for(connection.send(request), 30)
            latencies.append((time.perf_counter() - began) * 1000)
            statuses[status] += 1

    connections = [(await loop.create_connection(Connection, "127.0.0.1", port))[1] for _ in range(concurrency)]
    began = time.perf_counter()
    await asyncio.gather(*(clicker(connection) for connection in connections))
    seconds = time.perf_counter() - began
    for connection in connections:
        connection.close()
    return {"seconds": seconds, "latencies": latencies, "statuses": dict(statuses)}


def requests_of(job: dict[str, Any]) -> list[bytes]:
    """`template` is a file with a click on approval `given`; each request clicks on one of `ids`."""
    template = Path(job["template"]).read_bytes()
    given = job["given"].encode()
    bodies = (template.replace(given, id.encode()) for id in job["ids"])
    return [signed(body, secret=job["secret"], host=f"127.0.0.1:{job['port']}") for body in bodies]


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        requests = requests_of(job)
        result = asyncio.run(drive(job["port"], requests, concurrency=job["concurrency"]))
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
