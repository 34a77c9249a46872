"""A database of the second migration, with rows in it, upgraded to policies, stops and timers: what it held lives on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from store import migrations
from store.migrate import migrate, upgrade_file
from store.migrations import frozen
from store.open import open_store
from store.schema import statements
from store.types import About, Course, Decision, ExecutionStatus, Role, State, Terms
from tests.store.contract.makers import (
    HOUR,
    NOW,
    TENANT,
    a_question,
    a_stop,
    answer,
    asked,
    cards,
    claim,
    decide,
    decided,
    now_is,
    paint,
    said,
    settle,
    take_back,
)
from tests.store.test_store_schema import of_sqlite

TABLES = ("interactions", "postings", "events")


def second(dialect: str) -> list[str]:
    """The schema of revision 0002, as its migrations made it."""
    version = next(each for each in statements(dialect) if each.startswith("CREATE TABLE alembic_version"))
    made = [statement for revision in ("0001", "0002") for statement in frozen.statements(revision, dialect)]
    return [*made, version, "INSERT INTO alembic_version VALUES ('0002')"]


@pytest.fixture
async def rows(tmp_path) -> list[str]:
    """INSERTs of what a store of that time held: an ask in each state that matters."""
    store = await open_store(f"sqlite:///{tmp_path}/asked.db")
    await asked(store, run_id="pending", requested_by="U0ANA")
    await decided(store, run_id="approved", tool_name="deploy.api", input_json="{}")
    await decide(store, await asked(store, run_id="denied"), decision=Decision.DENY)
    await claim(store, await decided(store, run_id="running"), report_within=60)
    await answer(store, await asked(store, a_question(run_id="answered")))
    await paint(store, now=NOW + HOUR)
    await store.close()
    with (
        closing(sqlite3.connect(tmp_path / "asked.db")) as new,
        closing(sqlite3.connect(":memory:")) as old,
    ):
        old.executescript(";".join(second("sqlite")))
        return [each for table in TABLES for each in _inserts(new, table, _columns(old, table))]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def _inserts(connection: sqlite3.Connection, table: str, columns: list[str]) -> list[str]:
    """Of these columns, each value as a text: both databases make of it what the column holds."""
    shown = ", ".join(f"quote(CAST({name} AS TEXT))" for name in columns)
    found = connection.execute(f"SELECT {shown} FROM {table}").fetchall()
    return [f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(row)})" for row in found]


@pytest.fixture
def old_sqlite(rows, tmp_path) -> Path:
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(";\n".join([*second("sqlite"), *rows]))
    return tmp_path / "old.db"


@pytest.fixture
async def old_postgres(rows, bare_postgres_url) -> str:
    connection = await asyncpg.connect(bare_postgres_url)
    await connection.execute(";\n".join([*second("postgresql"), *rows]))
    await connection.close()
    return bare_postgres_url


@pytest.fixture(params=["sqlite", "postgres"])
def old_url(request) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("old_postgres"))
    return f"sqlite:///{request.getfixturevalue('old_sqlite')}"


@pytest.fixture
async def store(old_url):
    await migrate(old_url)
    opened = await open_store(old_url)
    yield opened
    await opened.close()


async def by_run(store) -> dict:
    return {each.run_id: each for each in (await store.list_interactions(tenant=TENANT)).items}


async def test_what_was_asked_before_is_asked_under_no_terms(store) -> None:
    found = await by_run(store)

    assert sorted(found) == ["answered", "approved", "denied", "pending", "running"]
    for each in found.values():
        assert (each.terms, each.course, each.approvers.denials) == (Terms(), Course(), 1)
        assert [card.turn for card in await cards(store, each)] == [0] * len(await cards(store, each))
        assert all(card.ts for card in await cards(store, each))
        assert (await said(store, each))[0] == "created"
    assert not await store.ring_due(now=NOW + 9 * HOUR)


async def test_what_was_asked_before_has_all_that_is_new(store) -> None:
    found = await by_run(store)

    (silent,) = await store.mark_unknown(now=NOW + HOUR)
    assert silent.id == found["running"].id
    assert (await settle(store, silent, happened=False)).settled
    assert (await claim(store, silent, claim_id="claim-2", at=NOW + HOUR)).execute
    stop = await store.add_stop(stop=a_stop())
    assert (await claim(store, found["approved"])).stopped == stop
    assert (await take_back(store, found["approved"])).approval.state is State.DENIED
    assert (await decide(store, found["pending"])).approval.state is State.APPROVED
    assert [each.run_id for each in await store.list_requested(tenant=TENANT, user="U0ANA")] == ["pending"]
    about = {"role": Role.OUTCOME, "address": "C0DEPLOY", "about": About.UNKNOWN, "now": NOW}
    assert (await store.add_posting(tenant=TENANT, interaction_id=silent.id, **about)).about is About.UNKNOWN
    assert (await now_is(store, silent)).execution.status is ExecutionStatus.CLAIMED


def test_on_sqlite_what_refers_to_a_rebuilt_table_still_does(old_sqlite) -> None:
    upgrade_file(old_sqlite)

    with closing(sqlite3.connect(old_sqlite, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        assert not connection.execute("PRAGMA foreign_key_check").fetchall()
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("UPDATE postings SET interaction_id = 'apr_missing'")
        connection.execute("DELETE FROM interactions WHERE run_id = 'pending'")
        left = {row[0] for row in connection.execute("SELECT interaction_id FROM postings")}
        assert left <= {row[0] for row in connection.execute("SELECT id FROM interactions")}


def down(path: Path) -> None:
    """To revision 0002."""
    config = Config()
    config.set_main_option("script_location", migrations.__path__[0])
    engine = create_engine(f"sqlite:///{path}", connect_args={"isolation_level": None})
    with engine.begin() as connection:
        # The driver begins nothing by itself, and what fails half way is to be undone as a whole.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        config.attributes["connection"] = connection
        command.downgrade(config, "0002")
    engine.dispose()


def test_where_nothing_was_asked_it_goes_down_to_what_it_was(tmp_path) -> None:
    upgrade_file(tmp_path / "empty.db")
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(";\n".join(second("sqlite")))

    down(tmp_path / "empty.db")

    assert of_sqlite(tmp_path / "empty.db") == of_sqlite(tmp_path / "old.db")


def test_what_was_asked_is_not_taken_down(old_sqlite) -> None:
    upgrade_file(old_sqlite)
    before = of_sqlite(old_sqlite)

    with pytest.raises(RuntimeError, match="cannot be kept"):
        down(old_sqlite)

    assert of_sqlite(old_sqlite) == before
