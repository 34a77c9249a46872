"""What the stores show of an interaction, and what the model says that they show: both as plain values."""

from typing import Any

from store.types import Approval, Interaction, Posting
from tests.store.model.life import Life


def of_life(life: Life) -> dict[str, Any]:
    told, run, claim = life.telling, life.run, life.claim
    return {
        "state": life.state,
        "ended": (life.ended, life.by),
        "deadline": life.deadline,
        "reason": life.reason,
        "successor": life.successor,
        "votes": dict(sorted(life.votes.items())),
        "decision": (life.decision, life.feedback, life.edited),
        "claim": claim and (claim.id, claim.at, claim.execute),
        "run": run and (run.status, run.at, run.started, run.within, run.due, run.detail),
        "lapsed": life.lapsed,
        "spent": life.spent,
        "settled": life.settled,
        "taken back": life.taken_back,
        "reminded": life.reminded,
        "hops": life.hops,
        "warned": life.warned,
        "extended": life.extended,
        "told": (told.told, told.due, told.attempts, told.wakes, told.woken_from, told.error),
        "stuck": (told.stuck, told.stuck_due),
    }


def of_interaction(shown: Interaction) -> dict[str, Any]:
    approval = shown if isinstance(shown, Approval) else None
    told, course = shown.resumption, shown.course
    by, more, settled = shown.resolved_by, course.extension, course.settlement
    return {
        "state": shown.state.value,
        "ended": (shown.resolved_at, by and (by.kind.value, by.id)),
        "deadline": shown.expires_at,
        "reason": shown.reason,
        "successor": shown.superseded_by,
        **_decision(approval),
        **_running(approval),
        "settled": settled and (settled.actor.id, settled.at, settled.happened),
        "spent": list(course.spent_claims),
        "taken back": course.taken_back_at,
        "reminded": list(course.reminded_at),
        "hops": [(hop.at, *hop.users) for hop in course.hops],
        "warned": course.warned_at,
        "extended": more and (more.actor.id, more.at, more.until),
        "told": (told.told_at, told.due_at, told.attempts, told.wakes, told.woken_from, told.last_error),
        "stuck": (told.stuck_at, told.stuck_due_at),
    }


def _decision(approval: Approval | None) -> dict[str, Any]:
    if approval is None:
        return {"votes": {}, "decision": (None, None, None)}
    votes = {vote.actor.id: (vote.decision.value, vote.at, vote.feedback) for vote in approval.votes}
    assert len(votes) == len(approval.votes)
    decision, edited = approval.decision, approval.edited
    return {
        "votes": dict(sorted(votes.items())),
        "decision": (decision and decision.value, approval.feedback, edited and edited.digest),
    }


def _running(approval: Approval | None) -> dict[str, Any]:
    claim, run = (None, None) if approval is None else (approval.claim, approval.execution)
    return {
        "claim": claim and (claim.claim_id, claim.at, claim.execute),
        "run": run and (run.status.value, run.at, run.started_at, run.report_within, run.report_due_at, run.detail),
        "lapsed": approval and approval.lapsed_at,
    }


def lines(life: Life) -> list[tuple[Any, ...]]:
    return sorted(
        (line.role, line.turn, line.address, line.wanted, line.painted, line.channel, line.ts, line.thread_ts)
        for line in life.lines
    )


def postings(shown: list[Posting]) -> list[tuple[Any, ...]]:
    return sorted(
        (each.role.value, each.turn, each.address, each.wanted, each.painted, each.channel, each.ts, each.thread_ts)
        for each in shown
    )


MAY_FOLLOW = {
    "pending": {"pending", "answered", "approved", "denied", "expired", "withdrawn", "superseded"},
    # An approval that was taken back.
    "approved": {"approved", "denied"},
}


class Promises:
    """What holds whatever the model says, watched over the whole life of each interaction."""

    def __init__(self) -> None:
        self._seen: dict[str, Interaction] = {}
        self._executing: dict[str, list[str]] = {}
        self._decided: dict[str, int] = {}

    def watch(self, shown: Interaction) -> None:
        before = self._seen.get(shown.id)
        self._seen[shown.id] = shown
        if before is None:
            return
        was, state = before.state.value, shown.state.value
        assert state in MAY_FOLLOW.get(was, {was}), f"{shown.id}: {state} after {was}"
        assert was in (state, "pending") or shown.course.taken_back_at, f"{shown.id}: {state} after {was}"
        if isinstance(shown, Approval) and isinstance(before, Approval):
            self._one_action(before, shown)

    def _one_action(self, before: Approval, shown: Approval) -> None:
        assert (before.digest, before.input_json, before.tool_name) == (shown.digest, shown.input_json, shown.tool_name)
        taken, now = before.claim, shown.claim
        if taken is not None and now is None:
            assert shown.course.spent_claims[-1:] == (taken.claim_id,)
        elif taken is not None:
            assert now == taken
        if now is not None:
            assert now.claim_id not in shown.course.spent_claims
            assert now.execute == (shown.execution is not None)

    def decided(self, id: str) -> None:
        """A caller was told that this vote decided."""
        self._decided[id] = self._decided.get(id, 0) + 1
        assert self._decided[id] == 1, f"{id}: two decisions"

    def executes(self, approval: Approval, claim_id: str, *, stopped: bool, world: object) -> None:
        """A claimant was told to run it, and had not been told before."""
        mine = self._executing.setdefault(approval.id, [])
        assert approval.decision is not None
        assert approval.decision.allows
        assert not stopped
        assert approval.fingerprint in {None, world}
        assert claim_id not in approval.course.spent_claims
        assert set(mine) <= {*approval.course.spent_claims, claim_id}, f"{approval.id}: {mine} run already"
        assert approval.claim is not None
        assert approval.runs_until is not None
        assert approval.claim.at < approval.runs_until
        mine.append(claim_id)
