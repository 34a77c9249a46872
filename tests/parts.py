"""The use cases over a real store, without Slack and without HTTP: what the tests of both doors stand on."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.asks import ApprovalAsk, QuestionAsk, canonical_input
from bot.hub import Hub, Name, News
from bot.keys import make_key, token_sha256
from bot.lookups import Lookups
from bot.people import Standing
from bot.service import Service
from store.answers import Choice, check_answers
from store.errors import Unconfirmed
from store.open import open_store
from store.outcomes import Answered, Claimed, Created, Decided
from store.protocol import Store
from store.types import (
    Actor,
    ActorKind,
    Approval,
    Approvers,
    Decision,
    Destination,
    Interaction,
    Key,
    Option,
    Question,
    QuestionSet,
    Resume,
    Scope,
    Surface,
)
from tests.clock import FakeClock

ANA = Actor(kind=ActorKind.SLACK_USER, id="U0ANA")
STORES = ("memory", "sqlite")
_HERE = Approvers(users=("U0ANA",))
_CHANNEL = Destination(channels=("C0DEPLOY",))


def make_template(folder: Path) -> Path:
    """An empty SQLite file with the schema in it: migrating one for each test would take most of their time."""

    async def make() -> None:
        await (await open_store(f"sqlite:///{file}")).close()

    file = folder / "template.db"
    asyncio.run(make())
    return file


def store_url(kind: str, folder: Path, template: Path) -> str:
    if kind == "memory":
        return "memory://"
    return f"sqlite:///{shutil.copy(template, folder / 'signoff.db')}"


class NoGroups:
    """A workspace without user groups."""

    async def members(self, *, tenant: str, group: str) -> frozenset[str] | None:
        return frozenset()

    async def standing(self, *, tenant: str, user: str) -> Standing:
        return Standing.MEMBER

    def remembered(self, *, tenant: str, user: str) -> str | None:
        return None


class WatchedHub(Hub):
    """A hub that tests can wait on: until so many interactions are waited for."""

    def __init__(self, news: News) -> None:
        super().__init__(news)
        self._moved = asyncio.Event()
        self._listening = 0

    async def holds(self, count: int) -> None:
        async with asyncio.timeout(10):
            while len(self._waiters) != count:
                self._moved.clear()
                await self._moved.wait()

    async def listens(self, count: int) -> None:
        """The same for those who wait for a page."""
        async with asyncio.timeout(10):
            while self._listening != count:
                self._moved.clear()
                await self._moved.wait()

    @contextmanager
    def listening(self) -> Iterator[asyncio.Event]:
        with super().listening() as bell:
            self._listening += 1
            self._moved.set()
            try:
                yield bell
            finally:
                self._listening -= 1
                self._moved.set()

    def _add(self, name: Name, waiter: asyncio.Future[None]) -> None:
        super()._add(name, waiter)
        self._moved.set()

    def _drop(self, name: Name, waiter: asyncio.Future[None]) -> None:
        super()._drop(name, waiter)
        self._moved.set()


class ForgetfulStore:
    """A real store behind a connection that loses answers: each claim is committed, the first reply is not heard."""

    def __init__(self, store: Any, *, lost: int) -> None:
        self._store = store
        self._lost = lost
        self.renewed = asyncio.Event()
        self.reported = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def claim_approval(self, **more: Any) -> Claimed:
        outcome: Claimed = await self._store.claim_approval(**more)
        if self._lost:
            self._lost -= 1
            raise Unconfirmed("the connection was lost")
        return outcome

    async def renew_resumption(self, **more: Any) -> bool:
        is_ours: bool = await self._store.renew_resumption(**more)
        self.renewed.set()
        return is_ours

    async def report_execution(self, **more: Any) -> Approval:
        approval: Approval = await self._store.report_execution(**more)
        self.reported.set()
        return approval


@dataclass(kw_only=True)
class Parts:
    store: Store
    clock: FakeClock
    hub: WatchedHub
    service: Service
    lookups: Lookups
    directory: NoGroups

    async def key(
        self,
        *scopes: Scope,
        tenant: str = "default",
        name: str = "ci-bot",
        any_approvers: bool = True,
        lasts: timedelta | None = None,
        policies: tuple[str, ...] = (),
    ) -> tuple[Key, str]:
        """A stored key and its token."""
        made = make_key(
            tenant=tenant,
            name=name,
            scopes=scopes or tuple(Scope),
            now=self.clock.now(),
            any_approvers=any_approvers,
            expires_at=None if lasts is None else self.clock.now() + lasts,
            policies=policies,
            both=True,
        )
        await self.store.create_key(key=made.key, secret_sha256=token_sha256(made.token))
        return made.key, made.token

    async def owned_key(self, *scopes: Scope, name: str, owner: str | None) -> str:
        """The token of a key that a person answers for."""
        made = make_key(
            tenant="default",
            name=name,
            scopes=scopes,
            now=self.clock.now(),
            any_approvers=False,
            expires_at=None,
            owner=owner,
        )
        await self.store.create_key(key=made.key, secret_sha256=token_sha256(made.token))
        return made.token

    async def ask(self, key: Key, *, resume: Resume | None = None, input: Any = None, **more: Any) -> Approval:
        given: dict[str, Any] = {
            "run_id": "run-1",
            "title": "Deploy",
            "tool_name": "deploy",
            "approvers": _HERE,
            **more,
        }
        ask = ApprovalAsk(
            destination=_CHANNEL,
            resume=resume or Resume(),
            input_json=canonical_input({"tag": "v1"} if input is None else input),
            **given,
        )
        created = await self.service.ask_approval(key=key, ask=ask)
        assert isinstance(created, Created)
        return created.interaction

    async def ask_question(self, key: Key, *, resume: Resume | None = None, run_id: str = "run-1") -> QuestionSet:
        options = (Option(id="eu", label="Europe"), Option(id="us", label="United States"))
        question = Question(id="region", prompt="Which region?", options=options)
        ask = QuestionAsk(
            run_id=run_id,
            questions=(question,),
            approvers=_HERE,
            destination=_CHANNEL,
            resume=resume or Resume(),
        )
        created = await self.service.ask_question(key=key, ask=ask)
        assert isinstance(created, Created)
        return created.interaction

    async def decide(self, asked: Interaction, decision: Decision = Decision.ALLOW_ONCE) -> Decided:
        """As a person's verified click would."""
        outcome = await self.store.decide_approval(
            tenant=asked.tenant,
            id=asked.id,
            actor=ANA,
            decision=decision,
            at=self.clock.now(),
            surface=Surface.CARD,
        )
        self.hub.poke(asked.tenant, asked.id)
        return outcome

    async def answer(self, asked: QuestionSet, choices: Mapping[str, Choice]) -> Answered:
        answers = check_answers(asked.questions, choices)
        assert isinstance(answers, dict)
        outcome = await self.store.answer_question(
            tenant=asked.tenant,
            id=asked.id,
            actor=ANA,
            answers=answers,
            at=self.clock.now(),
            surface=Surface.CARD,
        )
        self.hub.poke(asked.tenant, asked.id)
        return outcome


@asynccontextmanager
async def open_parts(url: str) -> AsyncIterator[Parts]:
    clock = FakeClock()
    store = await open_store(url, now=clock.now)
    hub = WatchedHub(store)
    directory = NoGroups()
    try:
        yield Parts(
            store=store,
            clock=clock,
            hub=hub,
            service=Service(store=store, clock=clock, hub=hub, directory=directory),
            lookups=Lookups(store=store, hub=hub, directory=directory),
            directory=directory,
        )
    finally:
        await store.close()
