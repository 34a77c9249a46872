"""Changes of other processes, where none can be heard of."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class _Silence:
    def __aiter__(self) -> AsyncIterator[str]:
        return self

    async def __anext__(self) -> str:
        never: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        return await never


@asynccontextmanager
async def silence() -> AsyncIterator[AsyncIterator[str]]:
    """An iterator that says nothing until its reader is cancelled."""
    yield _Silence()
