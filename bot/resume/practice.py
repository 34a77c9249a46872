"""The run of a practice request: every worker has it, so that one goes all the way in any house."""

from bot import practice
from bot.resume.handlers import on_resume
from bot.resume.resumed import Resumed


@on_resume(practice.HANDLER)
async def hello(resumed: Resumed) -> None:
    """Claim, and report that it ran.

    Raises:
        ValueError: an ask of somebody's run that names this handler. It is not claimed: nothing would have run.
    """
    if not practice.is_practice(resumed.interaction):
        raise ValueError(f"{practice.HANDLER} runs practice requests only: name a handler of your own")
    async with resumed.execution(worker=practice.ASKER) as action:
        action.detail = practice.DETAIL
