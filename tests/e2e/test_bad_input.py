"""What must never arrive: forged, malformed, foreign and edited requests. A clear answer, nothing stored, no 500."""

import io
import json
import time
from urllib.parse import urlencode

import aiohttp
import pytest

from blocks import ids
from bot.slack.signature import sign
from tests.e2e.house import ANA, CHIDI, DEPLOYS, plain

TEAM = {"id": "T07ACME00", "domain": "acme"}


async def send(here, raw: bytes, *, content_type="application/x-www-form-urlencoded", **headers: str):
    """Genuinely signed unless the headers say otherwise."""
    timestamp = headers.pop("timestamp", str(int(time.time())))
    signature = headers.pop("signature", None)
    if signature is None:
        signature = sign(here.slack.signing_secret, timestamp=timestamp, body=raw)
    given = {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature, "Content-Type": content_type}
    async with (
        aiohttp.ClientSession() as session,
        session.post(here.slack.bot_url, data=io.BytesIO(raw), headers=given) as reply,
    ):
        return reply.status, await reply.text()


def click(action: str, value: str, **changes) -> bytes:
    body = {
        "type": "block_actions",
        "team": TEAM,
        "user": {"id": ANA, "team_id": TEAM["id"]},
        "api_app_id": "A07SIGNOFF0",
        "container": {"type": "message", "message_ts": "1700000000.000100", "channel_id": DEPLOYS},
        "channel": {"id": DEPLOYS},
        "actions": [{"type": "button", "action_id": action, "block_id": "act.1", "value": value}],
        **changes,
    }
    return urlencode({"payload": json.dumps(body)}).encode()


@pytest.mark.parametrize(
    "headers",
    [
        {"signature": "v0=" + "0" * 64},
        {"signature": "v0=\u00e9".encode().decode("latin-1")},
        {"signature": ""},
        {"timestamp": "tomorrow", "signature": "v0=1"},
        {"timestamp": "", "signature": "v0=1"},
        {"timestamp": "1" * 400, "signature": "v0=1"},
        {"timestamp": "-1", "signature": "v0=1"},
        {"timestamp": "1e9", "signature": "v0=1"},
    ],
)
async def test_a_forged_signature_is_a_401_and_decides_nothing(here, headers) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)

    status, text = await send(here, click(ids.APPROVE, asked["id"]), **headers)

    assert (status, text) == (401, "")
    assert (await here.read(asked["id"]))["state"] == "pending"


@pytest.mark.parametrize("seconds", [-301, 302])
async def test_an_old_or_future_signature_is_refused(here, seconds) -> None:
    status, _ = await send(here, click(ids.APPROVE, "apr_1"), timestamp=str(int(time.time()) + seconds))

    assert status == 401


async def test_a_replayed_click_changes_nothing_more(here) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)
    raw = click(ids.DENY, asked["id"])

    replies = [await send(here, raw) for _ in range(3)]

    assert [status for status, _ in replies] == [200, 200, 200]
    assert len((await here.read(asked["id"]))["votes"]) == 1


@pytest.mark.parametrize(
    ("raw", "content_type"),
    [
        (b"\xff\xfe\x00", "application/x-www-form-urlencoded"),
        (b"payload=%FF%FE", "application/x-www-form-urlencoded"),
        (b"payload={bad", "application/x-www-form-urlencoded"),
        (b"payload=[]", "application/x-www-form-urlencoded"),
        (b"payload=null", "application/x-www-form-urlencoded"),
        (b"{bad", "application/json"),
        (b"[]", "application/json"),
        (b'"x"', "application/json"),
        (b"null", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"", "application/x-www-form-urlencoded"),
    ],
)
async def test_what_cannot_be_read_is_a_400(here, raw, content_type) -> None:
    status, _ = await send(here, raw, content_type=content_type)

    assert status == 400


async def test_a_body_of_ten_megabytes_is_a_413(here) -> None:
    status, _ = await send(here, b"payload=" + b"x" * 10_000_000)

    assert status == 413


@pytest.mark.parametrize(
    "value",
    [
        "",
        "apr_",
        "qst_01KB9Q4V7M2T8R5XW3C6",
        "../../etc",
        "apr_" + "Z" * 26,
        "apr_1'; drop table",
        "\u202e",
        "x" * 2000,
    ],
)
async def test_a_button_with_an_edited_value_leads_nowhere(here, value) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)

    status, _ = await send(here, click(ids.APPROVE, value))

    assert status == 200
    assert (await here.read(asked["id"]))["state"] == "pending"
    notes = await here.slack.wait_for(lambda _: here.slack.person(ANA).ephemerals(DEPLOYS))
    assert "not here any more" in plain(notes[0])


@pytest.mark.parametrize(
    "changes",
    [
        {"team": {"id": "T0STRANGE1"}},
        {"user": {"id": ANA, "team_id": "T0STRANGE1"}},
        {"user": {"id": ANA.lower(), "team_id": TEAM["id"]}},
        {"team": None, "user": {"id": CHIDI}},
        {"user": {}},
        {"actions": []},
        {"actions": [None]},
        {"actions": [{}]},
        {"container": None, "channel": None},
    ],
)
async def test_a_click_from_elsewhere_or_out_of_shape_decides_nothing(here, changes) -> None:
    asked = await here.ask(approvers={"users": [ANA]})
    await here.card(DEPLOYS)
    raw = click(ids.APPROVE, asked["id"], **changes)

    status, _ = await send(here, raw)

    assert status == 200
    if changes != {"container": None, "channel": None}:
        assert (await here.read(asked["id"]))["state"] == "pending"


async def test_a_retired_button_says_so(here) -> None:
    status, _ = await send(here, click("hitl.approve", "apr_1"))

    assert status == 200
    notes = await here.slack.wait_for(lambda _: here.slack.person(ANA).ephemerals(DEPLOYS))
    assert "no longer in use" in plain(notes[0])


async def test_a_foreign_response_url_is_never_called(here) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)
    raw = click(ids.APPROVE, "apr_1", response_url="http://169.254.169.254/latest")

    status, _ = await send(here, raw)

    assert status == 200
    await here.slack.wait_for(lambda _: here.slack.person(ANA).ephemerals(DEPLOYS))
    assert asked["state"] == "pending"


async def test_slacks_own_probes_are_answered(here) -> None:
    challenge = json.dumps({"type": "url_verification", "challenge": "c0ffee"}).encode()

    assert (await send(here, b"ssl_check=1&token=x"))[0] == 200
    status, text = await send(here, challenge, content_type="application/json")
    assert (status, json.loads(text)) == (200, {"challenge": "c0ffee"})


async def test_unknown_kinds_of_requests_are_acknowledged(here) -> None:
    for body in (
        {"type": "event_callback", "event": {"type": "pin_added"}, "team_id": TEAM["id"]},
        {"type": "brand_new"},
    ):
        status, _ = await send(here, json.dumps(body).encode(), content_type="application/json")
        assert status == 200
