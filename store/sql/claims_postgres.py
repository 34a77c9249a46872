"""Deciding and claiming on Postgres: each a whole transition in one statement, as a person or a run waits for it.

They say in SQL what `rules.decide` and `rules.claim` say; the contract suite holds the two equal. Changing nothing is
no answer: the caller then reads, and asks the rules why.
"""

from functools import cached_property
from typing import Any

from sqlalchemy import Boolean, Dialect, Integer, Text, bindparam, text

from store.sql.statement import Statement
from store.sql.tables import Json, Jsonb, Time
from store.types import ALLOWS

_ALLOWS = ", ".join(f"'{decision.value}'" for decision in sorted(ALLOWS))
_ALLOWING = " || ".join(f'@ == "{decision.value}"' for decision in sorted(ALLOWS))

# No sub-select: when the row was locked by another vote, Postgres evaluates this anew on the row as it is now.
_OTHERS = "votes - :voter"
_ALLOWED = f"jsonb_array_length(jsonb_path_query_array({_OTHERS}, '$.*.decision ? ({_ALLOWING})'))"
_DENIED = f"jsonb_array_length(jsonb_path_query_array({_OTHERS}, '$.*.decision ? (@ == \"deny\")'))"
# As `rules.deciding.vote`: the same decision again changes something only with another reason.
_SAYS_MORE = """(votes -> :voter ->> 'decision' IS DISTINCT FROM :decision
            OR (:feedback IS NOT NULL AND votes -> :voter ->> 'feedback' IS DISTINCT FROM :feedback))"""
_DECIDES = f"CASE WHEN :allows THEN {_ALLOWED} + 1 >= quorum ELSE {_DENIED} + 1 >= denials END"
_WINDOW = "run_within_us * interval '1 microsecond'"
_CLOSES = f":at + {_WINDOW}"
_ALLOWS_NOW = f"decision IN ({_ALLOWS})"
_SAME_WORLD = "(fingerprint IS NULL OR fingerprint = :fingerprint)"
_IN_TIME = f":at < coalesce(reopened_at, decided_at) + {_WINDOW} AND lapsed_at IS NULL"
# Never null: what is compared may be.
_EXECUTES = f"coalesce({_ALLOWS_NOW} AND {_IN_TIME} AND {_SAME_WORLD}, false)"
_MEANT = "(coalesce(edited_digest, digest) = :digest OR (:accept_edited AND digest = :digest))"
_STOPPED = """EXISTS (
    SELECT FROM stops WHERE stops.tenant = :tenant AND stops.ended_at IS NULL AND (
        stops.tool = '*' OR stops.tool = interactions.tool_name
        OR (right(stops.tool, 1) = '*' AND starts_with(interactions.tool_name, left(stops.tool, -1)))
    )
)"""

_BEHIND = """
behind AS (
    UPDATE postings SET wanted = postings.wanted + 1,
        due_at = CASE WHEN postings.wanted > postings.painted THEN postings.due_at ELSE :at END
    FROM changed
    WHERE postings.tenant = changed.tenant AND postings.interaction_id = changed.id
)"""
_DECIDE = f"""
WITH changed AS (
    UPDATE interactions SET
        version = version + 1,
        votes = votes || jsonb_build_object(:voter, :vote),
        decision = CASE WHEN {_DECIDES} THEN :decision END,
        feedback = CASE WHEN {_DECIDES} THEN :feedback END,
        edited_input = CASE WHEN {_DECIDES} THEN :edited_input END,
        edited_digest = CASE WHEN {_DECIDES} THEN :edited_digest END,
        decided_at = CASE WHEN {_DECIDES} THEN :at END,
        resolved_at = CASE WHEN {_DECIDES} THEN :at END,
        resolver_kind = CASE WHEN {_DECIDES} THEN :actor_kind END,
        resolver_id = CASE WHEN {_DECIDES} THEN :actor_id END,
        resolver_name = CASE WHEN {_DECIDES} THEN :actor_name END,
        resume_due_at = CASE WHEN {_DECIDES} AND resume_kind <> 'pull' THEN :at END,
        stuck_due_at = CASE WHEN {_DECIDES} THEN :stuck_due_at END,
        lapse_due_at = CASE WHEN {_DECIDES} AND :allows THEN {_CLOSES} END
    WHERE tenant = :tenant AND id = :id AND kind = 'approval'
        AND resolved_at IS NULL
        AND deadline > :at
        AND (:digest IS NULL OR digest = :digest)
        AND {_SAYS_MORE}
        AND (:edited_digest IS NULL OR (:allows AND quorum = 1))
    RETURNING *
),
noted AS (
    INSERT INTO events (tenant, interaction_id, seq, at, action, actor_kind, actor_id, actor_name, surface,
        old_state, new_state, details, attempt)
    SELECT tenant, id, version, :at,
        CASE WHEN decided_at IS NULL THEN 'voted' WHEN :allows THEN 'approved' ELSE 'denied' END,
        :actor_kind, :actor_id, :actor_name, :surface, 'pending',
        CASE WHEN decided_at IS NULL THEN 'pending' WHEN :allows THEN 'approved' ELSE 'denied' END,
        CASE WHEN edited_digest IS NULL THEN json_build_object('decision', :decision)
            ELSE json_build_object('decision', :decision, 'edited_digest', edited_digest) END,
        :attempt
    FROM changed
),{_BEHIND}
SELECT changed.* FROM changed
"""  # noqa: S608  # made of constants

_CLAIM = f"""
WITH changed AS (
    UPDATE interactions SET
        version = version + 1,
        claimed_at = :at,
        claim_id = :claim_id,
        claimed_by = :worker,
        claim_executes = {_EXECUTES},
        execution_status = CASE WHEN {_EXECUTES} THEN 'claimed' END,
        execution_at = CASE WHEN {_EXECUTES} THEN :at END,
        execution_started_at = CASE WHEN {_EXECUTES} THEN :at END,
        report_within = CASE WHEN {_EXECUTES} THEN :report_within END,
        report_due_at = CASE WHEN {_EXECUTES} THEN :report_due_at END,
        resume_due_at = NULL,
        stuck_at = NULL,
        stuck_due_at = NULL,
        lapse_due_at = NULL
    WHERE tenant = :tenant AND id = :id AND kind = 'approval'
        AND decided_at IS NOT NULL
        AND claimed_at IS NULL
        AND {_MEANT}
        AND NOT jsonb_exists(coalesce(course -> 'spent_claims', '[]'), :claim_id)
        AND NOT ({_ALLOWS_NOW} AND {_STOPPED})
    RETURNING *
),
noted AS (
    INSERT INTO events (tenant, interaction_id, seq, at, action, actor_kind, actor_id, actor_name, surface,
        old_state, new_state, details, attempt)
    SELECT tenant, id, version, :at, 'claimed', 'requester', run_id, coalesce(:worker, ''), 'api',
        CASE WHEN decision IN ({_ALLOWS}) THEN 'approved' ELSE 'denied' END,
        CASE WHEN decision IN ({_ALLOWS}) THEN 'approved' ELSE 'denied' END,
        json_build_object('claim_id', :claim_id, 'execute', claim_executes), :attempt
    FROM changed
),{_BEHIND}
SELECT changed.* FROM changed
"""  # noqa: S608  # made of constants

_TYPES: dict[str, Any] = {
    **dict.fromkeys(("at", "stuck_due_at", "report_due_at"), Time),
    **dict.fromkeys(("tenant", "id", "digest", "decision", "feedback", "voter", "claim_id", "worker"), Text),
    **dict.fromkeys(("edited_input", "edited_digest", "fingerprint"), Text),
    "accept_edited": Boolean,
    **dict.fromkeys(("actor_kind", "actor_id", "actor_name", "surface", "attempt"), Text),
    "allows": Boolean,
    "vote": Jsonb,
    "details": Json,
    "report_within": Integer,
}


class HotClaims:
    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @cached_property
    def decide(self) -> Statement:
        """One person's vote on a pending approval before its deadline, counted with the others as it is written."""
        return self._typed(_DECIDE)

    @cached_property
    def claim(self) -> Statement:
        """Take the single execution of a decided, unclaimed approval of this digest."""
        return self._typed(_CLAIM)

    def _typed(self, sql: str) -> Statement:
        made = text(sql)
        names = made.compile().params
        typed = made.bindparams(*(bindparam(name, type_=_TYPES[name]) for name in names))
        return Statement(typed, self._dialect)
