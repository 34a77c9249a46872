"""JSON that a run hands over and gets back: only what comes back as it went."""

import json
from typing import Any

from signoff.json_input import check_json, dump_json


class NotJson(TypeError):
    """This value would not come back as it is; the message says where and why."""


def to_json(value: Any, *, what: str) -> bytes:
    """Raises NotJson: not plain JSON (None, bool, int, float, text, lists, text-keyed dicts), or too deep."""
    try:
        check_json(value, what=what)
    except TypeError as error:
        raise NotJson(str(error)) from error
    return dump_json(value)


def from_json(raw: bytes) -> Any:
    return json.loads(raw)
