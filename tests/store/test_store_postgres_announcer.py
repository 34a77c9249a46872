"""What changed is told to other processes once it is committed, several at once."""

import asyncio
from contextlib import asynccontextmanager

from store.sql.announcer import Announcer


class Line:
    """Takes announcements; holds each until it is let go."""

    def __init__(self) -> None:
        self.told: list[list[str]] = []
        self.taken = asyncio.Semaphore(0)
        self.go = asyncio.Semaphore(0)
        self.is_broken = False

    @asynccontextmanager
    async def session(self):
        yield self

    async def run(self, _: str, ids: list[str]) -> None:
        self.told.append(ids)
        self.taken.release()
        await self.go.acquire()
        if self.is_broken:
            raise ConnectionResetError


async def test_what_comes_while_something_is_told_is_told_together_after_it() -> None:
    line = Line()
    announcer = Announcer(line.session)
    announcer.announce("a")
    await line.taken.acquire()

    for id in ("c", "b", "c"):
        announcer.announce(id)
    line.go.release()
    line.go.release()
    await announcer.close()

    assert line.told == [["a"], ["b", "c"]]


async def test_a_line_that_broke_costs_only_its_hint() -> None:
    line = Line()
    line.is_broken = True
    announcer = Announcer(line.session)
    line.go.release()
    announcer.announce("a")
    await announcer.close()

    line.is_broken = False
    line.go.release()
    announcer.announce("b")
    await announcer.close()

    assert line.told == [["a"], ["b"]]
