"""The page draws every block and element that the validator takes, and what people do in them arrives."""

from collections.abc import AsyncIterator, Iterator

import pytest
from app_double import App
from every import ATTACHED, MESSAGES, MODAL, SHOWN
from kit import Json, actions, button, input_block, mrkdwn, plain, section
from playwright.async_api import Browser, expect
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import scopes, seed
from sandbox.clock import ManualClock
from sandbox.server import Sandbox
from sandbox.validate.elements import ELEMENTS
from sandbox.validate.tables import BLOCKS
from tests.browser import Windows

ALL_SCOPES = [*scopes.DEFAULT, "links.embed:write", "files:read"]


@pytest.fixture
async def slack(app: App, clock: ManualClock) -> AsyncIterator[Sandbox]:
    async with Sandbox(bot_url=app.url, clock=clock, scopes=ALL_SCOPES, ack_seconds=2) as running:
        yield running


@pytest.fixture
async def windows(browser: Browser, slack: Sandbox) -> AsyncIterator[Windows]:
    opened = Windows(browser, slack.url)
    yield opened
    assert opened.errors == []


def types(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value["type"]
        for part in value.values():
            yield from types(part)
    elif isinstance(value, list):
        for part in value:
            yield from types(part)


async def post(web: AsyncWebClient, channel: str = seed.REPORTS, **content) -> str:
    return (await web.chat_postMessage(channel=channel, text="fallback", **content))["ts"]


async def open_modal(web: AsyncWebClient, slack: Sandbox, app: App, view: Json) -> None:
    await slack.person(seed.ANA).command(seed.REPORTS, "/pending")
    await web.views_open(trigger_id=app.got[-1].payload["trigger_id"], view=view)


def test_the_examples_hold_every_block_and_element_there_is() -> None:
    held = set(types([*MESSAGES.values(), MODAL]))
    assert (set(BLOCKS) | set(ELEMENTS)) - held == set()


@pytest.mark.parametrize("name", MESSAGES)
async def test_every_block_of_a_message_is_drawn(windows, slack, web, name) -> None:
    ts = await post(web, **MESSAGES[name])
    for width in (1280, 360):
        page = await windows.open(seed.ANA, seed.REPORTS, viewport={"width": width, "height": 800})
        message = page.locator(f'.message[data-ts="{ts}"]')
        await expect(message.locator(".block").first).to_be_visible()
        assert await message.locator(".unknown").all_inner_texts() == []
        for kind in {block["type"] for block in MESSAGES[name]["blocks"]}:
            drawn = message.locator(f".block-{kind}").first
            assert (await drawn.bounding_box())["height"] > 0, kind
        assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


async def test_every_block_of_a_modal_is_drawn(windows, slack, web, app) -> None:
    await open_modal(web, slack, app, MODAL)
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_role("dialog").locator(".block")).to_have_count(len(MODAL["blocks"]))
    assert await page.locator("dialog .unknown").count() == 0


async def test_a_click_in_an_attachment_says_in_which(windows, slack, web, app) -> None:
    ts = await post(web, attachments=ATTACHED)
    page = await windows.open(seed.ANA, seed.REPORTS)
    message = page.locator(f'.message[data-ts="{ts}"]')
    await expect(message).to_contain_text("fallback")
    await message.get_by_role("button", name="Go").click()
    await slack.wait_for(lambda _: app.got)
    container = app.got[0].payload["container"]
    assert (container["type"], container["attachment_id"], container["message_ts"]) == ("message_attachment", 1, ts)
    await expect(message.get_by_role("button", name="An old button")).to_be_disabled()
    await web.chat_update(channel=seed.REPORTS, ts=ts, text="done", attachments=[])
    await expect(message.get_by_role("button")).to_have_count(0)
    await expect(message).to_contain_text("done")


async def test_what_is_typed_in_an_attachment_travels_with_a_click_outside_it(windows, slack, web, app) -> None:
    note = input_block(block_id="note", label=plain("Note"))
    await post(web, blocks=[actions(button("save"))], attachments=[{"blocks": [note]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_label("Note").fill("mind the gap")
    await page.get_by_role("button", name="Go").click()
    await slack.wait_for(lambda _: app.got)
    sent = app.got[0].payload
    assert (sent["container"]["type"], sent["state"]["values"]["note"]["text"]["value"]) == ("message", "mind the gap")


async def test_buttons_of_cards_feedback_and_icons_arrive(windows, slack, web, app) -> None:
    await post(web, blocks=SHOWN)
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Logs").nth(1).click()
    await page.get_by_role("button", name="Not helpful").click()
    await expect(page.get_by_role("button", name="Not helpful")).to_have_attribute("aria-pressed", "true")
    await page.get_by_role("button", name="Delete").click()
    await page.get_by_role("button", name="Go", exact=True).click()
    await slack.wait_for(lambda _: len(app.got) == 4)
    acted = [got.payload["actions"][0] for got in app.got]
    assert [action["action_id"] for action in acted] == ["logs2", "feedback", "drop", "inside"]
    assert acted[1]["value"] == "bad"


async def test_an_icon_button_is_seen_by_whom_it_is_for(windows, slack, web) -> None:
    icon = {
        "type": "icon_button",
        "action_id": "i",
        "icon": "trash",
        "text": plain("Drop"),
        "visible_to_user_ids": [seed.BEN],
    }
    await post(web, blocks=[section(), {"type": "context_actions", "elements": [icon]}])
    ana, ben = await windows.open(seed.ANA, seed.REPORTS), await windows.open(seed.BEN, seed.REPORTS)
    await expect(ben.get_by_role("button", name="Drop")).to_be_visible()
    await expect(ana.locator(".message")).to_be_visible()
    await expect(ana.get_by_role("button", name="Drop")).to_be_hidden()


async def test_a_long_data_table_is_read_in_pages(windows, slack, web) -> None:
    await post(web, blocks=SHOWN)
    page = await windows.open(seed.ANA, seed.REPORTS)
    table = page.get_by_role("table", name="Twelve months")
    await expect(table.get_by_role("rowheader")).to_have_text(["M1", "M2", "M3", "M4", "M5"])
    await page.get_by_role("button", name="More").click()
    await page.get_by_role("button", name="More").click()
    await expect(table.get_by_role("rowheader")).to_have_text(["M11", "M12"])
    await expect(page.get_by_role("button", name="More")).to_be_disabled()


async def test_a_chart_tells_its_numbers_to_who_cannot_see_it(windows, slack, web) -> None:
    await post(web, blocks=SHOWN)
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_role("img", name="Where the time goes. build 5, test 11")).to_be_visible()


async def test_a_container_that_starts_closed_opens(windows, slack, web) -> None:
    inner = {"type": "section", "text": plain("the inside")}
    box = {"type": "container", "title": plain("More"), "is_collapsible": True, "default_collapsed": True}
    await post(web, blocks=[{**box, "child_blocks": [inner]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_text("the inside")).to_be_hidden()
    await page.get_by_text("More", exact=True).click()
    await expect(page.get_by_text("the inside")).to_be_visible()


async def test_a_workflow_button_starts_nothing_and_says_so(windows, slack, web, app) -> None:
    await post(web, **MESSAGES["acted"])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Run workflow").click()
    await expect(page.locator(".toast")).to_contain_text("Slack would start a workflow now")
    assert app.got == []


async def test_formatted_text_and_files_come_with_a_submission(windows, slack, web, app, tmp_path) -> None:
    kept = {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "old"}]}],
    }
    view = {
        **MODAL,
        "blocks": [
            input_block({"type": "rich_text_input", "action_id": "r"}, block_id="new", label=plain("New")),
            input_block({"type": "rich_text_input", "action_id": "r", "initial_value": kept}, block_id="kept"),
            input_block({"type": "file_input", "action_id": "f"}, block_id="files", label=plain("Files")),
        ],
    }
    await open_modal(web, slack, app, view)
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_label("New").fill("a line")
    (tmp_path / "plan.pdf").write_bytes(b"x")
    await page.get_by_label("Files").set_input_files(tmp_path / "plan.pdf")
    await page.get_by_role("dialog").get_by_role("button", name="Send").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    values = app.got[-1].payload["view"]["state"]["values"]
    assert values["new"]["r"]["rich_text_value"]["elements"][0]["elements"] == [{"type": "text", "text": "a line"}]
    assert values["kept"]["r"]["rich_text_value"]["elements"] == kept["elements"]
    assert [(file["name"], file["filetype"]) for file in values["files"]["f"]["files"]] == [("plan.pdf", "pdf")]


async def test_hostile_text_stays_text_in_the_newer_blocks_too(windows, slack, web) -> None:
    evil = '<img src=x onerror="document.title=1"><b>'
    blocks = [
        {"type": "markdown", "text": f"# {evil}\n[{evil}](javascript:document.title=2)\n| {evil} |\n|---|\n| {evil} |"},
        {"type": "card", "title": plain(evil), "body": mrkdwn(evil.replace("<", "&lt;").replace(">", "&gt;"))},
        {"type": "table", "rows": [[{"type": "raw_text", "text": evil}]]},
        {"type": "task_card", "task_id": "t", "title": evil, "status": "complete"},
    ]
    ts = await post(
        web, blocks=blocks, attachments=[{"title": evil, "title_link": "javascript:1", "text": "&lt;img&gt;"}]
    )
    page = await windows.open(seed.ANA, seed.REPORTS)
    message = page.locator(f'.message[data-ts="{ts}"]')
    await expect(message.get_by_text(evil).first).to_be_visible()
    assert await message.locator(":is(img, b, script), a[href^=javascript]").count() == 0
    assert "reports" in await page.title()
