"""The only place that builds things: settings in, a running house out, everything opened on one exit stack."""

import asyncio
import contextlib
import os
import platform
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from aiohttp import web

from bot.api.app import add_api
from bot.api.dispatch import open_rooms
from bot.api.local import LocalDoor
from bot.api.metrics import Metrics
from bot.cards import Cards
from bot.clock import DatabaseClock, SystemClock
from bot.copies import Copies
from bot.hub import Hub
from bot.jobs import Jobs
from bot.keys import in_house
from bot.lookups import Lookups
from bot.pace import Pace
from bot.practice import Practice
from bot.previews import Previews
from bot.reconcile import Painter
from bot.resume.courier import Courier
from bot.resume.dispatcher import Dispatcher
from bot.resume.guard import AddressGuard
from bot.resume.hosted_app import App, load_app
from bot.resume.practice import hello
from bot.resume.webhook import WebhookSender
from bot.scheduler import Ticker
from bot.service import Service
from bot.settings import HalfConfigured, Settings
from bot.slack.answering import Answering
from bot.slack.app import SlackApp
from bot.slack.client import Done, SlackClient, Trouble, open_session
from bot.slack.desk import Desk
from bot.slack.directory import SlackDirectory
from bot.slack.directory_names import SlackNames
from bot.slack.errands import Errands
from bot.slack.front import Front
from bot.slack.homes import Homes
from bot.slack.socket import Socket
from bot.slack.tenancy import Tenants
from bot.tasks import Deadline, TaskSet
from bot.usecases.replaying import Replaying
from store.open import open_store
from store.protocol import Store
from store.types import Installation

log = structlog.get_logger("signoff")

TENANT = "default"
#: Seconds that Slack may take to greet us at a start where our own row knows the workspace already.
GREETING = 3.0
#: Seconds that all running work together has, at the end, before it is cut off and left to its leases.
DRAIN = 25.0
#: Of these, what HTTP requests have: a click is answered in less, and a run that waits is told at once.
DRAIN_HTTP = 5.0

Drain = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, kw_only=True, slots=True)
class House:
    """A running service. `url`: where its HTTP side listens; None for a worker alone."""

    url: str | None
    store: Store
    service: Service


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """What both sides of the house share."""

    settings: Settings
    store: Store
    clock: DatabaseClock
    hub: Hub
    client: SlackClient
    directory: SlackDirectory
    service: Service
    installation: Installation
    guard: AddressGuard
    #: None where no secret signs webhooks.
    courier: Courier | None
    stack: AsyncExitStack
    deadline: Deadline
    #: What runs until the end.
    loops: TaskSet
    copies: Copies = field(default_factory=Copies)
    #: What ends beside each other, once nothing new comes in.
    drains: list[Drain] = field(default_factory=list)


@contextlib.asynccontextmanager
async def running(
    settings: Settings, *, web_side: bool = True, worker: bool = True, drain: float = DRAIN
) -> AsyncIterator[House]:
    """Start everything; at the end stop it in reverse, letting running work finish for `drain` seconds in all.

    Raises:
        HalfConfigured: Slack refuses the token, or does not answer at the very first start.
        StoreError: the database is another workspace's, outdated, or already served.
    """
    async with AsyncExitStack() as stack:
        parts = await _parts(settings, stack, Deadline(drain))
        if worker:
            await _work(parts)
        ticker = _tick(parts, worker=worker)
        url = await _serve(parts, ticker) if web_side else None
        log.info("ready", url=url, workspace=parts.installation.team_name, worker=worker)
        try:
            yield House(url=url, store=parts.store, service=parts.service)
        finally:
            log.info("stopping")
            parts.deadline.start()


async def _parts(settings: Settings, stack: AsyncExitStack, deadline: Deadline) -> Parts:
    store = await open_store(settings.database_url, serving=True)
    stack.push_async_callback(store.close)
    clock = DatabaseClock(store.now)
    await clock.sync()
    session = await stack.enter_async_context(open_session())
    token = settings.slack_bot_token.get_secret_value()
    client = SlackClient(token=token, base_url=settings.slack_api_url, session=session)
    installation = await greet(client, store, clock)
    hub = Hub(store)
    directory = SlackDirectory(client=client, clock=clock, team=installation.team_id)
    stack.push_async_callback(directory.close)
    tasks = TaskSet()
    stack.push_async_callback(tasks.cancel)
    tasks.start("hub", hub.run())
    guard = AddressGuard(allow=settings.webhook_allow)
    parts = Parts(
        settings=settings,
        store=store,
        clock=clock,
        hub=hub,
        client=client,
        directory=directory,
        service=Service(
            store=store,
            clock=clock,
            hub=hub,
            directory=directory,
            run_lease=timedelta(seconds=settings.run_lease),
        ),
        installation=installation,
        guard=guard,
        courier=await _courier(settings, store, clock, guard, stack),
        stack=stack,
        deadline=deadline,
        loops=tasks,
    )
    stack.push_async_callback(_drain_all, parts)
    return parts


async def _courier(
    settings: Settings, store: Store, clock: DatabaseClock, guard: AddressGuard, stack: AsyncExitStack
) -> Courier | None:
    secrets = tuple(secret.get_secret_value() for secret in settings.webhook_secret)
    if not secrets:
        return None
    sender = await stack.enter_async_context(WebhookSender(secrets=secrets, guard=guard, clock=clock))
    return Courier(store=store, sender=sender, clock=clock)


async def _drain_all(parts: Parts) -> None:
    await asyncio.gather(*(drain(parts.deadline.left()) for drain in parts.drains))


def _in_time(parts: Parts, drain: Drain) -> None:
    """At the end, run this with what is left of the time; what is named later is run sooner."""

    async def run() -> None:
        await drain(parts.deadline.left())

    parts.stack.push_async_callback(run)


async def _work(parts: Parts) -> None:
    """The worker side: paints cards, tells runs."""
    settings = parts.settings
    painter = Painter(
        store=parts.store,
        clock=parts.clock,
        hub=parts.hub,
        client=parts.client,
        cards=_cards(parts),
        pace=Pace(monotonic=time.monotonic),
        copies=parts.copies,
        operators=settings.operators,
    )
    app = load_app(settings.app)
    dispatcher = Dispatcher(
        store=parts.store,
        service=parts.service,
        clock=parts.clock,
        hub=parts.hub,
        handlers=app.handlers.with_ours(hello),
        webhooks=parts.courier,
    )
    parts.drains.extend([painter.drain, dispatcher.drain])
    loops = TaskSet()
    parts.stack.push_async_callback(loops.cancel)
    loops.start("painter", painter.run())
    loops.start("dispatcher", dispatcher.run())
    _host(parts, app, loops)


def _host(parts: Parts, app: App, loops: TaskSet) -> None:
    """Runs of the app's own code: it works through the API's routes and checks, without a socket between."""
    if not app.runtimes:
        return
    rooms = open_rooms(
        service=parts.service,
        lookups=Lookups(store=parts.store, hub=parts.hub, directory=parts.directory),
        clock=parts.clock,
        guard=parts.guard,
        webhooks=bool(parts.settings.webhook_secret),
        replaying=Replaying(store=parts.store, clock=parts.clock),
    )
    door = LocalDoor(rooms=rooms, key=in_house(tenant=TENANT, now=parts.clock.now()))
    worker = f"{platform.node()}:{os.getpid()}"
    for runtime in app.runtimes:
        loops.start("runtime", runtime.work(call=door.call, worker=worker))


def _cards(parts: Parts) -> Cards:
    return Cards(
        store=parts.store,
        directory=parts.directory,
        team_url=parts.installation.team_url,
        operators=parts.settings.operators,
    )


def _tick(parts: Parts, *, worker: bool) -> Ticker:
    """Both sides keep their clock; a worker also sweeps."""
    jobs = Jobs(store=parts.store, service=parts.service, clock=parts.clock, hub=parts.hub)
    ticker = Ticker(jobs=jobs.timetable(worker=worker), clock=parts.clock)
    ticker.start()
    parts.stack.callback(ticker.stop)
    return ticker


async def _serve(parts: Parts, ticker: Ticker) -> str:
    """The web side: the door for Slack, the API for runs."""
    settings, stack = parts.settings, parts.stack
    lookups = Lookups(store=parts.store, hub=parts.hub, directory=parts.directory)
    errands = Errands(client=parts.client)
    parts.drains.append(errands.drain)
    homes = Homes(
        store=parts.store,
        service=parts.service,
        lookups=lookups,
        directory=parts.directory,
        client=parts.client,
        clock=parts.clock,
        operators=frozenset(settings.operators),
    )
    parts.hub.follow(homes.heard)
    parts.loops.start("homes", homes.run())
    desk = Desk(
        service=parts.service,
        lookups=lookups,
        errands=errands,
        store=parts.store,
        clock=parts.clock,
        operators=frozenset(settings.operators),
        directory=parts.directory,
        copies=parts.copies,
        homes=homes,
        practice=Practice(store=parts.store, clock=parts.clock, hub=parts.hub),
        ring=parts.hub.ring,
    )
    slack = SlackApp(desk=desk, tenants=Tenants(store=parts.store), token=settings.slack_bot_token.get_secret_value())
    names = SlackNames(client=parts.client, clock=parts.clock, tenant=TENANT, team=parts.installation.team_id)
    stack.push_async_callback(names.close)
    app, metrics = web.Application(), Metrics()
    add_api(
        app,
        service=parts.service,
        lookups=lookups,
        store=parts.store,
        clock=parts.clock,
        guard=parts.guard,
        webhooks=parts.courier is not None,
        replaying=Replaying(store=parts.store, clock=parts.clock, courier=parts.courier, ring=parts.hub.ring),
        last_tick_at=lambda: ticker.last_tick_at,
        metrics=metrics,
        names=names,
        previews=Previews(store=parts.store, cards=_cards(parts), directory=parts.directory, names=names),
    )
    _open_doors(parts, app, slack, metrics)
    return await _listen(app, settings, stack)


def _open_doors(parts: Parts, app: web.Application, slack: SlackApp, metrics: Metrics) -> None:
    """Slack's: HTTP where there is a signing secret, a websocket where there is a token for one."""
    settings = parts.settings
    answering = Answering(handle=slack.handle, late=slack.late)
    _in_time(parts, answering.drain)
    if settings.slack_signing_secret:
        secrets = tuple(secret.get_secret_value() for secret in settings.slack_signing_secret)
        front = Front(secrets=secrets, answer=answering.answer, clock=parts.clock, wall=SystemClock())
        app.router.add_post("/slack/events", front.receive)
    if token := settings.slack_app_token.get_secret_value():
        socket = Socket(app_token=token, base_url=settings.slack_api_url, answer=answering.answer, clock=parts.clock)
        socket.show(metrics.registry)
        _in_time(parts, socket.stop)
        socket.start()


async def _listen(app: web.Application, settings: Settings, stack: AsyncExitStack) -> str:
    runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=DRAIN_HTTP)
    stack.push_async_callback(runner.cleanup)
    await runner.setup()
    await web.TCPSite(runner, settings.host, settings.port).start()
    port = runner.addresses[0][1]
    return f"http://{settings.host}:{port}"


async def greet(client: SlackClient, store: Store, clock: DatabaseClock) -> Installation:
    """Learn which workspace the token is for, and hold it against the one we are bound to.

    Where we are bound already, a Slack that is down stops nobody from deciding.
    """
    known = await store.find_installation(tenant=TENANT)
    try:
        outcome = await asyncio.wait_for(client.call("auth.test"), GREETING)
    except TimeoutError:
        outcome = None
    if isinstance(outcome, Done):
        return await store.bind_installation(installation=_installation(outcome, clock))
    if outcome is not None and outcome.trouble is Trouble.WORKSPACE:
        raise HalfConfigured(
            f"SLACK_BOT_TOKEN: Slack refuses this token ({outcome.error}). Reinstall the app and copy it anew."
        )
    if known is None:
        reason = "no answer" if outcome is None else outcome.error
        raise HalfConfigured(
            f"Slack does not answer ({reason}), and this database does not know the workspace yet. Try again."
        )
    log.warning("slack_silent", workspace=known.team_name)
    return known


def _installation(outcome: Done, clock: DatabaseClock) -> Installation:
    data = outcome.data
    return Installation(
        tenant=TENANT,
        team_id=str(data["team_id"]),
        enterprise_id=data.get("enterprise_id"),
        app_id=data.get("app_id"),
        bot_user_id=str(data.get("user_id", "")),
        bot_id=data.get("bot_id"),
        team_name=str(data.get("team", "")),
        team_url=data.get("url"),
        bound_at=clock.now(),
    )
