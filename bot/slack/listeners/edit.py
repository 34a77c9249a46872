"""*Edit input…*: a form, then what differs, then *Approve with changes*. Only the last decides.

What was entered is kept as a draft between the two, as a view holds no more than ids: what is approved is what the
second view shows, by its digest.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from blocks import editing, ids, notices, reading
from blocks.surface import Note
from bot import edits
from bot.slack.desk import Desk
from bot.slack.listeners.submit import Response, errors_at, instead, retired
from bot.slack.payloads import Submission
from bot.usecases.results import EditRefused
from store.drafts import Draft, fits
from store.outcomes import Decided
from store.types import Approval, Edited

#: Places of a draft that no field of a form has.
_EDITED, _WHY = 1_000, 1_001
#: The whole stack of forms closes.
_CLEAR: Response = {"response_action": "clear"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    edited: Edited
    why: str | None


async def compare(desk: Desk, tenant: str, submission: Submission) -> Response:
    """*Compare*: what differs, on top of the form; or what is wrong, at its field."""
    metadata = ids.decode_metadata(submission.metadata)
    if metadata is None:
        return retired(submission)
    shown: list[Response] = []

    async def attempt() -> Note | None:
        approval = await _open_approval(desk, tenant, metadata.id)
        if not isinstance(approval, Approval):
            return notices.gone()
        if not approval.is_pending:
            return await desk.already(approval, submission.origin)
        refusal = await desk.service.refusal(approval, submission.origin.person)
        if refusal is not None:
            return desk.refused(refusal)
        shown.append(await _compared(desk, submission, approval, metadata.where))
        return None

    note = await desk.worded(attempt())
    return shown[0] if shown else instead(note, typed=reading.typed(submission.values))


async def _compared(desk: Desk, submission: Submission, approval: Approval, where: ids.Where) -> Response:
    entered = editing.read(approval, submission.values)
    if isinstance(entered, Mapping):
        return errors_at(entered)
    edited = edits.edited(approval, entered.input_json)
    if not isinstance(edited, Edited):
        return errors_at(editing.at_fields(approval, [(each.pointer, each.message) for each in edited]))
    if not editing.differs(approval, edited):
        return errors_at(editing.at_fields(approval, [("", editing.NOTHING_DIFFERS)]))
    draft = Draft(typed={_EDITED: edited.input_json, _WHY: entered.why or ""})
    kept = fits(draft) and await desk.store.keep_draft(
        tenant=approval.tenant,
        interaction_id=approval.id,
        person=submission.origin.person.user_id,
        draft=draft,
        at=submission.origin.at,
    )
    if not kept:
        return errors_at(editing.at_fields(approval, [("", "This is too long to be changed here.")]))
    view = await asyncio.to_thread(editing.compare, approval, edited, where)
    return {"response_action": "push", "view": view.payload()}


async def approve(desk: Desk, tenant: str, submission: Submission) -> Response:
    """*Approve with changes*: exactly what the view shows."""
    metadata = ids.decode_metadata(submission.metadata)
    if metadata is None or metadata.digest is None:
        return retired(submission)
    digest = metadata.digest

    async def attempt() -> Note | None:
        approval = await _open_approval(desk, tenant, metadata.id)
        if not isinstance(approval, Approval):
            return notices.gone()
        kept = await _find(desk, approval, submission)
        if approval.is_pending and (kept is None or kept.edited.digest != digest):
            return notices.edited_elsewhere()
        outcome = await desk.service.approve_edited(
            tenant=tenant,
            id=approval.id,
            person=submission.origin.person,
            input_json="null" if kept is None else kept.edited.input_json,
            at=submission.origin.at,
            feedback=None if kept is None else kept.why,
        )
        if isinstance(outcome, EditRefused):
            return notices.edited_elsewhere()
        if not isinstance(outcome, Decided):
            return desk.refused(outcome)
        if outcome.already_resolved:
            return await desk.already(outcome.approval, submission.origin)
        desk.follows_at(submission.origin, outcome.approval, metadata.where)
        return None

    note = await desk.worded(attempt(), decides=True)
    return _CLEAR if note is None else instead(note, typed=None)


async def _find(desk: Desk, approval: Approval, submission: Submission) -> _Kept | None:
    """What this person entered last, as it would run."""
    person = submission.origin.person.user_id
    draft = await desk.store.find_draft(tenant=approval.tenant, interaction_id=approval.id, person=person)
    input_json = None if draft is None else draft.typed.get(_EDITED)
    if draft is None or not input_json:
        return None
    edited = edits.edited(approval, input_json)
    return _Kept(edited=edited, why=draft.typed.get(_WHY) or None) if isinstance(edited, Edited) else None


async def _open_approval(desk: Desk, tenant: str, id: str) -> Approval | None:
    found = (await desk.lookups.read(tenant=tenant, id=id)).interaction
    return found if isinstance(found, Approval) else None
