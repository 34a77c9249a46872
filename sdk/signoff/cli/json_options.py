"""Options that hold JSON: the text itself, or `@FILE`. What could be read in two ways is refused."""

import json
from collections.abc import Sequence
from typing import Any

import click


def read_json(given: str, *, option: str) -> Any:
    """Raises click.UsageError: `@FILE` cannot be read, or it is not JSON."""
    try:
        return json.loads(_read(given, option), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{option} is not JSON: {error}") from None


def _read(given: str, option: str) -> str:
    if not given.startswith("@"):
        return given
    try:
        with click.open_file(given[1:], encoding="utf-8") as file:
            return str(file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{option} {given}: {error}") from None


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")
