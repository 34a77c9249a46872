"""The contract of the work rows: what is to be painted, what is to be told, what people have begun to enter.

Part of `store.protocol`.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from store.drafts import Draft
from store.types import About, Interaction, Lease, Posting, PostingLease, ResumptionLease, Role


class Postings(Protocol):
    """Painting as rows: a posting is behind while `wanted > painted`."""

    async def find_postings(self, *, tenant: str, interaction_ids: Collection[str]) -> Mapping[str, Sequence[Posting]]:
        """By interaction id, oldest first; every id given is a key of the result."""
        ...

    async def lease_postings(self, *, now: datetime, until: datetime, limit: int) -> Sequence[PostingLease]:
        """Take postings of all tenants that are behind, due, not given up and not leased; oldest due first.

        Two callers never hold one posting at the same time; a lapsed lease may be taken by another.
        """
        ...

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
        """Record what was painted, release the lease, clear the error. Given channel and ts are where it landed.

        `replaces`: the message that was there is gone, and this one stands in its place. Without it, another place
        than the one that is known is one more copy.

        Fenced: with a lease that is no longer ours nothing is recorded, except that the posting is marked behind
        again (the late call may have overwritten a newer card) and that a landed first post is adopted (`adopt`).
        Returns whether it was ours.
        """
        ...

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
        """Release the lease with an error; due again at `due_at`, or given up when None. Fenced as above.

        `counts`: whether this was an attempt (a 429 is none). `failed`: shown as failed, though it is tried again;
        what is given up always is.
        """
        ...

    async def readdress_posting(self, *, posting: Posting, lease: Lease, address: str, now: datetime) -> bool:
        """Release the lease of a message that was refused where it was to go; it is due for `address` now, as if new.

        Fenced as above. False also where it turned out to be there: a report that came late said so.
        """
        ...

    async def place_posting(self, *, posting: Posting, lease: Lease, channel: str) -> bool:
        """Record where it is going to be posted (an opened DM), so that a click on it is known. Fenced; no release."""
        ...

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
        """One more message of this interaction, born behind. Idempotent by (interaction, role, address, turn).

        `about`: a line that says one thing for good. Of role `outcome` it is idempotent by (interaction, about) instead,
        wherever it was to go when it was first asked for; what is said again has a turn and no `about`.

        Raises:
            NotFound: no such interaction.
        """
        ...

    async def adopt(self, *, tenant: str, interaction_id: str, channel: str, ts: str, now: datetime) -> Posting:
        """Know this copy of a card. Already known: done. A card posting of this interaction in this channel (or
        addressed to it) without a ts: filled. Otherwise a copy is added, born behind.

        Raises:
            NotFound: no such interaction.
        """
        ...

    async def mark_behind(self, *, tenant: str, interaction_id: str, channel: str, ts: str) -> bool:
        """`wanted + 1` for that copy, if it is known: a person clicked on it though nothing can be clicked."""
        ...


class Resumptions(Protocol):
    """Telling runs, as rows. Due: an approval decided and unclaimed, anything else resolved and untold; not pull."""

    async def lease_resumptions(
        self, *, now: datetime, until: datetime, limit: int, handlers: Collection[str], webhooks: bool
    ) -> Sequence[ResumptionLease]:
        """Take what is due and what the caller can hand over: these handlers' runs, and webhooks if asked."""
        ...

    async def renew_resumption(self, *, interaction: Interaction, lease: Lease, until: datetime) -> bool:
        """Hold the lease longer; False when it is no longer ours."""
        ...

    async def finish_resumption(self, *, interaction: Interaction, lease: Lease, now: datetime) -> bool:
        """The run was told (a handler returned, a receiver answered 2xx). Fenced by the lease.

        A decided approval that is still unclaimed is due again after `WAKE_AFTER[wakes]`, with `wakes + 1`; when
        these are used up it is stuck at that time instead. Everything else is done.
        """
        ...

    async def retry_resumption(
        self, *, interaction: Interaction, lease: Lease, error: str, due_at: datetime | None, now: datetime
    ) -> bool:
        """Telling failed: due again at `due_at`, or stuck when None. Fenced by the lease."""
        ...

    async def tell_by_hand(self, *, tenant: str, id: str, wake: int, now: datetime) -> bool:
        """A message of this wake that a person had sent was taken by its receiver. Where it was owed, its run is told
        now (as by `finish_resumption`), whoever holds the lease: what they report then is not theirs any more.

        False where nothing was owed by this message. Raises NotFound.
        """
        ...

    async def mark_stuck(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        """Mark what waits for its run too long: what is due to be told, or a pull run's to claim, for `PATIENCE`, and
        what was told and whose last wake led to no claim. Raises `wanted` of their postings. Returns those newly stuck.

        What nobody can tell stays due: whoever can, later, still does. In the same way, and unreturned, it notes the
        approved ones whose claim window is over (`lapsed_at`).
        """
        ...

    async def wake(self, *, tenant: str, id: str, now: datetime) -> bool:
        """Start telling anew, with fresh wakes; False where nothing is to be told (pending, claimed, told, pull).

        What was told before is told by a new message: `wakes` never falls.
        """
        ...


class Drafts(Protocol):
    """What people entered into forms and did not submit: one draft for each interaction and person."""

    async def keep_draft(self, *, tenant: str, interaction_id: str, person: str, draft: Draft, at: datetime) -> bool:
        """Put what `draft` names in the place of what was kept of that; the last call wins. No transition, no event.

        Returns whether it was kept. It is not, and what stood before stays, where the interaction is resolved or
        missing, or where all that is kept would take more than `MAX_DRAFT` characters.
        """
        ...

    async def find_draft(self, *, tenant: str, interaction_id: str, person: str) -> Draft | None:
        """None also once the interaction is resolved, whether or not the draft is removed yet."""
        ...

    async def drop_drafts(self, *, limit: int = 100) -> int:
        """Remove drafts of what is resolved, of all tenants; returns how many."""
        ...
