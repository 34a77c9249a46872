"""Messages and a modal that hold one of every block and element the validator knows."""

from typing import Any

from kit import Json, actions, boxes, button, header, input_block, mrkdwn, multi, option, overflow, plain, radio, select

from sandbox import seed

IMAGE: Json = {"type": "image", "image_url": "https://pictures.example/map.png", "alt_text": "A map of the regions"}


def rich(*pieces: Json) -> Json:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(pieces)}]}


def words(text: str, **style: bool) -> Json:
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def feedback() -> Json:
    good, bad = {"text": plain("Helpful"), "value": "good"}, {"text": plain("Not helpful"), "value": "bad"}
    return {"type": "feedback_buttons", "action_id": "feedback", "positive_button": good, "negative_button": bad}


def card(number: int) -> Json:
    return {
        "type": "card",
        "block_id": f"card{number}",
        "hero_image": IMAGE,
        "slack_icon": {"type": "icon", "name": "rocket"},
        "title": plain(f"Service {number}"),
        "subtitle": mrkdwn("in *production*"),
        "body": mrkdwn("Three replicas, all of them healthy."),
        "subtext": plain("seen a minute ago"),
        "actions": [button(f"restart{number}", text=plain("Restart")), button(f"logs{number}", text=plain("Logs"))],
    }


def task(number: int, status: str, **more: Any) -> Json:
    return {"type": "task_card", "task_id": f"t{number}", "title": f"Step {number}", "status": status, **more}


TEXTS: list[Json] = [
    header("Deploy of api", level=2),
    {"type": "section", "text": mrkdwn("A *section* with fields"), "fields": [plain("Region"), mrkdwn("`eu-west-1`")]},
    {"type": "section", "text": plain("With an image"), "accessory": IMAGE},
    {"type": "context", "elements": [IMAGE, mrkdwn("asked by _ana_"), plain("today")]},
    {"type": "divider"},
    IMAGE | {"title": plain("Where it goes")},
    rich(
        words("Bold", bold=True),
        words(" under", underline=True),
        {"type": "color", "value": "#2eb67d"},
        words(" "),
        {"type": "team", "team_id": seed.TEAM_ID},
        words(" "),
        {"type": "usergroup", "usergroup_id": seed.ONCALL},
    ),
    {
        "type": "markdown",
        "text": "# Plan\n\nIn **two** steps, see [the page](https://docs.example):\n\n1. build\n   - test\n2. ship\n\n"
        "> slowly\n\n```\nmake ship\n```\n\n| step | minutes |\n|---|---|\n| build | 4 |\n| ship | 2 |\n\n- [x] asked\n- [ ] done",
    },
]

SHOWN: list[Json] = [
    {
        "type": "table",
        "column_settings": [{"align": "left", "is_wrapped": True}, {"align": "right"}],
        "rows": [
            [{"type": "raw_text", "text": "Service"}, {"type": "raw_text", "text": "Errors"}],
            [{"type": "raw_text", "text": "api"}, {"type": "raw_number", "value": 12, "text": "12"}],
            [{**rich(words("web", bold=True))}, {"type": "raw_number", "value": 3.5, "text": "3.5 %"}],
        ],
    },
    {
        "type": "data_table",
        "caption": "Twelve months",
        "page_size": 5,
        "row_header_column_index": 0,
        "rows": [
            [{"type": "raw_text", "text": "Month"}, {"type": "raw_text", "text": "Deploys"}],
            *[
                [{"type": "raw_text", "text": f"M{n}"}, {"type": "raw_number", "value": n * n, "text": str(n * n)}]
                for n in range(1, 13)
            ],
        ],
    },
    {
        "type": "data_visualization",
        "title": "Errors by service",
        "chart": {
            "type": "bar",
            "axis_config": {"categories": ["api", "web", "jobs"], "x_label": "service", "y_label": "errors"},
            "series": [
                {
                    "name": name,
                    "data": [{"label": c, "value": v} for c, v in zip(("api", "web", "jobs"), row, strict=True)],
                }
                for name, row in {"today": (12, 3, 8), "yesterday": (7, -2, 4)}.items()
            ],
        },
    },
    {
        "type": "data_visualization",
        "title": "Where the time goes",
        "chart": {"type": "pie", "segments": [{"label": "build", "value": 5}, {"label": "test", "value": 11}]},
    },
    {
        "type": "video",
        "alt_text": "The first frame",
        "title": plain("How to roll back"),
        "title_url": "https://video.example/1",
        "thumbnail_url": "https://video.example/1.png",
        "video_url": "https://video.example/embed/1",
        "author_name": "Ana",
        "provider_name": "Video",
        "description": plain("Two minutes"),
    },
    {"type": "carousel", "elements": [card(1), card(2), card(3)]},
    {**card(4), "hero_image": IMAGE},
    {
        "type": "container",
        "title": plain("Details"),
        "subtitle": mrkdwn("*open* me"),
        "is_collapsible": True,
        "child_blocks": [
            {"type": "section", "text": plain("Inside"), "accessory": button("inside")},
            {
                "type": "input",
                "block_id": "deep",
                "label": plain("Note"),
                "element": {"type": "plain_text_input", "action_id": "deep"},
            },
        ],
    },
    {
        "type": "plan",
        "title": "Rolling out",
        "tasks": [
            task(1, "complete", output=rich(words("built"))),
            task(2, "in_progress", details=rich(words("3 of 8 replicas"))),
            task(3, "pending"),
        ],
    },
    {**task(4, "error"), "sources": [{"type": "url", "url": "https://logs.example", "text": "the log"}]},
    {
        "type": "context_actions",
        "elements": [
            feedback(),
            {"type": "icon_button", "action_id": "drop", "icon": "trash", "text": plain("Delete")},
        ],
    },
]

SELECTS: tuple[str, ...] = ("users", "conversations", "channels")
ACTED: list[Json] = [
    actions(
        button("b1", style="primary"),
        button("b2", style="danger", text=plain("Stop")),
        button("b3", url="https://docs.example", text=plain("Docs")),
        {
            "type": "workflow_button",
            "action_id": "flow",
            "text": plain("Run workflow"),
            "workflow": {"trigger": {"url": "https://slack.com/shortcuts/Ft0123/abc"}},
        },
        overflow(),
    ),
    actions(
        select(placeholder=plain("One of three")),
        multi(),
        {"type": "external_select", "action_id": "ext"},
        {"type": "multi_external_select", "action_id": "exts"},
        *[{"type": f"{kind}_select", "action_id": kind} for kind in SELECTS],
        *[{"type": f"multi_{kind}_select", "action_id": f"many {kind}"} for kind in SELECTS],
    ),
    actions(
        {"type": "datepicker", "action_id": "day", "initial_date": "2026-11-30"},
        {"type": "timepicker", "action_id": "time", "initial_time": "13:37"},
        {"type": "datetimepicker", "action_id": "at"},
        boxes(options=[option("1", description=plain("the first")), option("2")]),
        radio(),
        {"type": "rich_text_input", "action_id": "rich"},
    ),
]

ATTACHED: list[Json] = [
    {
        "color": "#e01e5a",
        "blocks": [{"type": "section", "text": mrkdwn("*Inside* an attachment"), "accessory": button("attached")}],
    },
    {
        "color": "good",
        "pretext": "Before it",
        "author_name": "Ana Ruiz",
        "title": "A title",
        "title_link": "https://docs.example",
        "text": "with *text*",
        "fields": [{"title": "Region", "value": "eu", "short": True}, {"title": "Risk", "value": "low", "short": True}],
        "footer": "CI",
        "ts": 1796047320,
        "actions": [{"type": "button", "name": "old", "text": "An old button"}],
    },
]

MESSAGES: dict[str, Json] = {
    "texts": {"blocks": TEXTS},
    "shown": {"blocks": SHOWN},
    "acted": {"blocks": ACTED, "attachments": ATTACHED},
}

MODAL: Json = {
    "type": "modal",
    "title": plain("Everything"),
    "submit": plain("Send"),
    "close": plain("Not now"),
    "blocks": [
        *[
            {"type": "alert", "text": mrkdwn(f"*{level}*: something to know"), "level": level, "block_id": level}
            for level in ("default", "info", "warning", "error", "success")
        ],
        *[
            input_block({"type": kind, "action_id": kind, **more}, label=plain(kind), optional=True, block_id=kind)
            for kind, more in {
                "plain_text_input": {"multiline": True, "max_length": 200},
                "number_input": {"is_decimal_allowed": False},
                "email_text_input": {},
                "url_text_input": {},
                "rich_text_input": {"initial_value": rich(words("as it stood"))},
                "file_input": {"filetypes": ["pdf", "csv"], "max_files": 2},
                "datetimepicker": {},
            }.items()
        ],
    ],
}
