"""What `signoff-bot policy` does with a database: lines of text from revisions."""

import json
from collections.abc import Sequence
from dataclasses import replace

from bot import policy_words
from bot.operators import at_this_machine
from bot.policy_options import Said, read
from bot.settings import HalfConfigured
from store.errors import WorkspaceMismatch
from store.protocol import Store
from store.types import Key, Policy, Scope


async def set_lines(store: Store, said: Said, *, team: str | None = None) -> Sequence[str]:
    """Store it, and say what stands now. `team`: the workspace that names in it were looked up in.

    Raises:
        HalfConfigured: what was said is no policy, or names a key that could not decide.
        WorkspaceMismatch: names were looked up in another workspace than the tenant's.
    """
    bound = None if team is None else await store.find_installation(tenant=said.tenant)
    if team is not None and bound is not None and bound.team_id != team:
        raise WorkspaceMismatch(tenant=said.tenant, bound=bound.team_id, given=team)
    wanted = read(said, by=at_this_machine(), at=await store.now())
    live = await live_keys(store, said.tenant)
    deciding = {key.name for key in live if Scope.DECIDE in key.scopes}
    missing = [name for name in wanted.approvers.keys if name not in deciding]
    if missing:
        raise HalfConfigured(
            f"--approvers: there is no live key {missing[0]!r} that may decide; "
            f"`signoff-bot keys create --scopes decide --name {missing[0]}` makes one"
        )
    before = await store.find_policy(tenant=said.tenant, name=said.name)
    kept = await store.set_policy(policy=wanted)
    is_news = before is None or kept.revision != before.revision
    first = f"{kept.name} is set: revision {kept.revision}." if is_news else _unchanged(kept)
    return [first, *policy_words.lines(kept), *_bound(live, kept.name)]


async def list_lines(store: Store, tenant: str) -> Sequence[str]:
    found = await store.list_policies(tenant=tenant)
    return [policy_words.summary(policy) for policy in found] or [
        "No policies. `signoff-bot policy set NAME --approvers U…` makes one."
    ]


async def show_lines(store: Store, tenant: str, name: str, revision: int | None) -> Sequence[str]:
    policy = await _one(store, tenant, name, revision)
    bound = _bound(await live_keys(store, tenant), name)
    return [policy_words.headline(policy), *policy_words.lines(policy), *bound]


async def shown_as_json(store: Store, tenant: str, name: str, revision: int | None) -> str:
    policy = await _one(store, tenant, name, revision)
    return json.dumps(policy_words.as_json(policy), ensure_ascii=True, indent=2)


async def remove_line(store: Store, tenant: str, name: str) -> str:
    """Nobody asks under it any more; what was asked goes on as it was."""
    policy = await _one(store, tenant, name, None)
    by, at = at_this_machine(), await store.now()
    gone = await store.set_policy(policy=replace(policy, removed=True, set_by=by, set_at=at))
    bound = [key.name for key in await live_keys(store, tenant) if name in key.policies]
    keys = f" Keys that are bound to it ask in vain now: {', '.join(bound)}." if bound else ""
    return f"{name} is removed: revision {gone.revision}. What was asked under it goes on.{keys}"


async def history_lines(store: Store, tenant: str, name: str) -> Sequence[str]:
    """Newest first, each with what it says."""
    found = await store.list_revisions(tenant=tenant, name=name)
    if not found:
        raise HalfConfigured(_none(name))
    return [line for policy in found for line in _revision(policy)]


async def live_keys(store: Store, tenant: str) -> Sequence[Key]:
    """Neither revoked nor expired."""
    now = await store.now()
    keys = await store.list_keys(tenant=tenant)
    return [key for key in keys if key.revoked_at is None and (key.expires_at is None or key.expires_at > now)]


async def missing_policies(store: Store, tenant: str, names: Sequence[str]) -> Sequence[str]:
    """Of these, those that nobody asks under."""
    return [name for name in names if await store.find_policy(tenant=tenant, name=name) is None]


async def _one(store: Store, tenant: str, name: str, revision: int | None) -> Policy:
    found = await store.find_policy(tenant=tenant, name=name, revision=revision)
    if found is None:
        raise HalfConfigured(_none(name) if revision is None else f"there is no revision {revision} of {name!r}")
    return found


def _none(name: str) -> str:
    return f"there is no policy {name!r}; `signoff-bot policy list` shows all"


def _unchanged(policy: Policy) -> str:
    return f"{policy.name} is unchanged (revision {policy.revision})."


def _bound(keys: Sequence[Key], name: str) -> list[str]:
    bound = [key.name for key in keys if name in key.policies]
    return [f"keys       {', '.join(bound)}"] if bound else []


def _revision(policy: Policy) -> list[str]:
    said = [] if policy.removed else [f"  {line}" for line in policy_words.lines(policy)]
    return [policy_words.headline(policy), *said]
