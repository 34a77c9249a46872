"""Painting and telling in the memory backend."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeGuard

from store import errors, rules, work
from store.ids import new_token
from store.memory_rows import Rows
from store.types import About, Approval, Interaction, Lease, Posting, PostingLease, ResumeKind, ResumptionLease, Role
from store.work import PostingWork


class MemoryPostings:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def find_postings(self, *, tenant: str, interaction_ids: Collection[str]) -> Mapping[str, Sequence[Posting]]:
        return {each: [row.posting for row in self._of(tenant, each)] for each in interaction_ids}

    async def lease_postings(self, *, now: datetime, until: datetime, limit: int) -> Sequence[PostingLease]:
        rows = (row for mine in self._rows.postings.values() for row in mine.values())
        due = sorted((row for row in rows if work.is_due(row, now)), key=_turn)
        lease = Lease(token=new_token(), until=until)
        for row in due[:limit]:
            self._put(replace(row, lease=lease))
        return [PostingLease(posting=row.posting, lease=lease) for row in due[:limit]]

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
        row = self._row(posting)
        if row is None:
            return False
        finished = work.finish(
            row,
            token=lease.token,
            painted=painted,
            now=now,
            channel=channel,
            ts=ts,
            permalink=permalink,
            replaces=replaces,
        )
        if finished.stray is not None:
            rows = self._of(posting.tenant, posting.interaction_id)
            interaction = self._interaction(posting.tenant, posting.interaction_id)
            self._put(work.adopt(rows, interaction, landed=finished.stray, now=now).work)
        self._put(finished.work)
        return finished.was_ours

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
        row = self._row(posting)
        if row is None:
            return False
        finished = work.retry(row, token=lease.token, error=error, due_at=due_at, counts=counts, failed=failed)
        self._put(finished.work)
        return finished.was_ours

    async def readdress_posting(self, *, posting: Posting, lease: Lease, address: str, now: datetime) -> bool:
        row = self._row(posting)
        if row is None:
            return False
        finished = work.readdress(row, token=lease.token, address=address, now=now)
        self._put(finished.work)
        return finished.was_ours

    async def place_posting(self, *, posting: Posting, lease: Lease, channel: str) -> bool:
        row = self._row(posting)
        if row is None or row.lease is None or row.lease.token != lease.token:
            return False
        self._put(replace(row, posting=replace(row.posting, channel=channel)))
        return True

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
        interaction = self._interaction(tenant, interaction_id)
        for row in self._of(tenant, interaction_id):
            if work.is_asked(row, role=role, address=address, about=about, turn=turn):
                return row.posting
        new = work.born(interaction, role=role, address=address, now=now, thread_ts=thread_ts, about=about, turn=turn)
        return self._put(new)

    async def adopt(self, *, tenant: str, interaction_id: str, channel: str, ts: str, now: datetime) -> Posting:
        interaction = self._interaction(tenant, interaction_id)
        landed = work.Landed(channel=channel, ts=ts)
        return self._put(work.adopt(self._of(tenant, interaction_id), interaction, landed=landed, now=now).work)

    async def mark_behind(self, *, tenant: str, interaction_id: str, channel: str, ts: str) -> bool:
        for row in self._of(tenant, interaction_id):
            if (row.posting.channel, row.posting.ts) == (channel, ts):
                self._put(work.seen(row))
                return True
        return False

    def _of(self, tenant: str, interaction_id: str) -> Sequence[PostingWork]:
        mine = self._rows.postings.get((tenant, interaction_id), {})
        return sorted(mine.values(), key=lambda row: row.posting.id)

    def _row(self, posting: Posting) -> PostingWork | None:
        return self._rows.postings.get((posting.tenant, posting.interaction_id), {}).get(posting.id)

    def _interaction(self, tenant: str, id: str) -> Interaction:
        found = self._rows.get(tenant, id)
        if found is None:
            raise errors.NotFound(id=id)
        return found

    def _put(self, row: PostingWork) -> Posting:
        posting = row.posting
        self._rows.postings[posting.tenant, posting.interaction_id][posting.id] = row
        return posting


class MemoryResumptions:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def lease_resumptions(
        self, *, now: datetime, until: datetime, limit: int, handlers: Collection[str], webhooks: bool
    ) -> Sequence[ResumptionLease]:
        mine = (each for each in self._rows.interactions.values() if _can_tell(each, handlers, webhooks))
        due = sorted((each for each in mine if self._is_due(each, now)), key=_telling)
        lease = Lease(token=new_token(), until=until)
        for each in due[:limit]:
            self._rows.leases[each.tenant, each.id] = lease
        return [ResumptionLease(interaction=each, lease=lease) for each in due[:limit]]

    async def renew_resumption(self, *, interaction: Interaction, lease: Lease, until: datetime) -> bool:
        if self._held(interaction, lease) is None:
            return False
        self._rows.leases[interaction.tenant, interaction.id] = replace(lease, until=until)
        return True

    async def finish_resumption(self, *, interaction: Interaction, lease: Lease, now: datetime) -> bool:
        current = self._held(interaction, lease)
        if current is None:
            return False
        after = rules.told(current, now=now)
        self._release(replace(current, resumption=after))
        if after.stuck_at != current.resumption.stuck_at:
            self._rows.want(current, now)
        return True

    async def retry_resumption(
        self, *, interaction: Interaction, lease: Lease, error: str, due_at: datetime | None, now: datetime
    ) -> bool:
        current = self._held(interaction, lease)
        if current is None:
            return False
        after = rules.not_told(current, error=error, due_at=due_at, now=now)
        self._release(replace(current, resumption=after))
        if after.stuck_at != current.resumption.stuck_at:
            self._rows.want(current, now)
        return True

    async def tell_by_hand(self, *, tenant: str, id: str, wake: int, now: datetime) -> bool:
        interaction = self._rows.get(tenant, id)
        if interaction is None:
            raise errors.NotFound(id=id)
        after = rules.told_by_hand(interaction, wake=wake, now=now)
        if after is None:
            return False
        self._rows.interactions[tenant, id] = replace(interaction, resumption=after)
        self._rows.leases.pop((tenant, id), None)
        if after.stuck_at != interaction.resumption.stuck_at:
            self._rows.want(interaction, now)
        return True

    async def mark_stuck(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        for each in [each for each in self._rows.interactions.values() if _is_lapsed(each, now)][:limit]:
            self._rows.interactions[each.tenant, each.id] = replace(each, lapsed_at=now)
            self._rows.want(each, now)
        late = (each for each in self._rows.interactions.values() if _is_stuck(each, now) and self._is_free(each, now))
        waiting = sorted(late, key=_patience)
        return [self._stick(each, now) for each in waiting[:limit]]

    async def wake(self, *, tenant: str, id: str, now: datetime) -> bool:
        interaction = self._rows.get(tenant, id)
        if interaction is None:
            raise errors.NotFound(id=id)
        anew = rules.woken(interaction, now=now)
        if anew is None:
            return False
        self._rows.interactions[tenant, id] = replace(interaction, resumption=anew)
        if interaction.resumption.stuck_at is not None:
            self._rows.want(interaction, now)
        return True

    def _stick(self, interaction: Interaction, now: datetime) -> Interaction:
        after = replace(interaction, resumption=rules.stuck(interaction, now=now))
        self._rows.interactions[interaction.tenant, interaction.id] = after
        self._rows.want(interaction, now)
        return after

    def _is_due(self, interaction: Interaction, now: datetime) -> bool:
        due_at = interaction.resumption.due_at
        return due_at is not None and due_at <= now and self._is_free(interaction, now)

    def _is_free(self, interaction: Interaction, now: datetime) -> bool:
        lease = self._rows.leases.get((interaction.tenant, interaction.id))
        return lease is None or lease.until <= now

    def _held(self, interaction: Interaction, lease: Lease) -> Interaction | None:
        key = interaction.tenant, interaction.id
        held = self._rows.leases.get(key)
        return self._rows.interactions[key] if held is not None and held.token == lease.token else None

    def _release(self, interaction: Interaction) -> None:
        key = interaction.tenant, interaction.id
        self._rows.interactions[key] = interaction
        del self._rows.leases[key]


def _can_tell(interaction: Interaction, handlers: Collection[str], webhooks: bool) -> bool:  # noqa: FBT001  # as asked
    resume = interaction.resume
    if resume.kind is ResumeKind.WEBHOOK:
        return webhooks
    return resume.kind is ResumeKind.HANDLER and resume.target in handlers


def _is_lapsed(interaction: Interaction, now: datetime) -> TypeGuard[Approval]:
    due = rules.lapses_at(interaction)
    return due is not None and due <= now


def _is_stuck(interaction: Interaction, now: datetime) -> bool:
    due = interaction.resumption.stuck_due_at
    return due is not None and due <= now


def _turn(row: PostingWork) -> tuple[datetime, str, str]:
    return row.due_at, row.posting.tenant, row.posting.id


def _telling(interaction: Interaction) -> tuple[datetime | None, str, str]:
    return interaction.resumption.due_at, interaction.tenant, interaction.id


def _patience(interaction: Interaction) -> tuple[datetime | None, str, str]:
    return interaction.resumption.stuck_due_at, interaction.tenant, interaction.id
