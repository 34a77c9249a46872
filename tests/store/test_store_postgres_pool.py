"""The pool of Postgres connections: which are used again, and which never."""

import asyncio
import socket

import asyncpg
import pytest

from store import errors
from store.sql.engine import Lost
from store.sql.pool import Pool


@pytest.fixture
async def pool(postgres_url):
    made = Pool(postgres_url, size=2, patience=60, command_timeout=60)
    yield made
    assert made.is_idle
    await made.close()


async def pid(session) -> int:
    return (await session.run("SELECT pg_backend_pid()"))[0][0]


async def both(pool) -> tuple[int, int]:
    async with pool.session() as first, pool.session() as second:
        return await pid(first), await pid(second)


async def test_the_connection_used_last_is_used_next(pool) -> None:
    first, _ = await both(pool)

    for _ in range(3):
        async with pool.session() as session:
            assert await pid(session) == first


async def test_there_are_never_more_than_its_size_and_waiting_ends(postgres_url) -> None:
    pool = Pool(postgres_url, size=2, patience=2)
    async with pool.session(), pool.session():
        with pytest.raises(errors.Unconfirmed, match="came free"):
            async with pool.session():
                pass

    assert len(await both(pool)) == 2
    await pool.close()


async def test_whoever_waits_gets_the_next_that_comes_free(pool) -> None:
    async def use() -> int:
        async with pool.session() as session:
            return await pid(session)

    assert len(set(await asyncio.gather(*(use() for _ in range(12))))) == 2


async def test_after_a_break_no_connection_as_old_is_used_again(pool) -> None:
    old = await both(pool)
    with pytest.raises(Lost):
        async with pool.session() as session:
            await session.run("SELECT pg_terminate_backend(pg_backend_pid())")

    assert not set(old) & set(await both(pool))


async def test_a_failed_statement_does_not_cost_the_connection(pool) -> None:
    async with pool.session() as session:
        before = await pid(session)
    with pytest.raises(asyncpg.UndefinedTableError):
        async with pool.session() as session:
            await session.run("SELECT 1 FROM nowhere")

    async with pool.session() as session:
        assert await pid(session) == before


async def test_a_connection_left_in_mid_call_is_not_given_back(pool) -> None:
    asked = asyncio.Event()
    before = []

    async def read() -> None:
        async with pool.session() as session:
            before.append(await pid(session))
            asked.set()
            await session.run("SELECT pg_sleep(60)")

    reader = asyncio.create_task(read())
    await asked.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader

    async with pool.session() as session:
        assert await pid(session) not in before


async def test_a_call_without_an_answer_is_unconfirmed_and_costs_the_connection(postgres_url) -> None:
    pool = Pool(postgres_url, size=1, patience=60, command_timeout=0.05)
    async with pool.session() as session:
        before = await pid(session)
    with pytest.raises(errors.Unconfirmed, match="in time"):
        async with pool.session() as session:
            await session.run("SELECT pg_sleep(60)")

    async with pool.session() as session:
        assert await pid(session) != before
    await pool.close()


async def test_a_connection_that_cannot_be_made_leaves_its_place(postgres_url) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    pool = Pool(f"postgresql://nobody@127.0.0.1:{port}/nowhere", size=1, patience=60)

    for _ in range(2):
        with pytest.raises(Lost):
            async with pool.session():
                pass

    await pool.close()
