"""Whether policies can still be fulfilled: keys that are bound to none, and approvers whom nobody reaches any more."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field

from bot.findings import Finding, bad, well
from bot.people import Directory, Standing, Unreadable
from bot.policy_console import live_keys
from store.protocol import Store
from store.types import Approvers, Key, Policy, Scope

#: Members of groups that are asked about, by policy.
_MOST_ASKED = 200


@dataclass(kw_only=True, slots=True)
class _Reach:
    """Who can decide, as distinct names, and what is wrong with the others. `is_whole`: nothing is left unknown."""

    able: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)
    is_whole: bool = True


async def policies(store: Store, tenant: str, directory: Directory | None) -> AsyncIterator[Finding]:
    """`directory`: None where Slack cannot be asked; then only keys are looked at."""
    found = await store.list_policies(tenant=tenant)
    keys = await live_keys(store, tenant)
    names = {policy.name for policy in found}
    faults = [
        f"the key {key.name!r} is bound to {name!r}, which is not there: what it asks under it is refused"
        for key in keys
        for name in key.policies
        if name not in names
    ]
    for policy in found:
        faults += [f"{policy.name}: {text}" for text in await _faults(policy, keys, tenant, directory)]
    for text in faults:
        yield bad(f"Policies: {text}")
    if found and not faults:
        yield well(f"Policies: {', '.join(sorted(names))}")


async def _faults(policy: Policy, keys: Sequence[Key], tenant: str, directory: Directory | None) -> Sequence[str]:
    reach = _Reach()
    approvers = policy.approvers
    reach.faults += _silent_keys(approvers, keys, reach.able)
    if directory is None:
        return reach.faults
    members = await _members(approvers, tenant, directory, reach)
    await _people(approvers, members, tenant, directory, reach)
    if reach.is_whole and len(reach.able) < approvers.quorum:
        needed = "approval is" if approvers.quorum == 1 else "approvals are"
        reach.faults.append(f"{approvers.quorum} {needed} needed, and {len(reach.able) or 'nobody'} can give one")
    return reach.faults


def _silent_keys(approvers: Approvers, keys: Sequence[Key], able: set[str]) -> Iterator[str]:
    deciding = {key.name for key in keys if Scope.DECIDE in key.scopes}
    for name in approvers.keys:
        if name in deciding:
            able.add(f"key {name}")
        else:
            yield f"there is no live key {name!r} with the scope decide"


async def _members(approvers: Approvers, tenant: str, directory: Directory, reach: _Reach) -> list[str]:
    found: list[str] = []
    for group in approvers.groups:
        read = await directory.members(tenant=tenant, group=group)
        if isinstance(read, Unreadable):
            why = "does not let us read the group" if read is Unreadable.EVER else "did not say who is in the group"
            reach.faults.append(f"Slack {why} {group}")
            reach.is_whole = reach.is_whole and read is Unreadable.EVER
        elif not read:
            reach.faults.append(f"the group {group} has no members")
        else:
            found += sorted(read)
    reach.is_whole = reach.is_whole and len(found) <= _MOST_ASKED
    return found[:_MOST_ASKED]


async def _people(
    approvers: Approvers, members: Sequence[str], tenant: str, directory: Directory, reach: _Reach
) -> None:
    for user in dict.fromkeys([*approvers.users, *members]):
        standing = await directory.standing(tenant=tenant, user=user)
        if standing is Standing.MEMBER:
            reach.able.add(user)
        elif isinstance(standing, Unreadable):
            reach.faults.append(f"Slack does not say who {user} is")
            # Named by id, they decide all the same.
            reach.is_whole = False
        elif user in approvers.users:
            reach.faults.append(f"{user} is a {standing.value} account, and decides nothing")
