"""What an endpoint is: a line of the contract, and one call of it."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from pydantic import BaseModel

from bot.api import asking, presenters, schemas
from bot.api.presenters import Json
from bot.clock import Clock
from bot.listed import Names
from bot.lookups import Lookups
from bot.previewing import Previews
from bot.service import Service
from bot.usecases.replaying import Replaying
from store.errors import NotFound
from store.types import Interaction, Key, Scope

#: Whatever else stands in a path is no id of ours, and is looked up nowhere.
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rooms:
    """What the endpoints work with. `closing` is done once the server shuts down: nobody waits longer then.

    `names`, `previews`: None where there is no Slack to look them up in, or to draw for.
    """

    service: Service
    lookups: Lookups
    clock: Clock
    replaying: Replaying
    webhook_problem: asking.WebhookProblem
    closing: asyncio.Event
    names: Names | None = None
    previews: Previews | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One request with a valid key of the right scope. `sent`: its body, checked; None where there is none."""

    request: web.Request
    key: Key
    rooms: Rooms
    sent: Any = None

    @property
    def id(self) -> str:
        given = self.request.match_info["id"]
        if not _ID.fullmatch(given):
            raise NotFound(id="")
        return given

    async def shown(self, interaction: Interaction) -> Json:
        return presenters.interaction(await self.rooms.lookups.view(interaction))


Endpoint = Callable[[Call], Awaitable[tuple[int, Json]]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One line of the contract. `parameters`: of the query, with what they hold, for the description.

    `required`: those of them that have to be given. `previews`: what a 200 may hold instead, after a dry run.
    `example`: of a body, for the description.
    """

    method: str
    path: str
    scope: Scope
    endpoint: Endpoint
    summary: str
    answer: type[BaseModel]
    sends: type[schemas.Strict] | None = None
    creates: bool = False
    parameters: dict[str, Json] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    previews: type[BaseModel] | None = None
    example: Json | None = None
