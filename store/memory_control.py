"""Policies, stops and timers of the memory backend."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from store import rules, work
from store.memory_rows import Rows
from store.terms import EVERY_TOOL
from store.types import Actor, Approval, Interaction, Policy, Stop, Timer


class MemoryControl:
    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._policies: dict[tuple[str, str], list[Policy]] = {}

    async def set_policy(self, *, policy: Policy) -> Policy:
        revisions = self._policies.setdefault((policy.tenant, policy.name), [])
        if revisions and rules.same_policy(revisions[-1], policy):
            return revisions[-1]
        revisions.append(replace(policy, revision=len(revisions) + 1))
        return revisions[-1]

    async def find_policy(self, *, tenant: str, name: str, revision: int | None = None) -> Policy | None:
        revisions = self._policies.get((tenant, name), [])
        if revision is not None:
            return next((each for each in revisions if each.revision == revision), None)
        return revisions[-1] if revisions and not revisions[-1].removed else None

    async def list_policies(self, *, tenant: str) -> Sequence[Policy]:
        newest = (revisions[-1] for (owner, _), revisions in sorted(self._policies.items()) if owner == tenant)
        return [policy for policy in newest if not policy.removed]

    async def list_revisions(self, *, tenant: str, name: str) -> Sequence[Policy]:
        return self._policies.get((tenant, name), [])[::-1]

    async def add_stop(self, *, stop: Stop) -> Stop:
        for held in await self.list_stops(tenant=stop.tenant):
            if held.tool == stop.tool:
                return held
        self._rows.stops[stop.tenant, stop.id] = stop
        self._repaint(stop, stop.at)
        return stop

    async def end_stops(self, *, tenant: str, tool: str | None, actor: Actor, at: datetime) -> Sequence[Stop]:
        held = await self.list_stops(tenant=tenant)
        named = [stop for stop in held if tool in {None, stop.tool or EVERY_TOOL}]
        ended = [replace(stop, ended_at=at, ended_by=actor) for stop in named]
        for stop in ended:
            self._rows.stops[tenant, stop.id] = stop
            self._repaint(stop, at, wakes=True)
        return ended

    async def list_stops(self, *, tenant: str) -> Sequence[Stop]:
        mine = (stop for (owner, _), stop in self._rows.stops.items() if owner == tenant and stop.ended_at is None)
        return sorted(mine, key=lambda stop: (stop.at, stop.id))

    async def ring_due(self, *, now: datetime, limit: int = 100) -> Sequence[Interaction]:
        timers = (timer for mine in self._rows.timers.values() for timer in mine.values())
        due = sorted((timer for timer in timers if timer.due_at <= now), key=_turn)[:limit]
        rung = (self._ring(timer, now) for timer in due)
        return [interaction for interaction in rung if interaction is not None]

    def _ring(self, timer: Timer, now: datetime) -> Interaction | None:
        key = timer.tenant, timer.interaction_id
        rung = rules.ring(self._rows.interactions[key], timer, now=now)
        del self._rows.timers[key][timer.kind]
        if rung.timer is not None:
            self._rows.timers[key][timer.kind] = rung.timer
        if rung.change is None:
            return None
        after = self._rows.apply(rung.change)
        if rung.says is not None:
            known = list(self._rows.postings[key].values())
            told = work.rung(after, known, says=rung.says, now=now)
            self._rows.postings[key] |= {each.posting.id: each for each in told}
        return after

    def _repaint(self, stop: Stop, now: datetime, *, wakes: bool = False) -> None:
        """What a stop holds up shows it: what waits, and what was approved and has not begun.

        `wakes`: runs that could not claim meanwhile are told anew.
        """
        for interaction in list(self._rows.all(stop.tenant)):
            if not isinstance(interaction, Approval) or not rules.is_held_up(interaction, stop):
                continue
            self._rows.want(interaction, now)
            anew = rules.going_on(interaction, at=now) if wakes else None
            if anew is not None:
                self._rows.interactions[interaction.tenant, interaction.id] = replace(interaction, resumption=anew)


def _turn(timer: Timer) -> tuple[datetime, str, str, str]:
    return timer.due_at, timer.tenant, timer.interaction_id, timer.kind
