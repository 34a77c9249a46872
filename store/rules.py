"""What each transition makes of an interaction: pure, and the same for every backend.

A backend reads, asks these, and writes what they say with a compare-and-set. None means: nothing to write.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from store import errors
from store.outcomes import Claimed, Decided
from store.types import (
    PATIENCE,
    WAKE_AFTER,
    Actor,
    ActorKind,
    Answer,
    Approval,
    Claim,
    Event,
    Execution,
    ExecutionStatus,
    Interaction,
    QuestionSet,
    ResumeKind,
    Resumption,
    State,
    Surface,
    Vote,
)

I = TypeVar("I", bound=Interaction)  # noqa: E741  # the one interaction of these rules

DEADLINE = Actor(kind=ActorKind.DEADLINE)


class Action:
    """What an event says happened."""

    CREATED = "created"
    VOTED = "voted"
    CLAIMED = "claimed"
    REPORTED = "reported"
    # A resolution is called as the state that it leads to.


@dataclass(frozen=True, kw_only=True, slots=True)
class Change(Generic[I]):
    """One transition: the interaction as it is afterwards, and what its event says."""

    interaction: I
    action: str
    actor: Actor
    surface: Surface
    at: datetime
    old_state: State
    details: Mapping[str, str | int | bool | None]

    def event(self, seq: int) -> Event:
        after = self.interaction
        return Event(
            tenant=after.tenant,
            seq=seq,
            interaction_id=after.id,
            at=self.at,
            action=self.action,
            actor=self.actor,
            surface=self.surface,
            old_state=self.old_state,
            new_state=after.state,
            details=self.details,
        )


def is_late(interaction: Interaction, at: datetime) -> bool:
    """At the deadline is late."""
    return interaction.is_pending and interaction.expires_at is not None and at >= interaction.expires_at


def same_ask(asked: I, standing: Interaction) -> I:
    """What stands for an operation that is asked again.

    Raises:
        Conflict: it was asked with other content, or as the other kind.
    """
    if not isinstance(standing, type(asked)) or standing.request_digest != asked.request_digest:
        raise errors.Conflict(id=standing.id)
    return standing


def create(interaction: I) -> Change[I]:
    return Change(
        interaction=interaction,
        action=Action.CREATED,
        actor=interaction.asked_by,
        surface=Surface.API,
        at=interaction.created_at,
        old_state=State.PENDING,
        details={"supersedes": interaction.supersedes} if interaction.supersedes else {},
    )


def decide(approval: Approval, *, cast: Vote, surface: Surface, digest: str | None) -> Change[Approval] | None:
    """The vote, or the expiry that it came too late for; None where it changes nothing.

    Raises:
        DigestMismatch: another action is meant.
    """
    if digest is not None and digest != approval.digest:
        raise errors.DigestMismatch(id=approval.id, expected=approval.digest, given=digest)
    if not approval.is_pending:
        return None
    if is_late(approval, cast.at):
        return expire(approval, surface=surface)
    return vote(approval, vote=cast, surface=surface)


def decided(approval: Approval, *, is_changed: bool) -> Decided:
    """What a decider is told; `is_changed`: by this call."""
    if is_changed:
        return Decided(already_resolved=approval.state is State.EXPIRED, approval=approval)
    return Decided(already_resolved=not approval.is_pending, approval=approval)


def same_voter(one: Vote, other: Vote) -> bool:
    return (one.actor.kind, one.actor.id) == (other.actor.kind, other.actor.id)


def vote_order(vote: Vote) -> tuple[datetime, str, str]:
    return vote.at, vote.actor.kind, vote.actor.id


def vote(approval: Approval, *, vote: Vote, surface: Surface) -> Change[Approval] | None:
    """Add or replace this actor's vote; decide on a denial or when the quorum allows. None: the same vote again."""
    before = next((other for other in approval.votes if same_voter(other, vote)), None)
    if before is not None and before.decision is vote.decision:
        return None
    others = [other for other in approval.votes if other is not before]
    votes = tuple(sorted([*others, vote], key=vote_order))
    allowing = sum(each.decision.allows for each in votes)
    details = {"decision": vote.decision.value}
    if vote.decision.allows and allowing < approval.approvers.quorum:
        return Change(
            interaction=replace(approval, votes=votes),
            action=Action.VOTED,
            actor=vote.actor,
            surface=surface,
            at=vote.at,
            old_state=State.PENDING,
            details=details,
        )
    decided = replace(approval, votes=votes, decision=vote.decision, feedback=vote.feedback)
    state = State.APPROVED if vote.decision.allows else State.DENIED
    return _resolve(decided, state=state, at=vote.at, by=vote.actor, surface=surface, details=details)


def answer(
    question: QuestionSet, *, answers: Mapping[str, Answer], at: datetime, actor: Actor, surface: Surface
) -> Change[QuestionSet] | None:
    """All answers at once, or the expiry that they came too late for; None where it is resolved."""
    if not question.is_pending:
        return None
    if is_late(question, at):
        return expire(question, surface=surface)
    answered = replace(question, answers=dict(answers))
    return _resolve(answered, state=State.ANSWERED, at=at, by=actor, surface=surface)


def expire(interaction: I, *, surface: Surface) -> Change[I]:
    """Resolved at the deadline itself, whoever noticed."""
    if interaction.expires_at is None:
        raise ValueError(f"{interaction.id} has no deadline")
    return _resolve(interaction, state=State.EXPIRED, at=interaction.expires_at, by=DEADLINE, surface=surface)


def withdraw(interaction: I, *, actor: Actor, at: datetime, surface: Surface, reason: str | None) -> Change[I] | None:
    """Ended by whoever asked, or the expiry that this came too late for; None where it is resolved."""
    if not interaction.is_pending:
        return None
    if is_late(interaction, at):
        return expire(interaction, surface=surface)
    withdrawn = replace(interaction, reason=reason)
    return _resolve(withdrawn, state=State.WITHDRAWN, at=at, by=actor, surface=surface)


def sweep(interaction: Interaction, *, now: datetime) -> Change[Interaction] | None:
    return expire(interaction, surface=Surface.SWEEP) if is_late(interaction, now) else None


def supersede(old: Approval, *, new: Approval) -> Change[Approval] | None:
    """The new one's requester replaced the old one; where no person asked, the asking key did.

    An old one that is past its deadline expires instead; one that ended undecided stays (None).

    Raises:
        AlreadyResolved: it was decided or replaced before.
    """
    if old.state.is_decided or old.state is State.SUPERSEDED:
        raise errors.AlreadyResolved(interaction=old)
    if not old.is_pending:
        return None
    if is_late(old, new.created_at):
        return expire(old, surface=Surface.API)
    return _resolve(
        replace(old, superseded_by=new.id),
        state=State.SUPERSEDED,
        at=new.created_at,
        by=Actor(kind=ActorKind.REQUESTER, id=new.requested_by) if new.requested_by else new.asked_by,
        surface=Surface.API,
        details={"superseded_by": new.id},
    )


def executes(approval: Approval, at: datetime) -> bool:
    """A person allowed it and the claim window is open: on the whitelist, never "not denied".

    Once it is noted that the window is over it stays so, also for a claim that was on its way before.
    """
    until = approval.runs_until
    is_open = until is not None and at < until and approval.lapsed_at is None
    return approval.decision is not None and approval.decision.allows and is_open


def claim(
    approval: Approval, *, claim_id: str, digest: str, at: datetime, worker: str | None, report_within: int | None
) -> Change[Approval] | None:
    """Take the single execution; None where there is nothing to take.

    Raises:
        DigestMismatch: there is, but another action is meant.
    """
    if not is_unclaimed(approval):
        return None
    if digest != approval.digest:
        raise errors.DigestMismatch(id=approval.id, expected=approval.digest, given=digest)
    execute = executes(approval, at)
    taken = Claim(claim_id=claim_id, at=at, execute=execute, worker=worker)
    started = Execution(
        status=ExecutionStatus.CLAIMED,
        at=at,
        started_at=at,
        report_within=report_within,
        report_due_at=_report_due(at, report_within),
    )
    told = replace(approval.resumption, due_at=None, stuck_at=None, stuck_due_at=None)
    return Change(
        interaction=replace(approval, claim=taken, execution=started if execute else None, resumption=told),
        action=Action.CLAIMED,
        actor=claimant(approval, worker),
        surface=Surface.API,
        at=at,
        old_state=approval.state,
        details={"claim_id": claim_id, "execute": execute},
    )


def claimant(approval: Approval, worker: str | None) -> Actor:
    """Who claims and reports: the run, under its worker's label."""
    return Actor(kind=ActorKind.REQUESTER, id=approval.run_id, name=worker or "")


def claim_outcome(approval: Approval, *, claim_id: str) -> Claimed:
    """What a claimant is told of the approval as it stands.

    Whoever reported the end lost no answer: a program that starts anew under its old id must not run it again.
    """
    mine = approval.claim is not None and approval.claim.claim_id == claim_id
    is_over = approval.execution is not None and approval.execution.status.is_final
    return Claimed(
        claimed=mine,
        execute=approval.claim.execute and not is_over if mine and approval.claim else False,
        claim_id=claim_id if mine else None,
        approval=approval,
    )


def report(
    approval: Approval, *, claim_id: str, status: ExecutionStatus, at: datetime, detail: str | None
) -> Change[Approval] | None:
    """The next report of an open claim; `running` renews the promise to report, a final status ends it.

    None: the same final report again.

    Raises:
        NotClaimant: not the claim that executes, or another report after a final one.
    """
    if status in {ExecutionStatus.CLAIMED, ExecutionStatus.UNKNOWN}:
        raise ValueError(f"nobody reports {status.value}")
    before = approval.execution
    if before is None or approval.claim is None or approval.claim.claim_id != claim_id:
        raise errors.NotClaimant(id=approval.id)
    if before.status.is_final:
        if (before.status, before.detail) == (status, detail):
            return None
        raise errors.NotClaimant(id=approval.id)
    due = None if status.is_final else _report_due(at, before.report_within)
    return Change(
        interaction=replace(
            approval, execution=replace(before, status=status, at=at, detail=detail, report_due_at=due)
        ),
        action=Action.REPORTED,
        actor=claimant(approval, approval.claim.worker),
        surface=Surface.API,
        at=at,
        old_state=approval.state,
        details={"status": status.value},
    )


def told(interaction: Interaction, *, now: datetime) -> Resumption:
    """After a telling: an unclaimed approval is woken again until its wakes are used up, all else is done."""
    before = interaction.resumption
    done = replace(before, told_at=now, due_at=None, stuck_at=None, stuck_due_at=None, attempts=0, last_error=None)
    if not is_unclaimed(interaction):
        return done
    ours = before.wakes - before.woken_from
    if ours < len(WAKE_AFTER):
        return owed(replace(done, wakes=before.wakes + 1), at=now + WAKE_AFTER[ours])
    return replace(done, stuck_due_at=now + WAKE_AFTER[-1])


def owed(resumption: Resumption, *, at: datetime) -> Resumption:
    """Telling is due then; still owed after the patience with it, it is shown as stuck."""
    return replace(resumption, due_at=at, stuck_due_at=at + PATIENCE)


def not_told(interaction: Interaction, *, error: str, due_at: datetime | None, now: datetime) -> Resumption:
    """After a telling that failed. What was claimed meanwhile needs no telling any more."""
    before = replace(interaction.resumption, attempts=interaction.resumption.attempts + 1, last_error=error)
    if isinstance(interaction, Approval) and interaction.claim is not None:
        return replace(before, due_at=None, stuck_due_at=None)
    if due_at is None:
        return replace(before, due_at=None, stuck_at=now, stuck_due_at=None)
    return owed(replace(before, stuck_at=None), at=due_at)


def lapses_at(interaction: Interaction) -> datetime | None:
    """When the claim window of an approved approval ends, as long as nobody claimed and it is not noted yet."""
    if not isinstance(interaction, Approval) or interaction.state is not State.APPROVED:
        return None
    return interaction.runs_until if interaction.claim is None and interaction.lapsed_at is None else None


def stuck(interaction: Interaction, *, now: datetime) -> Resumption:
    return replace(interaction.resumption, stuck_at=now, stuck_due_at=None)


def woken(interaction: Interaction, *, now: datetime) -> Resumption | None:
    """Telling starts anew; None where nothing is to be told."""
    if interaction.is_pending or interaction.resume.kind is ResumeKind.PULL:
        return None
    decided = isinstance(interaction, Approval) and interaction.state.is_decided
    before = interaction.resumption
    if not (is_unclaimed(interaction) if decided else before.told_at is None):
        return None
    # What was told is told anew by a new message; what never arrived is the same message still.
    wakes = before.wakes if before.told_at is None or before.due_at is not None else before.wakes + 1
    return owed(Resumption(told_at=before.told_at, wakes=wakes, woken_from=wakes), at=now)


def is_unclaimed(interaction: Interaction) -> bool:
    return isinstance(interaction, Approval) and interaction.state.is_decided and interaction.claim is None


def patience(interaction: Interaction, *, at: datetime) -> Resumption:
    """What telling is due after a resolution at `at`: at once; a pull run owes its claim within its patience."""
    if interaction.resume.kind is not ResumeKind.PULL:
        return owed(interaction.resumption, at=at)
    if is_unclaimed(interaction):
        return replace(interaction.resumption, stuck_due_at=at + PATIENCE)
    return interaction.resumption


def _resolve(
    interaction: I,
    *,
    state: State,
    at: datetime,
    by: Actor,
    surface: Surface,
    details: Mapping[str, str | int | bool | None] | None = None,
) -> Change[I]:
    resolved = replace(interaction, state=state, resolved_at=at, resolved_by=by)
    return Change(
        interaction=replace(resolved, resumption=patience(resolved, at=at)),
        action=state.value,
        actor=by,
        surface=surface,
        at=at,
        old_state=interaction.state,
        details=details or {},
    )


def _report_due(at: datetime, report_within: int | None) -> datetime | None:
    return None if report_within is None else at + timedelta(seconds=report_within)
