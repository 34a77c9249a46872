"""Slack's doors over a store that can be held up or be away, with a sandbox behind; everything else is the real thing."""

import asyncio
import io
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from blocks import ids
from bot.asks import ApprovalAsk, canonical_input
from bot.clock import SystemClock
from bot.copies import Copies
from bot.lookups import Lookups
from bot.practice import Practice
from bot.service import Service
from bot.slack.answering import Answering
from bot.slack.app import SlackApp
from bot.slack.client import SlackClient, open_session
from bot.slack.desk import Desk
from bot.slack.directory import SlackDirectory
from bot.slack.errands import Errands
from bot.slack.front import Front
from bot.slack.homes import Homes
from bot.slack.signature import sign
from bot.slack.tenancy import Tenants
from sandbox.server import Sandbox
from store.errors import Unconfirmed
from store.types import Approvers, Destination, Installation
from tests.parts import Parts, open_parts

ANA, DEPLOYS, TEAM = "U07ANA4K2QX", "C07DEPLOYS1", "T07ACME00"
OLD_SECRET = "an-older-signing-secret"
FORM = "application/x-www-form-urlencoded"


class HeldStore:
    """A real store behind a connection that a test can hold up (`gate`) or cut (`away`: names of methods)."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.gate = asyncio.Event()
        self.gate.set()
        self.reached = asyncio.Event()
        self.away: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def call(**given: Any) -> Any:
            self.reached.set()
            await self.gate.wait()
            if name in self.away:
                raise Unconfirmed("the database is away")
            return await method(**given)

        return call

    def hold(self) -> None:
        self.gate.clear()
        self.reached.clear()


@dataclass(kw_only=True)
class Reply:
    status: int
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(kw_only=True)
class Stage:
    slack: Sandbox
    parts: Parts
    store: HeldStore
    app: SlackApp
    answering: Answering
    errands: Errands
    runner: web.AppRunner
    url: str

    async def asked(self) -> str:
        """The id of an approval that Ana may decide."""
        key, _ = await self.parts.key(name=secrets.token_hex(4))
        ask = ApprovalAsk(
            run_id=secrets.token_hex(4),
            title="Deploy",
            tool_name="deploy",
            input_json=canonical_input({"tag": "v1"}),
            approvers=Approvers(users=(ANA,)),
            destination=Destination(channels=(DEPLOYS,)),
        )
        created: Any = await self.parts.service.ask_approval(key=key, ask=ask)
        return str(created.interaction.id)

    async def state(self, id: str) -> str:
        found = await self.parts.store.find_interaction(tenant="default", id=id)
        assert found is not None
        return found.state.value

    async def send(self, raw: bytes, *, content_type: str = FORM, secret: str | None = None) -> Reply:
        timestamp = str(int(time.time()))
        headers = {
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": sign(secret or self.slack.signing_secret, timestamp=timestamp, body=raw),
            "Content-Type": content_type,
        }
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.url, data=io.BytesIO(raw), headers=headers) as reply,
        ):
            return Reply(status=reply.status, text=await reply.text())

    async def post(self, body: dict[str, Any]) -> Reply:
        return await self.send(urlencode({"payload": json.dumps(body)}).encode())

    async def note(self) -> str:
        """The words of the first private note to Ana."""
        notes = await self.slack.wait_for(lambda _: self.slack.person(ANA).ephemerals(DEPLOYS))
        return json.dumps(notes[0].blocks)


def click(id: str, *, action: str = ids.APPROVE, **changes: Any) -> dict[str, Any]:
    return {
        "type": "block_actions",
        "team": {"id": TEAM, "domain": "acme"},
        "user": {"id": ANA, "team_id": TEAM},
        "api_app_id": "A07SIGNOFF0",
        "container": {"type": "message", "message_ts": "1700000000.000100", "channel_id": DEPLOYS},
        "channel": {"id": DEPLOYS},
        "actions": [{"type": "button", "action_id": action, "block_id": "act.1", "value": id}],
        **changes,
    }


def submission(id: str, *, reason: str = "Not today.") -> dict[str, Any]:
    return {
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "acme"},
        "user": {"id": ANA, "team_id": TEAM},
        "view": {
            "id": "V07FORM",
            "type": "modal",
            "callback_id": ids.VIEW_DENY,
            "private_metadata": json.dumps({"i": id}),
            "state": {"values": {ids.REASON_BLOCK: {ids.TEXT: {"type": "plain_text_input", "value": reason}}}},
        },
    }


def command(name: str = "/pending", **changes: str) -> dict[str, str]:
    return {"command": name, "user_id": ANA, "team_id": TEAM, "channel_id": DEPLOYS, "text": "", **changes}


@asynccontextmanager
async def standing(*, budget: float = 2.5, enterprise_id: str | None = None) -> AsyncIterator[Stage]:
    async with Sandbox() as slack, open_parts("memory://") as parts, open_session() as session:
        await parts.store.bind_installation(installation=_installation(parts, enterprise_id))
        store: Any = HeldStore(parts.store)
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        directory = SlackDirectory(client=client, clock=parts.clock)
        service = Service(store=store, clock=parts.clock, hub=parts.hub, directory=directory)
        errands = Errands(client=client)
        lookups = Lookups(store=store, hub=parts.hub, directory=directory)
        desk = Desk(
            service=service,
            lookups=lookups,
            errands=errands,
            store=store,
            clock=parts.clock,
            operators=frozenset(),
            directory=directory,
            copies=Copies(),
            practice=Practice(store=store, clock=parts.clock, hub=parts.hub),
            homes=Homes(
                store=store, service=service, lookups=lookups, directory=directory, client=client, clock=parts.clock
            ),
            ring=parts.hub.ring,
        )
        app = SlackApp(desk=desk, tenants=Tenants(store=store), token=slack.bot_token)
        answering = Answering(handle=app.handle, late=app.late, budget=budget)
        front = Front(
            secrets=(slack.signing_secret, OLD_SECRET), answer=answering.answer, clock=parts.clock, wall=SystemClock()
        )
        runner, url = await _listen(front)
        try:
            yield Stage(
                slack=slack,
                parts=parts,
                store=store,
                app=app,
                answering=answering,
                errands=errands,
                runner=runner,
                url=url,
            )
        finally:
            store.gate.set()
            await runner.cleanup()
            await answering.drain(5)
            await errands.drain(0)


async def _listen(front: Front) -> tuple[web.AppRunner, str]:
    served = web.Application()
    served.router.add_post("/slack/events", front.receive)
    runner = web.AppRunner(served, access_log=None, shutdown_timeout=5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"


def _installation(parts: Parts, enterprise_id: str | None) -> Installation:
    return Installation(
        tenant="default",
        team_id=TEAM,
        enterprise_id=enterprise_id,
        app_id="A07SIGNOFF0",
        bot_user_id="U07SIGNOFF0",
        bot_id="B07SIGNOFF0",
        team_name="Acme",
        team_url="https://acme.slack.com/",
        bound_at=parts.clock.now(),
    )
