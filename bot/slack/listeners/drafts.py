"""Inputs of forms: what was entered is kept, so that a form that was closed opens as it was left. Decides nothing."""

import structlog

from blocks import ids, reading
from bot.slack.desk import Desk
from bot.slack.payloads import Click
from store import errors
from store.drafts import NO_DRAFT, Draft
from store.types import Interaction

log = structlog.get_logger("signoff.drafts")


async def keep(desk: Desk, tenant: str, click: Click) -> None:
    """An input was changed. Nobody is told what came of it: the form shows what was entered, kept or not."""
    form = ids.decode_metadata(click.metadata) if click.view_callback_id in ids.FORMS else None
    if form is None:
        return
    draft = reading.draft(click.values, changed=click.block_id)
    if draft == NO_DRAFT:
        return
    person = click.origin.person.user_id
    try:
        kept = await desk.store.keep_draft(
            tenant=tenant, interaction_id=form.id, person=person, draft=draft, at=click.origin.at
        )
    except errors.Unconfirmed:
        kept = False
    if not kept:
        log.info("draft_not_kept", interaction=form.id)


async def find(desk: Desk, tenant: str, click: Click, interaction: Interaction) -> Draft:
    """What this person entered before; nothing where it cannot be read: a form opens without it too."""
    person = click.origin.person.user_id
    try:
        found = await desk.store.find_draft(tenant=tenant, interaction_id=interaction.id, person=person)
    except errors.Unconfirmed:
        log.warning("draft_not_read", interaction=interaction.id)
        found = None
    return found or NO_DRAFT
