"""Whether policies can still be fulfilled: keys that are bound to none, and approvers whom nobody reaches any more."""

from collections.abc import AsyncIterator, Sequence

from bot.findings import Finding, bad, well
from bot.people import Directory
from bot.policy_console import live_keys
from bot.reach import reach
from store.protocol import Store
from store.types import Key, Policy


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
    found = await reach(policy.approvers, keys=keys, tenant=tenant, directory=directory)
    too_few = found.too_few(policy.approvers.quorum)
    return [*(fault.words for fault in found.faults), *([too_few] if too_few else [])]
