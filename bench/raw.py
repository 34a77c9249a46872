"""The limit: the same rows written by hand-made SQL on a bare driver. A decision of a pull approval by one person."""

import json
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # it ships no types

_PATIENCE = timedelta(minutes=15)
_EVENT = "tenant, interaction_id, seq, at, action, actor_kind, actor_id, actor_name, surface, old_state, new_state, details, attempt"
_NOTED = "'slack_user', $4, '', 'card', 'pending', 'approved', '{}', $7"
_DECIDED = """UPDATE interactions SET decided_at = $3, resolved_at = $3, resolver_kind = 'slack_user', resolver_id = $4,
    resolver_name = '', decision = $5, votes = $6, stuck_due_at = $8, version = version + 1
    WHERE tenant = $1 AND id = $2 AND resolved_at IS NULL AND deadline > $3"""
_BEHIND = "UPDATE postings SET wanted = wanted + 1, due_at = $3 WHERE tenant = $1 AND interaction_id = $2"
_CLAIMED = """UPDATE interactions SET claimed_at = $3, claim_id = $4, claim_executes = decision <> 'deny',
    execution_status = 'claimed', execution_at = $3, execution_started_at = $3, stuck_due_at = NULL, version = version + 1
    WHERE tenant = $1 AND id = $2 AND decided_at IS NOT NULL AND claimed_at IS NULL AND digest = $5"""

DECIDE = f"""WITH changed AS ({_DECIDED} RETURNING tenant, id, version),
noted AS (INSERT INTO events ({_EVENT}) SELECT tenant, id, version, $3, 'approved', {_NOTED} FROM changed),
behind AS (UPDATE postings SET wanted = wanted + 1, due_at = $3 FROM changed
    WHERE postings.tenant = changed.tenant AND postings.interaction_id = changed.id)
SELECT version FROM changed"""

CLAIM = DECIDE.replace(_DECIDED, _CLAIMED).replace("'approved', 'slack_user', $4", "'claimed', 'slack_user', $6")
CLAIM = CLAIM.replace("$7", "$4")


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What a click says. `at`: when it arrived."""

    tenant: str
    id: str
    user: str
    at: datetime
    attempt: str

    @property
    def votes(self) -> str:
        vote = {"kind": "slack_user", "id": self.user, "name": "", "decision": "allow-once", "at": self.at.isoformat()}
        return json.dumps({f"slack_user:{self.user}": {**vote, "feedback": None}})

    def arguments(self) -> list[Any]:
        """In the order of `DECIDE`."""
        late = self.at + _PATIENCE
        return [self.tenant, self.id, self.at, self.user, "allow-once", self.votes, self.attempt, late]


def now() -> datetime:
    return datetime.now(UTC)


async def decide_at_once(connection: Any, decision: Decision) -> bool:
    """One statement, one round trip. `connection` may be a pool."""
    return await connection.fetchrow(DECIDE, *decision.arguments()) is not None


async def decide_in_transaction(connection: asyncpg.Connection, decision: Decision, *, whole: bool = False) -> bool:
    """BEGIN, the row, its event, COMMIT: how one writes it first. `whole`: cards and the notification too."""
    tenant, id_, at, user, choice, votes, attempt, late = decision.arguments()
    update = f"{_DECIDED.replace('$8', '$7')} RETURNING version"
    async with connection.transaction():
        row = await connection.fetchrow(update, tenant, id_, at, user, choice, votes, late)
        if row is not None:
            await _follow(connection, decision, (row["version"], "approved", attempt), whole=whole)
    return row is not None


async def claim_in_transaction(
    connection: asyncpg.Connection, decision: Decision, digest: str, *, whole: bool = False
) -> bool:
    update = f"{_CLAIMED} RETURNING version"
    async with connection.transaction():
        row = await connection.fetchrow(update, decision.tenant, decision.id, decision.at, decision.attempt, digest)
        if row is not None:
            await _follow(connection, decision, (row["version"], "claimed", decision.attempt), whole=whole)
    return row is not None


async def decide_whole(connection: asyncpg.Connection, decision: Decision) -> bool:
    return await decide_in_transaction(connection, decision, whole=True)


async def claim_whole(connection: asyncpg.Connection, decision: Decision, digest: str) -> bool:
    return await claim_in_transaction(connection, decision, digest, whole=True)


async def claim_at_once(connection: Any, decision: Decision, digest: str) -> bool:
    given = (decision.tenant, decision.id, decision.at, decision.attempt, digest, decision.user)
    return await connection.fetchrow(CLAIM, *given) is not None


async def _follow(
    connection: asyncpg.Connection, decision: Decision, said: tuple[int, str, str], *, whole: bool
) -> None:
    insert = f"INSERT INTO events ({_EVENT}) VALUES ($1, $2, $5, $3, $6, {_NOTED})"
    await connection.execute(insert, decision.tenant, decision.id, decision.at, decision.user, *said)
    if whole:
        await connection.execute(_BEHIND, decision.tenant, decision.id, decision.at)


def lite(sql: str) -> str:
    """For SQLite, which numbers its parameters with question marks."""
    return sql.replace("$", "?")


LITE_DECIDE = lite(f"{_DECIDED} RETURNING version")
LITE_NOTE = lite(f"INSERT INTO events ({_EVENT}) VALUES ($1, $2, $5, $3, 'approved', {_NOTED.replace('$7', '$6')})")
LITE_BEHIND = lite(_BEHIND)


def lite_arguments(decision: Decision) -> list[Any]:
    """In the order of `LITE_DECIDE`: times are text there."""
    return [
        each.isoformat(timespec="microseconds") if isinstance(each, datetime) else each for each in decision.arguments()
    ]


def decide_on_sqlite(connection: sqlite3.Connection, decision: Decision) -> bool:
    """The same rows in one immediate transaction, in the thread that serves."""
    tenant, id_, at, user, choice, votes, attempt, late = lite_arguments(decision)
    connection.execute("BEGIN IMMEDIATE")
    try:
        row = connection.execute(LITE_DECIDE, (tenant, id_, at, user, choice, votes, attempt, late)).fetchone()
        if row is not None:
            connection.execute(LITE_NOTE, (tenant, id_, at, user, row[0], attempt))
            connection.execute(LITE_BEHIND, (tenant, id_, at))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return row is not None
