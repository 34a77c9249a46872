"""Keys and installations on SQL."""

from collections.abc import Sequence
from datetime import datetime

from store import errors
from store.sql import rows_work
from store.sql.engine import Attempt
from store.sql.part import Part
from store.sql.statement import Row, Statement
from store.types import Installation, Key


class SqlKeys(Part):
    async def create_key(self, *, key: Key, secret_sha256: str) -> None:
        async def call(attempt: Attempt) -> None:
            values = rows_work.key_values(key, secret_sha256=secret_sha256)
            async with self._database.write() as session:
                if await session.row(self._key_claims.create, **values) is not None:
                    return
                taken = await session.row(self._queries.key_of_name, tenant=key.tenant, name=key.name)
            taken_by = key.id if taken is None else str(taken["id"])
            if not (attempt.is_repeated and taken_by == key.id):
                raise errors.Conflict(id=taken_by)

        await self._calls.write(call)

    async def find_key(self, *, secret_sha256: str) -> Key | None:
        found = await self._read(self._queries.key_of_secret, secret_sha256=secret_sha256)
        return rows_work.key(found[0]) if found else None

    async def list_keys(self, *, tenant: str) -> Sequence[Key]:
        return [rows_work.key(row) for row in await self._read(self._queries.keys, tenant=tenant)]

    async def revoke_key(self, *, tenant: str, name: str, at: datetime) -> bool:
        async def call(attempt: Attempt) -> bool:
            async with self._database.write() as session:
                revoked = await session.row(self._key_claims.revoke, tenant=tenant, name=name, at=at)
                return revoked is not None or attempt.is_repeated

        return await self._calls.write(call)

    async def bind_installation(self, *, installation: Installation) -> Installation:
        async def call(_: Attempt) -> Installation:
            async with self._database.write() as session:
                bound = await session.row(self._key_claims.bind, **rows_work.installation_values(installation))
                if bound is not None:
                    return rows_work.installation(bound)
                other = await session.row(self._queries.installation, tenant=installation.tenant)
            team = "another" if other is None else str(other["team_id"])
            raise errors.WorkspaceMismatch(tenant=installation.tenant, bound=team, given=installation.team_id)

        return await self._calls.write(call)

    async def find_installation(self, *, tenant: str) -> Installation | None:
        found = await self._read(self._queries.installation, tenant=tenant)
        return rows_work.installation(found[0]) if found else None

    async def find_installation_of_team(self, *, team_id: str) -> Installation | None:
        found = await self._read(self._queries.installation_of_team, team_id=team_id)
        return rows_work.installation(found[0]) if found else None

    async def _read(self, statement: Statement, **values: object) -> list[Row]:
        async def call(_: Attempt) -> list[Row]:
            async with self._database.read() as session:
                return await session.rows(statement, **values)

        return await self._calls.read(call)
