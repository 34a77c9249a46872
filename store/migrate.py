"""Bring a database to this version's schema. The only place, beside the migrations, that loads Alembic."""


async def migrate(url: str) -> None:
    raise NotImplementedError(url)
