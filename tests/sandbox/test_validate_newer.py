"""Blocks and elements of the newer kind, each at its limits and one step past them."""

import pytest
from kit import actions, button, header, home, input_block, modal, mrkdwn, option, plain, rich, section, text_input

from sandbox import seed
from sandbox.entries import Impossible
from sandbox.validate import check

IMAGE = {"type": "image", "image_url": "https://a.example/x.png", "alt_text": "x"}
POINT = {"label": "a", "value": 1}
AXES = {"categories": ["a"]}


def raw(text="x"):
    return {"type": "raw_text", "text": text}


def table(rows=1, columns=1, **fields):
    return {"type": "table", "rows": [[raw()] * columns] * rows, **fields}


def data_table(rows=2, columns=1, **fields):
    return {"type": "data_table", "caption": "c", "rows": [[raw()] * columns] * rows, **fields}


def chart(**fields):
    return {"type": "data_visualization", "title": "t", "chart": {"type": "line", "axis_config": AXES, **fields}}


def pie(*segments):
    return {"type": "data_visualization", "title": "t", "chart": {"type": "pie", "segments": list(segments)}}


def card(**fields):
    return {"type": "card", "title": mrkdwn(), **fields}


def container(*blocks, **fields):
    return {"type": "container", "title": plain(), "child_blocks": list(blocks) or [section()], **fields}


def task(task_id="t", **fields):
    return {"type": "task_card", "task_id": task_id, "title": "x", "status": "complete", **fields}


def plan(*tasks):
    return {"type": "plan", "title": "p", "tasks": list(tasks)}


def feedback(**fields):
    one = {"text": plain(), "value": "v"}
    return {"type": "feedback_buttons", "action_id": "f", "positive_button": one, "negative_button": one, **fields}


def icon(**fields):
    return {"type": "icon_button", "action_id": "i", "icon": "trash", "text": plain(), **fields}


def context_actions(*elements):
    return {"type": "context_actions", "elements": list(elements)}


def video(**fields):
    made = {"type": "video", "alt_text": "a", "title": plain(), "thumbnail_url": "https://a.example/t.png"}
    return {**made, "video_url": "https://a.example/v", **fields}


def workflow(**fields):
    return {
        "type": "workflow_button",
        "action_id": "w",
        "text": plain(),
        "workflow": {"trigger": {"url": "https://slack.com/shortcuts/Ft1/x"}},
        **fields,
    }


def series(name="s", *labels):
    return {"name": name, "data": [{"label": label, "value": 1} for label in labels or ["a"]]}


BAD = {
    "a table of 101 rows": (table(101), "no more than 100 items allowed", "/0/rows"),
    "a table without rows": (table(0), "no less than 1 items allowed", "/0/rows"),
    "a table of 21 columns": (table(1, 21), "no more than 20 items allowed", "/0/rows/0"),
    "21 column settings": (table(column_settings=[{}] * 21), "no more than 20 items allowed", "/0/column_settings"),
    "an empty cell": ({"type": "table", "rows": [[raw("")]]}, "must be more than 0 characters", "/0/rows/0/0/text"),
    "a null cell": ({"type": "table", "rows": [[None]]}, "must provide an object", "/0/rows/0/0"),
    "a cell of mrkdwn": ({"type": "table", "rows": [[mrkdwn()]]}, "unsupported type: mrkdwn", "/0/rows/0/0/type"),
    "a column on the far side": (
        table(column_settings=[{"align": "far"}]),
        "must be a valid enum value",
        "/0/column_settings/0/align",
    ),
    "a data table without body": (data_table(1), "no less than 2 items allowed", "/0/rows"),
    "a data table of 102 rows": (data_table(102), "no more than 101 items allowed", "/0/rows"),
    "a data table without caption": (
        {"type": "data_table", "rows": [[raw()], [raw()]]},
        "missing required field: caption",
        "/0",
    ),
    "rows of two lengths": (
        {**data_table(), "rows": [[raw()], [raw(), raw()]]},
        "all rows must have the same number of cells",
        "/0/rows/1",
    ),
    "a rich header": (
        {**data_table(), "rows": [[rich({"type": "text", "text": "x"})], [raw()]]},
        "unsupported type: rich_text",
        "/0/rows/0/0/type",
    ),
    "a page of 101": (data_table(page_size=101), "must be less than 101", "/0/page_size"),
    "a header column that is not there": (
        data_table(row_header_column_index=1),
        "must be less than 1",
        "/0/row_header_column_index",
    ),
    "a data table of 20,001 characters": (
        {**data_table(), "rows": [[raw("x" * 10_001)], [raw("x" * 10_000)]]},
        "must be less than 20001 characters",
        "/0/rows",
    ),
    "a number that is text": (
        {**data_table(), "rows": [[raw()], [{"type": "raw_number", "value": "1", "text": "1"}]]},
        "must provide a number",
        "/0/rows/1/0/value",
    ),
    "13 segments": (
        pie(*[{"label": str(n), "value": 1} for n in range(13)]),
        "no more than 12 items allowed",
        "/0/chart/segments",
    ),
    "a segment of nothing": (
        pie({"label": "a", "value": 0}),
        "must be greater than 0",
        "/0/chart/segments/0/value",
    ),
    "a label of 21": (
        pie({"label": "x" * 21, "value": 1}),
        "must be less than 21 characters",
        "/0/chart/segments/0/label",
    ),
    "an unknown chart": (
        {**pie(), "chart": {"type": "scatter", "series": []}},
        "unsupported type: scatter",
        "/0/chart/type",
    ),
    "a point for no category": (
        chart(series=[series("s", "b")]),
        "must have one data point for each category",
        "/0/chart/series/0/data",
    ),
    "one series twice": (chart(series=[series(), series()]), "series names must be unique", "/0/chart/series"),
    "one category twice": (
        {**chart(series=[series("s", "a", "a")], axis_config={"categories": ["a", "a"]})},
        "categories must be unique",
        "/0/chart/axis_config/categories",
    ),
    "a chart title of 51": (
        {**pie(POINT), "title": "x" * 51},
        "must be less than 51 characters",
        "/0/title",
    ),
    "an empty card": (
        {"type": "card", "subtitle": plain()},
        "must define at least one of `hero_image`, `title`, `actions` or `body`",
        "/0",
    ),
    "a card with two icons": (
        card(icon=IMAGE, slack_icon={"type": "icon", "name": "rocket"}),
        "must define either `icon` or `slack_icon`",
        "/0/icon",
    ),
    "a card body of 201": (
        card(body=mrkdwn("x" * 201)),
        "must be less than 201 characters",
        "/0/body/text",
    ),
    "a card with 4 buttons": (
        card(actions=[button(str(n)) for n in range(4)]),
        "no more than 3 items allowed",
        "/0/actions",
    ),
    "one action_id twice in a card": (
        card(actions=[button("x"), button("x")]),
        '`action_id` "x" already exists',
        "/0/actions/1/action_id",
    ),
    "a select in a card": (
        card(actions=[{"type": "users_select"}]),
        "unsupported type: users_select",
        "/0/actions/0/type",
    ),
    "11 cards": ({"type": "carousel", "elements": [card()] * 11}, "no more than 10 items allowed", "/0/elements"),
    "a section in a carousel": (
        {"type": "carousel", "elements": [section()]},
        "unsupported type: section",
        "/0/elements/0/type",
    ),
    "one block_id twice, once in a carousel": (
        {"type": "carousel", "block_id": "b", "elements": [card(block_id="b")]},
        '`block_id` "b" already exists',
        "/0/elements/0/block_id",
    ),
    "a container in a container": (
        container(container()),
        "unsupported type: container",
        "/0/child_blocks/0/type",
    ),
    "a container without title": (
        {"type": "container", "child_blocks": [section()]},
        "must define either `title` or `rich_text_title`",
        "/0/type",
    ),
    "a container of 11": (container(*[section()] * 11), "no more than 10 items allowed", "/0/child_blocks"),
    "a container that starts closed and cannot be opened": (
        container(default_collapsed=True),
        "`default_collapsed` needs `is_collapsible`",
        "/0/default_collapsed",
    ),
    "a pending task on its own": (task(status="pending"), "must be a valid enum value", "/0/status"),
    "a task without status": (
        {"type": "task_card", "task_id": "t", "title": "x"},
        "missing required field: status",
        "/0",
    ),
    "one task twice": (plan(task(), task()), '`task_id` "t" already exists', "/0/tasks/1/task_id"),
    "51 tasks": (plan(*[task(str(n)) for n in range(51)]), "no more than 50 items allowed", "/0/tasks"),
    "six context actions": (
        context_actions(*[icon(action_id=str(n)) for n in range(6)]),
        "no more than 5 items allowed",
        "/0/elements",
    ),
    "a button in context actions": (context_actions(button()), "unsupported type: button", "/0/elements/0/type"),
    "an icon button in actions": (actions(icon()), "unsupported type: icon_button", "/0/elements/0/type"),
    "another icon": (context_actions(icon(icon="bell")), "must be a valid enum value", "/0/elements/0/icon"),
    "feedback without a value": (
        context_actions(feedback(negative_button={"text": plain()})),
        "missing required field: value",
        "/0/elements/0/negative_button",
    ),
    "a video title of 200": (video(title=plain("x" * 200)), "must be less than 200 characters", "/0/title/text"),
    "a video over http": (video(video_url="http://a.example/v"), "must be a valid URL", "/0/video_url"),
    "an author of 50": (video(author_name="x" * 50), "must be less than 50 characters", "/0/author_name"),
    "a workflow button without action_id": (
        actions({key: value for key, value in workflow().items() if key != "action_id"}),
        "missing required field: action_id",
        "/0/elements/0",
    ),
    "a workflow without trigger": (
        actions(workflow(workflow={})),
        "missing required field: trigger",
        "/0/elements/0/workflow",
    ),
    "an image on this machine": (
        {**IMAGE, "image_url": "http://127.0.0.1/x.png"},
        "downloading image failed",
        "/0/image_url",
    ),
    "an image in a file that is none": (
        {"type": "image", "alt_text": "x", "slack_file": {"id": "x"}},
        "invalid slack file",
        "/0/slack_file/id",
    ),
    "a filter that filters nothing": (
        actions({"type": "conversations_select", "filter": {}}),
        "must define at least one filter",
        "/0/elements/0/filter",
    ),
    "a day that does not exist": (
        actions({"type": "datepicker", "initial_date": "2026-02-30"}),
        "must be a valid date",
        "/0/elements/0/initial_date",
    ),
}


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_slack_refuses(case):
    value, message, pointer = case
    problem = check.blocks([value])[0]
    assert (problem.message, problem.pointer) == (message, pointer)


GOOD = {
    "a full table": table(100, 20, column_settings=[{"align": "right", "is_wrapped": True}] * 20),
    "a full data table": data_table(101, 20, page_size=100, row_header_column_index=19),
    "a pie": pie({"label": "x" * 20, "value": 0.5}),
    "a line": chart(series=[series("s", "a"), series("t", "a")]),
    "a card with everything": card(
        hero_image=IMAGE,
        icon=IMAGE,
        subtitle=plain("x" * 150),
        body=mrkdwn("x" * 200),
        subtext=plain(),
        actions=[button("a"), button("b"), button("c")],
    ),
    "a carousel": {"type": "carousel", "elements": [card()] * 10},
    "a container": container(
        header(), table(), rich({"type": "text", "text": "x"}), is_collapsible=True, default_collapsed=True
    ),
    "a plan with a task that waits": plan(task(status="pending"), task("u")),
    "a task": task(sources=[{"type": "url", "url": "https://a.example", "text": "x"}]),
    "context actions": context_actions(feedback(), icon()),
    "a video": video(),
    "a workflow button": actions(workflow(style="primary")),
}


@pytest.mark.parametrize("value", GOOD.values(), ids=GOOD)
def test_slack_takes(value):
    assert check.blocks([value]) == []


ELSEWHERE = {
    "modal": [table(), data_table(), pie(POINT), {"type": "carousel", "elements": [card()]}, container(), task()],
    "home": [task(), plan(), context_actions(icon()), {"type": "markdown", "text": "x"}, {"type": "alert"}],
    "message": [{"type": "alert", "text": plain()}, {"type": "file", "external_id": "x", "source": "remote"}],
}


@pytest.mark.parametrize(
    ("surface", "value"),
    [(surface, value) for surface, values in ELSEWHERE.items() for value in values],
    ids=lambda part: part if isinstance(part, str) else part["type"],
)
def test_blocks_are_refused_where_slack_does_not_draw_them(surface, value):
    problem = check.blocks([value], surface=surface)[0]
    assert (problem.message, problem.pointer) == (f"unsupported type: {value['type']}", "/0/type")


def test_a_message_has_at_most_one_table_and_two_charts():
    found = check.blocks([table(), container(table())])
    assert [(p.message, p.pointer) for p in found] == [("only one table allowed", "/1/child_blocks/0")]
    found = check.blocks([pie(POINT)] * 3)
    assert [(p.message, p.pointer) for p in found] == [("no more than 2 items allowed", "/2")]
    assert check.view(home(table(), table())) == []


@pytest.mark.parametrize(
    ("fields", "message", "name"),
    [
        ({"min_value": "2", "max_value": "1"}, "`min_value` must not be greater than `max_value`", "min_value"),
        ({"initial_value": "9", "max_value": "8"}, "must be between `min_value` and `max_value`", "initial_value"),
        ({"initial_value": "1.5"}, "must be an integer", "initial_value"),
        ({"initial_value": 1}, "must provide a string", "initial_value"),
    ],
)
def test_the_bounds_of_a_number_are_checked(fields, message, name):
    element = {"type": "number_input", "is_decimal_allowed": False, **fields}
    problem = check.view(modal(input_block(element), submit=plain()))[0]
    assert (problem.message, problem.pointer) == (message, f"/blocks/0/element/{name}")


def test_an_input_in_a_container_is_found():
    inside = container(input_block(text_input(focus_on_load=True)), input_block(text_input(focus_on_load=True)))
    assert check.view(home(inside))[0].message == "only one element can have `focus_on_load` set to true"
    assert check.blocks([actions({"type": "overflow", "options": [option()]})]) == []


async def test_elements_in_cards_containers_and_context_actions_can_be_used(slack, web, app):
    blocks = [
        {"type": "carousel", "elements": [card(actions=[button("in-card", value="1")])]},
        container(actions(button("in-container", value="2"))),
        context_actions(feedback(), icon(value="3")),
    ]
    ts = (await web.chat_postMessage(channel=seed.DEPLOYS, text="t", blocks=blocks))["ts"]
    ana = slack.person(seed.ANA)
    for action_id, value in (("in-card", "1"), ("in-container", "2"), ("f", "v"), ("i", "3")):
        assert (await ana.click(seed.DEPLOYS, ts, action_id, value=value)).ok
        sent = app.got[-1].payload["actions"][0]
        assert (sent["action_id"], sent["value"], bool(sent["block_id"])) == (action_id, value, True)
    with pytest.raises(Impossible):
        await ana.click(seed.DEPLOYS, ts, "f", value="neither")
