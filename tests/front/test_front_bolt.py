"""What Bolt is kept from: answering twice, quoting bodies, taking settings from the environment, calling Slack."""

import ast
import inspect
import io
import json
import logging
import os
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.log import configure_logging
from bot.slack import app as bolt_app
from bot.slack import payloads
from bot.slack.app import OneAck, SlackApp
from bot.slack.authorize import authorize_from
from tests.front.stage import ANA, FORM, OLD_SECRET, TEAM, click, command, submission

EVENT = {"type": "event_callback", "team_id": TEAM, "event": {"type": "app_home_opened", "user": ANA}}
CLOSED = {**submission("apr_1"), "type": "view_closed"}
SHORTCUT = {"type": "shortcut", "callback_id": "any", "team": {"id": TEAM}, "user": {"id": ANA}}


async def test_a_request_is_acknowledged_once() -> None:
    ack = OneAck()
    await ack()

    with pytest.raises(RuntimeError, match="once"):
        await ack("again")


def test_a_listener_ends_with_its_acknowledgement() -> None:
    tree = ast.parse(inspect.getsource(bolt_app))
    listeners = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef) and "ack" in [argument.arg for argument in node.args.args]
    ]

    assert len(listeners) == 6
    for listener in listeners:
        calls = [node for node in ast.walk(listener) if isinstance(node, ast.Call) and ast.unparse(node.func) == "ack"]
        last = listener.body[-1]
        assert all(call in ast.walk(last) for call in calls), listener.name
        assert calls, listener.name


@pytest.mark.parametrize("body", [click("apr_1"), submission("apr_1"), CLOSED, command(), EVENT, SHORTCUT])
async def test_exactly_one_listener_is_for_each_kind_of_request(stage, body) -> None:
    request = AsyncBoltRequest(body=body, mode="socket_mode")
    stage.app._bolt._init_context(request)

    matching = [
        listener
        for listener in stage.app._bolt._async_listeners
        if await listener.async_matches(req=request, resp=BoltResponse(status=200))
    ]

    assert len(matching) == 1


async def test_clicks_call_nothing_of_slacks_before_they_are_answered(stage) -> None:
    stage.slack.faults.add("*", delay=60)
    asked = [await stage.asked() for _ in range(3)]

    replies = [await stage.post(click(id)) for id in asked]

    assert [reply.status for reply in replies] == [200, 200, 200]
    assert [await stage.state(id) for id in asked] == ["approved"] * 3
    assert stage.slack.calls == []


async def test_bolt_is_built_without_the_settings_that_it_finds_in_the_environment(stage, tmp_path) -> None:
    given = {"SLACK_CLIENT_ID": "1.2", "SLACK_CLIENT_SECRET": "s", "SLACK_BOT_TOKEN": "xoxb-other"}
    before = dict(os.environ)
    os.environ.update(given)
    try:
        app = SlackApp(desk=stage.app._desk, tenants=stage.app._tenants, token=stage.slack.bot_token)
        kept = {name: os.environ[name] for name in given}
    finally:
        os.environ.clear()
        os.environ.update(before)
    asked = await stage.asked()

    assert app._bolt.oauth_flow is None
    assert app._bolt.installation_store is None
    assert kept == given
    assert await app.handle(click(asked), stage.parts.clock.now()) is None
    assert await stage.state(asked) == "approved"


async def test_bolt_is_told_who_we_are_also_while_the_database_is_away(stage) -> None:
    authorize = authorize_from(stage.app._tenants, token="xoxb-1")
    stage.store.away = {"find_installation_of_team"}
    away = await authorize(enterprise_id=None, team_id=TEAM, user_id=ANA)
    stage.store.away = set()
    back = await authorize(enterprise_id=None, team_id=TEAM, user_id=ANA)

    assert (away.bot_token, back.bot_token) == (None, "xoxb-1")


SECRET_WORDS = "the-launch-code-is-4711"
QUIET = [
    {"type": "dialog_submission", "callback_id": "x", "submission": {"reason": SECRET_WORDS}, "team": {"id": TEAM}},
    {"type": "interactive_message", "callback_id": "x", "actions": [{"name": SECRET_WORDS, "value": SECRET_WORDS}]},
    {"type": "block_suggestion", "action_id": "x", "value": SECRET_WORDS, "team": {"id": TEAM}, "user": {"id": ANA}},
    {"type": "event_callback", "event": SECRET_WORDS, "team_id": TEAM},
    {"type": "event_callback", "event": {"text": SECRET_WORDS}, "team_id": TEAM},
    {"type": "view_submission", "view": {"callback_id": SECRET_WORDS, "state": {"values": SECRET_WORDS}}},
    {"type": "message_action", "message": {"text": SECRET_WORDS}, "team": {"id": TEAM}, "user": {"id": ANA}},
    {"type": SECRET_WORDS[:8], "words": SECRET_WORDS},
    {**click("apr_1"), "authorizations": SECRET_WORDS},
]


@pytest.fixture
def everything_logged():
    """All lines of the process, at DEBUG."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    configure_logging("DEBUG")
    text = io.StringIO()
    handler = root.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(text)
    yield text
    root.handlers[:], root.level = before


@pytest.mark.parametrize("body", QUIET, ids=lambda body: str(body["type"]))
async def test_nothing_of_a_request_that_nobody_handles_is_logged(everything_logged, stage, body) -> None:
    reply = await stage.post(body)

    assert reply.status == 200
    assert SECRET_WORDS not in everything_logged.getvalue()
    assert everything_logged.getvalue()


async def test_nothing_of_a_request_that_nobody_signed_is_logged(everything_logged, stage) -> None:
    reply = await stage.send(b"payload=" + SECRET_WORDS.encode(), secret="a-stranger")

    assert reply.status == 401
    assert "signature_refused" in everything_logged.getvalue()
    assert SECRET_WORDS not in everything_logged.getvalue()


async def test_both_signing_secrets_are_taken_while_one_is_replaced(stage) -> None:
    raw = urlencode(command()).encode()

    statuses = [(await stage.send(raw, secret=secret)).status for secret in (None, OLD_SECRET, "a-third")]

    assert statuses == [200, 200, 401]


async def test_a_command_with_the_word_payload_in_it_is_a_command(stage) -> None:
    reply = await stage.send(urlencode(command(text="payload size")).encode(), content_type=FORM)

    assert reply.status == 200
    assert reply.json["response_type"] == "ephemeral"


ODD = st.one_of(
    st.none(),
    st.just("x"),
    st.just(7),
    st.just([]),
    st.just([None]),
    st.just({}),
    st.just({"type": "x"}),
    st.just({"id": 7}),
    st.just([{"type": "button"}]),
)
PLACES = [
    "authorizations", "event", "response_urls", "function_data", "bot_access_token", "team", "enterprise", "user",
    "response_url", "trigger_id", "type", "api_app_id", "view", "actions", "container", "channel", "message", "state",
    "is_enterprise_install", "team_id", "user_id", "event_context", "interactivity", "command", "callback_id",
]  # fmt: skip
#: Any of these gone or odd, and nobody knows who clicked, or what.
VITAL = ({"user", "actions", "type"}, {"user", "view", "type"})


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(base=st.integers(0, 4), changes=st.dictionaries(st.sampled_from(PLACES), ODD, min_size=1, max_size=3))
async def test_bodies_of_any_shape_are_a_200_and_decide_only_what_they_name(stage, base, changes) -> None:
    asked = await stage.asked()
    body = {**(click(asked), submission(asked), CLOSED, EVENT, command())[base], **changes}

    answer = await stage.app.handle(body, stage.parts.clock.now())

    assert answer is None or isinstance(json.loads(json.dumps(answer)), dict)
    if base > 1 or VITAL[base] & changes.keys():
        assert await stage.state(asked) == "pending"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("odd", ["x", 7, [], [None], {}, None], ids=repr)
async def test_a_click_with_one_odd_field_is_a_200(stage, place, odd) -> None:
    reply = await stage.post(click("apr_1", **{place: odd}))

    assert reply.status == 200


@pytest.mark.parametrize("kind", ["view_submission", "view_closed"])
def test_a_view_without_a_type_never_reaches_the_matchers_that_raise_for_it(kind) -> None:
    view = {"callback_id": "so.form", "private_metadata": "", "state": {"values": {}}}

    assert not payloads.is_sound({"type": kind, "view": view})
    assert payloads.is_sound({"type": kind, "view": {**view, "type": "modal"}})
