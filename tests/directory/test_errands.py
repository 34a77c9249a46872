"""What is said later, and what a shutdown does to it."""

import asyncio

from bot.slack.client import SlackClient, open_session
from bot.slack.errands import Errands
from bot.slack.payloads import Origin
from tests.clock import START
from tests.directory.slow_slack import PERSON, SlowSlack, serving


async def test_a_shutdown_does_not_wait_for_what_only_waits() -> None:
    looked = []

    async def is_painted() -> bool:
        looked.append(1)
        return False

    async with serving(SlowSlack()) as base, open_session() as session:
        errands = Errands(client=SlackClient(token="xoxb-test", base_url=base, session=session), recorded_after=3600)
        errands.recorded_unless(Origin(person=PERSON, team_id=None, enterprise_id=None, at=START), is_painted)
        async with asyncio.timeout(10):
            await errands.drain(3600)

    assert looked == []


async def test_who_clicked_is_told_only_where_the_card_is_behind() -> None:
    slack = SlowSlack()
    origin = Origin(person=PERSON, team_id=None, enterprise_id=None, at=START, channel="C0DEPLOY")
    async with serving(slack) as base, open_session() as session:
        errands = Errands(client=SlackClient(token="xoxb-test", base_url=base, session=session), recorded_after=0)
        said = []
        for painted in (True, False):
            looked = asyncio.Event()

            async def is_painted(painted=painted, looked=looked) -> bool:
                looked.set()
                return painted

            errands.recorded_unless(origin, is_painted)
            await looked.wait()
            await errands.drain(10)
            said.append(list(slack.calls))

    assert said == [[], ["chat.postEphemeral"]]
