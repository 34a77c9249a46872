"""Claiming the one execution, and what becomes of it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from store import errors
from store.outcomes import Claimed
from store.rules.change import DEADLINE, Action, Change, Details, step
from store.rules.telling import is_open, is_unclaimed, told_anew
from store.types import Actor, ActorKind, Approval, Claim, Execution, ExecutionStatus, Settlement, Stop, Surface


@dataclass(frozen=True, kw_only=True, slots=True)
class Taking:
    """What a claimant says. `fingerprint`: of the world as it is now; `accept_edited`: whatever the approver made of it."""

    claim_id: str
    digest: str
    at: datetime
    worker: str | None = None
    report_within: int | None = None
    accept_edited: bool = False
    fingerprint: str | None = None


def executes(approval: Approval, taking: Taking) -> bool:
    """A person allowed it, the claim window is open, and the world is as it was; never "not denied"."""
    allows = approval.decision is not None and approval.decision.allows
    return allows and is_open(approval, taking.at) and not has_changed(approval, taking.fingerprint)


def has_changed(approval: Approval, fingerprint: str | None) -> bool:
    """Whether the world is another one than the run showed when it asked."""
    return approval.fingerprint is not None and approval.fingerprint != fingerprint


def is_held_up(approval: Approval, stop: Stop) -> bool:
    """Whether it is open, and a stop of these tools concerns it, ended or not."""
    return (approval.is_pending or is_unclaimed(approval)) and stop.names(approval.tool_name)


def claim(approval: Approval, *, taking: Taking, stop: Stop | None) -> Change[Approval] | None:
    """Take the single execution; None where there is nothing to take, or it is stopped.

    Raises:
        DigestMismatch: there is, but another action is meant.
    """
    if not is_unclaimed(approval) or taking.claim_id in approval.course.spent_claims:
        return None
    meant = {approval.approved_digest, *([approval.digest] if taking.accept_edited else [])}
    if taking.digest not in meant:
        raise errors.DigestMismatch(id=approval.id, expected=approval.approved_digest, given=taking.digest)
    if stop is not None and approval.decision is not None and approval.decision.allows:
        return None
    execute, at = executes(approval, taking), taking.at
    taken = Claim(claim_id=taking.claim_id, at=at, execute=execute, worker=taking.worker)
    started = Execution(
        status=ExecutionStatus.CLAIMED,
        at=at,
        started_at=at,
        report_within=taking.report_within,
        report_due_at=_report_due(at, taking.report_within),
    )
    told = replace(approval.resumption, due_at=None, stuck_at=None, stuck_due_at=None)
    after = replace(approval, claim=taken, execution=started if execute else None, resumption=told)
    details: Details = {"claim_id": taking.claim_id, "execute": execute}
    who = claimant(approval, taking.worker)
    return step(after, action=Action.CLAIMED, actor=who, at=at, surface=Surface.API, details=details)


def claimant(approval: Approval, worker: str | None) -> Actor:
    """Who claims and reports: the run, under its worker's label."""
    return Actor(kind=ActorKind.REQUESTER, id=approval.run_id, name=worker or "")


def claim_outcome(approval: Approval, *, taking: Taking, stop: Stop | None) -> Claimed:
    """What a claimant is told of the approval as it stands.

    Whoever reported the end lost no answer: a program that starts anew under its old id must not run it again. Nor
    must one that went silent: nobody knows what happened, and a person says so first.
    """
    mine = approval.claim is not None and approval.claim.claim_id == taking.claim_id
    execution = approval.execution
    is_over = execution is not None and (execution.status.is_final or execution.status is ExecutionStatus.UNKNOWN)
    allows = approval.decision is not None and approval.decision.allows
    execute = mine and approval.claim is not None and approval.claim.execute
    return Claimed(
        claimed=mine,
        execute=execute and not is_over,
        claim_id=taking.claim_id if mine else None,
        approval=approval,
        stopped=stop if allows and is_unclaimed(approval) else None,
        has_changed=mine and allows and not execute and has_changed(approval, taking.fingerprint),
    )


def report(
    approval: Approval, *, claim_id: str, status: ExecutionStatus, at: datetime, detail: str | None
) -> Change[Approval] | None:
    """The next report of an open claim; a final status ends it.

    Who went silent and comes back, before a person said what happened, is heard. None: the same report again; of
    `running` it renews the promise (`renewed`), and nobody needs to look.

    Raises:
        NotClaimant: not the claim that executes, or another report after a final one.
    """
    if status in {ExecutionStatus.CLAIMED, ExecutionStatus.UNKNOWN}:
        raise ValueError(f"nobody reports {status.value}")
    before = approval.execution
    if before is None or approval.claim is None or approval.claim.claim_id != claim_id:
        raise errors.NotClaimant(id=approval.id)
    if (before.status, before.detail) == (status, detail):
        return None
    if before.status.is_final:
        raise errors.NotClaimant(id=approval.id)
    due = None if status.is_final else _report_due(at, before.report_within)
    after = replace(approval, execution=replace(before, status=status, at=at, detail=detail, report_due_at=due))
    who = claimant(approval, approval.claim.worker)
    details = {"status": status.value}
    return step(after, action=Action.REPORTED, actor=who, at=at, surface=Surface.API, details=details)


def renewed(approval: Approval, *, at: datetime) -> Approval | None:
    """Where a report said nothing new: the promise, kept longer; None where there is none to keep."""
    execution = approval.execution
    if execution is None or execution.report_due_at is None:
        return None
    return replace(approval, execution=replace(execution, report_due_at=_report_due(at, execution.report_within)))


def go_silent(approval: Approval, *, now: datetime) -> Change[Approval] | None:
    """Who promised to report and did not: nobody knows what happened. It never runs again by itself."""
    before = approval.execution
    if before is None or before.report_due_at is None or before.report_due_at > now:
        return None
    silent = replace(before, status=ExecutionStatus.UNKNOWN, at=before.report_due_at, report_due_at=None)
    return step(
        replace(approval, execution=silent),
        action=Action.WENT_SILENT,
        actor=DEADLINE,
        at=now,
        surface=Surface.SWEEP,
    )


def settle(
    approval: Approval, *, actor: Actor, happened: bool, at: datetime, surface: Surface
) -> Change[Approval] | None:
    """What a person says of an unknown execution; None where it is not unknown (any more).

    It did not happen: the claim is spent, the window opens anew, and one other claim may take it.
    """
    before, claim = approval.execution, approval.claim
    if before is None or claim is None or before.status is not ExecutionStatus.UNKNOWN:
        return None
    said = replace(approval.course, settlement=Settlement(actor=actor, at=at, happened=happened, silent_at=before.at))
    if happened:
        done = replace(before, status=ExecutionStatus.SUCCEEDED, at=at)
        after = replace(approval, execution=done, course=said)
    else:
        spent = replace(said, spent_claims=(*approval.course.spent_claims, claim.claim_id))
        free = replace(approval, claim=None, execution=None, course=spent)
        after = replace(free, resumption=told_anew(free, at=at))
    details: Details = {"happened": happened, "claim_id": claim.claim_id}
    return step(after, action=Action.SETTLED, actor=actor, at=at, surface=surface, details=details)


def _report_due(at: datetime, report_within: int | None) -> datetime | None:
    return None if report_within is None else at + timedelta(seconds=report_within)
