"""Telling runs, on SQL."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from store import errors, rules
from store.ids import new_token
from store.sql import rows
from store.sql.engine import Attempt, Session
from store.sql.part import Part
from store.types import Interaction, Lease, Resumption, ResumptionLease


class SqlResumptions(Part):
    async def lease_resumptions(
        self, *, now: datetime, until: datetime, limit: int, handlers: Collection[str], webhooks: bool
    ) -> Sequence[ResumptionLease]:
        names = list(handlers)
        mine = {
            "handlers": names if self._is_postgres else rows.dump(names),
            "webhooks": webhooks,
        }

        async def call(_: Attempt) -> Sequence[ResumptionLease]:
            lease = Lease(token=new_token(), until=until)
            take = self._work_claims.take_resumptions
            async with self._database.write() as session:
                taken = await session.rows(take, now=now, until=until, token=lease.token, limit=limit, **mine)
            found = sorted((rows.interaction(row) for row in taken), key=_turn)
            return [ResumptionLease(interaction=each, lease=lease) for each in found]

        return await self._calls.write(call)

    async def renew_resumption(self, *, interaction: Interaction, lease: Lease, until: datetime) -> bool:
        async def call(_: Attempt) -> bool:
            mine = {"tenant": interaction.tenant, "id": interaction.id, "token": lease.token}
            async with self._database.write() as session:
                return await session.row(self._work_claims.renew_resumption, **mine, until=until) is not None

        return await self._calls.write(call)

    async def finish_resumption(self, *, interaction: Interaction, lease: Lease, now: datetime) -> bool:
        def report(current: Interaction) -> Resumption:
            return rules.told(current, now=now)

        return await self._finish(interaction, lease, report, now=now)

    async def retry_resumption(
        self, *, interaction: Interaction, lease: Lease, error: str, due_at: datetime | None, now: datetime
    ) -> bool:
        def report(current: Interaction) -> Resumption:
            return rules.not_told(current, error=error, due_at=due_at, now=now)

        return await self._finish(interaction, lease, report, now=now)

    async def tell_by_hand(self, *, tenant: str, id: str, wake: int, now: datetime) -> bool:
        async def call(attempt: Attempt) -> bool:
            async with self._database.transaction() as session:
                found = await session.row(self._claims.lock, tenant=tenant, id=id)
                if found is None:
                    raise errors.NotFound(id=id)
                current = rows.interaction(found)
                after = rules.told_by_hand(current, wake=wake, now=now)
                if after is None:
                    return attempt.is_repeated and current.resumption.told_at == now
                await self._write(session, current, after, now)
                return True

        return await self._calls.write(call)

    async def mark_stuck(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        async def call(_: Attempt) -> Sequence[Interaction]:
            async with self._database.transaction() as session:
                lapsed = await session.rows(self._work_claims.lapse, now=now, limit=limit)
                found = await session.rows(self._work_claims.stick, now=now, limit=limit)
                stuck = [rows.interaction(row) for row in found]
                for each in [*stuck, *(rows.interaction(row) for row in lapsed)]:
                    await self._want(session, each, now)
                return stuck

        return await self._calls.write(call)

    async def wake(self, *, tenant: str, id: str, now: datetime) -> bool:
        async def call(_: Attempt) -> bool:
            async with self._database.transaction() as session:
                found = await session.row(self._claims.lock, tenant=tenant, id=id)
                if found is None:
                    raise errors.NotFound(id=id)
                current = rows.interaction(found)
                anew = rules.woken(current, now=now)
                if anew is None:
                    return False
                await session.rows(self._work_claims.wake, tenant=tenant, id=id, **rows.telling(anew))
                if current.resumption.stuck_at is not None:
                    await self._want(session, current, now)
                return True

        return await self._calls.write(call)

    async def _finish(
        self,
        interaction: Interaction,
        lease: Lease,
        report: Callable[[Interaction], Resumption],
        *,
        now: datetime,
    ) -> bool:
        """Write how telling went, if the lease is still ours."""
        mine = {"tenant": interaction.tenant, "id": interaction.id}

        async def call(attempt: Attempt) -> bool:
            async with self._database.transaction() as session:
                found = await session.row(self._work_claims.lock_resumption, **mine, token=lease.token)
                if found is None:
                    return attempt.is_repeated and await self._was_told(session, interaction, report)
                current = rows.interaction(found)
                await self._write(session, current, report(current), now)
                return True

        return await self._calls.write(call)

    async def _write(self, session: Session, current: Interaction, after: Resumption, now: datetime) -> None:
        """How telling went; with it the lease goes. Cards are behind where it got stuck, or unstuck."""
        mine = {"tenant": current.tenant, "id": current.id}
        await session.rows(self._work_claims.finish_resumption, **mine, **rows.telling(after))
        if after.stuck_at != current.resumption.stuck_at:
            await self._want(session, current, now)

    async def _was_told(
        self, session: Session, interaction: Interaction, report: Callable[[Interaction], Resumption]
    ) -> bool:
        """Whether the lost first try of this report had been written: the row says what it would have said."""
        found = await session.row(self._queries.find, tenant=interaction.tenant, id=interaction.id)
        return found is not None and rows.interaction(found).resumption == report(interaction)

    async def _want(self, session: Session, interaction: Interaction, now: datetime) -> None:
        of = {"tenant": interaction.tenant, "interaction_id": interaction.id}
        await session.rows(self._claims.want, **of, event_at=now)


def _turn(interaction: Interaction) -> tuple[datetime | None, str, str]:
    return interaction.resumption.due_at, interaction.tenant, interaction.id
