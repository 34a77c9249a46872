"""The Home tab's own button: a request to practise on."""

from blocks import notices
from blocks.surface import Message
from bot.policy import OtherWorkspace
from bot.slack.desk import Desk
from bot.slack.listeners import lists
from bot.slack.payloads import Click


async def practice(desk: Desk, tenant: str, click: Click) -> None:
    """*Send me a practice request*: it waits here, too, where Slack lets us not write to the person."""

    async def attempt() -> Message | None:
        installation = await desk.service.installation(tenant)
        asked = await desk.practice.ask(tenant=tenant, person=click.origin.person, installation=installation)
        if isinstance(asked, OtherWorkspace):
            return notices.practice_elsewhere()
        desk.errands.reach(click.origin, otherwise=notices.practice_unsent)
        return None

    await desk.answered(click, attempt(), decides=True)
    lists.redraw_after(desk, tenant, click)
