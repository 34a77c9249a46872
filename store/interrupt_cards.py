"""What people see of an interrupt's record: the tool and its args, who asks, and why. Pure.

The whole action stands on the card, or the card says that it does not: nothing is left out silently.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.digest import BadJson, parse_json
from store.types import Fact

#: The tool of a request that names none that can be shown; then all of the request is the input.
UNNAMED = "interrupt"
_TOOL, _TITLE, _AGENT = 120, 150, 80
_FACT = 140
_DESCRIPTION, _REQUESTED = 4_000, 12_000
#: Bytes of an input, as the HTTP API takes them.
_MOST_INPUT = 64 * 1024
#: Characters of a longer one that are shown: each may take two in JSON again.
_BEGINNING = 30_000
_NO_AGENT = "an agent"


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """`is_whole`: the input is the args as they are, not a text that stands for them."""

    title: str
    agent: str
    tool_name: str
    input_json: str
    is_whole: bool
    body: str | None
    facts: tuple[Fact, ...]


def shown(record: Mapping[str, Any]) -> Shown:
    request = record.get("request")
    known = request if isinstance(request, dict) else {}
    tool = known.get("toolName")
    is_named = isinstance(tool, str) and 0 < len(tool) <= _TOOL and tool.isprintable() and "args" in known
    input_json, missing = _input(known["args"] if is_named else request)
    tool_name = str(tool) if is_named else UNNAMED
    context = known.get("context")
    context = context if isinstance(context, dict) else {}
    return Shown(
        title=_line(f"Allow {tool_name}?", _TITLE),
        agent=_line(context.get("agentName"), _AGENT) or _NO_AGENT,
        tool_name=tool_name,
        input_json=input_json,
        is_whole=is_named and not missing and input_json == _compact(known["args"]),
        body="\n\n".join(filter(None, (missing, *_words(known, context)))) or None,
        facts=_facts(context),
    )


def _input(value: Any) -> tuple[str, str]:
    """The input as JSON text, and a sentence where it is not all there."""
    compact, text = _compact(value), json.dumps(value, separators=(",", ":"))
    is_strict = _is_strict(compact)
    if len(text) <= (_MOST_INPUT if is_strict else _BEGINNING):
        # Letters and numbers that readers of JSON take in different ways are shown as the text that they are.
        return compact if is_strict else _compact({"json": text}), ""
    said = {
        "beginning": text[:_BEGINNING],
        "characters": len(text),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    return _compact(said), f"**Only the first {_BEGINNING:,} of {len(text):,} characters of the input are shown here.**"


def _is_strict(text: str) -> bool:
    try:
        parse_json(text)
    except BadJson:
        return False
    return True


def _words(request: Mapping[str, Any], context: Mapping[str, Any]) -> tuple[str, ...]:
    asked = context.get("originalInput")
    if asked is not None and not isinstance(asked, str):
        asked = json.dumps(asked)
    return (
        _clipped(request.get("toolDescription"), _DESCRIPTION),
        f"Started with: {_clipped(asked, _REQUESTED)}" if asked else "",
    )


def _facts(context: Mapping[str, Any]) -> tuple[Fact, ...]:
    tags = context.get("tags")
    said = {
        "Session": context.get("sessionId"),
        "Trip": context.get("tripIndex"),
        "Tags": ", ".join(map(str, tags)) if isinstance(tags, list) else None,
    }
    lines = {label: _line(value, _FACT) for label, value in said.items()}
    return tuple(Fact(label=label, value=line) for label, line in lines.items() if line)


def _line(value: object, most: int) -> str:
    """On one line, with what no database or screen takes made visible; "" where there is nothing to say."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    line = " ".join(_clean(str(value)).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _clipped(value: object, most: int) -> str:
    if not isinstance(value, str):
        return ""
    text = _clean(value).strip()
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}… [{left:,} more characters are not shown]"


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
