"""Ours against the others: whatever slack_sdk.models, slackblocks or blockkit refuse, the sandbox refuses."""

from collections import Counter

import pytest
import test_validate_blocks as classic
import test_validate_newer as newer
import test_validate_views as views
from kit import actions, boxes, button, home, input_block, modal, mrkdwn, option, options, plain, radio, section
from mutants import mutants
from others import OTHERS, opinions

from sandbox.validate import check

BAD = {
    **{
        name: ("blocks", case[0])
        for table in (classic.GENERAL, classic.TEXTS, classic.ELEMENTS, classic.CHOICES)
        for name, case in table.items()
    },
    **{name: ("blocks", [case[0]]) for name, case in newer.BAD.items()},
    **{f"a view: {name}": ("view", case[0]) for name, case in views.BAD_VIEWS.items()},
}
# How many of them each package refuses at least: a door that lets everything through would judge nothing.
REFUSED = {"slack_sdk": 35, "slackblocks": 90, "blockkit": 60}

ONES = [option("1"), option("2", description=plain("d"))]
EVERY_ELEMENT = {
    "a button": button(value="v", url="https://a.example", style="danger", accessibility_label="l"),
    "a static select": {
        "type": "static_select",
        "action_id": "a",
        "placeholder": plain(),
        "options": ONES,
        "initial_option": ONES[0],
    },
    "a multi select": {
        "type": "multi_static_select",
        "action_id": "a",
        "options": ONES,
        "initial_options": ONES,
        "max_selected_items": 2,
    },
    "groups": {
        "type": "static_select",
        "action_id": "a",
        "option_groups": [{"label": plain(), "options": ONES}],
    },
    "an external select": {"type": "external_select", "action_id": "a", "min_query_length": 3, "placeholder": plain()},
    "a select of people": {"type": "multi_users_select", "action_id": "a", "initial_users": ["U07ANA4K2QX"]},
    "a select of places": {
        "type": "conversations_select",
        "action_id": "a",
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    },
    "checkboxes": boxes(options=ONES, initial_options=ONES[:1]),
    "radio buttons": radio(options=ONES, initial_option=ONES[0], focus_on_load=True),
    "a date": {"type": "datepicker", "action_id": "a", "initial_date": "2026-11-30", "placeholder": plain()},
    "a time": {"type": "timepicker", "action_id": "a", "initial_time": "13:37"},
}
EVERY_INPUT = {
    "a text": {
        "type": "plain_text_input",
        "action_id": "a",
        "multiline": True,
        "min_length": 1,
        "max_length": 9,
        "initial_value": "x",
        "dispatch_action_config": {"trigger_actions_on": ["on_enter_pressed"]},
    },
    "a number": {
        "type": "number_input",
        "action_id": "a",
        "is_decimal_allowed": True,
        "min_value": "1",
        "max_value": "9",
    },
    "an email": {"type": "email_text_input", "action_id": "a", "placeholder": plain()},
    "a url": {"type": "url_text_input", "action_id": "a", "placeholder": plain()},
    "a file": {"type": "file_input", "action_id": "a", "filetypes": ["pdf"], "max_files": 2},
    "a date and time": {"type": "datetimepicker", "action_id": "a", "initial_date_time": 1796047320},
    "a rich text": {"type": "rich_text_input", "action_id": "a", "placeholder": plain()},
}
CONFIRM = {"title": plain(), "text": plain(), "confirm": plain(), "deny": plain(), "style": "danger"}
GOOD = {
    **{name: ("blocks", [actions(element, block_id="b")]) for name, element in EVERY_ELEMENT.items()},
    **{name: ("view", modal(input_block(part, hint=plain()), submit=plain())) for name, part in EVERY_INPUT.items()},
    **{name: ("blocks", [value]) for name, value in newer.GOOD.items() if "full" not in name},
    "a section": (
        "blocks",
        [section(fields=[plain(), mrkdwn()], accessory=button(confirm=CONFIRM), block_id="b"), {"type": "divider"}],
    ),
    "texts": (
        "blocks",
        [
            {"type": "header", "text": plain()},
            {"type": "context", "elements": [mrkdwn(), plain()]},
            {"type": "markdown", "text": "*x*"},
            {"type": "image", "image_url": "https://a.example/x.png", "alt_text": "x", "title": plain()},
        ],
    ),
    "a menu": ("blocks", [section(accessory={"type": "overflow", "action_id": "a", "options": options(2)})]),
    "a modal": (
        "view",
        modal(section(), close=plain(), private_metadata="m", callback_id="c", external_id="e", notify_on_close=True),
    ),
    "a Home": ("view", home(section(), callback_id="c", private_metadata="m")),
}
# Where we know better than a package, and from what. A mutant is excused where both words occur.
EXCUSED = {
    ("blockkit", "'initial_option' has items", "emoji"): "Slack fills in `emoji` itself, and compares after that",
    ("blockkit", "'initial_options' has items", "emoji"): "same",
    ("blockkit", "Field 'alt_text': Length must be between 1 and 255", ""): "documented: 2000",
    ("blockkit", "Field 'callback_id': Length", "empty"): "Slack's own views carry it empty",
    ("blockkit", "Field 'private_metadata': Length", "empty"): "Slack's own views carry it empty",
    ("blockkit", "Field 'external_id': Length", "empty"): "Slack's own views carry it empty",
    ("blockkit", "Field 'filetypes': Expected values", "filetypes"): "Slack names no closed list of extensions",
    ("blockkit", "Field 'min_query_length': Value", ": 0"): "documented: 0 asks as soon as it opens",
    (
        "blockkit",
        "Field 'text': Only plain_text",
        "mrkdwn",
    ): "documented: options of boxes and the text of a confirm dialog may be mrkdwn",
    ("blockkit", "Field 'description': Only plain_text", "mrkdwn"): "same",
    ("slackblocks", "Table cells must be one of", "rows"): "@slack/types 3.2 knows numbers in plain tables, too",
    ("slackblocks", "Table cells must be one of", "column_settings"): "same",
}


def ours(kind, value):
    return check.view(value) if kind == "view" else check.blocks(value)


def excused(package, words, name):
    return any(package == who and says in words and where in name for who, says, where in EXCUSED)


def test_the_common_set_is_large_and_we_refuse_all_of_it():
    assert len(BAD) >= 65
    assert [name for name, (kind, value) in BAD.items() if not ours(kind, value)] == []


def test_the_others_refuse_a_good_part_of_the_common_set():
    refused = Counter(
        package
        for kind, value in BAD.values()
        for package, said in opinions(kind, value).items()
        if said.startswith("refuses")
    )
    assert {package: refused[package] >= least for package, least in REFUSED.items()} == dict.fromkeys(OTHERS, True), (
        refused
    )


@pytest.mark.parametrize("name", GOOD)
def test_what_is_good_is_good_to_all(name):
    kind, value = GOOD[name]
    assert ours(kind, value) == []
    assert {said for said in opinions(kind, value).values() if said.startswith("refuses")} == set()


@pytest.mark.parametrize("name", GOOD)
def test_what_another_package_refuses_of_a_spoilt_payload_we_refuse(name):
    kind, value = GOOD[name]
    let_through = [
        (what, package, said)
        for what, mutant in mutants(value)
        if not ours(kind, mutant)
        for package, said in opinions(kind, mutant).items()
        if said.startswith("refuses") and not excused(package, said, what)
    ]
    assert let_through == []
