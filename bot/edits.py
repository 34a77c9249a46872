"""An input as an approver changed it: what may be changed, and whether it fits. Pure."""

import json

from bot import input_schema
from bot.asks import MAX_INPUT, canonical_input
from bot.input_schema import InputProblem
from store.digest import BadJson, action_digest, parse_json
from store.types import Approval, Edited

_NOT_HERE = InputProblem(pointer="", message="This input cannot be changed here.")


def may_edit(approval: Approval) -> bool:
    """Where its terms allow it, one person decides, and a schema says what fits."""
    return approval.terms.may_edit and approval.approvers.quorum == 1 and approval.input_schema is not None


def edited(approval: Approval, input_json: str) -> Edited | tuple[InputProblem, ...]:
    """The changed action with its digest, or what is wrong with it."""
    if not may_edit(approval) or approval.input_schema is None:
        return (_NOT_HERE,)
    try:
        value = parse_json(input_json)
    except BadJson as error:
        return (InputProblem(pointer=error.pointer, message=error.message),)
    problems = input_schema.problems(json.loads(approval.input_schema), value)
    if problems:
        return problems
    kept = canonical_input(value)
    if len(kept.encode()) > MAX_INPUT:
        return (InputProblem(pointer="", message=f"It has more than {MAX_INPUT:,} bytes."),)
    digest = action_digest(
        title=approval.title,
        body=approval.body,
        tool_name=approval.tool_name,
        input_json=kept,
        details=approval.details,
    )
    return Edited(input_json=kept, digest=digest)
