"""Buttons of an approval card: approve, deny, and the forms around them."""

import asyncio
from collections.abc import Awaitable, Callable

from blocks import editing, ids, modal, notices
from blocks.surface import Message, Paint, View
from bot import precedents
from bot.policy import NotAllowed, OtherWorkspace, ReasonRequired
from bot.slack.desk import Desk, surface_of
from bot.slack.listeners import drafts, lists, voting
from bot.slack.payloads import Click
from bot.usecases.results import Woken
from store.outcomes import Decided
from store.types import Approval, Decision, Interaction, QuestionSet

#: Seconds that a form may wait for names: its trigger lives three.
_NAMES_WITHIN = 0.3


async def approve(desk: Desk, tenant: str, click: Click) -> None:
    await _decide(desk, tenant, click, Decision.ALLOW_ONCE)


async def deny(desk: Desk, tenant: str, click: Click) -> None:
    await _decide(desk, tenant, click, Decision.DENY)


async def _decide(desk: Desk, tenant: str, click: Click, decision: Decision) -> None:
    target = desk.target(click)
    if target is None:
        return

    async def attempt() -> Message | None:
        outcome = await desk.service.decide(
            tenant=tenant,
            id=target.id,
            person=click.origin.person,
            decision=decision,
            at=click.origin.at,
            surface=surface_of(click),
        )
        if isinstance(outcome, ReasonRequired):
            return await _ask_reason(desk, tenant, click, target.id)
        if not isinstance(outcome, Decided):
            return desk.refused(outcome)
        if outcome.already_resolved:
            desk.stale_copy(click, outcome.approval)
            return await desk.already(outcome.approval, click.origin)
        desk.follows(click, outcome.approval)
        return await voting.said(desk, outcome.approval, click.origin, decision)

    await desk.answered(click, attempt(), copy_of=(tenant, target.id), decides=True)
    lists.redraw_after(desk, tenant, click)


async def _ask_reason(desk: Desk, tenant: str, click: Click, id: str) -> Message | None:
    """The card was drawn before a reason was needed, or by somebody else: open the form for it."""
    approval = (await desk.lookups.read(tenant=tenant, id=id)).interaction
    if not isinstance(approval, Approval) or click.origin.trigger_id is None:
        return notices.reason_needed()
    desk.errands.open_view(click.origin, await _reason_form(desk, click, approval))
    return None


async def _reason_form(desk: Desk, click: Click, approval: Approval) -> View:
    draft = await drafts.find(desk, approval.tenant, click, approval)
    return modal.deny_reason(approval, where_of(click), draft=draft)


async def deny_with_reason(desk: Desk, tenant: str, click: Click) -> None:
    """Open the form; nothing is decided yet."""

    async def view(approval: Approval) -> View:
        return await _reason_form(desk, click, approval)

    await _open(desk, tenant, click, view)


async def review(desk: Desk, tenant: str, click: Click) -> None:
    """Open the pages that end with Approve."""

    async def view(approval: Approval) -> View:
        paint = await _compared(desk, approval)
        return await asyncio.to_thread(modal.review, approval, where_of(click), paint=paint)

    await _open(desk, tenant, click, view)


async def turn_page(desk: Desk, tenant: str, click: Click) -> None:
    """Another page of a review or of *Show all*, in the same modal."""
    found = ids.decode_page(click.choice or "")
    metadata = ids.decode_metadata(click.metadata)
    if found is None or click.view_id is None:
        desk.errands.note(click.origin, notices.retired(), thread_ts=click.thread_ts)
        return
    id, number = found
    where = metadata.where if metadata is not None else ids.Where()

    async def attempt() -> Message | None:
        interaction = (await desk.lookups.read(tenant=tenant, id=id)).interaction
        if click.view_callback_id == ids.VIEW_REVIEW and isinstance(interaction, Approval):
            page = await _review_page(desk, click, interaction, where, number)
        else:
            names = await named(desk, interaction)
            page = await asyncio.to_thread(modal.show_all, interaction, where, page=number, names=names)
        desk.errands.update_view(click.origin, page, view_id=click.view_id or "")
        return None

    await desk.answered(click, attempt())


async def _review_page(desk: Desk, click: Click, approval: Approval, where: ids.Where, number: int) -> View:
    """Another page; once it was settled, what happened in its place: nothing is left to approve."""
    if not approval.is_pending:
        return modal.ended(await desk.already(approval, click.origin))
    paint = await _compared(desk, approval)
    return await asyncio.to_thread(modal.review, approval, where, page=number, paint=paint)


async def show_all(desk: Desk, tenant: str, click: Click) -> None:
    target = desk.target(click)
    if target is not None:
        await _show(desk, tenant, click, target.id)


async def menu(desk: Desk, tenant: str, click: Click) -> None:
    """The ⋯ of a card."""
    found = ids.decode_menu(click.choice or "")
    if found is None:
        desk.errands.note(click.origin, notices.retired(), thread_ts=click.thread_ts)
        return
    verb, id = found
    if verb is ids.Verb.SHOW:
        await _show(desk, tenant, click, id)
    elif verb is ids.Verb.WITHDRAW:
        await lists.withdraw(desk, tenant, click, id)
    elif verb is ids.Verb.EDIT:
        await _edit(desk, tenant, click, id)
    elif verb is ids.Verb.TAKE_BACK:
        await voting.take_back(desk, tenant, click, id)
    else:
        desk.errands.note(click.origin, notices.retired(), thread_ts=click.thread_ts)


async def wake(desk: Desk, tenant: str, click: Click) -> None:
    """Tell the run again: for who may decide, who asked, and operators."""
    target = desk.target(click)
    if target is None:
        return

    async def attempt() -> Message | None:
        outcome = await desk.service.wake(
            tenant=tenant,
            id=target.id,
            person=click.origin.person,
            is_operator=desk.is_operator(click.origin),
        )
        if isinstance(outcome, NotAllowed | OtherWorkspace):
            return notices.not_a_waker(outcome.approvers)
        if not isinstance(outcome, Woken):
            return desk.refused(outcome)
        if outcome.woken:
            desk.follows(click, outcome.interaction)
            return None
        desk.stale_copy(click, outcome.interaction)
        if outcome.interaction.is_pending:
            return notices.retired()
        return await desk.already(outcome.interaction, click.origin)

    await desk.answered(click, attempt(), copy_of=(tenant, target.id), decides=True)
    lists.redraw_after(desk, tenant, click)


async def _show(desk: Desk, tenant: str, click: Click, id: str) -> None:
    async def attempt() -> Message | None:
        view = await desk.lookups.read(tenant=tenant, id=id)
        if not view.interaction.is_pending:
            lists.stale(desk, tenant, click, view.interaction)
        names, where = await named(desk, view.interaction), where_of(click)
        if isinstance(view.interaction, QuestionSet) and modal.takes_long(view.interaction):
            desk.errands.open_composed(click.origin, lambda: modal.show_all(view.interaction, where, names=names))
        else:
            everything = await asyncio.to_thread(modal.show_all, view.interaction, where, names=names)
            desk.errands.open_view(click.origin, everything)
        return None

    await desk.answered(click, attempt(), copy_of=(tenant, id))


async def _edit(desk: Desk, tenant: str, click: Click, id: str) -> None:
    """Open the input's fields; nothing is decided before what differs was shown."""

    async def view(approval: Approval) -> View:
        return editing.form(approval, where_of(click))

    await _open_form(desk, tenant, click, id=id, view_of=view, where=editing.offered)


async def _open(desk: Desk, tenant: str, click: Click, view_of: Callable[[Approval], Awaitable[View]]) -> None:
    """Open a form for the approval that a button names."""
    target = desk.target(click)
    if target is None:
        return
    await _open_form(desk, tenant, click, id=target.id, view_of=view_of)


async def _open_form(
    desk: Desk,
    tenant: str,
    click: Click,
    *,
    id: str,
    view_of: Callable[[Approval], Awaitable[View]],
    where: Callable[[Approval], bool] = lambda _: True,
) -> None:
    """Open a form for an approval, or say why there is nothing left to fill in. `where`: whether it has that form."""

    async def attempt() -> Message | None:
        approval = (await desk.lookups.read(tenant=tenant, id=id)).interaction
        if not isinstance(approval, Approval):
            return notices.gone()
        if not approval.is_pending:
            lists.stale(desk, tenant, click, approval)
            return await desk.already(approval, click.origin)
        refusal = await desk.service.refusal(approval, click.origin.person)
        if refusal is not None:
            return desk.refused(refusal)
        if not where(approval):
            return notices.retired()
        desk.errands.open_view(click.origin, await view_of(approval))
        return None

    await desk.answered(click, attempt(), copy_of=(tenant, id))


async def named(desk: Desk, interaction: Interaction) -> Paint:
    """With the name of the person for whom the run asks: mentions would ping."""
    return Paint(names=await desk.names([interaction.requested_by]))


async def _compared(desk: Desk, approval: Approval) -> Paint:
    """With the approval that this one supersedes, whose input is shown as what changed; and with the last one before."""
    older, precedent = approval.supersedes, await precedents.find(desk.store, approval)
    return Paint(
        names=await desk.directory.names(precedents.people(precedent), within=_NAMES_WITHIN),
        replaces=None if older is None else await desk.store.find_approval(tenant=approval.tenant, id=older),
        precedent=precedent,
        is_compared=precedents.is_compared(approval),
    )


def where_of(click: Click) -> ids.Where:
    """The message that a form was opened from. A private list has no message that we could find again."""
    if click.is_ephemeral or not click.in_message:
        return ids.Where(channel=click.origin.channel or "")
    return ids.Where(channel=click.origin.channel or "", ts=click.message_ts or "")
