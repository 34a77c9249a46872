"""A database that an older version made, with rows of every kind: upgraded, it is as a new one, and its rows live on."""

import hashlib
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import IntegrityError

from store import errors, migrations
from store.drafts import Draft
from store.migrate import migrate, upgrade_file
from store.migrations import frozen
from store.open import open_store
from store.schema import schema, statements
from store.types import ExecutionStatus, State
from tests.store.contract.makers import ANA, HOUR, NOW, TENANT, answer, claim, decide, now_is
from tests.store.test_store_schema import of_postgres, of_sqlite

ROWS = Path(__file__).with_name("rows_0001.sql").read_text("utf-8")
TABLES = ("interactions", "postings", "events", "keys", "installations")
#: Of files that databases were made with. A change to one of them is a new migration instead.
FROZEN = {
    "0001_postgresql.sql": "1791c53daf13310e",
    "0001_sqlite.sql": "97a3b18502048496",
    "0002_postgresql.sql": "49bfeca6a8412bf5",
    "0002_sqlite.sql": "75bb4f51f0f0cbf3",
    "0003_interactions_sqlite.sql": "c3bef5efd1d6ecbc",
    "0003_postgresql.sql": "07a8ae7f057aafc3",
    "0003_postings_sqlite.sql": "09fd1cb0a237f6a8",
    "0003_sqlite.sql": "24d44ed0b91c9145",
    "0004_postgresql.sql": "14f1e11617472fad",
    "0004_sqlite.sql": "e6e802b445481627",
    "0005_interactions_sqlite.sql": "1b49d1c2f3d70222",
    "0005_postgresql.sql": "ee36932f3ed950d4",
    "0005_sqlite.sql": "2bedfff47cb9609f",
}


def first(dialect: str) -> str:
    """The schema of revision 0001, as its migration made it."""
    made = ";\n".join(frozen.statements("0001", dialect))
    version = statements(dialect)[-2]
    assert version.startswith("CREATE TABLE alembic_version")
    return f"{made};\n{version};\nINSERT INTO alembic_version VALUES ('0001');\n"


@pytest.fixture
def old_sqlite(tmp_path) -> Path:
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(first("sqlite") + ROWS)
    return path


@pytest.fixture
async def old_postgres(bare_postgres_url) -> str:
    connection = await asyncpg.connect(bare_postgres_url)
    await connection.execute(first("postgresql") + ROWS)
    await connection.close()
    return bare_postgres_url


def rows_of(path: Path) -> dict[str, list[dict[str, object]]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return {
            table: [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3")]
            for table in TABLES
        }


async def rows_of_postgres(url: str) -> dict[str, list[dict[str, object]]]:
    connection = await asyncpg.connect(url)
    found = {
        table: [dict(row) for row in await connection.fetch(f"SELECT * FROM {table} ORDER BY 1, 2, 3")]
        for table in TABLES
    }
    await connection.close()
    return found


def as_before(
    after: dict[str, list[dict[str, object]]], before: dict[str, list[dict[str, object]]]
) -> dict[str, list[dict[str, object]]]:
    """The same rows without what they got since."""
    return {table: [{name: row[name] for name in before[table][0]} for row in rows] for table, rows in after.items()}


def test_released_migrations_never_change() -> None:
    folder = Path(migrations.__path__[0]) / "versions"

    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in folder.glob("*.sql")} == FROZEN


def test_an_old_sqlite_file_upgrades_to_the_schema_of_a_new_one_and_keeps_its_rows(old_sqlite, tmp_path) -> None:
    before = rows_of(old_sqlite)
    assert all(before.values())
    with closing(sqlite3.connect(tmp_path / "new.db")) as connection:
        connection.executescript(schema("sqlite"))

    upgrade_file(old_sqlite)

    assert of_sqlite(old_sqlite) == of_sqlite(tmp_path / "new.db")
    assert as_before(rows_of(old_sqlite), before) == before


async def test_an_old_postgres_upgrades_to_the_schema_of_a_new_one_and_keeps_its_rows(
    old_postgres, postgres_url
) -> None:
    before = await rows_of_postgres(old_postgres)

    await migrate(old_postgres)

    assert await of_postgres(old_postgres) == await of_postgres(postgres_url)
    assert as_before(await rows_of_postgres(old_postgres), before) == before


async def test_an_old_postgres_is_not_served_before_it_is_migrated(old_postgres) -> None:
    with pytest.raises(errors.SchemaOutdated, match=f"0001, not {migrations.HEAD}: run `signoff-bot migrate`"):
        await open_store(old_postgres, serving=True)


@pytest.fixture(params=["sqlite", "postgres"])
def old_url(request) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("old_postgres"))
    return f"sqlite:///{request.getfixturevalue('old_sqlite')}"


async def test_what_was_asked_before_an_upgrade_is_answered_after_it(old_url) -> None:
    await migrate(old_url)
    store = await open_store(old_url, serving=True)
    by_run = {one.run_id: one for one in (await store.list_interactions(tenant=TENANT, limit=200)).items}
    question, approval = by_run["run-q-pending"], by_run["run-a-pending"]

    assert await store.keep_draft(
        tenant=TENANT, interaction_id=question.id, person=ANA.id, draft=Draft(chosen={0: (1,)}), at=NOW
    )
    assert (await answer(store, question)).question.state is State.ANSWERED
    assert (await decide(store, approval)).approval.state is State.APPROVED
    claimed = await claim(store, approval)
    assert (claimed.claimed, claimed.execute) == (True, True)
    running = by_run["run-a-running"]
    await store.report_execution(
        tenant=TENANT, id=running.id, claim_id="claim-1", status=ExecutionStatus.SUCCEEDED, at=NOW + HOUR
    )
    assert (await now_is(store, running)).execution.status is ExecutionStatus.SUCCEEDED
    assert {by_run[f"run-a-{name}"].state.value for name in ("denied", "withdrawn", "expired", "old")} == {
        *("denied", "withdrawn", "expired", "superseded")
    }
    assert len(await store.list_keys(tenant=TENANT)) == 2
    assert await store.lease_postings(now=NOW + 9 * HOUR, until=NOW + 10 * HOUR, limit=9)
    assert await store.drop_drafts() == 1
    await store.close()


def narrowed() -> list[str]:
    """The shape of `interactions` with one more column and one more check, as a later version may want it."""
    create, *indexes = [s for s in statements("sqlite") if re.search(r"(TABLE|ON) interactions\b", s)]
    column = re.sub(r"\n\tid TEXT NOT NULL, ?", "\n\tid TEXT NOT NULL,\n\tweight INTEGER NOT NULL,", create, count=1)
    return [column.rstrip().removesuffix(")") + ", CONSTRAINT ck_weight CHECK (weight > 0))", *indexes]


def test_a_table_of_sqlite_takes_another_shape_and_keeps_its_rows_indexes_and_what_refers_to_it(old_sqlite) -> None:
    upgrade_file(old_sqlite)
    before, stood = rows_of(old_sqlite), of_sqlite(old_sqlite)
    engine = create_engine(f"sqlite:///{old_sqlite}")

    with engine.begin() as connection:
        frozen.rebuild(connection, "interactions", narrowed(), fills={"weight": "length(title)"})
    engine.dispose()

    after = rows_of(old_sqlite)
    weighed = [{**row, "weight": len(str(row["title"]))} for row in before["interactions"]]
    assert [dict(sorted(row.items())) for row in after["interactions"]] == [
        dict(sorted(row.items())) for row in weighed
    ]
    assert {table: after[table] for table in TABLES[1:]} == {table: before[table] for table in TABLES[1:]}
    indexes = {entry for entry in stood if entry[0] == "index"}
    assert indexes <= of_sqlite(old_sqlite)
    with closing(sqlite3.connect(old_sqlite)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        with pytest.raises(sqlite3.IntegrityError, match="ck_weight"):
            connection.execute("UPDATE interactions SET weight = 0")
        with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
            connection.execute("UPDATE postings SET interaction_id = 'apr_missing' WHERE rowid = 1")
        connection.execute("DELETE FROM interactions")
        assert connection.execute("SELECT count(*) FROM postings").fetchone() == (0,)


def test_a_rebuilt_table_that_is_of_the_same_shape_is_the_same(old_sqlite) -> None:
    upgrade_file(old_sqlite)
    before = of_sqlite(old_sqlite)
    same = [s for s in statements("sqlite") if re.search(r"(TABLE|ON) interactions\b", s)]
    engine = create_engine(f"sqlite:///{old_sqlite}")

    with engine.begin() as connection:
        frozen.rebuild(connection, "interactions", same)
    engine.dispose()

    assert of_sqlite(old_sqlite) == before


def test_a_table_is_not_rebuilt_where_that_would_delete_what_refers_to_it(old_sqlite) -> None:
    before = rows_of(old_sqlite)
    engine = create_engine(f"sqlite:///{old_sqlite}")

    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")
        with pytest.raises(RuntimeError, match="foreign keys are enforced"):
            frozen.rebuild(connection, "interactions", narrowed(), fills={"weight": "1"})
    engine.dispose()

    assert as_before(rows_of(old_sqlite), before) == before


def test_a_new_shape_that_the_rows_do_not_fit_changes_nothing(old_sqlite) -> None:
    upgrade_file(old_sqlite)
    before = rows_of(old_sqlite), of_sqlite(old_sqlite)
    engine = create_engine(f"sqlite:///{old_sqlite}", connect_args={"isolation_level": None})

    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(IntegrityError, match="ck_weight"):
            frozen.rebuild(connection, "interactions", narrowed(), fills={"weight": "0"})
        connection.exec_driver_sql("ROLLBACK")
    engine.dispose()

    assert (rows_of(old_sqlite), of_sqlite(old_sqlite)) == before
