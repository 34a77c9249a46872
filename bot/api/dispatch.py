"""From a call to its answer, whichever door it came through: over HTTP (`bot.api.app`) or without a socket
(`bot.api.local`).
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

import structlog

from bot.api import body, errors
from bot.api.errors import Problem
from bot.api.presenters import Json
from bot.api.route import Call, Rooms, Route
from bot.clock import Clock
from bot.listed import Names
from bot.lookups import Lookups
from bot.previewing import Previews
from bot.service import Service
from bot.usecases.replaying import Replaying
from store.errors import StoreError

log = structlog.get_logger("signoff.api")


class WebhookGuard(Protocol):
    """What this door asks of whoever calls webhooks."""

    def problem(self, url: str) -> str | None:
        """One sentence for the asker, or None where the address will do."""
        ...


def open_rooms(
    *,
    service: Service,
    lookups: Lookups,
    clock: Clock,
    guard: WebhookGuard,
    replaying: Replaying,
    webhooks: bool = True,
    names: Names | None = None,
    previews: Previews | None = None,
) -> Rooms:
    """What endpoints work with. Without `webhooks` (no secret to sign them with) every address of one is refused."""
    return Rooms(
        service=service,
        lookups=lookups,
        clock=clock,
        webhook_problem=guard.problem if webhooks else _no_webhooks,
        closing=asyncio.Event(),
        replaying=replaying,
        names=names,
        previews=previews,
    )


async def answer(route: Route, call: Call, *, read: Callable[[], Awaitable[bytes]]) -> tuple[int, Json]:
    """The route's answer, if the key has its scope. `read`: the body, which is looked at only then.

    Raises:
        Exception: whatever it is, `problem` makes an answer of it.
    """
    if route.scope not in call.key.scopes:
        raise errors.wrong_scope(route.scope)
    if route.sends is None:
        return await route.endpoint(call)
    sent = body.parse(route.sends, body.as_object(await read()))
    return await route.endpoint(replace(call, sent=sent))


def problem(error: Exception) -> Problem:
    """What is said of an error that is being handled; what nobody expected is logged, under the token that is said."""
    if isinstance(error, Problem):
        return error
    known = errors.from_store(error) if isinstance(error, StoreError) else None
    if known is not None:
        return known
    token = secrets.token_hex(4)
    log.error("request_failed", incident=token, exc_info=error)
    return errors.internal(token)


def as_json(answered: Json) -> bytes:
    # "replace": one lone surrogate somewhere in a stored text must not make it unreadable.
    return json.dumps(answered, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _no_webhooks(_: str) -> str:
    return "This server signs no webhooks: SIGNOFF_WEBHOOK_SECRET is not set."
