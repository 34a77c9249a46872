"""A request's body and query, read with a cap and turned into checked values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from bot.api import errors
from bot.api.errors import Fault
from store.digest import MAX_DEPTH, BadJson, parse_json
from store.runs import ActionKind

MAX_BODY = 256 * 1024
#: Seconds that `?wait=` may ask for.
MAX_WAIT = 60
MAX_PAGE = 200
DEFAULT_PAGE = 50
#: Levels of a whole body. What it holds has limits of its own, and says where they are broken; this ends the rest.
_MOST_LEVELS = 2 * MAX_DEPTH

#: What the contract names and later work brings.
NOT_YET = frozenset(["conversation_id", "redact"])
_LOOKED_INTO = ("approvers", "respondents", "questions", "options", "resume")
_KINDS = frozenset(kind.value for kind in ActionKind)
_MOST_FAULTS = 50
_SHOWN = 100

Model = TypeVar("Model", bound=BaseModel)


def as_object(raw: bytes) -> dict[str, Any]:
    """A body as one JSON object, whatever its content type says. Raises Problem: 413, 400 or 422."""
    if len(raw) > MAX_BODY:
        raise errors.too_large(limit=MAX_BODY)
    if not raw.strip():
        raise errors.bad_json(BadJson("it is empty"))
    try:
        value = parse_json(raw, depth=_MOST_LEVELS)
    except BadJson as error:
        raise errors.bad_json(error) from error
    if not isinstance(value, dict):
        raise errors.invalid([Fault(pointer="", message="The body must be a JSON object.")])
    return value


async def read(request: web.Request) -> bytes:
    """The body of a request, no more of it than is taken. Raises Problem: 413 or 400."""
    if request.content_length is not None and request.content_length > MAX_BODY:
        raise errors.too_large(limit=MAX_BODY)
    parts = bytearray()
    try:
        async for part in request.content.iter_chunked(64 * 1024):
            parts.extend(part)
            if len(parts) > MAX_BODY:
                raise errors.too_large(limit=MAX_BODY)
    except (web.RequestPayloadError, ConnectionError) as error:
        raise errors.bad_json(BadJson("the body ended early or its encoding is broken")) from error
    return bytes(parts)


def parse(model: type[Model], value: Mapping[str, Any]) -> Model:
    """The checked value. Raises Problem 422: `not_yet` for names that later work brings, `invalid` otherwise."""
    later = [Fault(pointer=pointer, message=_later(pointer)) for pointer in _not_yet(value, "")]
    if later:
        raise errors.not_yet(later[:_MOST_FAULTS])
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise errors.invalid(_faults(error)) from error


def query(
    sent: Sequence[tuple[str, str]], *, single: frozenset[str], repeated: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The query as names with texts (lists for `repeated`). Unknown and doubled names: 422."""
    found: dict[str, Any] = {}
    faults = []
    for name in dict.fromkeys(name for name, _ in sent):
        given = [text for each, text in sent if each == name]
        pointer = f"/{_escaped(name)}"
        if name not in single | repeated:
            faults.append(Fault(pointer=pointer, message="There is no such parameter."))
        elif name in single and len(given) > 1:
            faults.append(Fault(pointer=pointer, message="Give this parameter once."))
        elif any("\x00" in text for text in given):
            faults.append(Fault(pointer=pointer, message="This is no text."))
        else:
            found[name] = given if name in repeated else given[0]
    if faults:
        raise errors.invalid(faults)
    return found


def whole(text: str, *, name: str, least: int, most: int) -> int:
    """A whole number in plain digits, within bounds. Raises Problem 422."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise errors.invalid([Fault(pointer=f"/{name}", message=f"A whole number from {least} to {most}.")])
    return int(text)


def limit(given: Mapping[str, Any]) -> int:
    """How much of a list a query asks for. Raises Problem 422."""
    return whole(given.get("limit", str(DEFAULT_PAGE)), name="limit", least=1, most=MAX_PAGE)


def one_of(text: str, name: str, allowed: Any) -> str:
    """A parameter that is one of these. Raises Problem 422."""
    names = [str(one) for one in allowed]
    if text not in names:
        raise errors.invalid([Fault(pointer=f"/{name}", message=f"One of: {', '.join(names)}.")])
    return text


def _not_yet(value: Any, pointer: str) -> Iterator[str]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _not_yet(item, f"{pointer}/{index}")
    if not isinstance(value, Mapping):
        return
    for name, item in value.items():
        if name in NOT_YET:
            yield f"{pointer}/{name}"
        elif name in _LOOKED_INTO:
            yield from _not_yet(item, f"{pointer}/{name}")


def _later(pointer: str) -> str:
    return f"`{pointer.rpartition('/')[2]}` comes with a later version."


def _faults(error: ValidationError) -> list[Fault]:
    faults = []
    for found in error.errors(include_url=False, include_context=False, include_input=False)[:_MOST_FAULTS]:
        # A name that the sender chose may be long; a fault is no place to send it all back.
        pointer = "".join(f"/{_escaped(str(part))}" for part in _sent(found["loc"]))
        faults.append(Fault(pointer=pointer, message=_sentence(found["type"], found["msg"])))
    return faults


def _sent(path: Sequence[str | int]) -> Iterator[str | int]:
    """The parts of a path that stand in what was sent: neither marks of keys nor which kind of action it was read as."""
    before: str | int = ""
    for part in path:
        if part != "[key]" and not (before == "action" and part in _KINDS):
            yield part
        before = part


def _sentence(kind: str, message: str) -> str:
    if kind == "extra_forbidden":
        return "There is no such field."
    if kind == "missing":
        return "This field is required."
    words = message.removeprefix("Value error, ")
    return words if words.endswith(".") else f"{words}."


def _escaped(part: str) -> str:
    """One part of a JSON pointer."""
    clipped = part if len(part) <= _SHOWN else f"{part[:_SHOWN]}…"
    return clipped.replace("~", "~0").replace("/", "~1")
