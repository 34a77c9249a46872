"""What Slack refuses in rich text and in views."""

import pytest
from kit import actions, button, home, input_block, modal, plain, rich, section, select, text_input

from sandbox.validate import check


def in_text(*pieces):
    problems = check.blocks([rich(*pieces)])
    return (problems[0].message, problems[0].pointer.removeprefix("/0/elements/0/elements")) if problems else None


def in_block(*parts):
    problems = check.blocks([{"type": "rich_text", "elements": list(parts)}])
    return (problems[0].message, problems[0].pointer.removeprefix("/0/elements")) if problems else None


def in_view(view):
    problems = check.view(view)
    return (problems[0].message, problems[0].pointer) if problems else None


TEXT = {"type": "text", "text": "x"}
DATE = {"type": "date", "timestamp": 1796047320, "format": "{date_short_pretty} at {time}", "fallback": "then"}

BAD_PIECES = {
    "no text": ({"type": "text"}, "missing required field: text", "/0"),
    "an empty text": ({"type": "text", "text": ""}, "must be more than 0 characters", "/0/text"),
    "an unknown piece": ({"type": "mrkdwn", "text": "x"}, "unsupported type: mrkdwn", "/0/type"),
    "an unknown key": ({**TEXT, "bold": True}, "invalid additional property: bold", "/0"),
    "an unknown style": ({**TEXT, "style": {"blink": True}}, "invalid additional property: blink", "/0/style"),
    "a style that is a word": ({**TEXT, "style": "bold"}, "must provide an object", "/0/style"),
    "a style that is a number": ({**TEXT, "style": {"bold": 1}}, "must provide a boolean", "/0/style/bold"),
    "code on a mention": (
        {"type": "user", "user_id": "U07ANA4K2QX", "style": {"code": True}},
        "invalid additional property: code",
        "/0/style",
    ),
    "a null style": ({**TEXT, "style": None}, "must provide an object", "/0/style"),
    "a person without id": ({"type": "user"}, "missing required field: user_id", "/0"),
    "a person by name": ({"type": "user", "user_id": "ana"}, "must be a valid user id", "/0/user_id"),
    "a person's id under id": ({"type": "user", "id": "U07ANA4K2QX"}, "missing required field: user_id", "/0"),
    "a group by handle": (
        {"type": "usergroup", "usergroup_id": "@leads"},
        "must be a valid usergroup id",
        "/0/usergroup_id",
    ),
    "a channel by name": ({"type": "channel", "channel_id": "#deploys"}, "must be a valid channel id", "/0/channel_id"),
    "a link without url": ({"type": "link", "text": "x"}, "missing required field: url", "/0"),
    "a link to nowhere": ({"type": "link", "url": "x"}, "must be a valid URL", "/0/url"),
    "a link with empty text": (
        {"type": "link", "url": "https://a.example", "text": ""},
        "must be more than 0 characters",
        "/0/text",
    ),
    "an emoji in colons": ({"type": "emoji", "name": ":wave:"}, "must be a valid emoji name", "/0/name"),
    "an emoji itself": ({"type": "emoji", "name": "🟡"}, "must be a valid emoji name", "/0/name"),
    "a date as text": ({**DATE, "timestamp": "1796047320"}, "must provide an integer", "/0/timestamp"),
    "a date with fractions": ({**DATE, "timestamp": 1796047320.5}, "must provide an integer", "/0/timestamp"),
    "a date without format": ({k: v for k, v in DATE.items() if k != "format"}, "missing required field: format", "/0"),
    "a date of no known part": ({**DATE, "format": "{weekday}"}, "must be a valid date format", "/0/format"),
    "a date without parts": ({**DATE, "format": "today"}, "must be a valid date format", "/0/format"),
    "an unknown broadcast": ({"type": "broadcast", "range": "all"}, "must be a valid enum value", "/0/range"),
    "a colour by name": ({"type": "color", "value": "crimson"}, "must be a valid color", "/0/value"),
}


@pytest.mark.parametrize("case", BAD_PIECES.values(), ids=BAD_PIECES)
def test_slack_refuses_the_piece(case):
    piece, message, pointer = case
    assert in_text(piece) == (message, pointer)


def test_slack_takes_all_pieces_that_cards_use():
    pieces = [
        {"type": "text", "text": "a", "style": {"bold": True, "italic": True, "strike": True, "code": False}},
        {"type": "link", "url": "https://a.example/x", "text": "x", "style": {"bold": True}},
        {"type": "emoji", "name": "large_yellow_circle"},
        {"type": "emoji", "name": "+1::skin-tone-3"},
        {"type": "user", "user_id": "U07ANA4K2QX"},
        {"type": "usergroup", "usergroup_id": "S07ONCALL01"},
        {"type": "channel", "channel_id": "C07DEPLOYS1"},
        {"type": "broadcast", "range": "here"},
        DATE,
    ]
    assert in_text(*pieces) is None


BAD_PARTS = {
    "no parts": ((), "no less than 1 items allowed", ""),
    "a bare text": ((TEXT,), "unsupported type: text", "/0/type"),
    "a list without style": (
        ({"type": "rich_text_list", "elements": [{"type": "rich_text_section", "elements": [TEXT]}]},),
        "missing required field: style",
        "/0",
    ),
    "a list of texts": (
        ({"type": "rich_text_list", "style": "bullet", "elements": [TEXT]},),
        "unsupported type: text",
        "/0/elements/0/type",
    ),
    "an empty list": (
        ({"type": "rich_text_list", "style": "bullet", "elements": []},),
        "no less than 1 items allowed",
        "/0/elements",
    ),
    "an indent of 9": (
        (
            {
                "type": "rich_text_list",
                "style": "ordered",
                "indent": 9,
                "elements": [{"type": "rich_text_section", "elements": []}],
            },
        ),
        "must be less than 9",
        "/0/indent",
    ),
    "a mention in code": (
        ({"type": "rich_text_preformatted", "elements": [{"type": "user", "user_id": "U07ANA4K2QX"}]},),
        "unsupported type: user",
        "/0/elements/0/type",
    ),
    "a border of true": (
        ({"type": "rich_text_preformatted", "elements": [TEXT], "border": True},),
        "must be a valid enum value",
        "/0/border",
    ),
    "a style on a quote": (
        ({"type": "rich_text_quote", "elements": [TEXT], "style": "bullet"},),
        "invalid additional property: style",
        "/0",
    ),
    "nothing said": (({"type": "rich_text_section", "elements": []},), "must be more than 0 characters", ""),
}


@pytest.mark.parametrize("case", BAD_PARTS.values(), ids=BAD_PARTS)
def test_slack_refuses_the_part(case):
    parts, message, pointer = case
    assert in_block(*parts) == (message, pointer)


BAD_VIEWS = {
    "a list": ([], "must provide an object", ""),
    "no type": ({"blocks": []}, "missing required field: type", ""),
    "an unknown type": ({"type": "dialog"}, "unsupported type: dialog", "/type"),
    "no title": ({"type": "modal", "blocks": []}, "missing required field: title", ""),
    "no blocks": ({"type": "modal", "title": plain()}, "missing required field: blocks", ""),
    "an empty title": (modal(title=plain("")), "must be more than 0 characters", "/title/text"),
    "a title of 25": (modal(title=plain("x" * 25)), "must be less than 25 characters", "/title/text"),
    "a submit of 25": (modal(submit=plain("x" * 25)), "must be less than 25 characters", "/submit/text"),
    "a null submit": (modal(submit=None), "must provide an object", "/submit"),
    "an input without submit": (
        modal(section(), section(), input_block()),
        "must define `submit` to use an `input` block in modals",
        "/blocks/2/input",
    ),
    "an empty list of blocks": (home() | {"blocks": []}, "no less than 1 items allowed", "/blocks"),
    "101 blocks": (modal(*[{"type": "divider"}] * 101), "no more than 100 items allowed", "/blocks"),
    "metadata of 3001": (modal(private_metadata="x" * 3001), "must be less than 3001 characters", "/private_metadata"),
    "a callback_id of 256": (modal(callback_id="x" * 256), "must be less than 256 characters", "/callback_id"),
    "an external_id of 256": (modal(external_id="x" * 256), "must be less than 256 characters", "/external_id"),
    "an unknown key": (modal(state={}), "invalid additional property: state", ""),
    "markdown": (modal({"type": "markdown", "text": "x"}), "unsupported type: markdown", "/blocks/0/type"),
    "two block_ids": (
        modal(section(block_id="b"), section(block_id="b")),
        '`block_id` "b" already exists',
        "/blocks/1/block_id",
    ),
    "two action_ids in a block": (
        modal(actions(button("x"), button("x"))),
        '`action_id` "x" already exists',
        "/blocks/0/elements/1/action_id",
    ),
    "two with focus": (
        modal(
            input_block(text_input("a", focus_on_load=True)),
            input_block(text_input("b", focus_on_load=True)),
            submit=plain(),
        ),
        "only one element can have `focus_on_load` set to true",
        "/blocks/1",
    ),
    "a title on Home": (home(title=plain()), "invalid additional property: title", ""),
    "an alert on Home": (home({"type": "alert", "text": plain()}), "unsupported type: alert", "/blocks/0/type"),
    "a number input on Home": (
        home(input_block({"type": "number_input", "is_decimal_allowed": False})),
        "unsupported type: number_input",
        "/blocks/0/element/type",
    ),
}


@pytest.mark.parametrize("case", BAD_VIEWS.values(), ids=BAD_VIEWS)
def test_slack_refuses_the_view(case):
    view, message, pointer = case
    assert in_view(view) == (message, pointer)


def test_slack_takes_a_full_modal_and_a_home_with_inputs():
    full = modal(
        input_block(select(), optional=True),
        {"type": "alert", "text": plain()},
        submit=plain("x" * 24),
        close=plain(),
        private_metadata="x" * 3000,
        notify_on_close=True,
    )
    assert in_view(full) is None
    assert in_view(home(input_block(dispatch_action=True))) is None
