"""The approval that is decided over and over: a deploy with a body and a tool call, its card in one channel."""

import json
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

from blocks import approval as cards
from blocks import ids
from blocks.surface import Paint
from bot.asks import ApprovalAsk, Ruled, canonical_input, to_approval
from sandbox import payloads, seed
from sandbox.clock import SystemClock
from sandbox.ids import Ids
from sandbox.stored import complete, echo
from store.ids import new_id
from store.protocol import Store
from store.types import Approval, Approvers, Destination, Key, Resume, Scope, Terms

TENANT = "default"
ANA, BEN, DANA = seed.ANA, seed.BEN, seed.DANA
CHANNEL = seed.DEPLOYS
TS = "1764500000.000100"
DEPLOY = {
    "title": "Deploy api 1.4.2 to production",
    "body": "Rolls one zone at a time. Roll back with `make rollback`.\n\n- zone a first\n- then **b** and c",
    "tool_name": "deploy.release",
    "input": {"service": "api", "version": "1.4.2", "strategy": {"zones": 3, "pause": "5m"}},
}


async def ask(store: Store, *, resume: Resume | None = None, expires_in: int | None = 30 * 86400) -> Approval:
    """Stored as the API would store it; its card is not painted."""
    now = await store.now()
    key = Key(
        tenant=TENANT, id="key_bench", name="bench", scopes=frozenset({Scope.ASK}), created_at=now, any_approvers=True
    )
    approvers, destination = Approvers(users=(ANA, BEN)), Destination(channels=(CHANNEL,))
    asked = ApprovalAsk(
        run_id=new_id("run", now=now),
        title=str(DEPLOY["title"]),
        body=str(DEPLOY["body"]),
        tool_name=str(DEPLOY["tool_name"]),
        input_json=canonical_input(DEPLOY["input"]),
        requested_by=DANA,
        approvers=approvers,
        destination=destination,
        resume=resume or Resume(),
        expires_in=expires_in,
    )
    ruled = Ruled(approvers=approvers, destination=destination, expires_in=expires_in, terms=Terms())
    approval = to_approval(asked, ruled=ruled, key=key, id=new_id("apr", now=now), now=now)
    created = await store.create_approval(approval=approval)
    return created.interaction


async def painted(store: Store) -> None:
    """Every card that is due stands in its channel, as after a painter's round."""
    now = await store.now() + timedelta(seconds=1)
    for leased in await store.lease_postings(now=now, until=now + timedelta(minutes=1), limit=100):
        posting = leased.posting
        await store.finish_posting(
            posting=posting, lease=leased.lease, painted=posting.wanted, now=now, channel=CHANNEL, ts=TS
        )


def click(approval: Approval) -> bytes:
    """The form body of Ana's click on *Approve*, as Slack sends it, card and all."""
    card = cards.card(approval, Paint(revision=1))
    made = complete([*card.blocks], Ids(SystemClock()))
    user = seed.users()[ANA]
    message = {
        "type": "message",
        "user": seed.BOT_USER,
        "ts": TS,
        "bot_id": seed.BOT_ID,
        "app_id": seed.APP_ID,
        "team": seed.TEAM_ID,
        "text": card.text,
        "blocks": echo(made),
    }
    body = payloads.on_message(
        "block_actions", user, seed.channels()[CHANNEL], TS, message=None, described=message, values={}
    )
    button = next(
        element
        for block in made
        if block["type"] == "actions"
        for element in block["elements"]
        if element["action_id"] == ids.APPROVE
    )
    action = {**echo(button), "type": "button", "action_ts": TS}
    more = {
        "trigger_id": "5551234567.1234567890.0123456789abcdef0123456789abcdef",
        # The address of a server that is not there: nothing on this path may call it.
        "response_url": "http://127.0.0.1:9/respond/bench",
        "actions": [action],
    }
    return urlencode({"payload": json.dumps({**body, **more})}).encode()


def as_copy(approval: Approval, id: str) -> Approval:
    """The copy of it with this id, as far as a claim needs to know it."""
    return replace(approval, id=id)
