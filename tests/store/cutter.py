"""A network between the store and Postgres that can lose the reply to a commit: the work is done, nobody says so."""

import asyncio
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

_READY = b"Z\x00\x00\x00\x05"


class Cutter:
    """Forwards both ways. Armed, it swallows the replies to that many commits and cuts their connections.

    Silent, it takes everything and passes nothing on: nobody is told that the line is dead.
    """

    def __init__(self, url: str) -> None:
        self._to = urlsplit(url)
        self._connections: set[asyncio.Task[None]] = set()
        self.left = 0
        self.is_silent = False
        self.seen = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The address to connect to instead."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        there = f"{self._to.username}:{self._to.password}@127.0.0.1:{port}"
        try:
            yield self._to._replace(netloc=there, query="sslmode=disable").geturl()
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    @asynccontextmanager
    async def losing(self, times: int = 1) -> AsyncIterator[None]:
        """Lose the replies to the next commits, and show that there were as many."""
        self.left = times
        yield
        assert self.left == 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        self.seen += 1
        far_reader, far_writer = await asyncio.open_connection(self._to.hostname, self._to.port)
        said = _Said()
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._ask(reader, far_writer, said))
                both.create_task(self._answer(far_reader, writer, said))
        except* (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            for each in (writer, far_writer):
                each.close()
                with suppress(ConnectionError):
                    await each.wait_closed()

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, said: "_Said") -> None:
        (length,) = struct.unpack(">I", start := await reader.readexactly(4))
        writer.write(start + await reader.readexactly(length - 4))
        while True:
            kind = await reader.readexactly(1)
            (length,) = struct.unpack(">I", size := await reader.readexactly(4))
            body = await reader.readexactly(length - 4)
            said.hears(kind, body)
            writer.write(kind + size + body)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, said: "_Said") -> None:
        while data := await reader.read(65536):
            if self.is_silent:
                continue
            if said.is_commit and _READY in data and self.left:
                self.left -= 1
                raise ConnectionResetError
            if _READY in data:
                said.is_commit = False
            writer.write(data)
        raise ConnectionResetError


class _Said:
    """What a client asked last: whether it commits something, by the text of its prepared statement."""

    def __init__(self) -> None:
        self._prepared: dict[bytes, bytes] = {}
        self.is_commit = False

    def hears(self, kind: bytes, body: bytes) -> None:
        if kind == b"P":
            name, sql, _ = body.split(b"\x00", 2)
            self._prepared[name] = sql
        elif kind == b"B":
            _, name, _ = body.split(b"\x00", 2)
            sql = self._prepared[name]
            # A transition by itself notes its event as it commits; a policy is a statement by itself.
            self.is_commit = sql == b"COMMIT" or b"INSERT INTO events" in sql or b"INSERT INTO policies" in sql
