"""The doors of the validator: a list of blocks, a view, and the total of texts in a message."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sandbox.validate.errors import Problem
from sandbox.validate.escape import escape, escape_mrkdwn
from sandbox.validate.spec import Items, Run, Surface, Typed
from sandbox.validate.tables import BLOCKS
from sandbox.validate.views import VIEWS
from sandbox.validate.walk import blocks_in, elements_of

MESSAGE_BLOCKS: Final = Items(Typed(BLOCKS), 0, 50)
MESSAGE_TOTAL: Final = 13_200
MARKDOWN_TOTAL: Final = 12_000
PER_MESSAGE: Final = (
    ("table", 1, "only one table allowed"),
    ("data_visualization", 2, "no more than 2 items allowed"),
)
_WORDS: Final = frozenset({"text", "alt_text", "fallback", "accessibility_label"})


def blocks(value: Any, surface: Surface = "message", *, stored: bool = False) -> list[Problem]:
    """What Slack would refuse in a message's blocks. Pointers begin below the list ("/0/text")."""
    run = Run(surface, stored)
    MESSAGE_BLOCKS.check(value, "", run)
    if not run.problems:
        _unique_ids(value, "", run)
        _markdown_total(value, run)
        if surface == "message":
            _at_most_per_message(value, run)
    return run.problems


def view(value: Any) -> list[Problem]:
    """What Slack would refuse in a view. Pointers begin below the view ("/title/text")."""
    kind = value.get("type") if isinstance(value, dict) else None
    run = Run("home" if kind == "home" else "modal")
    if not isinstance(value, dict):
        run.fail("must provide an object", "", type="type", expected="object")
    elif "type" not in value:
        run.missing("type", "")
    elif not isinstance(kind, str) or kind not in VIEWS:
        run.fail(f"unsupported type: {kind}", "/type", type="enum", expected=list(VIEWS))
    else:
        VIEWS[kind].check(value, "", run)
        if not run.problems:
            _unique_ids(value["blocks"], "/blocks", run)
    return run.problems


def _unique_ids(value: list[dict[str, Any]], at: str, run: Run) -> None:
    """A block_id is unique in the whole, an action_id in its block."""
    seen: set[str] = set()
    for block, pointer in blocks_in(value, at):
        name = block.get("block_id")
        if name in seen:
            run.fail(f'`block_id` "{name}" already exists', f"{pointer}/block_id")
        if name is not None:
            seen.add(name)
        actions: set[str] = set()
        for element, place in elements_of(block):
            action = element.get("action_id")
            if action in actions:
                run.fail(f'`action_id` "{action}" already exists', f"{pointer}{place}/action_id")
            if action is not None:
                actions.add(action)


def _at_most_per_message(value: list[dict[str, Any]], run: Run) -> None:
    for kind, most, says in PER_MESSAGE:
        found = [pointer for block, pointer in blocks_in(value) if block["type"] == kind]
        if len(found) > most:
            run.fail(says, found[most], type="max_items", expected=most)


def _markdown_total(value: list[dict[str, Any]], run: Run) -> None:
    total = 0
    for number, block in enumerate(value):
        if block["type"] == "markdown":
            total += len(block["text"])
            if total > MARKDOWN_TOTAL:
                run.fail(f"must be less than {MARKDOWN_TOTAL + 1} characters", f"/{number}/text")
                return


def total(value: Any) -> int:
    """Characters that people read in these blocks, counted as stored. Above `MESSAGE_TOTAL` Slack says msg_blocks_too_long."""
    return sum(len(word) for word in _words(value))


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        inside = value.get("type") == "mrkdwn"
        for key, part in value.items():
            if isinstance(part, str):
                if key in _WORDS:
                    yield escape_mrkdwn(part) if inside else escape(part)
            else:
                yield from _words(part)
    elif isinstance(value, list):
        for part in value:
            yield from _words(part)
