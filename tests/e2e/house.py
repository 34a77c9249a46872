"""A whole house for tests: the sandbox Slack, the service as `serve` runs it, and a run that asks over HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp

from blocks import ids
from bot.api import schemas  # noqa: F401  imported early, so that the first request is not slow
from bot.console import Wanted, create_key
from bot.settings import Settings
from bot.wiring import House, running
from sandbox.model import Message
from sandbox.server import Sandbox

ANA, BEN, CHIDI, DANA = "U07ANA4K2QX", "U07BEN9D1MT", "U07CHIDI3EZ", "U07DANA5WFD"
GUEST, GONE = "U07GUEST8ZZ", "U07GONE00XX"
DEPLOYS, REPORTS, GENERAL = "C07DEPLOYS1", "C07REPORTS2", "C07GENERAL3"
NOT_A_MEMBER, ARCHIVED = "C07NOBOT004", "C07OLD00006"
ONCALL = "S07ONCALL01"

DEPLOY = {
    "run_id": "deploy-api-812",
    "title": "Deploy api 1.4.2 to production",
    "body": "Rolls one zone at a time. Roll back with `make rollback`.",
    "tool_name": "deploy.release",
    "input": {"service": "api", "version": "1.4.2", "strategy": {"zones": 3}},
    "requested_by": DANA,
    "channels": [DEPLOYS],
    "approvers": {"users": [ANA, BEN]},
}

REGIONS = {
    "run_id": "weekly-report-48",
    "questions": [
        {
            "id": "regions",
            "prompt": "Which regions go into the report?",
            "options": [
                {"id": name, "label": label}
                for name, label in [("eu", "Europe"), ("us", "United States"), ("jp", "Japan"), ("in", "India")]
            ],
            "multiple": True,
            "is_skippable": True,
        }
    ],
    "channels": [REPORTS],
    "respondents": {"users": [ANA]},
}


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    json: Any


@dataclass(kw_only=True)
class Place:
    """A run's point of view (`api`), a person's (`slack.person`), and the service itself."""

    slack: Sandbox
    house: House
    session: aiohttp.ClientSession
    token: str

    async def api(self, method: str, path: str, body: Any = None, *, token: str | None = None) -> Reply:
        headers = {"Authorization": f"Bearer {token or self.token}"}
        async with self.session.request(method, f"{self.house.url}{path}", json=body, headers=headers) as reply:
            text = await reply.text()
            return Reply(status=reply.status, json=json.loads(text) if text else None)

    async def ask(self, **changes: Any) -> dict[str, Any]:
        """An approval, as the deploy asks for it, with changes."""
        reply = await self.api("POST", "/v1/approvals", {**DEPLOY, **changes})
        assert reply.status in {200, 201}, reply
        return dict(reply.json)

    async def ask_question(self, **changes: Any) -> dict[str, Any]:
        reply = await self.api("POST", "/v1/questions", {**REGIONS, **changes})
        assert reply.status in {200, 201}, reply
        return dict(reply.json)

    async def read(self, id: str, *, wait: int = 0) -> dict[str, Any]:
        reply = await self.api("GET", f"/v1/interactions/{id}?wait={wait}")
        assert reply.status == 200, reply
        return dict(reply.json)

    async def claim(self, asked: dict[str, Any], **body: Any) -> Reply:
        return await self.api("POST", f"/v1/approvals/{asked['id']}/claim", {"digest": asked["digest"], **body})

    async def card(self, channel: str, *, count: int = 1) -> Message:
        """The newest card in a channel, once `count` of them stand there."""
        await self.slack.wait_for(lambda _: len(self.cards(channel)) >= count)
        return self.cards(channel)[-1]

    def cards(self, channel: str) -> list[Message]:
        """The cards in a channel, oldest first: no lines about them, no words of people."""
        found = self.slack.workspace.messages(channel)
        return [message for message in found if message.blocks and message.blocks[0]["type"] == "header"]

    async def line(self, channel: str, *, count: int = 1) -> Message:
        """The newest line that tells who asked how it ended, once there are so many."""

        def lines() -> list[Message]:
            found = self.slack.workspace.messages(channel)
            return [message for message in found if message.blocks and message.blocks[0].get("block_id") == "note"]

        await self.slack.wait_for(lambda _: len(lines()) >= count)
        return lines()[-1]

    async def shows(self, message: Message, words: str) -> Message:
        """Wait until this message shows these words somewhere in its blocks."""
        await self.slack.wait_for(lambda _: words in plain(message))
        return message


def plain(message: Message) -> str:
    """All words of a message, in order, as a person reads them."""
    return "".join(_words(message.blocks))


def _words(part: Any) -> list[str]:
    if isinstance(part, list):
        return [word for entry in part for word in _words(entry)]
    if not isinstance(part, dict):
        return []
    if part.get("type") == "user":
        return [f"@{part['user_id']}"]
    found = [part["text"]] if isinstance(part.get("text"), str) else []
    return found + [word for key, entry in part.items() if key != "confirm" for word in _words(entry)]


def has_buttons(message: Message) -> bool:
    """Whether anything can be pressed on it; *Take back*, which waits for the run, aside."""
    rows = (block["elements"] for block in message.blocks if block["type"] == "actions")
    return any(element["action_id"] != ids.TAKE_BACK for row in rows for element in row)


@asynccontextmanager
async def place(database_url: str, **settings: Any) -> AsyncIterator[Place]:
    async with Sandbox() as slack, at(slack, database_url, **settings) as found:
        yield found


@asynccontextmanager
async def at(slack: Sandbox, database_url: str, **settings: Any) -> AsyncIterator[Place]:
    """The service on this sandbox; `settings` by their names in the environment."""
    given = {
        "DATABASE_URL": database_url,
        "PORT": 0,
        "SLACK_BOT_TOKEN": slack.bot_token,
        "SLACK_SIGNING_SECRET": slack.signing_secret,
        "SLACK_API_URL": slack.api_url,
        **settings,
    }
    async with running(Settings(**given)) as house, aiohttp.ClientSession() as session:
        slack.bot_url = f"{house.url}/slack/events"
        wanted = Wanted(
            tenant="default",
            name=f"demo-{house.url}",
            scopes="ask,read",
            any_approvers=True,
            expires=None,
            owner=None,
            both=False,
        )
        token = await create_key(house.store, wanted)
        yield Place(slack=slack, house=house, session=session, token=token)
