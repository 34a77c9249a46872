"""Handlers that the end-to-end tests load as `--app` does; each notes what it was handed."""

import asyncio
from collections.abc import Callable

from bot.resume import Resumed, on_resume

RAN: list[tuple[str, bool]] = []
TOLD: list[tuple[str, str]] = []
_waiting: set[asyncio.Event] = set()


async def until(look: Callable[[], object], *, within: float = 10) -> None:
    """Wait until a handler noted what the look is for."""
    news = asyncio.Event()
    _waiting.add(news)
    try:
        async with asyncio.timeout(within):
            while not look():
                await news.wait()
                news.clear()
    finally:
        _waiting.discard(news)


def _note() -> None:
    for news in _waiting:
        news.set()


@on_resume("deploy")
async def deploy(resumed: Resumed) -> None:
    async with resumed.execution(worker="handler") as action:
        RAN.append((resumed.interaction.id, action.execute))
        _note()


@on_resume("breaks")
async def breaks(resumed: Resumed) -> None:
    async with resumed.execution(worker="handler"):
        raise RuntimeError("zone 1 is not healthy")


@on_resume("report")
async def report(resumed: Resumed) -> None:
    TOLD.append((resumed.interaction.id, str(resumed.interaction.state)))
    _note()


@on_resume("lasts")
async def lasts(resumed: Resumed) -> None:
    """Runs until it is killed."""
    async with resumed.execution(report_within=2):
        await asyncio.Event().wait()
