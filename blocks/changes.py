"""What changed since this was approved last: a line above the action. It names what differs, and hides nothing."""

import json
from collections.abc import Sequence
from typing import Any

from blocks import ids, limits, people, phase, richtext
from blocks.phase import Phase
from blocks.phase import of as phase_of
from blocks.richtext import bold, date, text
from blocks.surface import Block, Paint
from blocks.visible import one_line
from store.types import Actor, Approval

#: Names of keys, and of people, that are spelled out; more are counted.
_NAMED = 3
_LONGEST_KEY = 40
_CAME_TO = {
    Phase.DONE: "done",
    Phase.HAPPENED: "done",
    Phase.FAILED: "failed",
    Phase.HANDED: "no report yet",
    Phase.RUNNING: "running",
    Phase.UNKNOWN: "nobody knows whether it happened",
}
#: What no run claimed (in time).
_NOT_STARTED = "not started"


def block(approval: Approval, paint: Paint) -> list[Block]:
    """The line as a block, where there is one."""
    shown = line(approval, paint)
    return [richtext.rich_text(ids.block("seen", paint.revision), richtext.section(*shown))] if shown else []


def line(approval: Approval, paint: Paint) -> list[Block]:
    """`Last approved by Ana Ruiz, Nov 27 at 14:02 (done). Only version differs.`

    Nothing where nobody looked, and for a confirmation, which has no tool to be known by.
    """
    if not paint.is_compared or approval.tool_name is None:
        return []
    before = paint.precedent
    if before is None:
        return [text("First time for this tool: none was approved before.")]
    came_to = _CAME_TO.get(phase_of(before, Paint(lapsed=before.lapsed_at is not None)), _NOT_STARTED)
    who = _together([_who(actor, paint) for actor in approvers(before)])
    at = [] if before.resolved_at is None else [text(", "), date(before.resolved_at)]
    return [text(f"Last approved by {who}"), *at, text(f" ({came_to}). "), *_difference(before, approval)]


def approvers(before: Approval) -> list[Actor]:
    """All who approved it together."""
    voters = [vote.actor for vote in phase.approvals_so_far(before)]
    if voters:
        return voters
    return [] if before.resolved_by is None else [before.resolved_by]


def _together(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    named = [*names[:_NAMED], f"{more} more"] if more > 0 else names
    *others, last = named or ["nobody"]
    return f"{', '.join(others)} and {last}" if others else last


def _who(actor: Actor, paint: Paint) -> str:
    """Without a ping: they need not act."""
    if richtext.is_user(actor.id):
        return people.name(actor.id, paint.names)
    return "".join(str(part.get("text", "")) for part in people.actor(actor))


def _difference(before: Approval, approval: Approval) -> list[Block]:
    if before.approved_digest == approval.digest:
        return [text("Nothing differs.")]
    details = text(" The details differ.") if before.details != approval.details else text("")
    keys = differing(before.approved_input, approval.input_json)
    if keys is None:
        return [text("The input differs."), details]
    if not keys:
        return [text("The input is the same."), details]
    names: list[list[Block]] = [[bold(_shown(key))] for key in keys[:_NAMED]]
    more = len(keys) - _NAMED
    if more > 0:
        names.append([text(f"{more} more")])
    is_all = len(keys) == 1 and before.details == approval.details
    lead, verb = ("Only " if is_all else "", " differs." if len(keys) == 1 else " differ.")
    return [text(lead), *people.joined(names, last="and"), text(verb), details]


def _shown(key: str) -> str:
    return limits.clip(one_line(key), _LONGEST_KEY) or '""'


def differing(before: str | None, now: str | None) -> Sequence[str] | None:
    """Top-level keys whose values differ, in the order of what is asked now. None: there are no keys to compare."""
    old, new = _read(before), _read(now)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return () if _same(old, new) else None
    missing = object()
    return [key for key in dict.fromkeys([*new, *old]) if not _same(old.get(key, missing), new.get(key, missing))]


def _read(input_json: str | None) -> Any:
    return None if input_json is None else json.loads(input_json)


def _same(one: Any, other: Any) -> bool:
    """As JSON: `true` is not 1, and the order of keys says nothing."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict | list):
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    return bool(one == other)
