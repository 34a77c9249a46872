"""Mounts the HTTP API on an application: every endpoint behind its key and scope, every failure as a problem."""

import functools
from collections.abc import Awaitable, Callable
from datetime import datetime
from importlib import metadata

from aiohttp import web

from bot.api import body, dispatch, errors, openapi
from bot.api.auth import Doorkeeper
from bot.api.dispatch import WebhookGuard, open_rooms
from bot.api.errors import Problem
from bot.api.health import Health
from bot.api.metrics import Metrics
from bot.api.presenters import Json
from bot.api.route import PLACE, Call, Rooms, Route
from bot.api.table import ROUTES
from bot.clock import Clock
from bot.listed import Names
from bot.lookups import Lookups
from bot.previewing import Previews
from bot.service import Service
from bot.usecases.replaying import Replaying
from store.protocol import Store

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_PREFIX = "/v1/"


def add_api(
    app: web.Application,
    *,
    service: Service,
    lookups: Lookups,
    store: Store,
    clock: Clock,
    guard: WebhookGuard,
    webhooks: bool = True,
    replaying: Replaying | None = None,
    last_tick_at: Callable[[], datetime | None] | None = None,
    schema_is_current: Callable[[], Awaitable[bool]] | None = None,
    metrics: Metrics | None = None,
    names: Names | None = None,
    previews: Previews | None = None,
) -> None:
    """Add /v1, /healthz, /readyz, /metrics and /openapi.json.

    `guard` says why a webhook's address will not do, so that an ask with such an address is refused; without
    `webhooks` (no secret to sign them with) every one is. `last_tick_at`: None where no ticker runs in this process;
    `schema_is_current`: None where a store with an old schema does not open at all. `names`, `previews`: None without a Slack.
    `replaying`: sends messages again, by hand; None: nothing is sent.
    Handlers that wait answer at once when the application shuts down.
    """
    metrics = metrics or Metrics()
    rooms = open_rooms(
        service=service,
        lookups=lookups,
        clock=clock,
        guard=guard,
        webhooks=webhooks,
        replaying=replaying or Replaying(store=store, clock=clock),
        names=names,
        previews=previews,
    )
    health = Health(store=store, clock=clock, last_tick_at=last_tick_at, schema_is_current=schema_is_current)

    async def close(_: web.Application) -> None:
        rooms.closing.set()

    app.middlewares.extend([metrics.middleware, _problems])
    app.on_shutdown.append(close)
    _mount(app, rooms, Doorkeeper(keys=store, clock=clock))
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/readyz", health.readyz)
    app.router.add_get("/metrics", metrics.show)
    app.router.add_get("/openapi.json", _description())


def _description() -> Callable[[web.Request], Awaitable[web.Response]]:
    @functools.cache
    def described() -> bytes:
        """Made when it is first asked for: it takes more memory than it leaves."""
        return dispatch.as_json(openapi.describe(ROUTES, version=_version()))

    async def show_description(_: web.Request) -> web.Response:
        return web.Response(body=described(), content_type="application/json")

    return show_description


def _mount(app: web.Application, rooms: Rooms, doorkeeper: Doorkeeper) -> None:
    for route in ROUTES:
        # By itself aiohttp lets no brace into a place; what runs are called is for their starters to say.
        path = PLACE.sub(r"{\1:[^/]+}", route.path)
        app.router.add_route(route.method, path, _endpoint(route, rooms, doorkeeper))
        if route.method == "GET":
            app.router.add_route("HEAD", path, _endpoint(route, rooms, doorkeeper))


def _version() -> str:
    try:
        return metadata.version("signoff-bot")
    except metadata.PackageNotFoundError:
        # Run from a checkout that was never installed.
        return "0"


def _endpoint(route: Route, rooms: Rooms, doorkeeper: Doorkeeper) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        def is_gone() -> bool:
            return request.transport is None or request.transport.is_closing()

        async def read() -> bytes:
            return await body.read(request)

        call = Call(
            key=await doorkeeper.key(request),
            rooms=rooms,
            path=request.match_info,
            query=tuple(request.query.items()),
            is_gone=is_gone,
        )
        return _json(*await dispatch.answer(route, call, read=read))

    return handle


@web.middleware
async def _problems(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Under /v1, whatever is raised becomes a problem; other doors of the application keep their own manners."""
    if not request.path.startswith(_PREFIX):
        return await handler(request)
    try:
        return await handler(request)
    except web.HTTPException as error:
        return _of_aiohttp(error).response()
    except Exception as error:  # noqa: BLE001  # whatever it is: logged where it is no problem that is known
        return dispatch.problem(error).response()


def _of_aiohttp(error: web.HTTPException) -> Problem:
    if isinstance(error, web.HTTPNotFound):
        return errors.not_found()
    if isinstance(error, web.HTTPMethodNotAllowed):
        return errors.wrong_method(error.allowed_methods)
    return Problem(error.status, "refused", error.reason)


def _json(status: int, answer: Json) -> web.Response:
    return web.Response(status=status, body=dispatch.as_json(answer), content_type="application/json")
