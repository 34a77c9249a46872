"""Who may decide. Pure: memberships are looked up before, and whatever is unknown refuses."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.people import Members, Person, Standing, Unreadable
from store.types import Actor, ActorKind, Approvers, Installation, Interaction, Key, Scope


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowed:
    actor: Actor


@dataclass(frozen=True, kw_only=True, slots=True)
class NotAllowed:
    """Neither named nor a member of a named group."""

    approvers: Approvers
    requested_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnRequest:
    """The requester, where somebody else has to decide."""

    approvers: Approvers
    requested_by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherWorkspace:
    """A person of another workspace, in a shared channel."""

    approvers: Approvers


@dataclass(frozen=True, kw_only=True, slots=True)
class NoMember:
    """An account that decides nowhere: a guest, a bot, a deactivated one."""

    standing: Standing
    approvers: Approvers


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonUnreadable:
    """The answer hangs on what kind of account this is, and Slack did not tell."""

    approvers: Approvers


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupUnreadable:
    """The answer hangs on a group that Slack did not tell us. `why`: whether asking again may help."""

    group: str
    why: Unreadable
    requested_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReasonRequired:
    """A denial here needs a reason."""


Refusal = NotAllowed | OwnRequest | OtherWorkspace | NoMember | PersonUnreadable | GroupUnreadable | ReasonRequired


def groups_to_read(interaction: Interaction, person: Person) -> tuple[str, ...]:
    """The groups whose members decide about this person: none where the person is named by id, or may not anyway."""
    is_known = person.user_id in interaction.barred or person.user_id in interaction.deciders.users
    return () if is_known else interaction.deciders.groups


def is_foreign(person: Person, installation: Installation) -> bool:
    """Of another workspace: neither of this team nor, in an Enterprise org, of its organisation."""
    if person.team_id is None or person.team_id == installation.team_id:
        return False
    if installation.enterprise_id is None:
        return True
    return installation.enterprise_id not in {person.team_id, person.enterprise_id}


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What was looked up of a person: the members of the groups that `groups_to_read` named, and their account."""

    groups: Mapping[str, Members]
    standing: Standing | Unreadable = Standing.MEMBER


def judge_person(
    *, interaction: Interaction, person: Person, installation: Installation, known: Known
) -> Allowed | Refusal:
    """May this person decide?

    Who asked cannot approve it, unless the ask allows that. A question is no permission: whoever is named answers it,
    also who answers for the key that asked. Whose account Slack does not tell may decide where they are named by id:
    a click never needs Slack.
    """
    approvers = interaction.deciders
    if is_foreign(person, installation):
        return OtherWorkspace(approvers=others(approvers, person))
    if isinstance(known.standing, Standing) and known.standing is not Standing.MEMBER:
        return NoMember(standing=known.standing, approvers=others(approvers, person))
    if person.user_id in interaction.barred:
        return OwnRequest(approvers=approvers, requested_by=person.user_id)
    allowed = Allowed(actor=person.actor())
    if person.user_id in approvers.users:
        return allowed
    read = {group: known.groups.get(group, Unreadable.NOW) for group in approvers.groups}
    if any(_holds(members, person) for members in read.values()):
        return PersonUnreadable(approvers=approvers) if isinstance(known.standing, Unreadable) else allowed
    # What may be readable in a minute comes first: then it is worth another click.
    for why in (Unreadable.NOW, Unreadable.EVER):
        for group, members in read.items():
            if members is why:
                return GroupUnreadable(group=group, why=why, requested_by=interaction.requested_by)
    return NotAllowed(approvers=approvers, requested_by=interaction.requested_by)


def others(approvers: Approvers, person: Person) -> Approvers:
    """Who could in place of this person, who may not, named or not."""
    return replace(approvers, users=tuple(user for user in approvers.users if user != person.user_id))


def _holds(members: Members, person: Person) -> bool:
    return not isinstance(members, Unreadable) and person.user_id in members


def judge_waker(*, interaction: Interaction, person: Person, installation: Installation, is_operator: bool) -> bool:
    """May this person have the run told again, whether or not they may decide? Who asked may, and operators."""
    if is_foreign(person, installation):
        return False
    return is_operator or person.user_id == interaction.requested_by


def judge_key(*, interaction: Interaction, key: Key) -> Allowed | NotAllowed:
    """May this key decide? Only where the ask names it, with the scope for it, and never its own ask.

    Nor, of an approval, what the person asked for who answers for the key, unless the ask allows that.
    """
    refused = NotAllowed(approvers=interaction.approvers, requested_by=interaction.requested_by)
    if Scope.DECIDE not in key.scopes or key.name not in interaction.approvers.keys:
        return refused
    if interaction.asked_by.id == key.id:
        return refused
    if key.owner in interaction.barred:
        return refused
    return Allowed(actor=Actor(kind=ActorKind.API_KEY, id=key.id, name=key.name))
