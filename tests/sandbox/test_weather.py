"""Deliveries that come late, twice, out of order, or never."""

import asyncio

import aiohttp
import pytest
from aiohttp import web as http
from app_double import ok
from kit import actions, button

from sandbox import seed


async def post(web, *names):
    blocks = [actions(*[button(name) for name in names])]
    return (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=blocks))["ts"]


def clicked(app):
    return [got.payload["actions"][0]["action_id"] for got in app.got]


async def test_a_late_click_arrives_after_the_person_saw_a_warning(slack, web, app):
    arrived = asyncio.Event()

    async def answer(got):
        arrived.set()
        return await ok(got)

    app.answer = answer
    ts = await post(web, "go")
    slack.weather.add("block_actions", late=0.8, times=1)
    outcome = await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, outcome.status, app.got) == (False, None, [])
    await asyncio.wait_for(arrived.wait(), 5)
    assert clicked(app) == ["go"]


async def test_a_click_that_is_a_little_late_is_still_in_time(slack, web, app):
    ts = await post(web, "go")
    slack.weather.add("block_actions", late=0.1, times=1)
    outcome = await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, len(app.got)) == (True, 1)


async def test_a_dropped_click_never_arrives_and_a_dropped_event_comes_again(slack, web, app):
    ts = await post(web, "go")
    slack.weather.add("*", drop=True, times=2)
    outcome = await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, "operation_timeout" in outcome.warning, app.got) == (False, True, [])
    await slack.person(seed.ANA).open_home()
    await slack.wait_for(lambda _: len(slack.deliveries) == 1)
    assert [(got.payload["type"], got.headers["X-Slack-Retry-Num"]) for got in app.got] == [("event_callback", "1")]


async def test_a_duplicated_click_arrives_twice(slack, web, app):
    ts = await post(web, "go")
    slack.weather.add("block_actions", duplicate=True, times=1)
    assert (await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")).ok
    await slack.wait_for(lambda _: len(slack.deliveries) == 2)
    first, second = app.got
    assert first.raw == second.raw


async def test_reordered_clicks_change_places(slack, web, app):
    ts = await post(web, "first", "second")
    slack.weather.add("block_actions", reorder=True, times=1)
    ana = slack.person(seed.ANA)
    early = asyncio.create_task(ana.click(seed.DEPLOYS, ts, "first"))
    for _ in range(3):
        await web.auth_test()
    assert app.got == []
    late = await ana.click(seed.DEPLOYS, ts, "second")
    assert ((await early).ok, late.ok, clicked(app)) == (True, True, ["second", "first"])


async def test_what_is_held_back_goes_when_nothing_follows(slack, web, app):
    ts = await post(web, "go")
    slack.weather.add("block_actions", reorder=True)
    await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    await slack.wait_for(lambda _: len(slack.deliveries) == 1)
    assert clicked(app) == ["go"]


async def test_a_storm_touches_only_its_kind_and_can_end(slack, web, app):
    ts = await post(web, "go")
    storm = slack.weather.add("view_*", drop=True)
    assert (await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")).ok
    slack.weather.remove(storm)
    slack.weather.remove(storm)
    slack.weather.add("slash_command", drop=True)
    assert not (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).ok
    slack.weather.clear()
    assert (await slack.person(seed.ANA).command(seed.DEPLOYS, "/pending")).ok


async def test_storms_and_revoked_tokens_can_be_set_over_http(slack, web, app):
    async with aiohttp.ClientSession() as session:

        async def fault(**body):
            async with session.post(f"{slack.url}/sandbox/faults", json=body) as answer:
                return answer.status

        assert await fault(delivery="block_actions", duplicate=True, times=1) == 200
        ts = await post(web, "go")
        await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
        await slack.wait_for(lambda _: len(slack.deliveries) == 2)
        assert await fault(revoked="bot") == 200
        assert slack.faults.revoked("bot")
        for wrong in ({"delivery": 1}, {"delivery": "*", "late": "1"}, {"delivery": "*", "drop": 1}, {"revoked": "x"}):
            assert await fault(**wrong) == 400
        assert await fault(delivery="*", colour="red") == 400
        async with session.delete(f"{slack.url}/sandbox/faults") as answer:
            assert answer.status == 200
    assert not slack.faults.revoked("bot")


@pytest.mark.parametrize("how", [{"duplicate": True}, {"late": 0.1}])
async def test_the_app_may_refuse_as_ever(slack, web, app, how):
    async def answer(_):
        return http.Response(status=500)

    app.answer = answer
    ts = await post(web, "go")
    slack.weather.add(times=1, **how)
    outcome = await slack.person(seed.ANA).click(seed.DEPLOYS, ts, "go")
    assert (outcome.ok, outcome.status) == (False, 500)
