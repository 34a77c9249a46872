"""The schema as text: what a fresh database gets, and what the migrations lead to (a test holds them equal)."""

from collections.abc import Sequence

from store.migrations import HEAD

#: As Alembic makes it; a database that was made from this text counts as migrated.
_VERSION = (
    """CREATE TABLE alembic_version (
\tversion_num VARCHAR(32) NOT NULL,
\tCONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
)""",
    f"INSERT INTO alembic_version (version_num) VALUES ('{HEAD}')",  # noqa: S608  # our own constant
)


def schema(dialect: str) -> str:
    """The DDL of `postgresql` or `sqlite`; empty for `memory`."""
    return "".join(f"{statement};\n\n" for statement in statements(dialect))


def statements(dialect: str) -> Sequence[str]:
    """One statement each, in the order in which they run."""
    if dialect == "memory":
        return ()
    # Loaded here: whoever only asks for another dialect's text pays nothing.
    from sqlalchemy.dialects import postgresql, sqlite
    from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement

    from store.sql.tables import metadata

    known = {"postgresql": postgresql.dialect, "sqlite": sqlite.dialect}
    if dialect not in known:
        raise ValueError(f"no schema for {dialect!r}: postgresql, sqlite or memory")
    on = known[dialect]()
    made: list[ExecutableDDLElement] = []
    for table in metadata.sorted_tables:
        indexes = sorted(table.indexes, key=lambda index: str(index.name))
        made += [CreateTable(table), *(CreateIndex(index) for index in indexes)]
    return (*(str(element.compile(dialect=on)).strip() for element in made), *_VERSION)
