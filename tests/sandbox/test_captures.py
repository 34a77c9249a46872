"""Captured from real workspaces and from other projects' tests: what fits is accepted, and what we send looks the same.

The files lie under tests/captures with the licences of where they come from; those in `requests` are for the bot.
"""

import json
from pathlib import Path

import pytest
from kit import actions, button, input_block, modal, plain, section

from sandbox import seed
from sandbox.validate import check

TOP = Path(__file__).parents[1] / "captures"
FILES = sorted(path for path in TOP.rglob("*.json") if path.relative_to(TOP).parts[0] != "requests")
# What Slack adds to a view when it tells of it; nobody sends that.
TOLD = {
    "id",
    "team_id",
    "state",
    "hash",
    "root_view_id",
    "previous_view_id",
    "app_id",
    "bot_id",
    "app_installed_team_id",
}
# A Home is told with a modal's switches.
TOLD_OF_HOME = {"clear_on_close", "notify_on_close"}

# Captures that hold, on purpose or by a slip, what cannot be sent: where, and our word for it.
REFUSED = {
    "blocks.json": [("/8/type", "unsupported type: file")],
    "context_actions_block.json": [("/5/elements/0/type", "unsupported type: unknown_element_type")],
    "data_table_block.json": [
        ("/3/rows/1/0/type", "unsupported type: future_slack_cell_type"),
        ("/4", "missing required field: caption"),
        ("/5", "missing required field: caption"),
        ("/5/rows/0/1", "must provide an object"),
        ("/5/rows/1/1", "must provide an object"),
    ],
    "rich_text_blocks.json": [("/10/elements/0/elements/0/type", "unsupported type: message_mention")],
    "table_block.json": [
        ("/4/rows/0/0/type", "unsupported type: future_slack_cell_type"),
        ("/5/rows/0/1", "must provide an object"),
    ],
    "view_payloads.json": [("/blocks/1/elements/1/action_id", '`action_id` "button_abc" already exists')],
    "block_alert_test__payload.json": [("/0/type", "unsupported type: alert")],
    "block_alert_test__payload_2.json": [("/0/type", "unsupported type: alert")],
    "block_data_table_test__payload_3.json": [("/0/rows/1/0/type", "unsupported type: mystery_cell")],
    "block_data_visualization_test__payload_2.json": [("/2", "no more than 2 items allowed")],
    "block_data_visualization_test__payload_3.json": [("/0/chart/type", "unsupported type: scatter")],
    "block_rich_text_test__richTextQuotePayload.json": [
        ("/0/elements/1/border", "must be a valid enum value"),
        ("/0/elements/4/border", "must be a valid enum value"),
    ],
    "block_table_test__payload.json": [("/0/rows/2/1", "must provide an object")],
    "block_unknown_test__input.json": [("/0/type", "unsupported type: some_future_block")],
    "scenario_tests__test_view_submission__response_url_payload_body.json": [
        ("/blocks", "no less than 1 items allowed")
    ],
}


def capture(name):
    (path,) = [path for path in FILES if path.name == name]
    return json.loads(path.read_text("utf-8"))


def found_in(value):
    """Every view and every list of blocks in a capture."""
    if isinstance(value, dict):
        if value.get("type") in ("modal", "home") and "blocks" in value:
            drop = TOLD | (TOLD_OF_HOME if value["type"] == "home" else set())
            yield "view", {name: part for name, part in value.items() if name not in drop and part is not None}
        elif isinstance(value.get("blocks"), list):
            yield "blocks", value["blocks"]
        for part in value.values():
            yield from found_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from found_in(part)


def payloads(path):
    value = json.loads(path.read_text("utf-8"))
    if path.name.startswith("block_") or path.parts[-3:-1] == ("test", "resources"):
        first = value[0] if isinstance(value, list) else value
        if first.get("type") not in ("modal", "home") and "view" not in first:
            return [("blocks", value if isinstance(value, list) else [value])]
    return list(found_in(value))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_captured_view_or_message_is_accepted(path):
    problems = [
        (problem.pointer, problem.message)
        for kind, value in payloads(path)
        for problem in (check.view(value) if kind == "view" else check.blocks(value))
    ]
    assert problems == REFUSED.get(path.name, [])


def test_most_captures_hold_something_to_judge():
    assert sum(len(payloads(path)) > 0 for path in FILES) >= 60


def test_an_alert_is_accepted_where_it_belongs():
    alert = capture("block_alert_test__payload.json")
    assert check.view(modal(alert)) == []


def test_every_folder_of_captures_has_its_licence():
    folders = {path.relative_to(TOP).parts[0] for path in FILES}
    assert all(list((TOP / name).glob("LICENSE*")) for name in folders)


def shape(value):
    """Names inside names, whatever the values; lists by what stands in them."""
    if isinstance(value, dict):
        return {name: shape(part) for name, part in value.items()}
    return [shape(part) for part in value[:1]] if isinstance(value, list) else None


def missing(wanted, given, at=""):
    """Where a capture names something that we do not send."""
    if isinstance(wanted, dict):
        if not isinstance(given, dict):
            return [at] if given is not None or wanted else []
        gone = [f"{at}/{name}" for name in wanted if name not in given]
        return gone + [
            line for name in wanted if name in given for line in missing(wanted[name], given[name], f"{at}/{name}")
        ]
    return []


async def test_what_we_send_has_every_field_of_the_captured_payloads(slack, web, app):
    ana = slack.person(seed.ANA)
    posted = await web.chat_postEphemeral(
        channel=seed.DEPLOYS, user=seed.ANA, text="t", blocks=[actions(button(value="v"))]
    )
    await ana.click(seed.DEPLOYS, posted["message_ts"], "go")
    clicked = app.got[-1].payload
    search = {"type": "external_select", "action_id": "search", "min_query_length": 0}
    view = modal(section(), input_block(search, optional=True), submit=plain(), close=plain(), notify_on_close=True)
    await web.views_open(trigger_id=clicked["trigger_id"], view=view)
    await ana.options("search", query="x")
    asked = app.got[-1].payload
    app.replies({"response_action": "errors", "errors": {"none": "x"}})
    await ana.submit()
    submitted = app.got[-1].payload
    await ana.close()
    closed = app.got[-1].payload
    await ana.command(seed.DEPLOYS, "/pending", "x")
    command = app.got[-1].payload

    enterprise = {"/team/enterprise_id", "/team/enterprise_name"}
    for name, sent in {
        "scenario_tests__test_block_actions__body.json": clicked,
        "scenario_tests__test_block_suggestion__body.json": asked,
        "scenario_tests__test_view_submission__body.json": submitted,
        "scenario_tests__test_view_closed__body.json": closed,
        "slack_bolt__request__test_payload_utils__slash_command_body.json": command,
    }.items():
        wanted = capture(name)
        wanted.pop("response_urls", None)
        wanted.get("view", {}).pop("state", None)
        assert set(missing(shape(wanted), sent)) - enterprise == set(), name


async def test_a_modal_that_asks_for_it_gets_addresses_to_answer_to(slack, web, app):
    ana = slack.person(seed.ANA)
    await ana.command(seed.DEPLOYS, "/pending")
    place = {"type": "conversations_select", "action_id": "where", "response_url_enabled": True}
    view = modal(input_block(place, block_id="b"), submit=plain())
    await web.views_open(trigger_id=app.got[-1].payload["trigger_id"], view=view)
    await ana.submit(state={"b": {"where": seed.REPORTS}})
    (address,) = app.got[-1].payload["response_urls"]
    wanted = capture("scenario_tests__test_view_submission__response_url_payload_body.json")["response_urls"][0]
    assert set(address) == set(wanted)
    assert (address["block_id"], address["action_id"], address["channel_id"]) == ("b", "where", seed.REPORTS)
