"""Painting on SQL."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from store import errors, work
from store.ids import new_token
from store.sql import rows, rows_work
from store.sql.engine import Attempt, Session
from store.sql.part import Part
from store.types import About, Interaction, Lease, Posting, PostingLease, Role
from store.work import Finished, Landed, PostingWork


class SqlPostings(Part):
    async def find_postings(self, *, tenant: str, interaction_ids: Collection[str]) -> Mapping[str, Sequence[Posting]]:
        async def call(_: Attempt) -> Mapping[str, Sequence[Posting]]:
            async with self._database.read() as session:
                found = await self._all(session, tenant, list(interaction_ids))
            by_id: dict[str, list[Posting]] = {each: [] for each in interaction_ids}
            for row in found:
                by_id[row.posting.interaction_id].append(row.posting)
            return by_id

        return await self._calls.read(call)

    async def lease_postings(self, *, now: datetime, until: datetime, limit: int) -> Sequence[PostingLease]:
        async def call(_: Attempt) -> Sequence[PostingLease]:
            lease = Lease(token=new_token(), until=until)
            take = self._work_claims.take_postings
            async with self._database.write() as session:
                taken = await session.rows(take, now=now, until=until, token=lease.token, limit=limit)
            found = sorted((rows_work.posting_work(row) for row in taken), key=_turn)
            return [PostingLease(posting=each.posting, lease=lease) for each in found]

        return await self._calls.write(call)

    async def finish_posting(
        self,
        *,
        posting: Posting,
        lease: Lease,
        painted: int,
        now: datetime,
        channel: str | None = None,
        ts: str | None = None,
        permalink: str | None = None,
        replaces: bool = False,
    ) -> bool:
        def report(row: PostingWork) -> Finished:
            return work.finish(
                row,
                token=lease.token,
                painted=painted,
                now=now,
                channel=channel,
                ts=ts,
                permalink=permalink,
                replaces=replaces,
            )

        async def call(attempt: Attempt) -> bool:
            async with self._database.transaction() as session:
                # Whoever may make copies holds the interaction first, as transitions do: no two can deadlock.
                interaction = await self._hold(session, posting.tenant, posting.interaction_id) if ts else None
                found = await session.row(self._work_claims.lock_posting, tenant=posting.tenant, id=posting.id)
                if found is None:
                    return False
                row = rows_work.posting_work(found)
                if attempt.is_repeated and row.lease is None and row.posting.painted >= painted:
                    return True
                finished = report(row)
                await session.rows(self._work_claims.put_posting, **rows_work.posting_values(finished.work))
                if finished.stray is not None and interaction is not None:
                    await self._adopt(session, interaction, finished.stray, now)
                return finished.was_ours

        return await self._calls.write(call)

    async def retry_posting(
        self,
        *,
        posting: Posting,
        lease: Lease,
        error: str | None,
        due_at: datetime | None,
        counts: bool = True,
        failed: bool = False,
    ) -> bool:
        def report(row: PostingWork) -> Finished:
            return work.retry(row, token=lease.token, error=error, due_at=due_at, counts=counts, failed=failed)

        async def call(attempt: Attempt) -> bool:
            async with self._database.transaction() as session:
                found = await session.row(self._work_claims.lock_posting, tenant=posting.tenant, id=posting.id)
                if found is None:
                    return False
                row = rows_work.posting_work(found)
                if attempt.is_repeated and row.lease is None and row.posting.error == error:
                    return True
                finished = report(row)
                await session.rows(self._work_claims.put_posting, **rows_work.posting_values(finished.work))
                return finished.was_ours

        return await self._calls.write(call)

    async def readdress_posting(self, *, posting: Posting, lease: Lease, address: str, now: datetime) -> bool:
        async def call(attempt: Attempt) -> bool:
            async with self._database.transaction() as session:
                found = await session.row(self._work_claims.lock_posting, tenant=posting.tenant, id=posting.id)
                if found is None:
                    return False
                row = rows_work.posting_work(found)
                if attempt.is_repeated and row.posting.address == address:
                    return True
                finished = work.readdress(row, token=lease.token, address=address, now=now)
                await session.rows(self._work_claims.put_posting, **rows_work.posting_values(finished.work))
                return finished.was_ours

        return await self._calls.write(call)

    async def place_posting(self, *, posting: Posting, lease: Lease, channel: str) -> bool:
        async def call(_: Attempt) -> bool:
            mine = {"tenant": posting.tenant, "id": posting.id, "token": lease.token}
            async with self._database.write() as session:
                return await session.row(self._work_claims.place_posting, **mine, channel=channel) is not None

        return await self._calls.write(call)

    async def add_posting(
        self,
        *,
        tenant: str,
        interaction_id: str,
        role: Role,
        address: str,
        now: datetime,
        thread_ts: str | None = None,
        about: About | None = None,
        turn: int = 0,
    ) -> Posting:
        async def call(_: Attempt) -> Posting:
            async with self._database.transaction() as session:
                interaction = await self._hold(session, tenant, interaction_id)
                for row in await self._all(session, tenant, [interaction_id]):
                    if work.is_asked(row, role=role, address=address, about=about, turn=turn):
                        return row.posting
                new = work.born(
                    interaction, role=role, address=address, now=now, thread_ts=thread_ts, about=about, turn=turn
                )
                await session.rows(self._work_claims.add_posting, **rows_work.posting_values(new))
                return new.posting

        return await self._calls.write(call)

    async def adopt(self, *, tenant: str, interaction_id: str, channel: str, ts: str, now: datetime) -> Posting:
        async def call(_: Attempt) -> Posting:
            async with self._database.transaction() as session:
                interaction = await self._hold(session, tenant, interaction_id)
                return await self._adopt(session, interaction, Landed(channel=channel, ts=ts), now)

        return await self._calls.write(call)

    async def mark_behind(self, *, tenant: str, interaction_id: str, channel: str, ts: str) -> bool:
        async def call(_: Attempt) -> bool:
            place = {"tenant": tenant, "interaction_id": interaction_id, "channel": channel, "ts": ts}
            async with self._database.write() as session:
                return await session.row(self._work_claims.see_posting, **place) is not None

        return await self._calls.write(call)

    async def _adopt(self, session: Session, interaction: Interaction, landed: Landed, now: datetime) -> Posting:
        """Under the interaction's lock: what is known cannot change meanwhile."""
        known = await self._all(session, interaction.tenant, [interaction.id])
        adopted = work.adopt(known, interaction, landed=landed, now=now)
        values = rows_work.posting_values(adopted.work)
        if adopted.is_new:
            await session.rows(self._work_claims.add_posting, **values)
        elif adopted.is_changed:
            await session.rows(self._work_claims.fill_posting, **values)
        return adopted.work.posting

    async def _hold(self, session: Session, tenant: str, interaction_id: str) -> Interaction:
        found = await session.row(self._claims.lock, tenant=tenant, id=interaction_id)
        if found is None:
            raise errors.NotFound(id=interaction_id)
        return rows.interaction(found)

    async def _all(self, session: Session, tenant: str, interaction_ids: list[str]) -> Sequence[PostingWork]:
        ids = interaction_ids if self._is_postgres else rows.dump(interaction_ids)
        found = await session.rows(self._queries.postings, tenant=tenant, ids=ids)
        return sorted((rows_work.posting_work(row) for row in found), key=lambda row: row.posting.id)


def _turn(row: PostingWork) -> tuple[datetime, str, str]:
    return row.due_at, row.posting.tenant, row.posting.id
