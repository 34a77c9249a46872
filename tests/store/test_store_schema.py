"""The schema as text, the migrations, and what a database refuses by itself."""

import asyncio
import re
import sqlite3
from contextlib import closing

import asyncpg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy.exc import OperationalError

from store import errors, migrations
from store.deliveries import Message
from store.migrate import migrate, upgrade_file
from store.migrations import HEAD, REVISIONS
from store.open import open_store
from store.schema import schema
from tests.store.contract.makers import TENANT, a_question, asked, decided
from tests.store.contract.makers_runs import a_run

CATALOG = """
    SELECT 'column', table_name, column_name, data_type, is_nullable, coalesce(column_default, ''),
        coalesce(collation_name, '')
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL
    SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '', ''
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT 'index', tablename, indexname, indexdef, '', '', '' FROM pg_indexes WHERE schemaname = 'public'
"""


async def of_postgres(url: str, ddl: str | None = None) -> set[tuple[str, ...]]:
    connection = await asyncpg.connect(url)
    try:
        if ddl is not None:
            await connection.execute(ddl)
        return {tuple(row) for row in await connection.fetch(CATALOG)}
    finally:
        await connection.close()


def of_sqlite(path) -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master").fetchall()
        columns = [
            ("column", table, str(column))
            for kind, table, _ in rows
            if kind == "table"
            for column in connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
        ]
    # SQLite writes the name of a table that was renamed in quotes.
    plain = ((kind, name, sql.replace(f'CREATE TABLE "{name}"', f"CREATE TABLE {name}")) for kind, name, sql in rows)
    return {(kind, name, re.sub(r"\s+", " ", sql)) for kind, name, sql in plain} | set(columns)


async def test_on_postgres_the_text_and_the_migrations_lead_to_one_schema(postgres_server, bare_postgres_url) -> None:
    from tests import postgres

    migrated = await postgres.fresh(postgres_server, "template0")

    await migrate(migrated)
    written = await of_postgres(bare_postgres_url, schema("postgresql"))

    assert written == await of_postgres(migrated)
    assert any("WHERE (resolved_at IS NULL)" in entry[3] for entry in written)
    assert sum(entry[0] == "constraint" and entry[3].startswith("CHECK") for entry in written) > 20


def test_on_sqlite_the_text_and_the_migrations_lead_to_one_schema(tmp_path) -> None:
    written, migrated = tmp_path / "written.db", tmp_path / "migrated.db"
    with closing(sqlite3.connect(written)) as connection:
        connection.executescript(schema("sqlite"))

    upgrade_file(migrated)
    upgrade_file(migrated)

    assert of_sqlite(written) == of_sqlite(migrated)
    assert any("WHERE resolved_at IS NULL" in entry[2] for entry in of_sqlite(written))


def test_a_sqlite_migration_that_fails_leaves_nothing(tmp_path) -> None:
    path = tmp_path / "half.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE postings (x)")
    before = of_sqlite(path)

    with pytest.raises(OperationalError):
        upgrade_file(path)

    assert of_sqlite(path) == before


async def test_every_revision_goes_up_down_and_up_again(bare_postgres_url) -> None:
    from alembic import command
    from sqlalchemy.ext.asyncio import create_async_engine

    await migrate(bare_postgres_url)
    before = await of_postgres(bare_postgres_url)
    engine = create_async_engine(bare_postgres_url.replace("postgresql://", "postgresql+asyncpg://"))

    def down(connection) -> None:
        config = Config()
        config.set_main_option("script_location", migrations.__path__[0])
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    async with engine.begin() as connection:
        await connection.run_sync(down)
    await engine.dispose()
    assert {entry[1] for entry in await of_postgres(bare_postgres_url)} <= {"alembic_version"}
    await migrate(bare_postgres_url)

    assert await of_postgres(bare_postgres_url) == before


def test_the_revisions_that_are_listed_are_those_that_there_are() -> None:
    config = Config()
    config.set_main_option("script_location", migrations.__path__[0])
    scripts = ScriptDirectory.from_config(config)

    assert scripts.get_heads() == [HEAD]
    assert tuple(script.revision for script in reversed(list(scripts.walk_revisions()))) == REVISIONS


def test_memory_has_no_schema_and_others_are_refused() -> None:
    assert schema("memory") == ""
    with pytest.raises(ValueError, match="mysql"):
        schema("mysql")


async def test_an_old_schema_is_refused_and_the_command_is_named(bare_postgres_url) -> None:
    with pytest.raises(errors.SchemaOutdated, match="signoff-bot migrate"):
        await open_store(bare_postgres_url, serving=True)

    await migrate(bare_postgres_url)
    store = await open_store(bare_postgres_url, serving=True)
    await store.close()


async def test_a_schema_of_the_future_is_refused(fresh_postgres_url) -> None:
    connection = await asyncpg.connect(fresh_postgres_url)
    await connection.execute("UPDATE alembic_version SET version_num = '9999'")
    await connection.close()

    with pytest.raises(errors.SchemaOutdated, match="newer"):
        await open_store(fresh_postgres_url)


async def test_migrations_at_once_wait_for_each_other(bare_postgres_url) -> None:
    await asyncio.gather(*(migrate(bare_postgres_url) for _ in range(4)))

    store = await open_store(bare_postgres_url)
    await store.close()


async def test_migrating_what_is_migrated_keeps_its_rows(postgres_url) -> None:
    store = await open_store(postgres_url)
    approval = await asked(store)

    await migrate(postgres_url)

    assert await store.find_interaction(tenant=TENANT, id=approval.id) == approval
    await store.close()


async def test_migrating_makes_a_sqlite_file_and_keeps_what_is_in_it(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    await migrate(url)
    store = await open_store(url)
    approval = await asked(store)
    await store.close()

    await migrate(url)
    await migrate("memory://")

    again = await open_store(url)
    assert await again.find_interaction(tenant=TENANT, id=approval.id) == approval
    await again.close()


BROKEN = [
    "UPDATE interactions SET decision = 'allow-once' WHERE kind = 'approval' AND decided_at IS NULL",
    "UPDATE interactions SET decided_at = NULL, resolved_at = NULL WHERE decision IS NOT NULL",
    "UPDATE interactions SET withdrawn_at = decided_at WHERE decided_at IS NOT NULL",
    "UPDATE interactions SET resolved_at = created_at, resolver_kind = 'deadline' WHERE resolved_at IS NULL",
    "UPDATE interactions SET resolved_at = NULL WHERE decided_at IS NOT NULL",
    "UPDATE interactions SET decision = 'not-deny' WHERE decision IS NOT NULL",
    "UPDATE interactions SET claimed_at = created_at, claim_id = 'c', claim_executes = (1 = 1) WHERE decided_at IS NULL",
    "UPDATE interactions SET claimed_at = created_at WHERE decided_at IS NOT NULL",
    "UPDATE interactions SET digest = NULL WHERE kind = 'approval'",
    "UPDATE interactions SET questions = NULL WHERE kind = 'question'",
    "UPDATE interactions SET answers = '{}' WHERE kind = 'question'",
    "UPDATE interactions SET resume_due_at = created_at WHERE resolved_at IS NULL",
    "UPDATE interactions SET execution_status = 'running' WHERE claimed_at IS NULL",
    "UPDATE interactions SET resume_lease = 'x' WHERE resolved_at IS NOT NULL",
    "UPDATE interactions SET superseded_by = 'x' WHERE superseded_at IS NULL",
    "UPDATE interactions SET run_id = 'run', operation_id = 'op'",
    "UPDATE postings SET painted = wanted + 1",
    "UPDATE postings SET ts = '1.1', channel = NULL",
    "UPDATE postings SET interaction_id = 'apr_missing'",
    "UPDATE runs SET finished_at = created_at, finished_by = 't', outcome_json = '1'",
    "UPDATE runs SET free_at = NULL",
    "UPDATE runs SET finished_at = created_at, finished_by = 't', free_at = NULL",
    "UPDATE runs SET finished_at = created_at, free_at = NULL, outcome_json = '1'",
    "UPDATE runs SET finished_at = created_at, finished_by = 't', free_at = NULL, outcome_json = '1', lease = 't'",
    "UPDATE runs SET outcome_json = '1'",
    "UPDATE runs SET error_code = 'RUN_FAILED', error_message = 'x', error_retryable = (1 = 1)",
    "UPDATE runs SET action_id = 'act_1'",
    "UPDATE runs SET cursor = 1, action_id = 'a', action_kind = 'else', action_request = '{}', action_at = created_at",
    "UPDATE runs SET interaction_id = 'apr_1'",
    "UPDATE runs SET stop_at = created_at",
]


@pytest.mark.parametrize("statement", BROKEN)
async def test_postgres_refuses_rows_that_contradict_themselves(postgres_url, statement) -> None:
    await _some_rows(postgres_url)
    connection = await asyncpg.connect(postgres_url)

    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        await connection.execute(statement)

    await connection.close()


@pytest.mark.parametrize("statement", BROKEN)
async def test_sqlite_refuses_rows_that_contradict_themselves(tmp_path, statement) -> None:
    await _some_rows(f"sqlite:///{tmp_path}/store.db")

    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)


GONE = ("messages", "deliveries")


async def test_on_postgres_what_was_sent_goes_with_its_interaction(postgres_url) -> None:
    await _some_rows(postgres_url)
    connection = await asyncpg.connect(postgres_url)

    counts = [[await connection.fetchval(f"SELECT count(*) FROM {table}") for table in GONE]]
    await connection.execute("DELETE FROM interactions")
    counts.append([await connection.fetchval(f"SELECT count(*) FROM {table}") for table in GONE])

    assert counts == [[1, 1], [0, 0]]
    await connection.close()


async def test_on_sqlite_what_was_sent_goes_with_its_interaction(tmp_path) -> None:
    await _some_rows(f"sqlite:///{tmp_path}/store.db")

    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        counts = [[connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in GONE]]
        connection.execute("DELETE FROM interactions")
        counts.append([connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in GONE])

    assert counts == [[1, 1], [0, 0]]


async def _some_rows(url: str) -> None:
    store = await open_store(url)
    await asked(store)
    approval = await decided(store)
    message = Message(tenant=TENANT, id=f"{approval.id}_0", interaction_id=approval.id, wake=0, body="{}")
    await store.begin_delivery(message=message, at=approval.created_at)
    await asked(store, a_question())
    await store.start_run(run=a_run())
    await store.close()
