"""What an endpoint is: a line of the contract, and one call of it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from bot.api import asking, presenters
from bot.api.presenters import Json
from bot.api.schemas_content import CONTROL, Strict
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
#: In the path of a route: what a request says there.
PLACE = re.compile(r"{(\w+)}")
#: Characters of a name.
MAX_NAME = 200
T = TypeVar("T")


def _never() -> bool:
    return False


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
    """One request with a valid key of the right scope, through whichever door.

    `path`: what stands in the places of its route. `sent`: its body, checked; None where there is none. `is_gone`:
    whether nobody waits for the answer any more.
    """

    key: Key
    rooms: Rooms
    path: Mapping[str, str] = field(default_factory=dict)
    query: Sequence[tuple[str, str]] = ()
    sent: Any = None
    is_gone: Callable[[], bool] = _never

    @property
    def id(self) -> str:
        given = self.path["id"]
        if not _ID.fullmatch(given):
            raise NotFound(id="")
        return given

    @property
    def run_id(self) -> str:
        """Whatever its starter called it."""
        given = self.path["run_id"]
        if CONTROL.search(given) or len(given) > MAX_NAME:
            raise NotFound(id="")
        return given

    async def unless_closing(self, waiting: Coroutine[Any, Any, T]) -> T | None:
        """What is waited for; None where this server shuts down before."""
        closing = asyncio.ensure_future(self.rooms.closing.wait())
        task = asyncio.ensure_future(waiting)
        try:
            await asyncio.wait({task, closing}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            # Also when the client hung up: its subscription ends with the task.
            for each in (task, closing):
                each.cancel()
            await asyncio.gather(task, closing, return_exceptions=True)

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
    sends: type[Strict] | None = None
    creates: bool = False
    parameters: dict[str, Json] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    previews: type[BaseModel] | None = None
    example: Json | None = None
