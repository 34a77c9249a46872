"""Policies, stops and timers on SQL."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from store import rules, work
from store.sql import rows, rows_terms, rows_work
from store.sql.engine import Attempt, Session
from store.sql.interactions import SqlInteractions
from store.types import About, Actor, Interaction, Policy, Stop, Timer


class SqlControl(SqlInteractions):
    async def set_policy(self, *, policy: Policy) -> Policy:
        async def call(_: Attempt) -> Policy:
            while True:
                async with self._database.write() as session:
                    revisions = await self._revisions(session, policy.tenant, policy.name)
                    if revisions and rules.same_policy(revisions[0], policy):
                        return revisions[0]
                    following = replace(policy, revision=1 + (revisions[0].revision if revisions else 0))
                    values = {**rows_terms.policy_values(following), "revision": following.revision}
                    if await session.row(self._control_claims.set_policy, **values) is not None:
                        return following

        return await self._calls.write(call)

    async def find_policy(self, *, tenant: str, name: str, revision: int | None = None) -> Policy | None:
        revisions = await self.list_revisions(tenant=tenant, name=name)
        if revision is not None:
            return next((each for each in revisions if each.revision == revision), None)
        return revisions[0] if revisions and not revisions[0].removed else None

    async def list_policies(self, *, tenant: str) -> Sequence[Policy]:
        newest: dict[str, Policy] = {}
        for policy in await self._read_revisions(tenant, None):
            newest.setdefault(policy.name, policy)
        return [policy for policy in newest.values() if not policy.removed]

    async def list_revisions(self, *, tenant: str, name: str) -> Sequence[Policy]:
        return await self._read_revisions(tenant, name)

    async def add_stop(self, *, stop: Stop) -> Stop:
        async def call(_: Attempt) -> Stop:
            while True:
                async with self._database.transaction() as session:
                    added = await session.row(self._control_claims.add_stop, **rows_terms.stop_values(stop))
                    if added is None:
                        held = await self._held(session, stop)
                        if held is not None:
                            return held
                        # What stood in the way has just ended: whoever is told "stopped" must be stopped.
                        continue
                    changed = await self._held_up(session, stop, stop.at)
                self._announce(changed)
                return stop

        return await self._calls.write(call)

    async def end_stops(self, *, tenant: str, tool: str | None, actor: Actor, at: datetime) -> Sequence[Stop]:
        values = {
            "tenant": tenant,
            "tool": tool,
            "ended_at": at,
            "ender_kind": actor.kind.value,
            "ender_id": actor.id,
            "ender_name": actor.name,
        }

        async def call(attempt: Attempt) -> Sequence[Stop]:
            async with self._database.transaction() as session:
                ended = [rows_terms.stop(row) for row in await session.rows(self._control_claims.end_stops, **values)]
                changed = [each for stop in ended for each in await self._held_up(session, stop, at, wakes=True)]
                if attempt.is_repeated:
                    # What the call that lost its reply had ended, this one finds ended by the same hand.
                    found = await session.rows(self._queries.ended_stops, **values)
                    ended = [rows_terms.stop(row) for row in found]
            self._announce(changed)
            return sorted(ended, key=lambda stop: (stop.at, stop.id))

        return await self._calls.write(call)

    async def list_stops(self, *, tenant: str) -> Sequence[Stop]:
        async def call(_: Attempt) -> Sequence[Stop]:
            async with self._database.read() as session:
                return await self._stops(session, tenant)

        return await self._calls.read(call)

    async def ring_due(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        async def read(_: Attempt) -> Sequence[Timer]:
            async with self._database.read() as session:
                due = await session.rows(self._queries.due_timers, now=now, limit=limit)
            return [rows_terms.timer(row) for row in due]

        rung = [await self._ring(timer, now) for timer in await self._calls.read(read)]
        return [each for each in rung if each is not None]

    async def _ring(self, timer: Timer, now: datetime) -> Interaction | None:
        """One timer in one transaction, which holds the interaction first, as everybody does who writes both."""

        async def call(attempt: Attempt) -> Interaction | None:
            async with self._database.transaction() as session:
                found = await session.row(self._claims.lock, tenant=timer.tenant, id=timer.interaction_id)
                taken = await session.row(self._control_claims.take_timer, **rows_terms.timer_values(timer))
                if found is None:
                    return None
                standing = rows.standing(found)
                if taken is None:
                    mine = attempt.is_repeated and await self._was_done(session, attempt, standing.interaction)
                    return standing.interaction if mine else None
                rung = rules.ring(standing.interaction, timer, now=now)
                if rung.timer is not None:
                    await session.rows(self._claims.timer, **rows_terms.timer_values(rung.timer))
                if rung.change is None:
                    return None
                await self._apply(session, attempt, rung.change, seen=standing.version)
                if rung.says is not None:
                    await self._tell(session, rung.change.interaction, rung.says, now)
            self._database.announce(timer.interaction_id)
            return rung.change.interaction

        return await self._calls.write(call)

    async def _tell(self, session: Session, interaction: Interaction, says: About, now: datetime) -> None:
        ids = [interaction.id] if self._is_postgres else rows.dump([interaction.id])
        found = await session.rows(self._queries.postings, tenant=interaction.tenant, ids=ids)
        known = sorted((rows_work.posting_work(row) for row in found), key=lambda row: row.posting.id)
        for line in work.rung(interaction, known, says=says, now=now):
            await session.rows(self._work_claims.add_posting, **rows_work.posting_values(line))

    async def _held(self, session: Session, stop: Stop) -> Stop | None:
        """What holds for the same tool; or this very stop, from a call that lost its reply, even if it has ended."""
        standing = await self._stops(session, stop.tenant)
        same = next((each for each in standing if each.tool == stop.tool), None)
        if same is not None:
            return same
        mine = await session.row(self._queries.stop, tenant=stop.tenant, id=stop.id)
        return None if mine is None else rows_terms.stop(mine)

    async def _held_up(
        self, session: Session, stop: Stop, now: datetime, *, wakes: bool = False
    ) -> Sequence[Interaction]:
        """Cards of what a stop concerns are behind; with `wakes`, runs that could not claim are told anew."""
        tool = rows_terms.stop_values(stop)["tool"]
        found = await session.rows(self._control_claims.lock_held_up, tenant=stop.tenant, tool=tool)
        held = [rows.interaction(row) for row in found]
        for each in held:
            of = {"tenant": each.tenant, "interaction_id": each.id}
            await session.rows(self._claims.want, **of, event_at=now)
            anew = rules.going_on(each, at=now) if wakes else None
            if anew is not None:
                await session.rows(self._work_claims.wake, tenant=each.tenant, id=each.id, **rows.telling(anew))
        return held

    def _announce(self, changed: Sequence[Interaction]) -> None:
        for each in changed:
            self._database.announce(each.id)

    async def _read_revisions(self, tenant: str, name: str | None) -> Sequence[Policy]:
        async def call(_: Attempt) -> Sequence[Policy]:
            async with self._database.read() as session:
                return await self._revisions(session, tenant, name)

        return await self._calls.read(call)

    async def _revisions(self, session: Session, tenant: str, name: str | None) -> Sequence[Policy]:
        found = await session.rows(self._queries.policies, tenant=tenant, name=name)
        return [rows_terms.policy(row) for row in found]
