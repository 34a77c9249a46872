"""Every documented limit, at its edge and one step past it; and the same edges shown to the other packages."""

import pytest
from edges import edges, measured, ours, with_size
from every import ACTED, MODAL, SHOWN, TEXTS
from kit import (
    actions,
    boxes,
    button,
    confirm,
    header,
    home,
    input_block,
    modal,
    mrkdwn,
    multi,
    option,
    overflow,
    plain,
    radio,
    section,
    select,
    text_input,
)
from others import opinions
from test_cross_check import GOOD, excused
from test_validate_newer import IMAGE

ASK = button(value="v", url="https://a.example/x", accessibility_label="l", confirm=confirm())
GROUPS = [{"label": plain(), "options": [option()]}]
FILE = {"type": "file_input", "action_id": "a", "filetypes": ["pdf"]}
CARD, CAROUSEL = SHOWN[6], {**SHOWN[5], "elements": SHOWN[5]["elements"][:1]}
by_type = {block["type"]: block for block in SHOWN}

# name: (kind, payload, path, smallest, largest). The numbers are those of Slack's pages, not of our tables.
LIMITS = {
    "blocks of a message": ("blocks", [section()], (), 0, 50),
    "blocks of a modal": ("view", modal(), ("blocks",), 1, 100),
    "blocks of a Home": ("view", home(), ("blocks",), 1, 100),
    "block_id": ("blocks", [section(block_id="b")], (0, "block_id"), 1, 255),
    "action_id": ("blocks", [actions(button())], (0, "elements", 0, "action_id"), 1, 255),
    "text of a section": ("blocks", [section()], (0, "text", "text"), 1, 3000),
    "fields": ("blocks", [section(fields=[plain()])], (0, "fields"), 1, 10),
    "a field": ("blocks", [section(fields=[plain()])], (0, "fields", 0, "text"), 1, 2000),
    "actions": ("blocks", [actions(button())], (0, "elements"), 1, 25),
    "a label": ("view", modal(input_block(), submit=plain()), ("blocks", 0, "label", "text"), 1, 2000),
    "a hint": ("view", modal(input_block(hint=plain()), submit=plain()), ("blocks", 0, "hint", "text"), 1, 2000),
    "a context": ("blocks", [{"type": "context", "elements": [mrkdwn()]}], (0, "elements"), 1, 10),
    "a header": ("blocks", [header()], (0, "text", "text"), 1, 150),
    "alt_text": ("blocks", [IMAGE], (0, "alt_text"), 1, 2000),
    "an image's title": ("blocks", [IMAGE | {"title": plain()}], (0, "title", "text"), 1, 2000),
    "image_url": ("blocks", [IMAGE | {"image_url": "https://a.example/x"}], (0, "image_url"), 18, 3000),
    "markdown": ("blocks", [{"type": "markdown", "text": "x"}], (0, "text"), 1, 12_000),
    "a button": ("blocks", [actions(ASK)], (0, "elements", 0, "text", "text"), 1, 75),
    "its value": ("blocks", [actions(ASK)], (0, "elements", 0, "value"), 1, 2000),
    "its url": ("blocks", [actions(ASK)], (0, "elements", 0, "url"), 18, 3000),
    "its label": ("blocks", [actions(ASK)], (0, "elements", 0, "accessibility_label"), 1, 75),
    "a confirm's title": ("blocks", [actions(ASK)], (0, "elements", 0, "confirm", "title", "text"), 1, 100),
    "a confirm's text": ("blocks", [actions(ASK)], (0, "elements", 0, "confirm", "text", "text"), 1, 300),
    "a confirm's yes": ("blocks", [actions(ASK)], (0, "elements", 0, "confirm", "confirm", "text"), 1, 30),
    "a confirm's no": ("blocks", [actions(ASK)], (0, "elements", 0, "confirm", "deny", "text"), 1, 30),
    "options": ("blocks", [actions(select())], (0, "elements", 0, "options"), 1, 100),
    "options of many": ("blocks", [actions(multi())], (0, "elements", 0, "options"), 1, 100),
    "groups": (
        "blocks",
        [actions(select(options=[]) | {"option_groups": GROUPS})],
        (0, "elements", 0, "option_groups"),
        1,
        100,
    ),
    "checkboxes": ("blocks", [actions(boxes())], (0, "elements", 0, "options"), 1, 10),
    "radio buttons": ("blocks", [actions(radio())], (0, "elements", 0, "options"), 1, 10),
    "a menu": ("blocks", [actions(overflow())], (0, "elements", 0, "options"), 1, 5),
    "a placeholder": (
        "blocks",
        [actions(select(placeholder=plain()))],
        (0, "elements", 0, "placeholder", "text"),
        1,
        150,
    ),
    "an option": (
        "blocks",
        [actions(select(options=[option()]))],
        (0, "elements", 0, "options", 0, "text", "text"),
        1,
        75,
    ),
    "an option's value": ("blocks", [actions(select())], (0, "elements", 0, "options", 0, "value"), 1, 150),
    "an option's description": (
        "blocks",
        [actions(select(options=[option(description=plain())]))],
        (0, "elements", 0, "options", 0, "description", "text"),
        1,
        75,
    ),
    "an option of boxes": ("blocks", [actions(boxes())], (0, "elements", 0, "options", 0, "text", "text"), 1, 75),
    "initial_value": ("blocks", [input_block(text_input(initial_value="x"))], (0, "element", "initial_value"), 0, 3000),
    "title of a modal": ("view", modal(), ("title", "text"), 1, 24),
    "submit": ("view", modal(submit=plain()), ("submit", "text"), 1, 24),
    "close": ("view", modal(close=plain()), ("close", "text"), 1, 24),
    "private_metadata": ("view", modal(private_metadata="x"), ("private_metadata",), 0, 3000),
    "callback_id": ("view", modal(callback_id="x"), ("callback_id",), 0, 255),
    "external_id": ("view", modal(external_id="x"), ("external_id",), 0, 255),
    "an alert": ("view", modal({"type": "alert", "text": plain()}), ("blocks", 0, "text", "text"), 1, 200),
    "a card's title": ("blocks", [CARD], (0, "title", "text"), 1, 150),
    "a card's subtitle": ("blocks", [CARD], (0, "subtitle", "text"), 1, 150),
    "a card's body": ("blocks", [CARD], (0, "body", "text"), 1, 200),
    "a card's buttons": ("blocks", [CARD], (0, "actions"), 1, 3),
    "a carousel": ("blocks", [CAROUSEL], (0, "elements"), 1, 10),
    "a container": ("blocks", [by_type["container"]], (0, "child_blocks"), 1, 10),
    "a container's title": ("blocks", [by_type["container"]], (0, "title", "text"), 1, 150),
    "tasks of a plan": ("blocks", [by_type["plan"]], (0, "tasks"), 0, 50),
    "rows of a table": ("blocks", [by_type["table"]], (0, "rows"), 1, 100),
    "columns of a table": ("blocks", [by_type["table"]], (0, "rows", 0), 1, 20),
    "rows of a data table": ("blocks", [by_type["data_table"]], (0, "rows"), 2, 101),
    "a chart's title": ("blocks", [by_type["data_visualization"]], (0, "title"), 1, 50),
    "segments of a pie": ("blocks", [by_type["data_visualization"]], (0, "chart", "segments"), 1, 12),
    "a segment's label": ("blocks", [by_type["data_visualization"]], (0, "chart", "segments", 0, "label"), 1, 20),
    "context actions": ("blocks", [by_type["context_actions"]], (0, "elements"), 1, 5),
    "a video's title": ("blocks", [by_type["video"]], (0, "title", "text"), 1, 199),
    "a video's author": ("blocks", [by_type["video"]], (0, "author_name"), 1, 49),
}
GROUPED = LIMITS["groups"][1][0]["elements"][0]
GROUPED.pop("options")

WHOLE = {
    **{f"texts {number}": ("blocks", [block]) for number, block in enumerate(TEXTS)},
    **{f"shown {number}": ("blocks", [block]) for number, block in enumerate([*SHOWN[:5], CAROUSEL, *SHOWN[6:]])},
    **{f"acted {number}": ("blocks", [part]) for number, part in enumerate(ACTED[:2])},
    **{f"modal {number}": ("view", {**MODAL, "blocks": [block]}) for number, block in enumerate(MODAL["blocks"][4:])},
    **GOOD,
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_lies_where_slack_says(name) -> None:
    kind, payload, path, low, high = LIMITS[name]
    if path == ():
        payload, path, found = {"whole": payload}, ("whole",), None
        sizes = {size for size in range(60) if ours(kind, with_size(payload, path, size)["whole"])}
        found = (min(sizes), max(sizes))
    else:
        found = edges(kind, payload, path)
    assert found == (low, high)


@pytest.mark.parametrize("name", WHOLE)
def test_at_our_edges_nobody_else_refuses(name) -> None:
    """A limit of ours that is too wide by one is found here, in whatever field."""
    kind, payload = WHOLE[name]
    refused = []
    for path, _ in measured(payload):
        found = edges(kind, payload, path)
        for size in {*(found or ())} - {None}:
            edge = with_size(payload, path, size)
            where = "/".join(str(part) for part in path)
            what = f"{where}: {'empty' if size == 0 else size}"
            refused += [
                (what, package, said)
                for package, said in opinions(kind, edge).items()
                if said.startswith("refuses") and not excused(package, said, what)
            ]
    assert refused == []


def test_there_is_enough_to_measure() -> None:
    places = [path for _, payload in WHOLE.values() for path, _ in measured(payload)]
    assert len(places) > 300
    assert {path[-1] for path in places} >= {
        "text",
        "value",
        "elements",
        "options",
        "rows",
        "title",
        "action_id",
        "url",
    }
