"""`/pending`: a private list, its filter and pages, and the redraw after a click in it."""

import asyncio

from blocks import ids, notices, pending
from blocks.called import called
from blocks.surface import Message, Note
from bot.lookups import Row, Waiting
from bot.slack.desk import Desk, surface_of
from bot.slack.listeners import operate
from bot.slack.payloads import Click, Command, Origin
from bot.slack.rows import drawn, people
from bot.usecases.results import NotTheAsker
from store.answers import MAX_TEXT
from store.types import Interaction, Kind, Surface


async def listing(desk: Desk, tenant: str, origin: Origin, *, shown: ids.Filter, page: int) -> Message:
    waiting = await desk.lookups.pending_for(
        tenant=tenant,
        person=origin.person,
        channel=origin.channel,
        is_operator=desk.is_operator(origin),
        installation=await desk.service.installation(tenant),
    )
    return await _drawn(desk, waiting, shown=shown, page=page)


async def _drawn(desk: Desk, waiting: Waiting, *, shown: ids.Filter, page: int) -> Message:
    found = _filtered(waiting)
    last = max(0, -(-len(found[shown]) // pending.PAGE_ROWS) - 1)
    page = min(page, last)
    page_rows = found[shown][page * pending.PAGE_ROWS : (page + 1) * pending.PAGE_ROWS]
    rows = await drawn(page_rows, store=desk.store, most=pending.PAGE_ROWS)
    # Inputs may be large: drawn beside the event loop, which others wait for.
    return await asyncio.to_thread(
        pending.listing,
        rows,
        shown=shown,
        counts={which: len(those) for which, those in found.items()},
        page=page,
        names=await desk.names(people(rows)),
        is_cut=waiting.is_cut,
    )


def _filtered(waiting: Waiting) -> dict[ids.Filter, tuple[Row, ...]]:
    """The rows of each filter. What went silent comes first, then what is stuck: these wait for operators."""
    return {
        ids.Filter.MINE: waiting.mine,
        ids.Filter.APPROVALS: tuple(row for row in waiting.mine if row.interaction.kind is Kind.APPROVAL),
        ids.Filter.QUESTIONS: tuple(row for row in waiting.mine if row.interaction.kind is Kind.QUESTION),
        ids.Filter.ALL: waiting.unknown + waiting.stuck + waiting.everything,
    }


async def command(desk: Desk, tenant: str, given: Command) -> Message:
    """`/pending [mine|questions|approvals|all]`; anything else is answered with the help."""
    word = given.text.lower() or "mine"
    if word not in set(ids.Filter):
        return pending.help_card(None if word == "help" else given.text)
    return await listing(desk, tenant, given.origin, shown=ids.Filter(word), page=0)


async def signoff(desk: Desk, tenant: str, given: Command) -> Message | None:
    """`/signoff help | withdraw CODE [why] | stop [tool] [why] | go [tool] | stops`."""
    words = given.text.split(maxsplit=2)
    verb = words[0].lower() if words else "help"
    if verb in operate.COMMANDS:
        rest = given.text.strip()[len(verb) :].strip()
        return await desk.worded(operate.run(desk, tenant, given.origin, verb, rest))
    if verb != "withdraw" or len(words) == 1:
        return pending.help_card(None if verb == "help" else given.text)
    reason = words[2] if len(words) > 2 else None  # noqa: PLR2004  verb, code, why
    return await desk.worded(_withdraw_by_code(desk, tenant, given, code=words[1], reason=reason), decides=True)


async def _withdraw_by_code(desk: Desk, tenant: str, given: Command, *, code: str, reason: str | None) -> Note:
    if reason is not None and len(reason) > MAX_TEXT:
        return notices.reason_too_long(MAX_TEXT)
    found = await desk.lookups.by_code(tenant=tenant, code=code)
    if len(found) > 1:
        return notices.ambiguous_code(code)
    if not found:
        return notices.unknown_code(code)
    outcome = await desk.service.withdraw(
        tenant=tenant,
        id=found[0].id,
        person=given.origin.person,
        at=given.origin.at,
        surface=Surface.LIST,
        is_operator=desk.is_operator(given.origin),
        reason=reason,
    )
    if isinstance(outcome, NotTheAsker):
        return notices.withdraw_by_another(outcome.requested_by)
    if outcome.withdrawn:
        card = await desk.lookups.link(tenant=tenant, id=outcome.interaction.id)
        return notices.withdrawn(called(outcome.interaction), card=card)
    return await desk.already(outcome.interaction, given.origin)


async def withdraw(desk: Desk, tenant: str, click: Click, id: str) -> None:
    """*Withdraw* of a card's ⋯, for who asked."""

    async def attempt() -> Message | None:
        outcome = await desk.service.withdraw(
            tenant=tenant,
            id=id,
            person=click.origin.person,
            at=click.origin.at,
            surface=surface_of(click),
            is_operator=desk.is_operator(click.origin),
        )
        if isinstance(outcome, NotTheAsker):
            return notices.withdraw_by_another(outcome.requested_by)
        if not outcome.withdrawn:
            desk.stale_copy(click, outcome.interaction)
            return await desk.already(outcome.interaction, click.origin)
        desk.follows(click, outcome.interaction)
        return None

    await desk.answered(click, attempt(), copy_of=(tenant, id), decides=True)
    redraw_after(desk, tenant, click)


async def withdraw_button(desk: Desk, tenant: str, click: Click) -> None:
    """*Withdraw* of Home."""
    target = desk.target(click)
    if target is not None:
        await withdraw(desk, tenant, click, target.id)


async def choose_filter(desk: Desk, tenant: str, click: Click) -> None:
    await _turn(desk, tenant, click)


async def turn_page(desk: Desk, tenant: str, click: Click) -> None:
    await _turn(desk, tenant, click)


async def _turn(desk: Desk, tenant: str, click: Click) -> None:
    shown, page = ids.decode_list(click.choice or "") or (ids.Filter.MINE, 0)

    async def attempt() -> None:
        desk.errands.redraw(click.origin, await listing(desk, tenant, click.origin, shown=shown, page=page))

    await desk.answered(click, attempt())


def redraw_after(desk: Desk, tenant: str, click: Click) -> None:
    """A click in a list or Home changed it: show it as it is now, beside the answer. Cards repaint by themselves."""
    if click.origin.view_type == "home":
        desk.homes.opened(tenant, click.origin.person)
    if click.in_message and click.is_ephemeral and click.block_id.startswith("row."):
        desk.errands.start("redraw", _redraw(desk, tenant, click))


def stale(desk: Desk, tenant: str, click: Click, interaction: Interaction) -> None:
    """Something was clicked that has nothing to offer any more: the message, the list or Home is drawn anew."""
    desk.stale_copy(click, interaction)
    redraw_after(desk, tenant, click)


async def _redraw(desk: Desk, tenant: str, click: Click) -> None:
    shown, page = ids.list_of(click.block_id) or (ids.Filter.MINE, 0)
    message = await listing(desk, tenant, click.origin, shown=shown, page=page)
    desk.errands.redraw(click.origin, message)
