"""The file of a SQLite store: whose it is, who serves it, what is in it."""

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing

import pytest

from store import errors
from store.open import open_store
from tests.store.contract.makers import NOW, TENANT, a_question, asked, cards, decide, now_is, said

SERVES = """
import asyncio, sys
from store.open import open_store
async def main():
    store = await open_store(sys.argv[1], serving=True)
    print("serving", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


@pytest.fixture
def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path}/signoff.db"


async def test_the_file_and_its_companions_are_the_owners_alone(url, tmp_path) -> None:
    before = os.umask(0)
    try:
        store = await open_store(url, serving=True)
        await asked(store)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        await store.close()
    finally:
        os.umask(before)

    assert set(modes) == {"signoff.db", "signoff.db-wal", "signoff.db-shm", "signoff.db.lock"}
    assert set(modes.values()) == {0o600}


async def test_what_was_asked_is_there_after_a_restart(url) -> None:
    store = await open_store(url, serving=True)
    approval = await asked(store)
    after = (await decide(store, approval)).approval
    await store.close()

    again = await open_store(url, serving=True)

    assert await now_is(again, approval) == after
    await again.close()


async def test_one_process_serves_a_file_and_short_commands_share_it(url) -> None:
    serving = await open_store(url, serving=True)

    with pytest.raises(errors.AlreadyServing, match="another process serves"):
        await open_store(url, serving=True)
    command = await open_store(url)
    approval = await asked(command)

    assert await now_is(serving, approval) == approval
    await command.close()
    await serving.close()
    again = await open_store(url, serving=True)
    await again.close()


async def test_the_lock_dies_with_its_process(url) -> None:
    serving = await asyncio.create_subprocess_exec(sys.executable, "-c", SERVES, url, stdout=subprocess.PIPE)
    assert await serving.stdout.readline() == b"serving\n"
    with pytest.raises(errors.AlreadyServing):
        await open_store(url, serving=True)

    serving.kill()
    await serving.communicate()

    store = await open_store(url, serving=True)
    await store.close()


async def test_processes_that_make_a_file_at_once_make_it_once(url) -> None:
    stores = await asyncio.gather(*(asyncio.to_thread(asyncio.run, _touch(url, n)) for n in range(6)))

    store = await open_store(url)
    assert len(await store.list_pending(tenant=TENANT)) == len(stores)
    await store.close()


async def _touch(url: str, number: int) -> None:
    store = await open_store(url)
    await asked(store, run_id=f"run-{number}")
    await store.close()


async def test_two_processes_that_write_at_once_wait_for_each_other(url) -> None:
    serving, command = await open_store(url, serving=True), await open_store(url)
    approvals = [await asked(serving) for _ in range(20)]

    outcomes = await asyncio.gather(*(decide(store, each) for each in approvals for store in (serving, command)))

    assert sorted(outcome.already_resolved for outcome in outcomes) == [False] * 20 + [True] * 20
    await command.close()
    await serving.close()


async def test_it_is_in_wal_and_commits_are_on_the_disk(url, tmp_path) -> None:
    store = await open_store(url)
    pragmas = {}
    async with store._database.transaction() as session:
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout"):
            ((pragmas[name],),) = await session.run(f"PRAGMA {name}", [])
    await store.close()

    assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 5000}


async def test_a_file_of_a_newer_version_is_refused(url, tmp_path) -> None:
    await (await open_store(url)).close()
    with closing(sqlite3.connect(tmp_path / "signoff.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()

    with pytest.raises(errors.SchemaOutdated, match="newer"):
        await open_store(url, serving=True)

    with closing(sqlite3.connect(tmp_path / "signoff.db")) as connection:
        connection.execute("DELETE FROM alembic_version")
    # The refused one has let go of the lock.
    await (await open_store(f"sqlite:///{tmp_path}/other.db", serving=True)).close()


async def test_a_busy_file_is_unconfirmed_and_nothing_is_torn(url, tmp_path) -> None:
    store = await open_store(url)
    approval = await asked(store)
    async with store._database.transaction() as session:
        await session.run("PRAGMA busy_timeout = 1", [])
    with closing(sqlite3.connect(tmp_path / "signoff.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(errors.Unconfirmed):
            await decide(store, approval)
        other.execute("ROLLBACK")

    assert not (await decide(store, approval)).already_resolved
    await store.close()


async def test_a_transition_that_fails_half_way_leaves_nothing(url, tmp_path) -> None:
    store = await open_store(url)
    approval = await asked(store)
    with closing(sqlite3.connect(tmp_path / "signoff.db")) as other:
        other.execute("CREATE TRIGGER t BEFORE UPDATE ON postings BEGIN SELECT RAISE(ABORT, 'no'); END")

    with pytest.raises(sqlite3.IntegrityError):
        await decide(store, approval)

    assert await now_is(store, approval) == approval
    assert await said(store, approval) == ["created"]
    assert [each.wanted for each in await cards(store, approval)] == [1, 1]
    await store.close()


async def test_a_cancelled_caller_leaves_a_whole_transition(url) -> None:
    store = await open_store(url)
    approvals = [await asked(store) for _ in range(20)]
    calls = [asyncio.ensure_future(decide(store, approval)) for approval in approvals]
    await asyncio.sleep(0)

    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    await store.close()

    again = await open_store(url)
    for approval in approvals:
        assert not (await now_is(again, approval)).is_pending
        assert await said(again, approval) == ["created", "approved"]
    await again.close()


async def test_a_cancelled_reader_harms_nobody(url) -> None:
    store = await open_store(url)
    question = await asked(store, a_question())
    calls = [asyncio.ensure_future(store.list_pending(tenant=TENANT)) for _ in range(30)]
    await asyncio.sleep(0)

    for call in calls[::2]:
        call.cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)

    assert all([each.id for each in result] == [question.id] for result in results[1::2])
    assert store._database.is_idle
    await store.close()


async def test_an_instant_without_a_zone_is_refused(url) -> None:
    store = await open_store(url)
    approval = await asked(store)

    with pytest.raises((ValueError, TypeError)):
        await decide(store, approval, at=NOW.replace(tzinfo=None))

    await store.close()
