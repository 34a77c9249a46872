"""Asking, asking again, asking anew in another's place."""

from dataclasses import replace

from store import errors
from store.rules.change import Action, Change, I, is_late, resolve
from store.rules.deciding import expire
from store.types import Actor, ActorKind, Approval, Interaction, Policy, State, Surface


def same_ask(asked: I, standing: Interaction) -> I:
    """What stands for an operation that is asked again.

    Raises:
        Conflict: it was asked with other content, or as the other kind.
    """
    if not isinstance(standing, type(asked)) or standing.request_digest != asked.request_digest:
        raise errors.Conflict(id=standing.id)
    return standing


def create(interaction: I) -> Change[I]:
    details: dict[str, str | int | bool | None] = {}
    if interaction.supersedes:
        details["supersedes"] = interaction.supersedes
    if interaction.terms.policy is not None:
        details |= {"policy": interaction.terms.policy.name, "revision": interaction.terms.policy.revision}
    return Change(
        interaction=interaction,
        action=Action.CREATED,
        actor=interaction.asked_by,
        surface=Surface.API,
        at=interaction.created_at,
        old_state=State.PENDING,
        details=details,
    )


def supersede(old: Approval, *, new: Approval) -> Change[Approval] | None:
    """The new one's requester replaced the old one; where no person asked, the asking key did.

    An old one that is past its deadline expires instead; one that ended without a run stays as it is (None):
    undecided, or claimed too late or in a world that had changed.

    Raises:
        AlreadyResolved: it was decided or replaced before.
    """
    ran_never = old.state is State.APPROVED and old.claim is not None and not old.claim.execute
    nobody_decided = old.resolved_by is not None and old.resolved_by.kind is ActorKind.DEADLINE
    if ran_never or nobody_decided:
        return None
    if old.state.is_decided or old.state is State.SUPERSEDED:
        raise errors.AlreadyResolved(interaction=old)
    if not old.is_pending:
        return None
    if is_late(old, new.created_at):
        return expire(old, surface=Surface.API)
    return resolve(
        replace(old, superseded_by=new.id),
        state=State.SUPERSEDED,
        at=new.created_at,
        by=Actor(kind=ActorKind.REQUESTER, id=new.requested_by) if new.requested_by else new.asked_by,
        surface=Surface.API,
        details={"superseded_by": new.id},
    )


def same_policy(one: Policy, other: Policy) -> bool:
    """Whether they say the same, whoever said it and when."""
    return replace(one, revision=0, set_at=other.set_at, set_by=other.set_by) == replace(other, revision=0)
