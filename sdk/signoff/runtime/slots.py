"""How many codes run at once in one worker; those that wait for people take no slot."""

import asyncio


class Slots:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._wanted = 0
        self._semaphore = asyncio.Semaphore(limit)
        self._changed = asyncio.Event()

    @property
    def free(self) -> int:
        """Slots that nobody has or stands in line for."""
        return max(0, self._limit - self._wanted)

    async def take(self) -> None:
        self._wanted += 1
        try:
            await self._semaphore.acquire()
        except BaseException:
            self._wanted -= 1
            self._changed.set()
            raise

    def give(self) -> None:
        self._wanted -= 1
        self._semaphore.release()
        self._changed.set()

    async def until_free(self) -> int:
        """Wait until there is one; how many there are."""
        while not self.free:
            self._changed.clear()
            await self._changed.wait()
        return self.free
