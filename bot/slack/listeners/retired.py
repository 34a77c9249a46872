"""A button that no listener knows: of an older version, or of somebody else's making."""

from blocks import notices
from bot.slack.desk import Desk
from bot.slack.payloads import Click


async def retired(desk: Desk, tenant: str, click: Click) -> None:  # noqa: ARG001  as every listener
    desk.errands.note(click.origin, notices.retired(), thread_ts=click.thread_ts)
