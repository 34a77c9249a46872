"""blocks.validate: what would Slack say to these blocks, without sending them."""

import json
from typing import Any, Final

from sandbox.model import Json
from sandbox.refusal import Refusal
from sandbox.validate import check
from sandbox.validate.errors import Problem
from sandbox.webapi.call import Call

NAMES: Final = ("blocks", "view", "message")
LIMIT: Final = 100_000


def validate(call: Call) -> Json:
    given = [name for name in NAMES if name in call.args]
    if len(given) != 1:
        raise _invalid("must provide exactly one of `blocks`, `view`, or `message`")
    name = given[0]
    raw = call.args[name]
    if not isinstance(raw, str):
        raw = json.dumps(raw)
    if len(raw) > LIMIT:
        raise _invalid(f"must be less than {LIMIT + 1} characters [json-pointer:/{name}]")
    try:
        value = json.loads(raw)
    except ValueError as broken:
        raise _invalid(f"must be valid JSON [json-pointer:/{name}]") from broken
    problems = _problems(name, value)
    if problems:
        raise Refusal(f"invalid_{name}", errors=[problem.item() for problem in problems])
    return {}


def _problems(name: str, value: Any) -> list[Problem]:
    if name == "blocks":
        return check.blocks(value)
    if name == "view":
        return check.view(value)
    if not isinstance(value, dict):
        return [Problem(message="must provide an object", pointer="")]
    found = check.blocks(value.get("blocks", []))
    return [
        Problem(message=p.message, pointer=f"/blocks{p.pointer}", code=p.code, constraint=p.constraint) for p in found
    ]


def _invalid(message: str) -> Refusal:
    return Refusal("invalid_arguments", response_metadata={"messages": [message]})
