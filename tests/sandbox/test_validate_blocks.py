"""What Slack refuses in a message's blocks: a table of bad payloads, each with the one sentence Slack says."""

import pytest
from kit import (
    actions,
    boxes,
    button,
    confirm,
    input_block,
    mrkdwn,
    multi,
    option,
    options,
    overflow,
    plain,
    radio,
    section,
    select,
    text_input,
)

from sandbox.validate import check


def first(value, **how):
    problems = check.blocks(value, **how)
    return (problems[0].message, problems[0].pointer) if problems else None


GENERAL = {
    "51 blocks": ([{"type": "divider"}] * 51, "no more than 50 items allowed", ""),
    "no list": ({"type": "divider"}, "must provide an array", ""),
    "a block that is text": (["divider"], "must provide an object", "/0"),
    "a null block": ([None], "must provide an object", "/0"),
    "no type": ([{"block_id": "a"}], "missing required field: type", "/0"),
    "an unknown type": ([{"type": "file", "external_id": "x"}], "unsupported type: file", "/0/type"),
    "a type that is no text": ([{"type": []}], "unsupported type: []", "/0/type"),
    "an unknown key": ([{"type": "divider", "colour": "red"}], "invalid additional property: colour", "/0"),
    "an empty block_id": ([{"type": "divider", "block_id": ""}], "must be more than 0 characters", "/0/block_id"),
    "a block_id of 256": (
        [{"type": "divider", "block_id": "b" * 256}],
        "must be less than 256 characters",
        "/0/block_id",
    ),
    "a null block_id": ([{"type": "divider", "block_id": None}], "must provide a string", "/0/block_id"),
    "one block_id twice": (
        [{"type": "divider", "block_id": "b"}, {"type": "divider", "block_id": "b"}],
        '`block_id` "b" already exists',
        "/1/block_id",
    ),
    "an alert": ([{"type": "alert", "text": plain()}], "unsupported type: alert", "/0/type"),
}

TEXTS = {
    "a section without text and fields": ([{"type": "section"}], "must define either `text` or `fields`", "/0/type"),
    "a section of 3001": ([section(text=mrkdwn("x" * 3001))], "must be less than 3001 characters", "/0/text/text"),
    "an empty text": ([section(text=plain(""))], "must be more than 0 characters", "/0/text/text"),
    "a null text": ([section(text=None)], "must provide an object", "/0/text"),
    "a text that is a string": ([section(text="hi")], "must provide an object", "/0/text"),
    "a number as text": ([section(text=plain(5))], "must provide a string", "/0/text/text"),
    "no text in a text object": ([section(text={"type": "plain_text"})], "missing required field: text", "/0/text"),
    "an unknown kind of text": (
        [section(text={"type": "html", "text": "x"})],
        "unsupported type: html",
        "/0/text/type",
    ),
    "emoji on mrkdwn": ([section(text=mrkdwn(emoji=True))], "invalid additional property: emoji", "/0/text"),
    "verbatim on plain text": (
        [section(text=plain(verbatim=True))],
        "invalid additional property: verbatim",
        "/0/text",
    ),
    "emoji as text": ([section(text=plain(emoji="yes"))], "must provide a boolean", "/0/text/emoji"),
    "11 fields": ([section(fields=[plain()] * 11)], "no more than 10 items allowed", "/0/fields"),
    "no fields": ([section(fields=[])], "no less than 1 items allowed", "/0/fields"),
    "a field of 2001": ([section(fields=[plain("x" * 2001)])], "must be less than 2001 characters", "/0/fields/0/text"),
    "a mrkdwn header": ([{"type": "header", "text": mrkdwn()}], "unsupported type: mrkdwn", "/0/text/type"),
    "a header of 151": (
        [{"type": "header", "text": plain("x" * 151)}],
        "must be less than 151 characters",
        "/0/text/text",
    ),
    "an empty context": ([{"type": "context", "elements": []}], "no less than 1 items allowed", "/0/elements"),
    "11 in a context": (
        [{"type": "context", "elements": [plain()] * 11}],
        "no more than 10 items allowed",
        "/0/elements",
    ),
    "a button in a context": (
        [{"type": "context", "elements": [button()]}],
        "unsupported type: button",
        "/0/elements/0/type",
    ),
}

ELEMENTS = {
    "no elements": ([actions()], "no less than 1 items allowed", "/0/elements"),
    "26 elements": ([actions(*[button(f"a{n}") for n in range(26)])], "no more than 25 items allowed", "/0/elements"),
    "one action_id twice in a block": (
        [actions(button("x"), button("x"))],
        '`action_id` "x" already exists',
        "/0/elements/1/action_id",
    ),
    "an empty action_id": ([actions(button(""))], "must be more than 0 characters", "/0/elements/0/action_id"),
    "an action_id of 256": (
        [actions(button("a" * 256))],
        "must be less than 256 characters",
        "/0/elements/0/action_id",
    ),
    "a text input in actions": ([actions(text_input())], "unsupported type: plain_text_input", "/0/elements/0/type"),
    "a text input beside a section": (
        [section(accessory=text_input())],
        "unsupported type: plain_text_input",
        "/0/accessory/type",
    ),
    "a null accessory": ([section(accessory=None)], "must provide an object", "/0/accessory"),
    "a number input in a message": (
        [input_block({"type": "number_input", "is_decimal_allowed": True})],
        "unsupported type: number_input",
        "/0/element/type",
    ),
    "a button in an input": ([input_block(button())], "unsupported type: button", "/0/element/type"),
    "an overflow in an input": ([input_block(overflow())], "unsupported type: overflow", "/0/element/type"),
    "an input without label": ([{"type": "input", "element": text_input()}], "missing required field: label", "/0"),
    "an input without element": ([{"type": "input", "label": plain()}], "missing required field: element", "/0"),
    "a label in mrkdwn": ([input_block(label=mrkdwn())], "unsupported type: mrkdwn", "/0/label/type"),
    "a hint of 2001": ([input_block(hint=plain("x" * 2001))], "must be less than 2001 characters", "/0/hint/text"),
    "optional as text": ([input_block(optional="no")], "must provide a boolean", "/0/optional"),
    "a button text of 76": (
        [actions(button(text=plain("x" * 76)))],
        "must be less than 76 characters",
        "/0/elements/0/text/text",
    ),
    "a button without text": ([actions({"type": "button"})], "missing required field: text", "/0/elements/0"),
    "a mrkdwn button": ([actions(button(text=mrkdwn()))], "unsupported type: mrkdwn", "/0/elements/0/text/type"),
    "a button value of 2001": (
        [actions(button(value="v" * 2001))],
        "must be less than 2001 characters",
        "/0/elements/0/value",
    ),
    "a button with a number": ([actions(button(value=1))], "must provide a string", "/0/elements/0/value"),
    "an empty url": ([actions(button(url=""))], "must be more than 0 characters", "/0/elements/0/url"),
    "a url that is none": ([actions(button(url="not a url"))], "must be a valid URL", "/0/elements/0/url"),
    "a third style": ([actions(button(style="default"))], "must be a valid enum value", "/0/elements/0/style"),
    "a label for screen readers of 76": (
        [actions(button(accessibility_label="x" * 76))],
        "must be less than 76 characters",
        "/0/elements/0/accessibility_label",
    ),
}

CHOICES = {
    "a select without options": (
        [actions(select(options=[]))],
        "no less than 1 items allowed",
        "/0/elements/0/options",
    ),
    "101 options": ([actions(select(options=options(101)))], "no more than 100 items allowed", "/0/elements/0/options"),
    "neither options nor groups": (
        [actions({"type": "static_select", "action_id": "a"})],
        "must define either `options` or `option_groups`",
        "/0/elements/0/type",
    ),
    "options and groups": (
        [actions(select(option_groups=[{"label": plain(), "options": options(1)}]))],
        "must define either `options` or `option_groups`",
        "/0/elements/0/type",
    ),
    "a group label of 76": (
        [actions({"type": "static_select", "option_groups": [{"label": plain("x" * 76), "options": options(1)}]})],
        "must be less than 76 characters",
        "/0/elements/0/option_groups/0/label/text",
    ),
    "an empty group": (
        [actions({"type": "static_select", "option_groups": [{"label": plain(), "options": []}]})],
        "no less than 1 items allowed",
        "/0/elements/0/option_groups/0/options",
    ),
    "option text of 76": (
        [actions(select(options=[option(text=plain("x" * 76))]))],
        "must be less than 76 characters",
        "/0/elements/0/options/0/text/text",
    ),
    "option value of 151": (
        [actions(select(options=[option("v" * 151, text=plain())]))],
        "must be less than 151 characters",
        "/0/elements/0/options/0/value",
    ),
    "an empty option value": (
        [actions(select(options=[option("")]))],
        "must be more than 0 characters",
        "/0/elements/0/options/0/value",
    ),
    "no option value": (
        [actions(select(options=[{"text": plain()}]))],
        "missing required field: value",
        "/0/elements/0/options/0",
    ),
    "an option description of 76": (
        [actions(radio(options=[option(description=plain("x" * 76))]))],
        "must be less than 76 characters",
        "/0/elements/0/options/0/description/text",
    ),
    "a mrkdwn option in a select": (
        [actions(select(options=[option(text=mrkdwn())]))],
        "unsupported type: mrkdwn",
        "/0/elements/0/options/0/text/type",
    ),
    "a url on a select's option": (
        [actions(select(options=[option(url="https://a.example")]))],
        "invalid additional property: url",
        "/0/elements/0/options/0",
    ),
    "a placeholder of 151": (
        [actions(select(placeholder=plain("x" * 151)))],
        "must be less than 151 characters",
        "/0/elements/0/placeholder/text",
    ),
    "a null initial option": (
        [actions(select(initial_option=None))],
        "must provide an object",
        "/0/elements/0/initial_option",
    ),
    "a foreign initial option": (
        [actions(select(initial_option=option("9")))],
        "must be one of the provided options",
        "/0/elements/0/initial_option",
    ),
    "an initial option with another text": (
        [actions(select(initial_option=option("0", text=plain("Other"))))],
        "must be one of the provided options",
        "/0/elements/0/initial_option",
    ),
    "no initial options": (
        [actions(multi(initial_options=[]))],
        "must be one of the provided options",
        "/0/elements/0/initial_options",
    ),
    "a foreign one among the initial options": (
        [actions(multi(initial_options=[option("0"), option("9")]))],
        "must be one of the provided options",
        "/0/elements/0/initial_options",
    ),
    "one initial option twice": (
        [actions(multi(initial_options=[option("0"), option("0")]))],
        "must be one of the provided options",
        "/0/elements/0/initial_options",
    ),
    "more initial options than may be selected": (
        [actions(multi(max_selected_items=1, initial_options=options(2)))],
        "no more than 1 items allowed",
        "/0/elements/0/initial_options",
    ),
    "nothing may be selected": (
        [actions(multi(max_selected_items=0))],
        "must be greater than 0",
        "/0/elements/0/max_selected_items",
    ),
    "true for a number": (
        [actions(multi(max_selected_items=True))],
        "must provide an integer",
        "/0/elements/0/max_selected_items",
    ),
    "11 boxes": ([actions(boxes(options=options(11)))], "no more than 10 items allowed", "/0/elements/0/options"),
    "no boxes": ([actions(boxes(options=[]))], "no less than 1 items allowed", "/0/elements/0/options"),
    "11 radio buttons": (
        [actions(radio(options=options(11)))],
        "no more than 10 items allowed",
        "/0/elements/0/options",
    ),
    "a placeholder on boxes": (
        [actions(boxes(placeholder=plain()))],
        "invalid additional property: placeholder",
        "/0/elements/0",
    ),
    "6 in the menu": ([actions(overflow(options=options(6)))], "no more than 5 items allowed", "/0/elements/0/options"),
    "an external select with options": (
        [actions({"type": "external_select", "action_id": "e", "options": options(1)})],
        "invalid additional property: options",
        "/0/elements/0",
    ),
    "a confirm title of 101": (
        [actions(button(confirm=confirm(title=plain("x" * 101))))],
        "must be less than 101 characters",
        "/0/elements/0/confirm/title/text",
    ),
    "a confirm text of 301": (
        [actions(button(confirm=confirm(text=plain("x" * 301))))],
        "must be less than 301 characters",
        "/0/elements/0/confirm/text/text",
    ),
    "a confirm button of 31": (
        [actions(button(confirm=confirm(confirm=plain("x" * 31))))],
        "must be less than 31 characters",
        "/0/elements/0/confirm/confirm/text",
    ),
    "a confirm without deny": (
        [actions(button(confirm={k: v for k, v in confirm().items() if k != "deny"}))],
        "missing required field: deny",
        "/0/elements/0/confirm",
    ),
    "a text input of 3001": (
        [input_block(text_input(max_length=3001))],
        "must be less than 3001",
        "/0/element/max_length",
    ),
    "a text input of 0": ([input_block(text_input(max_length=0))], "must be greater than 0", "/0/element/max_length"),
    "min above max": (
        [input_block(text_input(min_length=9, max_length=3))],
        "`min_length` must not be greater than `max_length`",
        "/0/element/min_length",
    ),
    "an unknown dispatch": (
        [input_block(text_input(dispatch_action_config={"trigger_actions_on": ["on_blur"]}))],
        "must be a valid enum value",
        "/0/element/dispatch_action_config/trigger_actions_on/0",
    ),
}


@pytest.mark.parametrize(
    "case",
    [*GENERAL.values(), *TEXTS.values(), *ELEMENTS.values(), *CHOICES.values()],
    ids=[*GENERAL, *TEXTS, *ELEMENTS, *CHOICES],
)
def test_slack_refuses(case):
    value, message, pointer = case
    assert first(value) == (message, pointer)


def test_only_inputs_of_modals_may_ask_for_a_response_url():
    element = {"type": "channels_select", "response_url_enabled": True}
    says = "`response_url_enabled` is only supported in input blocks of modals"
    assert first([input_block(element)]) == (says, "/0/element/response_url_enabled")
    assert first([actions(button(), element)], surface="modal") == (says, "/0/elements/1/response_url_enabled")
    assert first([section(accessory=element)]) == (says, "/0/accessory/response_url_enabled")
    assert first([input_block(element)], surface="modal") is None


GOOD = {
    "50 blocks": [{"type": "divider"}] * 50,
    "one action_id in two blocks": [actions(button("x")), actions(button("x"))],
    "every limit reached": [
        section(text=mrkdwn("x" * 3000), accessory=button(text=plain("x" * 75), value="v" * 2000)),
        {"type": "header", "text": plain("x" * 150)},
        actions(
            select(options=options(100), placeholder=plain("x" * 150)),
            multi(initial_options=options(3)),
            overflow(options=options(5)),
        ),
        input_block(boxes(options=options(10)), hint=plain("x" * 2000), block_id="b" * 255),
        input_block(text_input(min_length=0, max_length=3000, initial_value="x" * 3000)),
        {"type": "context", "elements": [plain(), mrkdwn("x" * 3000)]},
    ],
    "defaults do not make an option another one": [
        actions(select(initial_option=option("1", text=plain("Option 1", emoji=True))))
    ],
    "options in groups": [
        actions(
            {
                "type": "static_select",
                "option_groups": [{"label": plain(), "options": options(2)}],
                "initial_option": option("1"),
            }
        )
    ],
    "mrkdwn on boxes": [actions(boxes(options=[option(text=mrkdwn("*a*"), description=mrkdwn("_b_"))]))],
    "a url in the menu": [actions(overflow(options=[option(url="https://a.example/x")]))],
    "pickers of people and dates": [
        actions(
            {"type": "users_select", "initial_user": "U07ANA4K2QX"},
            {"type": "datepicker", "initial_date": "2026-11-30"},
        )
    ],
    "no blocks at all": [],
}


@pytest.mark.parametrize("value", GOOD.values(), ids=GOOD)
def test_slack_takes(value):
    assert first(value) is None


def test_initial_options_spread_over_two_groups_are_refused():
    groups = [{"label": plain(), "options": [option("a")]}, {"label": plain(), "options": [option("b")]}]
    element = {"type": "multi_static_select", "option_groups": groups, "initial_options": [option("a"), option("b")]}
    assert first([actions(element)]) == ("must be one of the provided options", "/0/elements/0/initial_options")


def test_a_stored_text_is_counted_escaped():
    blocks = [section(text=mrkdwn("&" + "x" * 2999))]
    assert first(blocks) is None
    assert first(blocks, stored=True) == ("must be less than 3001 characters", "/0/text/text")


def test_entities_and_control_sequences_are_not_escaped_twice():
    text = "&amp; <@U07ANA4K2QX> <https://a.example?a=1&amp;b=2|x>"
    assert first([section(text=mrkdwn(text + "x" * (3000 - len(text))))], stored=True) is None


def test_plain_text_has_no_control_sequences():
    assert first([section(text=plain("<b>" + "x" * 2997))], stored=True) == (
        "must be less than 3001 characters",
        "/0/text/text",
    )


def test_labels_are_counted_as_they_were_sent():
    assert first([actions(button(text=plain("&" * 75)))], stored=True) is None


def test_the_total_counts_what_people_read_escaped():
    blocks = [
        section(text=plain("x" * 100), accessory=button(text=plain("&"), value="v" * 500)),
        {"type": "header", "text": plain("abc")},
    ]
    assert check.total(blocks) == 100 + 5 + 3


def test_markdown_blocks_share_12000_characters():
    block = {"type": "markdown", "text": "x" * 6001}
    assert first([block]) is None
    assert first([block, block]) == ("must be less than 12001 characters", "/1/text")


def test_every_problem_is_told_not_only_the_first():
    problems = check.blocks([section(text=plain("")), {"type": "header"}])
    assert [p.pointer for p in problems] == ["/0/text/text", "/1"]
    assert problems[1].code == "missing_field"
