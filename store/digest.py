"""Strict JSON in, digests out: what is approved is bound to the bytes of RFC 8785."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import rfc8785

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None

#: How deep objects and lists may nest.
MAX_DEPTH = 32
#: The integers that every JSON reader keeps exactly.
MAX_INTEGER = 2**53 - 1
_MAX_INTEGER_DIGITS = 17


class BadJson(ValueError):
    """Text that is not JSON as we take it. `pointer` (RFC 6901) is where, "" for the whole or unknown."""

    def __init__(self, message: str, *, pointer: str = "") -> None:
        super().__init__(f"{message} at {pointer}" if pointer else message)
        self.message = message
        self.pointer = pointer


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands in the parsed tree for what may not be there, until the walk knows its pointer."""

    message: str
    key: str | None = None


def parse_json(text: str | bytes, *, depth: int = MAX_DEPTH) -> JsonValue:
    """Parse strictly: one meaning for every reader, or none.

    Raises:
        BadJson: not JSON, not UTF-8, a duplicate key, NaN or Infinity, an integer beyond ±(2^53 - 1), U+0000 or a
            lone surrogate in any text, nesting deeper than `depth`.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(
            decoded, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer, parse_float=_float
        )
    except UnicodeDecodeError as error:
        raise BadJson("the text is not UTF-8") from error
    except RecursionError as error:
        raise BadJson(f"nested deeper than {depth}") from error
    except json.JSONDecodeError as error:
        raise BadJson(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from error
    return _checked(value, (), depth)


def content_digest(value: JsonValue) -> str:
    """Lower-case hex SHA-256 of the RFC 8785 bytes of a JSON value.

    Raises:
        BadJson: a value that RFC 8785 cannot write (NaN, an integer too large, a lone surrogate).
    """
    try:
        return hashlib.sha256(rfc8785.dumps(value)).hexdigest()
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise BadJson(f"no canonical form: {error}") from error


def action_digest(
    *,
    title: str,
    body: str | None,
    tool_name: str | None,
    input_json: str | None,
    details: JsonValue = None,
) -> str:
    """The digest that an approval is bound to: the action as shown, nothing of who, where and until when.

    Raises:
        BadJson: `input_json` is not JSON as `parse_json` takes it.
    """
    action: dict[str, JsonValue] = {
        "body": body,
        "details": details,
        "input": None if input_json is None else parse_json(input_json),
        "title": title,
        "tool_name": tool_name,
    }
    return content_digest(action)


def _object(pairs: list[tuple[str, Any]]) -> Any:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return _Refused("duplicate key", key)
        seen.add(key)
    return result


def _constant(name: str) -> _Refused:
    return _Refused(f"{name} is not a JSON number")


def _integer(digits: str) -> int | _Refused:
    # The length is looked at first: Python refuses to parse thousands of digits.
    if len(digits) <= _MAX_INTEGER_DIGITS:
        number = int(digits)
        if abs(number) <= MAX_INTEGER:
            return number
    return _Refused("an integer beyond ±(2^53 - 1)")


def _float(digits: str) -> float | _Refused:
    number = float(digits)
    return number if math.isfinite(number) else _Refused("a number too large")


def _checked(value: Any, path: tuple[str | int, ...], depth: int) -> JsonValue:
    if isinstance(value, _Refused):
        _refuse(value.message, (*path, value.key) if value.key is not None else path)
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, (dict, list)):
        if len(path) >= depth:
            _refuse(f"nested deeper than {depth}", path)
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if isinstance(key, str):
                _check_text(key, (*path, key))
            _checked(item, (*path, key), depth)
    return value  # type: ignore[no-any-return]  # the walk has just shown it


def _check_text(text: str, path: Sequence[str | int]) -> None:
    if "\x00" in text:
        _refuse("U+0000 in a text", path)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        _refuse("a lone surrogate in a text", path)


def _refuse(message: str, path: Sequence[str | int]) -> NoReturn:
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    pointer = "".join(f"/{part}" for part in parts)
    # A pointer that itself holds what cannot be written would break whoever prints it.
    raise BadJson(message, pointer=pointer.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\0"))
