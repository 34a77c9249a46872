"""Procrastinate has no wait: a row of our own, a compare-and-set on it, then a job for its worker."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from procrastinate import App, PsycopgConnector
from psycopg_pool import AsyncConnectionPool

from bench.peers.harness import Candidate, Effects, main

_WAITING = "CREATE TABLE waiting (number int PRIMARY KEY, decided_at timestamptz)"
_CAS = "UPDATE waiting SET decided_at = now() WHERE number = %s AND decided_at IS NULL RETURNING number"


class Jobs:
    def __init__(self, app: App, pool: AsyncConnectionPool, effects: Effects) -> None:
        @app.task(queue="runs")
        async def go_on(number: int) -> None:
            effects.happened(number)

        self._go_on = go_on
        self._pool = pool

    async def start(self, number: int) -> None:
        async with self._pool.connection() as connection:
            await connection.execute("INSERT INTO waiting (number) VALUES (%s)", [number])

    async def decide(self, number: int) -> None:
        async with self._pool.connection() as connection:
            cursor = await connection.execute(_CAS, [number])
            is_first = await cursor.fetchone() is not None
        if is_first:
            await self._go_on.defer_async(number=number)


@asynccontextmanager
async def opened(database: str, effects: Effects) -> AsyncIterator[Candidate]:
    app = App(connector=PsycopgConnector(conninfo=database, min_size=4, max_size=16))
    async with AsyncConnectionPool(database, min_size=16, max_size=16, open=False) as pool, app.open_async():
        await app.schema_manager.apply_schema_async()
        async with pool.connection() as connection:
            await connection.execute(_WAITING)
        jobs = Jobs(app, pool, effects)
        worker = asyncio.create_task(app.run_worker_async(concurrency=16, install_signal_handlers=False))
        try:
            yield jobs
        finally:
            worker.cancel()
            with suppress(asyncio.CancelledError):
                await worker


if __name__ == "__main__":
    main(opened)
