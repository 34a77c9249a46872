"""Mounts the HTTP API on an application: every endpoint behind its key and scope, every failure as a problem."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime
from importlib import metadata
from typing import Protocol

import structlog
from aiohttp import web

from bot.api import body, errors, openapi
from bot.api.auth import Doorkeeper
from bot.api.errors import Problem
from bot.api.health import Health
from bot.api.metrics import Metrics
from bot.api.presenters import Json
from bot.api.route import Call, Rooms, Route
from bot.api.table import ROUTES
from bot.clock import Clock
from bot.listed import Names
from bot.lookups import Lookups
from bot.previewing import Previews
from bot.service import Service
from bot.usecases.replaying import Replaying
from store.errors import StoreError
from store.protocol import Store

log = structlog.get_logger("signoff.api")


class WebhookGuard(Protocol):
    """What this door asks of whoever calls webhooks."""

    def problem(self, url: str) -> str | None:
        """One sentence for the asker, or None where the address will do."""
        ...


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
    webhook_problem = guard.problem if webhooks else _no_webhooks
    closing = asyncio.Event()
    rooms = Rooms(
        service=service,
        lookups=lookups,
        replaying=replaying or Replaying(store=store, clock=clock),
        clock=clock,
        webhook_problem=webhook_problem,
        closing=closing,
        names=names,
        previews=previews,
    )
    health = Health(store=store, clock=clock, last_tick_at=last_tick_at, schema_is_current=schema_is_current)

    async def close(_: web.Application) -> None:
        closing.set()

    app.middlewares.extend([metrics.middleware, _problems])
    app.on_shutdown.append(close)
    _mount(app, rooms, Doorkeeper(keys=store, clock=clock))
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/readyz", health.readyz)
    app.router.add_get("/metrics", metrics.show)
    app.router.add_get("/openapi.json", _description())


def _description() -> Callable[[web.Request], Awaitable[web.Response]]:
    raw = _json(200, openapi.describe(ROUTES, version=_version())).body

    async def show_description(_: web.Request) -> web.Response:
        return web.Response(body=raw, content_type="application/json")

    return show_description


def _mount(app: web.Application, rooms: Rooms, doorkeeper: Doorkeeper) -> None:
    for route in ROUTES:
        app.router.add_route(route.method, route.path, _endpoint(route, rooms, doorkeeper))
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, _endpoint(route, rooms, doorkeeper))


def _no_webhooks(_: str) -> str:
    return "This server signs no webhooks: SIGNOFF_WEBHOOK_SECRET is not set."


def _version() -> str:
    try:
        return metadata.version("signoff-bot")
    except metadata.PackageNotFoundError:
        # Run from a checkout that was never installed.
        return "0"


def _endpoint(route: Route, rooms: Rooms, doorkeeper: Doorkeeper) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def handle(request: web.Request) -> web.Response:
        key = await doorkeeper.key(request)
        if route.scope not in key.scopes:
            raise errors.wrong_scope(route.scope)
        sent = None if route.sends is None else body.parse(route.sends, await body.read_object(request))
        status, answer = await route.endpoint(Call(request=request, key=key, rooms=rooms, sent=sent))
        return _json(status, answer)

    return handle


@web.middleware
async def _problems(request: web.Request, handler: _Handler) -> web.StreamResponse:
    """Under /v1, whatever is raised becomes a problem; other doors of the application keep their own manners."""
    if not request.path.startswith(_PREFIX):
        return await handler(request)
    try:
        return await handler(request)
    except Problem as problem:
        return problem.response()
    except web.HTTPException as error:
        return _of_aiohttp(error).response()
    except Exception as error:
        known = errors.from_store(error) if isinstance(error, StoreError) else None
        if known is not None:
            return known.response()
        token = secrets.token_hex(4)
        log.exception("request_failed", incident=token)
        return errors.internal(token).response()


def _of_aiohttp(error: web.HTTPException) -> Problem:
    if isinstance(error, web.HTTPNotFound):
        return errors.not_found()
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return Problem(405, "method_not_allowed", f"Allowed here: {allowed}.", headers={"Allow": allowed})
    return Problem(error.status, "refused", error.reason)


def _json(status: int, answer: Json) -> web.Response:
    # "replace": one lone surrogate somewhere in a stored text must not make it unreadable.
    raw = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return web.Response(status=status, body=raw, content_type="application/json")
