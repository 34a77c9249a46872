"""Where an approval stands, as its card says it: the state, and what became of the run."""

from enum import StrEnum

from blocks.surface import Paint
from store.types import Actor, ActorKind, Approval, ExecutionStatus, Interaction, ResumeKind, State, Vote


class Phase(StrEnum):
    WAITING = "waiting"
    PARTLY = "partly"
    APPROVED = "approved"
    GRANTED = "granted"
    STUCK = "stuck"
    LAPSED = "lapsed"
    HANDED = "handed"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    #: A person says so of what went silent: it happened, or it did not and may run once more.
    HAPPENED = "happened"
    NOT_HAPPENED = "not_happened"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"

    @property
    def is_open(self) -> bool:
        return self in {Phase.WAITING, Phase.PARTLY}


_ENDED = {
    State.DENIED: Phase.DENIED,
    State.EXPIRED: Phase.EXPIRED,
    State.WITHDRAWN: Phase.WITHDRAWN,
    State.SUPERSEDED: Phase.SUPERSEDED,
}
_EXECUTED = {
    ExecutionStatus.CLAIMED: Phase.HANDED,
    ExecutionStatus.RUNNING: Phase.RUNNING,
    ExecutionStatus.SUCCEEDED: Phase.DONE,
    ExecutionStatus.FAILED: Phase.FAILED,
    ExecutionStatus.UNKNOWN: Phase.UNKNOWN,
}


def approvals_so_far(approval: Approval) -> tuple[Vote, ...]:
    return tuple(vote for vote in approval.votes if vote.decision.allows)


def denials_so_far(approval: Approval) -> tuple[Vote, ...]:
    return tuple(vote for vote in approval.votes if not vote.decision.allows)


def deniers(approval: Approval) -> list[Actor]:
    """All whose denial counted; one for a single denial."""
    voters = [vote.actor for vote in denials_so_far(approval)]
    if len(voters) > 1:
        return voters
    return [approval.resolved_by] if approval.resolved_by is not None else voters


def of(approval: Approval, paint: Paint) -> Phase:
    if approval.state is State.PENDING:
        return Phase.PARTLY if approval.votes else Phase.WAITING
    return _ENDED.get(approval.state) or _approved(approval, paint)


def _approved(approval: Approval, paint: Paint) -> Phase:
    if approval.claim is not None:
        if not approval.claim.execute:
            return Phase.LAPSED
        if _is_said_to_have(approval):
            return Phase.HAPPENED
        return Phase.HANDED if approval.execution is None else _EXECUTED[approval.execution.status]
    if paint.lapsed:
        return Phase.LAPSED
    # What is stopped cannot start: nobody need look for its run.
    if approval.resumption.stuck_at is not None and paint.stopped is None:
        return Phase.STUCK
    if approval.reopened_at is not None:
        return Phase.NOT_HAPPENED
    by_grant = approval.resolved_by is not None and approval.resolved_by.kind is ActorKind.GRANT
    return Phase.GRANTED if by_grant else Phase.APPROVED


def _is_said_to_have(approval: Approval) -> bool:
    settled = approval.course.settlement
    return settled is not None and settled.happened


def is_unknown(interaction: Interaction) -> bool:
    """Whether its run went silent, and nobody has said yet what happened."""
    run = interaction.execution if isinstance(interaction, Approval) else None
    return run is not None and run.status is ExecutionStatus.UNKNOWN


def is_held_up(approval: Approval, paint: Paint) -> bool:
    """Whether a stop keeps it from starting."""
    return paint.stopped is not None and may_start(approval)


def may_start(approval: Approval) -> bool:
    """Whether it waits, or was approved and no run has it, and it is in time."""
    if approval.lapsed_at is not None:
        return False
    return approval.is_pending or (approval.state is State.APPROVED and approval.claim is None)


def is_stuck(interaction: Interaction) -> bool:
    """Whether its run should know what came of it, and does not seem to."""
    return not interaction.is_pending and interaction.resumption.stuck_at is not None


def can_wake(interaction: Interaction) -> bool:
    """A run that pulls cannot be woken: nobody knows where it is."""
    return is_stuck(interaction) and interaction.resume.kind is not ResumeKind.PULL
