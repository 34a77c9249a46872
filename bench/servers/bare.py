"""The limit of a click: bare aiohttp, the signature, one look at the form, the decision by raw SQL.

`python -m bench.servers.bare URL`; aiosqlite in place of sqlite3 with `URL aiosqlite`.
"""

import asyncio
import json
import os
import sqlite3
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from urllib.parse import parse_qsl

import aiosqlite
import asyncpg  # type: ignore[import-untyped]  # it ships no types
from aiohttp import web

from bench import raw
from bench.servers.listening import serve
from bot.slack.signature import is_genuine

Decide = Callable[[raw.Decision], Awaitable[bool]]


async def on_postgres(url: str, stack: AsyncExitStack) -> Decide:
    pool = await stack.enter_async_context(asyncpg.create_pool(url, min_size=10, max_size=10))

    async def decide(decision: raw.Decision) -> bool:
        return await raw.decide_at_once(pool, decision)

    return decide


async def on_sqlite3(file: str, stack: AsyncExitStack) -> Decide:
    """In the loop's own thread: nothing is faster, and every other request waits meanwhile."""
    connection = sqlite3.connect(file, isolation_level=None)
    stack.callback(connection.close)
    for pragma in ("busy_timeout = 5000", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")

    async def decide(decision: raw.Decision) -> bool:
        return raw.decide_on_sqlite(connection, decision)

    return decide


async def on_aiosqlite(file: str, stack: AsyncExitStack) -> Decide:
    """One writer, one transaction at a time, every statement a hop to its thread."""
    connection = await stack.enter_async_context(aiosqlite.connect(file, isolation_level=None))
    for pragma in ("busy_timeout = 5000", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        await connection.execute(f"PRAGMA {pragma}")
    writing = asyncio.Lock()

    async def decide(decision: raw.Decision) -> bool:
        given = raw.lite_arguments(decision)
        tenant, id_, at, user, *_, attempt, _late = given
        async with writing:
            await connection.execute("BEGIN IMMEDIATE")
            rows = list(await connection.execute_fetchall(raw.LITE_DECIDE, given))
            if rows:
                await connection.execute(raw.LITE_NOTE, (tenant, id_, at, user, rows[0][0], attempt))
                await connection.execute(raw.LITE_BEHIND, (tenant, id_, at))
            await connection.execute("COMMIT")
        return bool(rows)

    return decide


def clicks(decide: Decide, secret: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def receive(request: web.Request) -> web.Response:
        at = raw.now()
        body = await request.read()
        if not is_genuine([secret], headers=request.headers, body=body, now=time.time()):
            return web.Response(status=401)
        click = json.loads(dict(parse_qsl(body.decode()))["payload"])
        decision = raw.Decision(
            tenant="default",
            id=click["actions"][0]["value"],
            user=click["user"]["id"],
            at=at,
            attempt=os.urandom(16).hex(),
        )
        return web.Response(status=200 if await decide(decision) else 500)

    return receive


async def main(url: str, driver: str) -> None:
    async with AsyncExitStack() as stack:
        if driver == "asyncpg":
            decide = await on_postgres(url, stack)
        else:
            opened = on_aiosqlite if driver == "aiosqlite" else on_sqlite3
            decide = await opened(url.removeprefix("sqlite:///"), stack)
        app = web.Application()
        app.router.add_post("/slack/events", clicks(decide, os.environ["SLACK_SIGNING_SECRET"]))
        await serve(app)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
