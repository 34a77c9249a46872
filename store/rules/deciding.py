"""Votes and answers, deadlines, withdrawals, and what can be taken back."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from store import errors
from store.outcomes import Decided, TakenBack
from store.rules.change import DEADLINE, Action, Change, Details, I, is_late, resolve, step
from store.rules.telling import is_open, told_anew
from store.types import (
    Actor,
    ActorKind,
    Answer,
    Approval,
    Decision,
    Edited,
    Extension,
    Interaction,
    OnExpiry,
    QuestionSet,
    State,
    Surface,
    Vote,
)


def decide(
    approval: Approval, *, cast: Vote, surface: Surface, digest: str | None, edited: Edited | None = None
) -> Change[Approval] | None:
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
    return vote(approval, vote=cast, surface=surface, edited=edited)


def decided(approval: Approval, *, is_changed: bool) -> Decided:
    """What a decider is told; `is_changed`: by this call."""
    by = approval.resolved_by
    if is_changed:
        return Decided(already_resolved=by is not None and by.kind is ActorKind.DEADLINE, approval=approval)
    return Decided(already_resolved=not approval.is_pending, approval=approval)


def same_voter(one: Actor, other: Actor) -> bool:
    """Whatever they are called by now."""
    return (one.kind, one.id) == (other.kind, other.id)


def vote_order(vote: Vote) -> tuple[datetime, str, str]:
    return vote.at, vote.actor.kind, vote.actor.id


def vote(approval: Approval, *, vote: Vote, surface: Surface, edited: Edited | None = None) -> Change[Approval] | None:
    """Add or replace this actor's vote; decide when enough allow or enough deny. None: the same vote again, and no
    other reason.

    Changing the input is the decision of one person: never where a quorum decides, never with a denial.
    """
    if edited is not None and (approval.approvers.quorum > 1 or not vote.decision.allows):
        raise ValueError("an edited input goes with the one approval that decides")
    before = next((other for other in approval.votes if same_voter(other.actor, vote.actor)), None)
    if before is not None and _says_the_same(before, vote):
        return None
    others = [other for other in approval.votes if other is not before]
    votes = tuple(sorted([*others, vote], key=vote_order))
    alike = sum(each.decision.allows == vote.decision.allows for each in votes)
    needed = approval.approvers.quorum if vote.decision.allows else approval.approvers.denials
    details: Details = {"decision": vote.decision.value}
    if alike < needed:
        voted = replace(approval, votes=votes)
        return step(voted, action=Action.VOTED, actor=vote.actor, at=vote.at, surface=surface, details=details)
    if edited is not None:
        details = {**details, "edited_digest": edited.digest}
    decided = replace(approval, votes=votes, decision=vote.decision, feedback=vote.feedback, edited=edited)
    state = State.APPROVED if vote.decision.allows else State.DENIED
    return resolve(decided, state=state, at=vote.at, by=vote.actor, surface=surface, details=details)


def _says_the_same(before: Vote, vote: Vote) -> bool:
    """The same decision; a vote without a reason leaves the one that was given."""
    return before.decision is vote.decision and vote.feedback in {None, before.feedback}


def take_back(approval: Approval, *, actor: Actor, at: datetime, surface: Surface) -> Change[Approval] | None:
    """A vote while it waits for others, or the approval while no run has it and its window is open.

    What was approved is denied then, and its run is told so. None: there is nothing of this actor to take back.
    """
    mine = next((vote for vote in approval.votes if same_voter(vote.actor, actor)), None)
    if mine is None:
        return None
    others = tuple(vote for vote in approval.votes if vote is not mine)
    if approval.is_pending:
        if is_late(approval, at):
            return expire(approval, surface=surface)
        without = replace(approval, votes=others)
        return step(without, action=Action.VOTE_TAKEN_BACK, actor=actor, at=at, surface=surface)
    is_free = approval.state is State.APPROVED and approval.claim is None and is_open(approval, at)
    if not is_free or not mine.decision.allows:
        return None
    against = replace(mine, decision=Decision.DENY, at=at, feedback=None)
    denied = replace(
        approval,
        state=State.DENIED,
        votes=tuple(sorted([*others, against], key=vote_order)),
        decision=Decision.DENY,
        feedback=None,
        edited=None,
        resolved_at=at,
        resolved_by=actor,
        course=replace(approval.course, taken_back_at=at),
    )
    return Change(
        interaction=replace(denied, resumption=told_anew(denied, at=at, is_other=True)),
        action=Action.TAKEN_BACK,
        actor=actor,
        surface=surface,
        at=at,
        old_state=State.APPROVED,
        details={},
    )


def taken_back(approval: Approval, *, is_changed: bool) -> TakenBack:
    """What is said of it; an expiry that was committed instead took nothing back."""
    by = approval.resolved_by
    return TakenBack(taken_back=is_changed and (by is None or by.kind is not ActorKind.DEADLINE), approval=approval)


def answer(
    question: QuestionSet, *, answers: Mapping[str, Answer], at: datetime, actor: Actor, surface: Surface
) -> Change[QuestionSet] | None:
    """All answers at once, or the expiry that they came too late for; None where it is resolved."""
    if not question.is_pending:
        return None
    if is_late(question, at):
        return expire(question, surface=surface)
    answered = replace(question, answers=dict(answers))
    return resolve(answered, state=State.ANSWERED, at=at, by=actor, surface=surface)


def expire(interaction: I, *, surface: Surface) -> Change[I]:
    """Resolved at the deadline itself, whoever noticed: expired, or denied where the ask says so; never approved."""
    deadline = interaction.expires_at
    if deadline is None:
        raise ValueError(f"{interaction.id} has no deadline")
    if isinstance(interaction, Approval) and interaction.terms.on_expiry is OnExpiry.DENY:
        denied = replace(interaction, decision=Decision.DENY)
        return resolve(denied, state=State.DENIED, at=deadline, by=DEADLINE, surface=surface)
    return resolve(interaction, state=State.EXPIRED, at=deadline, by=DEADLINE, surface=surface)


def withdraw(interaction: I, *, actor: Actor, at: datetime, surface: Surface, reason: str | None) -> Change[I] | None:
    """Ended by whoever asked, or the expiry that this came too late for; None where it is resolved."""
    if not interaction.is_pending:
        return None
    if is_late(interaction, at):
        return expire(interaction, surface=surface)
    withdrawn = replace(interaction, reason=reason)
    return resolve(withdrawn, state=State.WITHDRAWN, at=at, by=actor, surface=surface)


def extend(interaction: I, *, actor: Actor, at: datetime, surface: Surface) -> Change[I] | None:
    """More time, once, as much as its terms allow; the expiry where it is too late; None where nobody may."""
    more, deadline = interaction.terms.extension, interaction.expires_at
    if not interaction.is_pending or deadline is None:
        return None
    if is_late(interaction, at):
        return expire(interaction, surface=surface)
    if more is None or interaction.course.extension is not None:
        return None
    until = deadline + more
    given = replace(interaction.course, extension=Extension(actor=actor, at=at, until=until), warned_at=None)
    after = replace(interaction, expires_at=until, course=given)
    details = {"until": until.isoformat()}
    return step(after, action=Action.EXTENDED, actor=actor, at=at, surface=surface, details=details)


def sweep(interaction: Interaction, *, now: datetime) -> Change[Interaction] | None:
    return expire(interaction, surface=Surface.SWEEP) if is_late(interaction, now) else None
