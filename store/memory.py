"""The store in this process's memory: for tests and trying out. Nothing survives the process.

No method waits for anything between reading and writing, so each is one transaction by itself.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import TypeGuard, TypeVar

from store import cursors, errors, rules
from store.clock import utc_now
from store.memory_control import MemoryControl
from store.memory_drafts import MemoryDrafts
from store.memory_keys import MemoryKeys
from store.memory_rows import Rows
from store.memory_runs import MemoryRuns
from store.memory_work import MemoryPostings, MemoryResumptions
from store.outcomes import Answered, Claimed, Created, Decided, Extended, Page, Settled, TakenBack, Withdrawn
from store.silence import silence
from store.types import (
    Actor,
    Answer,
    Approval,
    Decision,
    Edited,
    Event,
    ExecutionStatus,
    Interaction,
    Kind,
    QuestionSet,
    State,
    Surface,
    Vote,
)

I = TypeVar("I", bound=Interaction)  # noqa: E741  # as in the rules


class MemoryInteractions:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def create_question(self, *, question: QuestionSet) -> Created[QuestionSet]:
        return self._standing(question) or self._create(question)

    async def create_approval(self, *, approval: Approval) -> Created[Approval]:
        standing = self._standing(approval)
        if standing is not None or approval.supersedes is None:
            return standing or self._create(approval)
        old = self._of_kind(Approval, approval.tenant, approval.supersedes)
        change = rules.supersede(old, new=approval)
        if change is not None:
            self._rows.apply(change)
        return self._create(approval)

    async def decide_approval(
        self,
        *,
        tenant: str,
        id: str,
        actor: Actor,
        decision: Decision,
        at: datetime,
        surface: Surface,
        feedback: str | None = None,
        digest: str | None = None,
        edited: Edited | None = None,
    ) -> Decided:
        approval = self._of_kind(Approval, tenant, id)
        cast = Vote(actor=actor, decision=decision, at=at, feedback=feedback)
        change = rules.decide(approval, cast=cast, surface=surface, digest=digest, edited=edited)
        return rules.decided(self._after(change, approval), is_changed=change is not None)

    async def answer_question(
        self,
        *,
        tenant: str,
        id: str,
        actor: Actor,
        answers: Mapping[str, Answer],
        at: datetime,
        surface: Surface,
    ) -> Answered:
        question = self._of_kind(QuestionSet, tenant, id)
        after = self._after(rules.answer(question, answers=answers, at=at, actor=actor, surface=surface), question)
        return Answered(already_resolved=after is question or after.state is State.EXPIRED, question=after)

    async def claim_approval(
        self,
        *,
        tenant: str,
        id: str,
        claim_id: str,
        digest: str,
        at: datetime,
        worker: str | None = None,
        report_within: int | None = None,
        accept_edited: bool = False,
        fingerprint: str | None = None,
    ) -> Claimed:
        approval = self._of_kind(Approval, tenant, id)
        taking = rules.Taking(
            claim_id=claim_id,
            digest=digest,
            at=at,
            worker=worker,
            report_within=report_within,
            accept_edited=accept_edited,
            fingerprint=fingerprint,
        )
        stop = self._rows.holding(approval)
        change = rules.claim(approval, taking=taking, stop=stop)
        return rules.claim_outcome(self._after(change, approval), taking=taking, stop=stop)

    async def report_execution(
        self,
        *,
        tenant: str,
        id: str,
        claim_id: str,
        status: ExecutionStatus,
        at: datetime,
        detail: str | None = None,
    ) -> Approval:
        approval = self._of_kind(Approval, tenant, id)
        change = rules.report(approval, claim_id=claim_id, status=status, at=at, detail=detail)
        if change is not None:
            return self._rows.apply(change)
        return self._rows.keep(rules.renewed(approval, at=at) or approval)

    async def mark_unknown(self, *, now: datetime, limit: int = 100) -> Sequence[Approval]:
        owing = sorted((a for a in self._rows.interactions.values() if _owes_report(a, now)), key=_report_due)
        changes = (rules.go_silent(approval, now=now) for approval in owing[:limit])
        return [self._rows.apply(change) for change in changes if change is not None]

    async def settle(
        self, *, tenant: str, id: str, actor: Actor, happened: bool, at: datetime, surface: Surface
    ) -> Settled:
        approval = self._of_kind(Approval, tenant, id)
        change = rules.settle(approval, actor=actor, happened=happened, at=at, surface=surface)
        return Settled(settled=change is not None, approval=self._after(change, approval))

    async def take_back(self, *, tenant: str, id: str, actor: Actor, at: datetime, surface: Surface) -> TakenBack:
        approval = self._of_kind(Approval, tenant, id)
        change = rules.take_back(approval, actor=actor, at=at, surface=surface)
        return rules.taken_back(self._after(change, approval), is_changed=change is not None)

    async def extend(self, *, tenant: str, id: str, actor: Actor, at: datetime, surface: Surface) -> Extended:
        interaction: Interaction = self._of_kind(Interaction, tenant, id)
        change = rules.extend(interaction, actor=actor, at=at, surface=surface)
        after = self._after(change, interaction)
        extended = change is not None and after.is_pending
        again = rules.warning_again(after)
        if extended and again is not None:
            self._rows.timers[tenant, id][again.kind] = again
        return Extended(extended=extended, interaction=after)

    async def withdraw(
        self,
        *,
        tenant: str,
        id: str,
        actor: Actor,
        at: datetime,
        surface: Surface,
        reason: str | None = None,
    ) -> Withdrawn:
        interaction: Interaction = self._of_kind(Interaction, tenant, id)
        change = rules.withdraw(interaction, actor=actor, at=at, surface=surface, reason=reason)
        after = self._after(change, interaction)
        return Withdrawn(withdrawn=change is not None and after.state is State.WITHDRAWN, interaction=after)

    async def expire_due(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        changes = (rules.sweep(each, now=now) for each in sorted(self._rows.pending(), key=_by_deadline))
        return [self._rows.apply(change) for change in [change for change in changes if change][:limit]]

    async def find_interaction(self, *, tenant: str, id: str) -> Interaction | None:
        return self._rows.get(tenant, id)

    async def find_interactions(self, *, tenant: str, ids: Collection[str]) -> Sequence[Interaction]:
        return [found for found in (self._rows.get(tenant, id) for id in ids) if found is not None]

    async def find_by_code(self, *, tenant: str, code: str) -> Sequence[Interaction]:
        ends = code.upper()
        found = [i for i in self._rows.all(tenant) if ends in {i.id.upper(), i.short_code.upper()}]
        return sorted(found, key=_by_age, reverse=True)[:10]

    async def find_approval(self, *, tenant: str, id: str) -> Approval | None:
        found = self._rows.get(tenant, id)
        return found if isinstance(found, Approval) else None

    async def find_pending_approval(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> Approval | None:
        found = [a for a in self._of_run(Approval, tenant, run_id, operation_id) if a.is_pending]
        return min(found, key=_by_deadline, default=None)

    async def find_decided_approval(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> Approval | None:
        found = [a for a in self._of_run(Approval, tenant, run_id, operation_id) if rules.is_unclaimed(a)]
        return min(found, key=_by_resolution, default=None)

    async def find_pending_question(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> QuestionSet | None:
        found = [q for q in self._of_run(QuestionSet, tenant, run_id, operation_id) if q.is_pending]
        return min(found, key=_by_deadline, default=None)

    async def find_answered_question(
        self, *, tenant: str, run_id: str, operation_id: str | None = None
    ) -> QuestionSet | None:
        answered = self._of_run(QuestionSet, tenant, run_id, operation_id)
        return max((q for q in answered if q.state is State.ANSWERED), key=_by_resolution, default=None)

    async def list_pending(self, *, tenant: str, limit: int = 1000) -> Sequence[Interaction]:
        return sorted((i for i in self._rows.pending() if i.tenant == tenant), key=_by_deadline)[:limit]

    async def list_stuck(self, *, tenant: str, limit: int = 100) -> Sequence[Interaction]:
        stuck = (i for i in self._rows.all(tenant) if i.resumption.stuck_at is not None)
        return sorted(stuck, key=lambda i: (i.resumption.stuck_at or cursors.NEVER, i.id))[:limit]

    async def list_unknown(self, *, tenant: str, limit: int = 100) -> Sequence[Approval]:
        silent = [a for a in self._rows.all(tenant) if isinstance(a, Approval) and _is_unknown(a)]
        return sorted(silent, key=_by_execution)[:limit]

    async def list_requested(self, *, tenant: str, user: str, limit: int = 100) -> Sequence[Interaction]:
        mine = (i for i in self._rows.all(tenant) if i.requested_by == user)
        return sorted(mine, key=_by_age, reverse=True)[:limit]

    async def find_precedent(self, *, approval: Approval) -> Approval | None:
        found = (a for a in self._rows.all(approval.tenant) if isinstance(a, Approval) and _precedes(a, approval))
        return max(found, key=_by_resolution, default=None)

    async def list_interactions(
        self,
        *,
        tenant: str,
        states: Collection[State] = (),
        kind: Kind | None = None,
        claimed: bool | None = None,
        run_id: str | None = None,
        operation_id: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        shown = cursors.filters(
            tenant=tenant, states=states, kind=kind, claimed=claimed, run_id=run_id, operation_id=operation_id
        )
        found = sorted(
            (i for i in self._rows.all(tenant) if shown.shows(i)), key=shown.position, reverse=not shown.by_deadline
        )
        if cursor is not None:
            after = cursors.read(shown, cursor)
            found = [i for i in found if shown.is_after(i, after)]
        return cursors.page(shown, found[: limit + 1], limit=limit)

    async def resolved_among(self, *, ids: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        found = ((key, self._rows.get(*key)) for key in ids)
        return {key for key, interaction in found if interaction is not None and not interaction.is_pending}

    async def list_events(self, *, tenant: str, interaction_id: str) -> Sequence[Event]:
        return self._rows.events(tenant, interaction_id)

    def _standing(self, asked: I) -> Created[I] | None:
        standing = self._rows.of_operation(asked.tenant, asked.run_id, asked.operation_id)
        if standing is None:
            return None
        return Created(created=False, interaction=rules.same_ask(asked, standing))

    def _create(self, interaction: I) -> Created[I]:
        self._rows.create(interaction)
        return Created(created=True, interaction=interaction)

    def _of_kind(self, kind: type[I], tenant: str, id: str) -> I:
        found = self._rows.get(tenant, id)
        if not isinstance(found, kind):
            raise errors.NotFound(id=id)
        return found

    def _after(self, change: rules.Change[I] | None, before: I) -> I:
        return before if change is None else self._rows.apply(change)

    def _of_run(self, kind: type[I], tenant: str, run_id: str, operation_id: str | None) -> Iterable[I]:
        for found in self._rows.all(tenant):
            if isinstance(found, kind) and found.run_id == run_id and operation_id in {None, found.operation_id}:
                yield found


def _owes_report(interaction: Interaction, now: datetime) -> TypeGuard[Approval]:
    if not isinstance(interaction, Approval) or interaction.execution is None:
        return False
    due = interaction.execution.report_due_at
    return due is not None and due <= now


def _report_due(approval: Approval) -> tuple[datetime, str, str]:
    due = approval.execution.report_due_at if approval.execution else None
    return due or cursors.NEVER, approval.tenant, approval.id


def _is_unknown(approval: Approval) -> bool:
    return approval.execution is not None and approval.execution.status is ExecutionStatus.UNKNOWN


def _by_execution(approval: Approval) -> tuple[datetime, str]:
    return approval.execution.at if approval.execution else cursors.NEVER, approval.id


def _precedes(other: Approval, approval: Approval) -> bool:
    same = other.tool_name is not None and other.tool_name == approval.tool_name
    before = other.resolved_at is not None and other.resolved_at < approval.created_at
    return same and before and other.state is State.APPROVED and other.asked_by.id == approval.asked_by.id


def _by_deadline(interaction: Interaction) -> tuple[datetime, str]:
    return interaction.expires_at or cursors.NEVER, interaction.id


def _by_age(interaction: Interaction) -> tuple[datetime, str]:
    return interaction.created_at, interaction.id


def _by_resolution(interaction: Interaction) -> tuple[datetime, str]:
    return interaction.resolved_at or cursors.NEVER, interaction.id


class MemoryStore(
    MemoryInteractions, MemoryPostings, MemoryResumptions, MemoryControl, MemoryRuns, MemoryDrafts, MemoryKeys
):
    """All of the contract over one set of rows."""

    def __init__(self, *, now: Callable[[], datetime] | None = None) -> None:
        rows = Rows()
        MemoryInteractions.__init__(self, rows)
        MemoryPostings.__init__(self, rows)
        MemoryResumptions.__init__(self, rows)
        MemoryControl.__init__(self, rows)
        MemoryDrafts.__init__(self, rows)
        MemoryRuns.__init__(self)
        MemoryKeys.__init__(self)
        self._now = now or utc_now

    async def now(self) -> datetime:
        return self._now()

    async def ping(self) -> None:
        pass

    def changes(self) -> AbstractAsyncContextManager[AsyncIterator[str]]:
        return silence()

    async def close(self) -> None:
        pass
