"""The painter alone: over a memory store and the sandbox Slack, on a clock that only a test moves."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from blocks import ids
from bot.cards import Cards
from bot.copies import Copies
from bot.hub import Hub
from bot.pace import Pace
from bot.reconcile import Painter
from bot.slack.client import Done, Failed, SlackClient, open_session
from bot.slack.directory import SlackDirectory
from sandbox.model import Message
from sandbox.server import Sandbox
from store.open import open_store
from store.protocol import Store
from store.types import Actor, ActorKind, Approval, Decision, Destination, Posting, Role, State, Surface
from tests.blocks.cases import approval
from tests.clock import FakeClock

ANA, BEN, CHIDI, DANA = "U07ANA4K2QX", "U07BEN9D1MT", "U07CHIDI3EZ", "U07DANA5WFD"
DEPLOYS, REPORTS, GENERAL = "C07DEPLOYS1", "C07REPORTS2", "C07GENERAL3"
NOT_A_MEMBER, ARCHIVED = "C07NOBOT004", "C07OLD00006"
_DRAIN = 30.0


def shown(message: Message) -> str:
    """The words of a message's blocks, in order."""
    return "".join(_words(message.blocks))


def _words(part: Any) -> list[str]:
    if isinstance(part, list):
        return [word for entry in part for word in _words(entry)]
    if not isinstance(part, dict):
        return []
    named = [f"{part[key]}" for key in ("user_id", "channel_id") if key in part]
    said = [part["text"]] if isinstance(part.get("text"), str) else []
    return [*named, *said, *(word for entry in part.values() for word in _words(entry))]


def has_buttons(message: Message) -> bool:
    """Whether anything can be pressed on it; *Take back*, which waits for the run, aside."""
    rows = (block["elements"] for block in message.blocks if block["type"] == "actions")
    return any(element["action_id"] != ids.TAKE_BACK for row in rows for element in row)


@dataclass(kw_only=True)
class Gate:
    """A call that waits, on its way to Slack or back, until the test lets it go on."""

    method: str
    is_after: bool
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class GatedClient:
    """The real client, with gates that each hold up one call."""

    def __init__(self, client: SlackClient) -> None:
        self._client = client
        self._gates: list[Gate] = []

    @contextmanager
    def gate(self, method: str, *, is_after: bool = False) -> Iterator[Gate]:
        gate = Gate(method=method, is_after=is_after)
        self._gates.append(gate)
        yield gate
        gate.opened.set()

    async def call(self, method: str, **arguments: Any) -> Done | Failed:
        held = next((gate for gate in self._gates if gate.method == method), None)
        if held is None:
            return await self._client.call(method, **arguments)
        self._gates.remove(held)
        outcome = await self._client.call(method, **arguments) if held.is_after else None
        held.reached.set()
        await held.opened.wait()
        return await self._client.call(method, **arguments) if outcome is None else outcome


@dataclass(kw_only=True)
class Studio:
    slack: Sandbox
    store: Store
    clock: FakeClock
    client: GatedClient
    painter: Painter
    #: Another process with the same database.
    other: Painter
    asked: int = 0

    async def ask(
        self, *, channels: tuple[str, ...] = (DEPLOYS,), users: tuple[str, ...] = (), **more: Any
    ) -> Approval:
        self.asked += 1
        to = Destination(channels=channels, users=users, thread_ts=more.pop("thread_ts", None))
        wanted = approval(
            id=f"apr_{self.asked:020d}",
            operation_id=f"op-{self.asked}",
            created_at=self.clock.now(),
            destination=to,
            **{"expires_at": None, "requested_by": DANA, **more},
        )
        created = await self.store.create_approval(approval=wanted)
        return created.interaction

    async def approve(self, asked: Approval) -> None:
        decided = await self.store.decide_approval(
            tenant=asked.tenant,
            id=asked.id,
            actor=Actor(kind=ActorKind.SLACK_USER, id=ANA),
            decision=Decision.ALLOW_ONCE,
            at=self.clock.now(),
            surface=Surface.CARD,
        )
        assert decided.approval.state is State.APPROVED

    async def touch(self, posting: Posting) -> None:
        """As a click on a card does that shows what is no longer so."""
        where = {"channel": posting.channel, "ts": posting.ts}
        assert await self.store.mark_behind(tenant=posting.tenant, interaction_id=posting.interaction_id, **where)

    async def paint(self, after: float = 0.0, *, painter: Painter | None = None) -> None:
        """Everything that is due, so many seconds later, until nothing is due any more."""
        self.clock.advance(after)
        who = painter or self.painter
        while await who.start_due():
            await who.drain(_DRAIN)

    async def pass_by(self, seconds: int, *, step: int = 1) -> None:
        """Painting at every step."""
        for _ in range(0, seconds, step):
            await self.paint(step)

    async def postings(self, asked: Approval, role: Role = Role.CARD) -> list[Posting]:
        found = await self.store.find_postings(tenant=asked.tenant, interaction_ids=[asked.id])
        return [posting for posting in found[asked.id] if posting.role is role]

    async def posting(self, asked: Approval, role: Role = Role.CARD) -> Posting:
        (only,) = await self.postings(asked, role)
        return only

    def called(self, *methods: str) -> list[dict[str, Any]]:
        """The arguments of each call of chat.* and conversations.open that reached the sandbox, oldest first."""
        wanted = methods or ("chat.postMessage", "chat.update", "conversations.open")
        return [call.args for call in self.slack.calls if call.method in wanted]

    def messages(self, channel: str = DEPLOYS) -> list[Message]:
        """Without the lines that mention who asked."""
        return [message for message in self.slack.workspace.messages(channel) if not _is_told(message)]

    def told(self, channel: str = DEPLOYS) -> list[Message]:
        """The lines that mention who asked."""
        return [message for message in self.slack.workspace.messages(channel) if _is_told(message)]

    def dms(self, user: str = DANA) -> list[Message]:
        dm = self.slack.workspace.dm(user)
        return [] if dm is None else self.messages(dm.id)


def _is_told(message: Message) -> bool:
    return message.text.startswith(f"<@{DANA}> ")


@asynccontextmanager
async def open_studio() -> AsyncIterator[Studio]:
    clock = FakeClock()
    store = await open_store("memory://", now=clock.now)
    async with Sandbox() as slack, open_session() as session:
        client = GatedClient(SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session))
        painters = [_painter(store, clock, client) for _ in range(2)]
        yield Studio(slack=slack, store=store, clock=clock, client=client, painter=painters[0], other=painters[1])
        for painter in painters:
            await painter.drain(_DRAIN)
    await store.close()


def _painter(store: Store, clock: FakeClock, client: Any) -> Painter:
    directory = SlackDirectory(client=client, clock=clock)
    return Painter(
        store=store,
        clock=clock,
        hub=Hub(store),
        client=client,
        cards=Cards(store=store, directory=directory, team_url="https://acme.slack.com/", operators=(CHIDI,)),
        pace=Pace(monotonic=lambda: clock.now().timestamp()),
        copies=Copies(),
        operators=(CHIDI,),
    )
