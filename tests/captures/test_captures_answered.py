"""Every captured request, signed and sent to a running bot: answered in time, without a fault, and without a decision."""

import asyncio
import copy
import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
import structlog

from blocks import ids
from bot.slack.signature import sign
from sandbox.server import Sandbox
from sandbox.workspace import Workspace
from tests.captures.captures import Capture, broken, captures, of_kind
from tests.e2e.house import ANA, DEPLOYS, Place, at, place, plain

KINDS = sorted({capture.kind for capture in captures()})
TEAM = {"id": "T07ACME00", "domain": "acme"}
#: Slack gives three seconds; we give ourselves this.
IN_TIME = 2.5


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
async def by_socket(tmp_path):
    database = f"sqlite:///{tmp_path / 'signoff.db'}"
    async with (
        Sandbox() as slack,
        at(slack, database, SLACK_SIGNING_SECRET="", SLACK_APP_TOKEN=slack.app_token) as found,
    ):
        await slack.wait_for(lambda _: len(slack.sockets))
        yield found


async def send(here: Place, capture: Capture, *, secret: str | None = None) -> tuple[int, str, float]:
    """Status, body and seconds."""
    timestamp = str(int(here.slack.workspace.clock.now()))
    signature = sign(secret or here.slack.signing_secret, timestamp=timestamp, body=capture.raw)
    headers = {
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": signature,
        "Content-Type": capture.content_type,
    }
    loop = asyncio.get_running_loop()
    started = loop.time()
    async with here.session.post(here.slack.bot_url, data=io.BytesIO(capture.raw), headers=headers) as reply:
        text = await reply.text()
    return reply.status, text, loop.time() - started


async def enveloped(slack: Sandbox, envelope: dict[str, Any]) -> Any:
    """Send this very envelope over the socket; the payload of its acknowledgement."""
    connection = slack.sockets._open[0]
    acked: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    connection.waiting[envelope["envelope_id"]] = acked
    await connection.ws.send_json(envelope)
    async with asyncio.timeout(IN_TIME):
        return await acked


async def nothing_decided(here: Place, asked: dict[str, Any]) -> None:
    read = await here.read(asked["id"])
    assert (read["state"], read["votes"]) == ("pending", [])


def faults(logs: Iterable[Any]) -> list[Any]:
    return [line for line in logs if line["log_level"] in {"error", "critical"}]


async def refused(here: Place, sent: Iterable[Capture]) -> dict[str, tuple[int, str, float]]:
    """Those that were not answered as Slack wants it: 200 within the time, nothing or JSON."""
    found = {}
    for capture in sent:
        status, text, seconds = await send(here, capture)
        if status != 200 or seconds >= IN_TIME or (text and not isinstance(json.loads(text), dict)):
            found[f"{capture.name}"] = (status, text, seconds)
    return found


def test_the_captures_are_there() -> None:
    assert len(captures()) >= 280
    assert set(KINDS) == {
        *("block_actions", "view_submission", "view_closed", "block_suggestion", "slash_command"),
        *("shortcut", "message_action", "workflow_step_edit", "interactive_message"),
        *("dialog_submission", "dialog_cancellation", "dialog_suggestion"),
        *("event", "url_verification", "app_rate_limited"),
    }


@pytest.mark.parametrize("kind", KINDS)
async def test_every_capture_is_answered_and_decides_nothing(here, kind) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)

    with structlog.testing.capture_logs() as logs:
        found = await refused(here, of_kind(kind))

    assert found == {}
    assert faults(logs) == []
    await nothing_decided(here, asked)


async def test_a_challenge_is_given_back(here) -> None:
    for capture in of_kind("url_verification"):
        _, text, _ = await send(here, capture)
        assert json.loads(text) == {"challenge": capture.body["challenge"]}


async def test_a_capture_signed_with_another_secret_is_refused(here) -> None:
    statuses = {(await send(here, capture, secret="not-ours"))[0] for capture in captures()[::7]}

    assert statuses == {401}


async def test_a_capture_that_is_no_whole_json_is_refused(here) -> None:
    status, _, _ = await send(here, broken())

    assert status == 400


@pytest.mark.parametrize("verb", [ids.APPROVE, ids.DENY, ids.REVIEW, ids.WAKE])
async def test_captured_clicks_of_other_workspaces_with_our_ids_decide_nothing(here, verb) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)

    found = await refused(here, [armed(capture, verb, asked["id"]) for capture in of_kind("block_actions")])

    assert found == {}
    await nothing_decided(here, asked)


async def test_the_same_click_out_of_our_workspace_decides(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    click = next(capture for capture in of_kind("block_actions") if "channel" in capture.body)

    await send(here, at_home(armed(click, ids.DENY, asked["id"]), ts=card.ts))

    assert (await here.read(asked["id"], wait=5))["state"] == "denied"


@pytest.mark.parametrize("callback", sorted(ids.SUBMISSIONS))
async def test_captured_forms_of_other_workspaces_with_our_ids_decide_nothing(here, callback) -> None:
    asked = await here.ask()
    await here.card(DEPLOYS)
    forms = [filled(capture, callback, asked["id"]) for capture in of_kind("view_submission", "view_closed")]

    with structlog.testing.capture_logs() as logs:
        found = await refused(here, forms)

    assert found == {}
    assert faults(logs) == []
    await nothing_decided(here, asked)


async def test_who_clicked_on_a_button_that_is_not_ours_is_told(here) -> None:
    asked = await here.ask()
    card = await here.card(DEPLOYS)
    clicks = [at_home(capture, ts=card.ts) for capture in of_kind("block_actions") if "channel" in capture.body]
    assert len(clicks) >= 6

    assert await refused(here, clicks) == {}

    notes = await here.slack.wait_for(lambda ws: _all(ws, len(clicks)))
    assert {plain(note) for note in notes} == {plain(notes[0])}
    assert "no longer in use" in plain(notes[0])
    await nothing_decided(here, asked)


async def test_a_captured_command_with_our_name_is_answered(here) -> None:
    await here.ask()
    await here.card(DEPLOYS)
    # With `ssl_check` it is Slack's probe of the address, whatever else it holds.
    for capture in (capture for capture in of_kind("slash_command") if "ssl_check" not in capture.body):
        command = at_home(capture).body | {"command": "/pending", "text": "", "user_id": ANA, "channel_id": DEPLOYS}
        _, text, _ = await send(here, capture.changed(command))
        assert "1 waits for you" in text, capture.name


async def test_every_captured_envelope_is_acknowledged_over_the_socket(by_socket) -> None:
    asked = await by_socket.ask()
    await by_socket.card(DEPLOYS)
    envelopes = [capture.envelope for capture in captures() if capture.envelope is not None]
    assert len(envelopes) == 12

    with structlog.testing.capture_logs() as logs:
        for envelope in envelopes:
            await enveloped(by_socket.slack, envelope)

    assert faults(logs) == []
    await nothing_decided(by_socket, asked)


async def test_captures_are_acknowledged_over_the_socket_as_over_http(by_socket) -> None:
    asked = await by_socket.ask()
    await by_socket.card(DEPLOYS)
    heard = [capture for capture in captures() if capture.kind not in {"event", "url_verification"}]
    heard += of_kind("event")[::10]

    for number, capture in enumerate(heard):
        kinds = {"event": "events_api", "slash_command": "slash_commands"}
        kind = kinds.get(capture.kind, "interactive")
        await enveloped(by_socket.slack, {"envelope_id": f"sent-{number}", "type": kind, "payload": capture.body})

    await nothing_decided(by_socket, asked)


def _all(workspace: Workspace, count: int) -> list[Any] | None:
    notes = workspace.ephemerals(ANA, DEPLOYS)
    return notes if len(notes) >= count else None


def at_home(capture: Capture, *, ts: str | None = None) -> Capture:
    """As if Ana had sent it, in our workspace and from #deploys; addresses for answers are Slack's, so they go."""
    body = copy.deepcopy(capture.body)
    if capture.kind == "slash_command":
        return capture.changed({**body, "team_id": TEAM["id"], "response_url": ""})
    body |= {"team": TEAM, "enterprise": None, "channel": {"id": DEPLOYS, "name": "deploys"}}
    body["user"] |= {"id": ANA, "team_id": TEAM["id"]}
    body.pop("response_url", None)
    for part, key in (("container", "message_ts"), ("message", "ts")):
        if isinstance(body.get(part), dict) and ts is not None:
            body[part] |= {key: ts, **({"channel_id": DEPLOYS} if part == "container" else {})}
    return capture.changed(body)


def armed(capture: Capture, verb: str, id: str) -> Capture:
    """With an action of ours that points at what waits, and all else as it came."""
    body = copy.deepcopy(capture.body)
    body["actions"] = [
        {**action, "action_id": verb, "type": "button", "value": id, "selected_option": None}
        for action in body["actions"]
    ]
    return capture.changed(body)


def filled(capture: Capture, callback: str, id: str) -> Capture:
    body = copy.deepcopy(capture.body)
    body["view"] |= {"callback_id": callback, "private_metadata": ids.encode_metadata(id, ids.Where())}
    return capture.changed(body)
