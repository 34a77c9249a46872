"""How a database gets to this version's schema. Revisions are listed here, so that a start needs no Alembic to look."""

#: Oldest first; each is a file in `versions/`.
REVISIONS = ("0001", "0002", "0003", "0004")
HEAD = REVISIONS[-1]
