"""What Slack asks an app's address, and names that become ids in a command."""

import aiohttp
import pytest
from aiohttp import web as http

from sandbox import seed
from sandbox.model import Channel


def answers(challenge: str, check: int):
    async def answer(got):
        payload = got.payload
        if payload.get("type") == "url_verification":
            words = {"given back": payload["challenge"], "as JSON": {"challenge": payload["challenge"]}, "wrong": "x"}
            given = words[challenge]
            return http.json_response(given) if isinstance(given, dict) else http.Response(text=given)
        assert payload == {"ssl_check": "1", "token": seed.VERIFICATION_TOKEN}
        return http.Response(status=check)

    return answer


@pytest.mark.parametrize(
    ("challenge", "check", "expected"),
    [
        ("given back", 200, (True, True)),
        ("as JSON", 200, (True, True)),
        ("wrong", 200, (False, True)),
        ("given back", 401, (True, False)),
    ],
)
async def test_an_address_is_asked_for_its_challenge_and_its_check(slack, app, challenge, check, expected):
    app.answer = answers(challenge, check)
    found = await slack.probe()
    assert (found.challenge, found.ssl_check) == expected
    assert all("X-Slack-Signature" in got.headers for got in app.got)
    async with aiohttp.ClientSession() as session, session.post(f"{slack.url}/sandbox/probe", json={}) as answer:
        body = await answer.json()
    assert body == {"ok": all(expected), "challenge": expected[0], "ssl_check": expected[1]}


async def test_without_an_address_there_is_nobody_to_ask(slack):
    slack.bot_url = None
    found = await slack.probe()
    assert (found.challenge, found.ssl_check, found.answers) == (False, False, ("no_request_url",) * 2)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("for @ben in #deploys", f"for <@{seed.BEN}|ben> in <#{seed.DEPLOYS}|deploys>"),
        ("#leads", f"<#{seed.LEADS}|>"),
        ("@nobody #nowhere a@ben", "@nobody #nowhere a@ben"),
        ("1 < 2 & <@U1>", "1 &lt; 2 &amp; &lt;@U1&gt;"),
    ],
)
async def test_a_command_that_asks_for_it_gets_ids(slack, app, typed, sent):
    slack.workspace.channels["D1"] = Channel(id="D1", name="deploys", kind="im", members={seed.ANA})
    ana = slack.person(seed.ANA)
    await ana.command(seed.DEPLOYS, "/pending", typed)
    slack.workspace.escaped_commands.add("/pending")
    await ana.command(seed.DEPLOYS, "/pending", typed)
    assert [got.payload["text"] for got in app.got] == [typed, sent]


async def test_any_event_can_be_sent_over_http(slack, app):
    async with aiohttp.ClientSession() as session:
        for body, status in (({"type": "app_uninstalled"}, 200), ({}, 400)):
            async with session.post(f"{slack.url}/sandbox/event", json=body) as answer:
                assert answer.status == status
    assert [got.payload["event"] for got in app.got] == [{"type": "app_uninstalled"}]
