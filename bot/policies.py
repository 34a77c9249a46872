"""What a policy makes of an ask: who decides, where cards go, for how long. Pure: the stricter of both always holds.

Whoever asks must not pick its judges: under a policy it may name fewer of the policy's people, never others.
"""

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

from bot.asks import ApprovalAsk, QuestionAsk, Ruled
from store.terms import DEFAULT_EXTENSION
from store.types import Approvers, Destination, OnExpiry, Policy, PolicyRef, Terms


def under(policy: Policy, ask: ApprovalAsk | QuestionAsk) -> Ruled | str:
    """What holds, or in one sentence why the policy refuses it."""
    refused = _refusal(policy, ask)
    if refused is not None:
        return refused
    destination = _both(policy.destination, ask.destination)
    if destination.thread_ts is not None and len(destination.channels) + len(destination.users) != 1:
        return f"Policy {policy.name} sends cards elsewhere, too: thread_ts goes with exactly one channel."
    expires_in = _sooner(ask.expires_in, policy.max_expires)
    return Ruled(
        approvers=_stricter(policy.approvers, ask.approvers),
        destination=destination,
        expires_in=expires_in,
        terms=_terms(policy, ask, expires_in),
    )


def alone(ask: ApprovalAsk | QuestionAsk, approvers: Approvers) -> Ruled:
    """What holds for an ask that names its own judges: what it says, and half its time again where that helps."""
    may_edit = isinstance(ask, ApprovalAsk) and ask.input_schema is not None and approvers.quorum == 1
    return Ruled(
        approvers=approvers,
        destination=ask.destination,
        expires_in=ask.expires_in,
        terms=replace(ask.terms, may_edit=may_edit, extension=_extension(DEFAULT_EXTENSION, ask.expires_in)),
    )


def _refusal(policy: Policy, ask: ApprovalAsk | QuestionAsk) -> str | None:
    tool = ask.tool_name if isinstance(ask, ApprovalAsk) else None
    if isinstance(ask, ApprovalAsk) and not policy.covers(tool):
        what = "confirmations" if tool is None else tool
        return f"Policy {policy.name} is not for {what}: it is for {', '.join(policy.tools)}."
    if ask.terms.escalation:
        return f"Policy {policy.name} says who decides, later too: leave escalation out."
    named = ask.approvers
    if named is None:
        return None
    others = [
        *_beyond(named.users, policy.approvers.users),
        *_beyond(named.groups, policy.approvers.groups),
        *_beyond(named.keys, policy.approvers.keys),
    ]
    if others:
        return f"Policy {policy.name} does not name {', '.join(others)}: an ask may name fewer of its approvers only."
    needed = max(policy.approvers.quorum, named.quorum)
    if not named.groups and needed > len(named.users) + len(named.keys):
        return f"Policy {policy.name} takes {needed} approvals, and the ask names fewer approvers."
    return None


def _beyond(named: Collection[str], known: Collection[str]) -> list[str]:
    return [name for name in named if name not in known]


def _stricter(policy: Approvers, asked: Approvers | None) -> Approvers:
    if asked is None:
        return policy
    return Approvers(
        users=asked.users,
        groups=asked.groups,
        keys=asked.keys,
        quorum=max(policy.quorum, asked.quorum),
        denials=min(policy.denials, asked.denials),
        allow_requester=policy.allow_requester and asked.allow_requester,
        require_reason=policy.require_reason or asked.require_reason,
    )


def _both(policy: Destination, asked: Destination) -> Destination:
    """The policy's cards always go out; an ask may send more."""
    return Destination(
        channels=tuple(dict.fromkeys([*policy.channels, *asked.channels])),
        users=tuple(dict.fromkeys([*policy.users, *asked.users])),
        thread_ts=asked.thread_ts,
    )


def _sooner(asked: int | None, most: timedelta | None) -> int | None:
    if most is None:
        return asked
    limit = int(most.total_seconds())
    return limit if asked is None else min(asked, limit)


def _terms(policy: Policy, ask: ApprovalAsk | QuestionAsk, expires_in: int | None) -> Terms:
    said = policy.terms
    schema = ask.input_schema if isinstance(ask, ApprovalAsk) else None
    denies = OnExpiry.DENY in {said.on_expiry, ask.terms.on_expiry}
    return Terms(
        policy=PolicyRef(name=policy.name, revision=policy.revision),
        on_expiry=OnExpiry.DENY if denies else OnExpiry.EXPIRE,
        reminders=said.reminders or ask.terms.reminders,
        escalation=said.escalation,
        extension=None if said.extension is None else _extension(said.extension, expires_in),
        may_edit=said.may_edit and schema is not None and _stricter(policy.approvers, ask.approvers).quorum == 1,
    )


def _extension(most: timedelta, expires_in: int | None) -> timedelta | None:
    """No more than the ask itself waits: a short one is not made a long one."""
    return None if expires_in is None else min(most, timedelta(seconds=expires_in))
