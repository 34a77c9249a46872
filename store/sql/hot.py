"""Deciding and claiming where one statement does it all: try that, and where it changes nothing, ask why."""

from dataclasses import asdict
from datetime import datetime, timedelta

from store import errors, rules
from store.outcomes import Claimed, Decided
from store.sql import rows
from store.sql.claims_postgres import HotClaims
from store.sql.engine import Attempt
from store.sql.interactions import SqlInteractions
from store.sql.postgres import PostgresDatabase
from store.sql.statement import Statement
from store.sql.store import SqlStore
from store.terms import holding
from store.types import PATIENCE, Actor, Approval, Decision, Edited, Surface, Vote


class HotInteractions(SqlInteractions):
    def __init__(self, database: PostgresDatabase) -> None:
        super().__init__(database)
        self._hot_claims = HotClaims(database.dialect)

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
        values = {
            "voter": rows.voter(cast),
            "vote": rows.vote_json(cast),
            "allows": decision.allows,
            "decision": decision.value,
            "feedback": feedback,
            "actor_kind": actor.kind.value,
            "actor_id": actor.id,
            "actor_name": actor.name,
            "surface": surface.value,
            "at": at,
            "stuck_due_at": at + PATIENCE,
            "digest": digest,
            "edited_input": edited and edited.input_json,
            "edited_digest": edited and edited.digest,
        }

        def rule(approval: Approval) -> rules.Change[Approval] | None:
            return rules.decide(approval, cast=cast, surface=surface, digest=digest, edited=edited)

        async def call(attempt: Attempt) -> Decided:
            won = await self._at_once(self._hot_claims.decide, attempt, tenant=tenant, id=id, **values)
            if won is not None:
                return Decided(already_resolved=False, approval=won)
            approval, is_changed = await self._change(attempt, Approval, tenant, id, rule)
            return rules.decided(approval, is_changed=is_changed)

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
        due = None if taking.report_within is None else taking.at + timedelta(seconds=taking.report_within)
        values = {**asdict(taking), "report_due_at": due, "tenant": tenant, "id": id}
        while True:
            won = await self._at_once(self._hot_claims.claim, attempt, **values)
            if won is not None:
                return rules.claim_outcome(won, taking=taking, stop=None)
            async with self._database.hot() as session:
                found = await session.row(self._queries.find, tenant=tenant, id=id)
                stops = await self._stops(session, tenant)
            approval = None if found is None else rows.interaction(found)
            if not isinstance(approval, Approval):
                raise errors.NotFound(id=id)
            stop = holding(stops, approval.tool_name)
            # Only the statement claims: what can be claimed by now is tried again.
            if rules.claim(approval, taking=taking, stop=stop) is None:
                return rules.claim_outcome(approval, taking=taking, stop=stop)

    async def _at_once(self, statement: Statement, attempt: Attempt, **values: object) -> Approval | None:
        """The approval as the statement left it; None where it changed nothing.

        A repeat asks too: if the lost first try was committed, it changes nothing, and the event tells whose it was.
        """
        async with self._database.hot() as session:
            changed = await session.row(statement, attempt=attempt.token, **values)
        if changed is None:
            return None
        self._database.announce(str(changed["id"]))
        approval = rows.interaction(changed)
        return approval if isinstance(approval, Approval) else None


class PostgresStore(HotInteractions, SqlStore):
    """The whole contract, where deciding and claiming are one statement each."""
