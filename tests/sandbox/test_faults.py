"""Faults on demand."""

import asyncio

import aiohttp
import pytest
from kit import home
from slack_sdk.errors import SlackApiError, SlackClientError

from sandbox import seed


async def test_a_429_says_when_to_come_back_and_ends_after_its_times(slack, web):
    slack.faults.add("chat.*", status=429, retry_after=7, times=1)
    with pytest.raises(SlackApiError) as caught:
        await web.chat_postMessage(channel=seed.DEPLOYS, text="x")
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "7")
    assert slack.workspace.messages(seed.DEPLOYS) == []
    assert slack.calls[-1].acted is False
    assert (await web.chat_postMessage(channel=seed.DEPLOYS, text="x"))["ok"]


async def test_a_pattern_touches_only_its_methods(slack, web):
    slack.faults.add("views.*", error="internal_error")
    assert (await web.auth_test())["ok"]
    with pytest.raises(SlackApiError, match="internal_error"):
        await web.views_publish(user_id=seed.ANA, view=home())
    slack.faults.clear()
    assert (await web.views_publish(user_id=seed.ANA, view=home()))["ok"]


@pytest.mark.parametrize("fault", [{"status": 500}, {"html": True}])
async def test_what_is_no_json_breaks_slacks_client(slack, web, fault):
    slack.faults.add(**fault)
    with pytest.raises(SlackClientError):
        await web.auth_test()


async def test_a_dropped_reply_has_taken_effect(slack, web):
    slack.faults.add("chat.postMessage", drop_reply=True, times=1)
    with pytest.raises(aiohttp.ClientError):
        await web.chat_postMessage(channel=seed.DEPLOYS, text="x")
    assert [m.text for m in slack.workspace.messages(seed.DEPLOYS)] == ["x"]


async def test_while_it_is_down_nothing_takes_effect(slack, web):
    fault = slack.faults.add(down=True)
    with pytest.raises(aiohttp.ClientError):
        await web.chat_postMessage(channel=seed.DEPLOYS, text="x")
    slack.faults.remove(fault)
    assert (await web.auth_test())["ok"]
    assert slack.workspace.messages(seed.DEPLOYS) == []


async def test_a_delay_holds_the_answer_back(slack, web):
    slack.faults.add("auth.test", delay=30)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await web.auth_test()


async def test_faults_can_be_set_over_http(slack, web):
    async with aiohttp.ClientSession() as http:
        async with http.post(
            f"{slack.url}/sandbox/faults", json={"method": "auth.*", "error": "fatal_error"}
        ) as answer:
            assert answer.status == 200
        with pytest.raises(SlackApiError, match="fatal_error"):
            await web.auth_test()
        async with http.delete(f"{slack.url}/sandbox/faults") as answer:
            assert answer.status == 200
        for wrong in ({"colour": "red"}, {"status": "429"}, {"status": True}, {"html": 1}):
            async with http.post(f"{slack.url}/sandbox/faults", json=wrong) as answer:
                assert answer.status == 400
    assert (await web.auth_test())["ok"]
