"""A call to Slack is made once: what is lost is known as lost, and nobody posts it again behind our back."""

import pytest

from bot.slack.client import Failed, SlackClient, Trouble, open_session
from sandbox.server import Sandbox
from tests.front.stage import DEPLOYS


@pytest.mark.parametrize("fault", [{"drop_reply": True}, {"down": True}, {"status": 500}, {"html": True}], ids=str)
async def test_a_post_whose_reply_is_lost_is_not_posted_again(fault) -> None:
    async with Sandbox() as slack, open_session() as session:
        client = SlackClient(token=slack.bot_token, base_url=slack.api_url, session=session)
        # A connection that was used before: only such ones are ever tried again by themselves.
        await client.call("auth.test")
        slack.faults.add("chat.postMessage", **fault, times=1)

        outcome = await client.call("chat.postMessage", channel=DEPLOYS, text="Once")

        assert isinstance(outcome, Failed)
        assert outcome.trouble is Trouble.RETRY
        assert [call.method for call in slack.calls].count("chat.postMessage") == 1
        assert len(slack.workspace.messages(DEPLOYS)) == (1 if "drop_reply" in fault else 0)
