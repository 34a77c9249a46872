"""Rows of lists as they are drawn."""

import asyncio
from collections.abc import Sequence

from blocks import pending
from blocks.outcome import Place
from bot import precedents
from bot.lookups import Row
from store.protocol import Store


async def drawn(rows: Sequence[Row], *, store: Store, most: int) -> list[pending.Row]:
    """With what is compared where the viewer may decide; looked up for the first `most`, as no more are shown."""
    compared = [row for row in rows[:most] if row.may_decide and precedents.is_compared(row.interaction)]
    found = await asyncio.gather(*(precedents.find(store, row.interaction) for row in compared))
    before = {row.interaction.id: precedent for row, precedent in zip(compared, found, strict=True)}
    return [
        pending.Row(
            interaction=row.interaction,
            link=row.link,
            newer_link=row.newer_link,
            can_decide=row.may_decide,
            can_settle=row.may_settle,
            unreached=[Place(address=c.address, error=c.error or "", has_card=c.ts is not None) for c in row.unreached],
            stopped=row.stopped,
            is_compared=row.interaction.id in before,
            precedent=before.get(row.interaction.id),
        )
        for row in rows
    ]


def people(rows: Sequence[pending.Row]) -> set[str]:
    """Whose names these rows need."""
    asking = {row.interaction.requested_by for row in rows}
    return {person for person in asking if person is not None}.union(*(precedents.people(r.precedent) for r in rows))
