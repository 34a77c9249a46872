"""Rows of lists as they are drawn."""

from blocks import pending
from blocks.outcome import Place
from bot.lookups import Row


def drawn(row: Row) -> pending.Row:
    return pending.Row(
        interaction=row.interaction,
        link=row.link,
        newer_link=row.newer_link,
        can_decide=row.may_decide,
        can_settle=row.may_settle,
        unreached=[Place(address=c.address, error=c.error or "", has_card=c.ts is not None) for c in row.unreached],
        stopped=row.stopped,
    )
