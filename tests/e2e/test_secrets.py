"""No credential of anybody's is ever in a log: a whole life of the service with recognisable ones, at DEBUG."""

import aiohttp

from blocks import ids
from sandbox.server import Sandbox
from tests.e2e.house import ANA, BEN, DEPLOY, DEPLOYS
from tests.e2e.process import call, make_key, serving

BOT_TOKEN = "xoxb-111-222-canarybottoken"
APP_TOKEN = "xapp-1-A07-333-canaryapptoken"
SIGNING_SECRET = "canarysigningsecret0123456789abc"
OLD_SIGNING_SECRET = "canaryoldsecret0123456789abcdef0"
WEBHOOK_SECRET = "whsec_Y2FuYXJ5d2ViaG9va3NlY3JldC0wMTIzNDU2Nzg5"
REASON = "canary words that a person typed"


async def test_no_secret_is_in_any_line_of_a_life_with_trouble(database) -> None:
    async with Sandbox(bot_token=BOT_TOKEN, app_token=APP_TOKEN, signing_secret=SIGNING_SECRET) as slack:
        more = {
            "SLACK_APP_TOKEN": APP_TOKEN,
            "SLACK_SIGNING_SECRET": f"{SIGNING_SECRET},{OLD_SIGNING_SECRET}",
            "SIGNOFF_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "SIGNOFF_WEBHOOK_ALLOW": "127.0.0.0/8",
            "SIGNOFF_LOG_LEVEL": "DEBUG",
        }
        async with serving(slack, database, **more) as served:
            token = await make_key(slack, database)
            await slack.wait_for(lambda _: len(slack.sockets))
            slack.faults.add("chat.postMessage", status=500, times=1)
            slack.faults.add("chat.update", drop_reply=True, times=1)
            url = f"{served.url}/v1/approvals"
            hook = f"http://127.0.0.1:9/hook?key={REASON.replace(' ', '-')}"
            asked = await call("POST", url, token, {**DEPLOY, "resume": {"webhook": hook}})
            card = (await slack.wait_for(lambda ws: ws.messages(DEPLOYS), timeout=20))[0]
            await call("POST", url, "so_canarykey_canarysecret", DEPLOY)
            ana = slack.person(ANA)
            await ana.click(DEPLOYS, card.ts, ids.DENY_REASON)
            await slack.wait_for(lambda _: ana.modal)
            await ana.submit(state={ids.REASON_BLOCK: {ids.TEXT: REASON}})
            await slack.person(BEN).click(DEPLOYS, card.ts, ids.APPROVE, stale=True)
            await ana.command(DEPLOYS, f"/signoff withdraw {REASON}")
            await _forge(served.url)
            state = (await call("GET", f"{served.url}/v1/interactions/{asked.json['id']}", token)).json["state"]
            assert await served.terminate() == 0

    lines = "".join(served.lines)
    canaries = [BOT_TOKEN, APP_TOKEN, SIGNING_SECRET, OLD_SIGNING_SECRET, WEBHOOK_SECRET, token, "canarysecret", REASON]
    assert state == "denied"
    assert [canary for canary in canaries if canary in lines] == []
    assert "signature_refused" in lines
    assert "hooks.slack.com" not in lines
    assert "canary" not in lines


async def _forge(url: str) -> None:
    """A request that nobody signed, with something in it that must not be repeated."""
    headers = {"X-Slack-Request-Timestamp": "1", "X-Slack-Signature": "v0=canary"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{url}/slack/events", data=f"payload={REASON}", headers=headers) as reply,
    ):
        assert reply.status == 401
