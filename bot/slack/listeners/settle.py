"""*It happened* and *It did not happen*: what an operator says of a run that went silent."""

from blocks import ids, notices, silence
from blocks.surface import Message
from bot.slack.desk import Desk, surface_of
from bot.slack.listeners import lists
from bot.slack.payloads import Click
from bot.usecases.results import NotOperator
from store.types import Approval


async def happened(desk: Desk, tenant: str, click: Click) -> None:
    await _settle(desk, tenant, click, happened=True)


async def did_not_happen(desk: Desk, tenant: str, click: Click) -> None:
    await _settle(desk, tenant, click, happened=False)


async def _settle(desk: Desk, tenant: str, click: Click, *, happened: bool) -> None:
    target = desk.target(click)
    if target is None:
        return

    async def attempt() -> Message | None:
        if not desk.is_operator(click.origin):
            return desk.not_operator(_MAY)
        if not await _asks_still(desk, tenant, target):
            return await _in_vain(desk, tenant, click, target.id)
        outcome = await desk.service.settle(
            tenant=tenant,
            id=target.id,
            person=click.origin.person,
            happened=happened,
            at=click.origin.at,
            surface=surface_of(click),
            is_operator=True,
        )
        if isinstance(outcome, NotOperator):
            return desk.not_operator(_MAY)
        if not outcome.settled:
            return await _in_vain(desk, tenant, click, target.id)
        desk.follows(click, outcome.approval)
        return None

    await desk.answered(click, attempt(), copy_of=(tenant, target.id), decides=True)
    lists.redraw_after(desk, tenant, click)


_MAY = "say what happened"


async def _asks_still(desk: Desk, tenant: str, target: ids.Target) -> bool:
    """Whether the silence that was clicked is the newest: what is said of one says nothing of the next."""
    approval = (await desk.lookups.read(tenant=tenant, id=target.id)).interaction
    if not isinstance(approval, Approval):
        return False
    return target.question is None or target.question == len(approval.course.spent_claims)


async def _in_vain(desk: Desk, tenant: str, click: Click, id: str) -> Message:
    approval = (await desk.lookups.read(tenant=tenant, id=id)).interaction
    if not isinstance(approval, Approval):
        return notices.gone()
    desk.stale_copy(click, approval)
    card = None if click.origin.at_card else await desk.lookups.link(tenant=tenant, id=id)
    return silence.settled_before(approval, clicker=click.origin.person.user_id, card=card)
