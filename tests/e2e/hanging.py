"""A handler that never ends; loaded as `--app` does."""

import asyncio

from bot.resume import Resumed, on_resume

begun: asyncio.Queue[str] = asyncio.Queue()


@on_resume("hangs")
async def hangs(resumed: Resumed) -> None:
    begun.put_nowait(resumed.interaction.id)
    await asyncio.Event().wait()
