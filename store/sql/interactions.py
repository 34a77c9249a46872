"""Interactions on SQL: read, ask the rules, write with a compare-and-set; where a statement does it all, that one."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from store import errors, rules, work
from store.outcomes import Answered, Claimed, Created, Decided, Withdrawn
from store.sql import rows, rows_terms, rows_work
from store.sql.engine import Attempt, Session
from store.sql.part import Part
from store.terms import holding
from store.types import (
    Actor,
    Answer,
    Approval,
    Decision,
    Edited,
    Event,
    ExecutionStatus,
    Interaction,
    QuestionSet,
    State,
    Stop,
    Surface,
    Vote,
)

I = TypeVar("I", bound=Interaction)  # noqa: E741  # as in the rules


class SqlInteractions(Part):
    async def create_question(self, *, question: QuestionSet) -> Created[QuestionSet]:
        return await self._create(question)

    async def create_approval(self, *, approval: Approval) -> Created[Approval]:
        return await self._create(approval)

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
        cast = Vote(actor=actor, decision=decision, at=at, feedback=feedback)

        def rule(approval: Approval) -> rules.Change[Approval] | None:
            return rules.decide(approval, cast=cast, surface=surface, digest=digest, edited=edited)

        async def call(attempt: Attempt) -> Decided:
            approval, is_changed = await self._change(attempt, Approval, tenant, id, rule)
            return rules.decided(approval, is_changed=is_changed)

        return await self._calls.write(call)

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
        def rule(question: QuestionSet) -> rules.Change[QuestionSet] | None:
            return rules.answer(question, answers=answers, at=at, actor=actor, surface=surface)

        async def call(attempt: Attempt) -> Answered:
            question, is_changed = await self._change(attempt, QuestionSet, tenant, id, rule)
            already_resolved = not is_changed or question.state is State.EXPIRED
            return Answered(already_resolved=already_resolved, question=question)

        return await self._calls.write(call)

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
        taking = rules.Taking(
            claim_id=claim_id,
            digest=digest,
            at=at,
            worker=worker,
            report_within=report_within,
            accept_edited=accept_edited,
            fingerprint=fingerprint,
        )

        async def call(attempt: Attempt) -> Claimed:
            return await self._claim(attempt, tenant=tenant, id=id, taking=taking)

        return await self._calls.write(call)

    async def _claim(self, attempt: Attempt, *, tenant: str, id: str, taking: rules.Taking) -> Claimed:
        async with self._database.hot() as session:
            # Nobody stops or claims meanwhile: one transaction writes at a time.
            stops = await self._stops(session, tenant)

            def rule(approval: Approval) -> rules.Change[Approval] | None:
                return rules.claim(approval, taking=taking, stop=holding(stops, approval.tool_name))

            approval, _ = await self._change_in(session, attempt, Approval, tenant=tenant, id=id, rule=rule)
        return rules.claim_outcome(approval, taking=taking, stop=holding(stops, approval.tool_name))

    async def _stops(self, session: Session, tenant: str) -> Sequence[Stop]:
        return [rows_terms.stop(row) for row in await session.rows(self._queries.stops, tenant=tenant)]

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
        def rule(approval: Approval) -> rules.Change[Approval] | None:
            return rules.report(approval, claim_id=claim_id, status=status, at=at, detail=detail)

        async def call(attempt: Attempt) -> Approval:
            async with self._database.hot() as session:
                while True:
                    named = {"tenant": tenant, "id": id}
                    approval, is_changed = await self._change_in(session, attempt, Approval, **named, rule=rule)
                    renewed = None if is_changed else rules.renewed(approval, at=at)
                    if renewed is None or renewed.execution is None:
                        return approval
                    due = renewed.execution.report_due_at
                    kept = {"claim_id": claim_id, "report_due_at": due}
                    if await session.row(self._claims.renew_report, **named, **kept) is not None:
                        return renewed
                    # It went silent meanwhile, for others: then it is news that it runs.

        return await self._calls.write(call)

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
        def rule(interaction: Interaction) -> rules.Change[Interaction] | None:
            return rules.withdraw(interaction, actor=actor, at=at, surface=surface, reason=reason)

        async def call(attempt: Attempt) -> Withdrawn:
            interaction, is_changed = await self._change(attempt, Interaction, tenant, id, rule)
            withdrawn = is_changed and interaction.state is State.WITHDRAWN
            return Withdrawn(withdrawn=withdrawn, interaction=interaction)

        return await self._calls.write(call)

    async def expire_due(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        def rule(interaction: Interaction) -> rules.Change[Interaction] | None:
            return rules.sweep(interaction, now=now)

        async def call(attempt: Attempt) -> Sequence[Interaction]:
            async with self._database.write() as session:
                late = await session.rows(self._queries.due, now=now, limit=limit)
                expired = []
                for row in late:
                    found = await self._change_row(session, attempt, rows.standing(row), Interaction, rule)
                    if found is not None:
                        expired.append(found)
            for each in expired:
                self._database.announce(each.id)
            return expired

        return await self._calls.write(call)

    async def resolved_among(self, *, ids: Collection[tuple[str, str]]) -> Collection[tuple[str, str]]:
        tenants, own = [tenant for tenant, _ in ids], [id_ for _, id_ in ids]

        async def call(_: Attempt) -> Collection[tuple[str, str]]:
            asked = {"tenants": tenants, "ids": own, "pairs": rows.dump(list(ids))}
            async with self._database.read() as session:
                found = await session.rows(self._queries.resolved_among, **asked)
            return {(row["tenant"], row["id"]) for row in found}

        return await self._calls.read(call) if ids else set()

    async def list_events(self, *, tenant: str, interaction_id: str) -> Sequence[Event]:
        async def call(_: Attempt) -> Sequence[Event]:
            async with self._database.read() as session:
                found = await session.rows(self._queries.events, tenant=tenant, interaction_id=interaction_id)
            return tuple(rows_work.event(row) for row in found)

        return await self._calls.read(call)

    async def _create(self, asked: I) -> Created[I]:
        async def call(attempt: Attempt) -> Created[I]:
            if asked.supersedes is not None and isinstance(asked, Approval):
                standing = await self._replace(attempt, asked, asked.supersedes)
            else:
                async with self._database.write() as session:
                    standing = await self._insert(session, attempt, asked)
            if standing is None:
                for changed in filter(None, (asked.id, asked.supersedes)):
                    self._database.announce(changed)
                return Created(created=True, interaction=asked)
            mine = attempt.is_repeated and standing.id == asked.id
            return Created(created=mine, interaction=rules.same_ask(asked, standing))

        return await self._calls.write(call)

    async def _replace(self, attempt: Attempt, asked: Approval, supersedes: str) -> Interaction | None:
        """Create and supersede in one transaction; what stands for the operation, if it was asked before."""
        async with self._database.transaction() as session:
            found = await session.row(self._claims.lock, tenant=asked.tenant, id=supersedes)
            # Looked for under the lock: the same ask may just have replaced the old one.
            standing = await self._of_operation(session, asked)
            if standing is not None:
                return standing
            old = None if found is None else rows.standing(found)
            if old is None or not isinstance(old.interaction, Approval):
                raise errors.NotFound(id=supersedes)
            change = rules.supersede(old.interaction, new=asked)
            standing = await self._insert(session, attempt, asked)
            if standing is None and change is not None:
                await self._apply(session, attempt, change, seen=old.version)
            return standing

    async def _insert(self, session: Session, attempt: Attempt, asked: Interaction) -> Interaction | None:
        """Write a new interaction with its event and cards; what stands for the operation, if it was asked before."""
        cards = work.cards(asked)
        event = rows_work.event_values(rules.create(asked), attempt=attempt.token)
        timers = rules.timers(asked)
        lists = {
            "timer_kinds": [timer.kind.value for timer in timers],
            "timer_due_ats": [timer.due_at for timer in timers],
            "card_ids": [card.posting.id for card in cards],
            "card_addresses": [card.posting.address for card in cards],
            "card_threads": [card.posting.thread_ts for card in cards],
        }
        asking = {**rows.became(asked), **rows.asked(asked)}
        if await session.row(self._claims.create, **asking, **event, **lists) is None:
            return await self._of_operation(session, asked)
        if not self._is_postgres:
            await session.rows(self._claims.note, tenant=asked.tenant, interaction_id=asked.id, seq=1, **event)
            for card in cards:
                await session.rows(self._claims.card, **rows_work.posting_values(card))
            for timer in timers:
                await session.rows(self._claims.timer, **rows_terms.timer_values(timer))
        return None

    async def _of_operation(self, session: Session, asked: Interaction) -> Interaction | None:
        operation = {"tenant": asked.tenant, "run_id": asked.run_id, "operation_id": asked.operation_id}
        found = await session.row(self._queries.find_operation, **operation)
        return None if found is None else rows.interaction(found)

    async def _change(
        self, attempt: Attempt, kind: type[I], tenant: str, id: str, rule: Callable[[I], rules.Change[I] | None]
    ) -> tuple[I, bool]:
        """The interaction after the rule, and whether this call changed it. Whoever loses the race looks again."""
        async with self._database.hot() as session:
            return await self._change_in(session, attempt, kind, tenant=tenant, id=id, rule=rule)

    async def _change_in(
        self,
        session: Session,
        attempt: Attempt,
        kind: type[I],
        *,
        tenant: str,
        id: str,
        rule: Callable[[I], rules.Change[I] | None],
    ) -> tuple[I, bool]:
        while True:
            found = await session.row(self._queries.find, tenant=tenant, id=id)
            standing = None if found is None else rows.standing(found)
            if standing is None or not isinstance(standing.interaction, kind):
                raise errors.NotFound(id=id)
            if attempt.is_repeated and await self._was_done(session, attempt, standing.interaction):
                return standing.interaction, True
            change = rule(standing.interaction)
            if change is None:
                return standing.interaction, False
            if await self._apply(session, attempt, change, seen=standing.version):
                self._database.announce(id)
                return change.interaction, True

    async def _change_row(
        self,
        session: Session,
        attempt: Attempt,
        standing: rows.Standing,
        kind: type[I],
        rule: Callable[[I], rules.Change[I] | None],
    ) -> I | None:
        """One of many: what somebody else changes meanwhile is left to them."""
        change = rule(standing.interaction) if isinstance(standing.interaction, kind) else None
        if change is None or not await self._apply(session, attempt, change, seen=standing.version):
            return None
        return change.interaction

    async def _apply(self, session: Session, attempt: Attempt, change: rules.Change[I], *, seen: int) -> bool:
        """Write a transition, if the row is still at the version that the rule saw."""
        after = change.interaction
        event = rows_work.event_values(change, attempt=attempt.token)
        mine = {"tenant": after.tenant, "id": after.id}
        if await session.row(self._claims.change, **mine, seen=seen, **rows.became(after), **event) is None:
            return False
        if not self._is_postgres:
            of = {"tenant": after.tenant, "interaction_id": after.id}
            await session.rows(self._claims.note, **of, seq=seen + 1, **event)
            await session.rows(self._claims.want, **of, event_at=change.at)
        return True

    async def _was_done(self, session: Session, attempt: Attempt, interaction: Interaction) -> bool:
        of = {"tenant": interaction.tenant, "interaction_id": interaction.id}
        return await session.row(self._queries.attempt, **of, attempt=attempt.token) is not None
