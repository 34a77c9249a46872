"""Who can decide, as Slack tells it now: people by name and by group, keys; and who is left out, and why."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bot.people import Directory, Standing, Unreadable
from store.types import Approvers, Key, Scope

#: Accounts that are asked about; of the others nobody knows what they are.
MOST_ASKED = 200


class Flaw(StrEnum):
    """What is wrong with who was named."""

    KEY_GONE = "key_gone"
    GROUP_UNREADABLE = "group_unreadable"
    GROUP_EMPTY = "group_empty"
    NO_MEMBER = "no_member"
    UNKNOWN_PERSON = "unknown_person"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    flaw: Flaw
    words: str


@dataclass(kw_only=True, slots=True)
class Reach:
    """`users`: who can decide, each with the groups that say so. `left_out`: who cannot, and what keeps them from it.

    `is_whole`: nobody else is left unknown, so that too few are too few.
    """

    users: dict[str, tuple[str, ...]] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    is_whole: bool = True

    @property
    def able(self) -> int:
        return len(self.users) + len(self.keys)

    def too_few(self, quorum: int) -> str | None:
        """In one sentence, where it is certain that so many never come together."""
        if not self.is_whole or self.able >= quorum:
            return None
        needed = "approval is" if quorum == 1 else "approvals are"
        return f"{quorum} {needed} needed, and {self.able or 'nobody'} can give one"


async def reach(
    approvers: Approvers,
    *,
    keys: Sequence[Key],
    tenant: str,
    directory: Directory | None,
    barred: Collection[str] = (),
    most: int = MOST_ASKED,
) -> Reach:
    """`keys`: those that live. `directory`: None where Slack cannot be asked; then nobody knows about people.

    `barred`: who asked, and may not decide it. `most`: accounts that are asked about.
    """
    found = Reach()
    found.faults += _silent_keys(approvers, keys, found)
    if directory is None:
        found.is_whole = not (approvers.users or approvers.groups)
        return found
    groups = await _groups(approvers, tenant, directory, found)
    for user, through in list(groups.items())[:most]:
        if user in barred:
            found.left_out[user] = "requester"
            continue
        standing = await directory.standing(tenant=tenant, user=user)
        _judge(found, user, through, standing, is_named=user in approvers.users)
    if len(groups) > most:
        found.is_whole = False
    return found


def _judge(
    found: Reach, user: str, through: tuple[str, ...], standing: Standing | Unreadable, *, is_named: bool
) -> None:
    if standing is Standing.MEMBER:
        found.users[user] = through
        return
    if isinstance(standing, Unreadable):
        found.faults.append(Fault(flaw=Flaw.UNKNOWN_PERSON, words=f"Slack does not say who {user} is"))
        # Named by id, they decide all the same.
        found.is_whole = False
        found.left_out[user] = "unknown"
        return
    found.left_out[user] = standing.value
    if is_named:
        words = f"{user} is a {standing.value} account, and decides nothing"
        found.faults.append(Fault(flaw=Flaw.NO_MEMBER, words=words))


def _silent_keys(approvers: Approvers, keys: Sequence[Key], found: Reach) -> Iterator[Fault]:
    deciding = {key.name for key in keys if Scope.DECIDE in key.scopes}
    for name in approvers.keys:
        if name in deciding:
            found.keys.append(name)
        else:
            yield Fault(flaw=Flaw.KEY_GONE, words=f"there is no live key {name!r} with the scope decide")


async def _groups(approvers: Approvers, tenant: str, directory: Directory, found: Reach) -> dict[str, tuple[str, ...]]:
    """Everybody once, those named first, each with the groups that they belong to."""
    through: dict[str, tuple[str, ...]] = dict.fromkeys(approvers.users, ())
    for group in approvers.groups:
        read = await directory.members(tenant=tenant, group=group)
        if isinstance(read, Unreadable):
            why = "does not let us read the group" if read is Unreadable.EVER else "did not say who is in the group"
            found.faults.append(Fault(flaw=Flaw.GROUP_UNREADABLE, words=f"Slack {why} {group}"))
            found.is_whole = found.is_whole and read is Unreadable.EVER
        elif not read:
            found.faults.append(Fault(flaw=Flaw.GROUP_EMPTY, words=f"the group {group} has no members"))
        else:
            for user in sorted(read):
                through[user] = (*through.get(user, ()), group)
    return through
