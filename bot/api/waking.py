"""The endpoint that has a run told again."""

from bot.api.presenters import Json
from bot.api.route import Call
from bot.api.schemas_content import Strict


class WakeIn(Strict):
    """`POST /v1/interactions/{id}/wake`: there is nothing to say."""


async def wake(call: Call) -> tuple[int, Json]:
    outcome = await call.rooms.service.wake_as_key(key=call.key, id=call.id)
    return 200, {"woken": outcome.woken, "interaction": await call.shown(outcome.interaction)}
