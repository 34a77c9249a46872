"""The API without a socket, for code that the service itself hosts: the same routes, checks and problem bodies."""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from bot.api import dispatch, errors
from bot.api.route import PLACE, Call, Rooms, Route
from bot.api.table import ROUTES
from store.types import Key


class LocalDoor:
    """Whoever has it is `key`."""

    def __init__(self, *, rooms: Rooms, key: Key, routes: Sequence[Route] = ROUTES) -> None:
        self._rooms = rooms
        self._key = key
        self._routes = [(_pattern(route.path), route) for route in routes]

    async def call(self, method: str, path: str, body: bytes | None) -> tuple[int, bytes]:
        """The status and the body of the answer, as over HTTP. `path`: percent-encoded, with its query, if any."""
        try:
            status, answered = await self._answer(method, path, body or b"")
        except Exception as error:  # noqa: BLE001  # whatever it is: logged where it is no problem that is known
            problem = dispatch.problem(error)
            return problem.status, problem.body()
        return status, dispatch.as_json(answered)

    async def _answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, object]]:
        parts = urlsplit(path)
        route, places = self._find(method, parts.path)
        query = tuple(parse_qsl(parts.query, keep_blank_values=True))

        async def read() -> bytes:
            return body

        call = Call(key=self._key, rooms=self._rooms, path=places, query=query)
        return await dispatch.answer(route, call, read=read)

    def _find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """Raises Problem: 404, or 405 where the path is there for other methods."""
        found = [(route, match) for pattern, route in self._routes if (match := pattern.fullmatch(path)) is not None]
        for route, match in found:
            if route.method == method:
                return route, {name: unquote(text) for name, text in match.groupdict().items()}
        if found:
            raise errors.wrong_method({route.method for route, _ in found})
        raise errors.not_found()


def _pattern(path: str) -> re.Pattern[str]:
    """`/v1/runs/{run_id}` as an expression: a place holds anything but a slash."""
    literals = PLACE.split(path)
    written = [f"(?P<{text}>[^/]+)" if index % 2 else re.escape(text) for index, text in enumerate(literals)]
    return re.compile("".join(written))
