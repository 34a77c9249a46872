"""Messages to receivers, and kept records, on SQL."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from store import errors
from store.deliveries import Begun, Delivery, Message, attempt_of
from store.sql import rows
from store.sql.engine import Attempt, Session
from store.sql.part import Part
from store.sql.statement import Row
from store.sql.times import instant
from store.types import Approval


class SqlDeliveries(Part):
    async def begin_delivery(self, *, message: Message, at: datetime, by_hand: bool = False) -> Begun:
        async def call(attempt: Attempt) -> Begun:
            async with self._database.transaction() as session:
                if attempt.is_repeated and (mine := await self._begun(session, message, attempt)) is not None:
                    return mine
                return await self._begin(session, message, attempt, at=at, by_hand=by_hand)

        return await self._calls.write(call)

    async def end_delivery(self, *, delivery: Delivery) -> None:
        mine = {"tenant": delivery.tenant, "message_id": delivery.message_id, "attempt": delivery.attempt}
        said = {"status": delivery.status, "error": delivery.error, "duration_ms": delivery.duration_ms}

        async def call(_: Attempt) -> None:
            async with self._database.write() as session:
                await session.rows(self._delivery_claims.end, **mine, **said)

        await self._calls.write(call)

    async def list_deliveries(
        self, *, tenant: str, interaction_id: str | None = None, limit: int = 100
    ) -> Sequence[Delivery]:
        claims = self._delivery_claims
        statement = claims.of_tenant if interaction_id is None else claims.of_interaction

        async def call(_: Attempt) -> Sequence[Delivery]:
            async with self._database.read() as session:
                found = await session.rows(statement, tenant=tenant, interaction_id=interaction_id, limit=limit)
            return [_delivery(row) for row in found]

        return await self._calls.read(call)

    async def find_message(self, *, tenant: str, interaction_id: str, id: str | None = None) -> Message | None:
        claims = self._delivery_claims
        statement = claims.last_message if id is None else claims.message

        async def call(_: Attempt) -> Message | None:
            async with self._database.read() as session:
                found = await session.row(statement, tenant=tenant, interaction_id=interaction_id, id=id)
            return None if found is None else _message(found)

        return await self._calls.read(call)

    async def list_recorded(self, *, tenant: str, after: str | None = None, limit: int = 200) -> Sequence[Approval]:
        async def call(_: Attempt) -> Sequence[Approval]:
            async with self._database.read() as session:
                found = await session.rows(self._queries.recorded, tenant=tenant, after=after or "", limit=limit)
            kept = (rows.interaction(row) for row in found)
            return [each for each in kept if isinstance(each, Approval)]

        return await self._calls.read(call)

    async def _begin(
        self, session: Session, message: Message, attempt: Attempt, *, at: datetime, by_hand: bool
    ) -> Begun:
        claims = self._delivery_claims
        of = {"tenant": message.tenant, "id": message.id, "interaction_id": message.interaction_id}
        kept = await session.row(claims.begin, **of, wake=message.wake, body=message.body)
        if kept is None:
            raise errors.NotFound(id=message.interaction_id)
        first = _message(kept)
        delivery = attempt_of(first, number=kept["begun"], at=at, by_hand=by_hand)
        await session.rows(claims.note, **asdict(delivery), token=attempt.token)
        await session.rows(claims.forget, tenant=first.tenant, message_id=first.id, attempt=delivery.attempt)
        return Begun(delivery=delivery, message=first)

    async def _begun(self, session: Session, message: Message, attempt: Attempt) -> Begun | None:
        """What the lost first try of this call had begun."""
        claims, of = self._delivery_claims, {"tenant": message.tenant, "message_id": message.id}
        begun = await session.row(claims.of_token, **of, token=attempt.token)
        named = {"tenant": message.tenant, "id": message.id, "interaction_id": message.interaction_id}
        kept = await session.row(claims.message, **named)
        return None if begun is None or kept is None else Begun(delivery=_delivery(begun), message=_message(kept))


def _message(row: Row) -> Message:
    return Message(
        tenant=row["tenant"],
        id=row["id"],
        interaction_id=row["interaction_id"],
        wake=row["wake"],
        body=row["body"],
    )


def _delivery(row: Row) -> Delivery:
    return Delivery(
        tenant=row["tenant"],
        interaction_id=row["interaction_id"],
        message_id=row["message_id"],
        wake=row["wake"],
        attempt=row["attempt"],
        at=instant(row["at"]),
        by_hand=bool(row["by_hand"]),
        status=row["status"],
        error=row["error"],
        duration_ms=row["duration_ms"],
    )
