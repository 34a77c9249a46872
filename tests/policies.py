"""Policies, and approvals on their way, as tests of both doors need them."""

from datetime import timedelta
from typing import Any

from store.types import Actor, ActorKind, Approval, Approvers, Destination, Key, Policy
from tests.clock import START
from tests.parts import Parts

OPERATOR = Actor(kind=ActorKind.OPERATOR, id="os:ana", name="ana")


def policy(**more: Any) -> Policy:
    """`prod`: Ana or Ben, in one channel."""
    given: dict[str, Any] = {
        "tenant": "default",
        "name": "prod",
        "revision": 0,
        "set_at": START,
        "set_by": OPERATOR,
        "approvers": Approvers(users=("U0ANA", "U0BEN")),
        "destination": Destination(channels=("C0PROD",)),
        **more,
    }
    return Policy(**given)


async def gone_silent(parts: Parts, key: Key, **more: Any) -> Approval:
    """Approved, claimed as `claim-1` with a promise to report, and unknown since."""
    asked = await parts.ask(key, **more)
    await parts.decide(asked)
    await parts.store.claim_approval(
        tenant=asked.tenant,
        id=asked.id,
        claim_id="claim-1",
        digest=asked.digest,
        at=parts.clock.now(),
        report_within=60,
    )
    (unknown,) = await parts.store.mark_unknown(now=parts.clock.advance(timedelta(minutes=2)))
    return unknown
