"""What happens on the way: executions that go silent, what a person says of them, votes taken back, more time."""

from collections.abc import Callable, Sequence
from datetime import datetime

from store import errors, rules
from store.outcomes import Extended, Settled, TakenBack
from store.sql import rows, rows_terms
from store.sql.engine import Attempt
from store.sql.interactions import SqlInteractions
from store.types import Actor, Approval, Interaction, Surface


class SqlCourses(SqlInteractions):
    async def mark_unknown(self, *, now: datetime, limit: int = 100) -> Sequence[Approval]:
        async def read(_: Attempt) -> Sequence[Interaction]:
            async with self._database.read() as session:
                overdue = await session.rows(self._queries.overdue, now=now, limit=limit)
            return [rows.interaction(row) for row in overdue]

        silent = [await self._go_silent(each, now) for each in await self._calls.read(read)]
        return [each for each in silent if each is not None]

    async def _go_silent(self, overdue: Interaction, now: datetime) -> Approval | None:
        """Under the row's lock: a promise is renewed without a new version of the row."""

        async def call(attempt: Attempt) -> Approval | None:
            async with self._database.transaction() as session:
                found = await session.row(self._claims.lock, tenant=overdue.tenant, id=overdue.id)
                standing = None if found is None else rows.standing(found)
                if standing is None or not isinstance(standing.interaction, Approval):
                    return None
                if attempt.is_repeated and await self._was_done(session, attempt, standing.interaction):
                    return standing.interaction
                change = rules.go_silent(standing.interaction, now=now)
                if change is None:
                    return None
                await self._apply(session, attempt, change, seen=standing.version)
            self._database.announce(overdue.id)
            return change.interaction

        return await self._calls.write(call)

    async def settle(
        self, *, tenant: str, id: str, actor: Actor, happened: bool, at: datetime, surface: Surface
    ) -> Settled:
        def rule(approval: Approval) -> rules.Change[Approval] | None:
            return rules.settle(approval, actor=actor, happened=happened, at=at, surface=surface)

        async def call(attempt: Attempt) -> Settled:
            approval, is_changed = await self._tell_anew(attempt, tenant, id, rule)
            return Settled(settled=is_changed, approval=approval)

        return await self._calls.write(call)

    async def take_back(self, *, tenant: str, id: str, actor: Actor, at: datetime, surface: Surface) -> TakenBack:
        def rule(approval: Approval) -> rules.Change[Approval] | None:
            return rules.take_back(approval, actor=actor, at=at, surface=surface)

        async def call(attempt: Attempt) -> TakenBack:
            approval, is_changed = await self._tell_anew(attempt, tenant, id, rule)
            return rules.taken_back(approval, is_changed=is_changed)

        return await self._calls.write(call)

    async def extend(self, *, tenant: str, id: str, actor: Actor, at: datetime, surface: Surface) -> Extended:
        def rule(interaction: Interaction) -> rules.Change[Interaction] | None:
            return rules.extend(interaction, actor=actor, at=at, surface=surface)

        async def call(attempt: Attempt) -> Extended:
            async with self._database.transaction() as session:
                after, is_changed = await self._change_in(
                    session, attempt, Interaction, tenant=tenant, id=id, rule=rule
                )
                extended = is_changed and after.is_pending
                again = rules.warning_again(after)
                if extended and again is not None:
                    await session.rows(self._claims.timer, **rows_terms.timer_values(again))
            # Once more: what was announced within the transaction may have been looked for too early.
            self._database.announce(id)
            return Extended(extended=extended, interaction=after)

        return await self._calls.write(call)

    async def _tell_anew(
        self, attempt: Attempt, tenant: str, id: str, rule: Callable[[Approval], rules.Change[Approval] | None]
    ) -> tuple[Approval, bool]:
        """A transition that also starts telling anew: under the row's lock, as telling writes the same columns.

        Returns the approval after it, and whether this call changed it.
        """
        async with self._database.transaction() as session:
            found = await session.row(self._claims.lock, tenant=tenant, id=id)
            standing = None if found is None else rows.standing(found)
            if standing is None or not isinstance(standing.interaction, Approval):
                raise errors.NotFound(id=id)
            if attempt.is_repeated and await self._was_done(session, attempt, standing.interaction):
                return standing.interaction, True
            change = rule(standing.interaction)
            if change is None:
                return standing.interaction, False
            await self._apply(session, attempt, change, seen=standing.version)
            telling = rows.telling(change.interaction.resumption)
            await session.rows(self._work_claims.wake, tenant=tenant, id=id, **telling)
        self._database.announce(id)
        return change.interaction, True
