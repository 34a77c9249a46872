"""The page in a real browser, against a real sandbox and a small real app."""

import hashlib
import hmac
import re
from collections.abc import AsyncIterator

import pytest
from app_double import App, Got
from playwright.async_api import Browser, Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import seed
from sandbox.server import Sandbox
from tests.browser import Windows


@pytest.fixture
async def windows(browser: Browser, slack: Sandbox) -> AsyncIterator[Windows]:
    opened = Windows(browser, slack.url)
    yield opened
    assert opened.errors == []


def plain(text: str) -> dict:
    return {"type": "plain_text", "text": text, "emoji": False}


def button(action_id: str, text: str, **more) -> dict:
    return {"type": "button", "action_id": action_id, "text": plain(text), "value": "v1", **more}


def options(*texts: str) -> list[dict]:
    return [{"text": plain(text), "value": str(index)} for index, text in enumerate(texts)]


def card(*, mark: str = "1", regions: list[dict] | None = None) -> list[dict]:
    """A multi-select and a text field that stay through repaints, under a header that does not."""
    choice = {"type": "multi_static_select", "action_id": "regions", "options": options("Europe", "India", "Japan")}
    if regions:
        choice["initial_options"] = regions
    note = {"type": "plain_text_input", "action_id": "note"}
    return [
        {"type": "header", "block_id": f"title.{mark}", "text": plain(f"Report {mark}")},
        {"type": "input", "block_id": "q.0", "label": plain("Regions"), "element": choice},
        {"type": "input", "block_id": "q.1", "label": plain("Note"), "element": note, "optional": True},
        {"type": "actions", "block_id": f"act.{mark}", "elements": [button("submit", "Submit", style="primary")]},
    ]


def modal(*, title: str = "Deny") -> dict:
    reason = {"type": "plain_text_input", "action_id": "text", "multiline": True}
    block = {"type": "input", "block_id": "reason", "label": plain("Reason"), "element": reason}
    return {
        "type": "modal",
        "title": plain(title),
        "submit": plain("Deny"),
        "close": plain("Keep waiting"),
        "blocks": [block],
    }


async def post(web: AsyncWebClient, blocks: list[dict], channel: str = seed.REPORTS) -> str:
    return (await web.chat_postMessage(channel=channel, text="fallback", blocks=blocks))["ts"]


async def clicked(slack: Sandbox, app: App, count: int = 1) -> Got:
    await slack.wait_for(lambda _: len(app.got) >= count)
    return app.got[count - 1]


async def test_a_message_is_drawn_as_it_comes_with_mentions_and_times_of_the_reader(windows, slack, web):
    page = await windows.open(seed.DANA, seed.DEPLOYS)
    parts = [
        {"type": "emoji", "name": "large_yellow_circle"},
        {"type": "text", "text": "Waiting for ", "style": {"bold": True}},
        {"type": "user", "user_id": seed.BEN},
        {"type": "text", "text": ", until "},
        {"type": "date", "timestamp": 1796061720, "format": "{date_num} at {time}", "fallback": "later"},
    ]
    status = {"type": "rich_text", "block_id": "status", "elements": [{"type": "rich_text_section", "elements": parts}]}
    ts = await post(web, [{"type": "header", "text": plain("Deploy api")}, status], seed.DEPLOYS)
    message = page.locator(f'.message[data-ts="{ts}"]')
    await expect(message.locator("h3")).to_have_text("Deploy api")
    await expect(message.locator("strong")).to_have_text("Waiting for ")
    await expect(message.locator(f'[data-mention="{seed.BEN}"]')).to_have_text("@Ben Okafor")
    # 18:02 in UTC is 13:02 for Dana, who is in New York.
    await expect(message.locator(".block-rich_text time")).to_have_text("2026-11-30 at 13:02")
    await expect(message.locator(".badge")).to_have_text("APP")


async def test_a_click_on_a_button_reaches_the_app_signed(windows, slack, web, app):
    ts = await post(web, [{"type": "actions", "block_id": "act", "elements": [button("go", "Approve")]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Approve").click()
    got = await clicked(slack, app)
    base = f"v0:{got.headers['X-Slack-Request-Timestamp']}:".encode() + got.raw
    signature = hmac.new(slack.signing_secret.encode(), base, hashlib.sha256).hexdigest()
    assert got.headers["X-Slack-Signature"] == f"v0={signature}"
    assert got.payload["user"]["id"] == seed.ANA
    assert got.payload["container"]["message_ts"] == ts
    assert [(a["block_id"], a["action_id"], a["value"]) for a in got.payload["actions"]] == [("act", "go", "v1")]


async def test_a_confirmation_that_is_declined_sends_nothing(windows, slack, web, app):
    confirm = {
        "title": plain("High risk?"),
        "text": plain("Runs once."),
        "confirm": plain("Do it"),
        "deny": plain("Wait"),
    }
    await post(web, [{"type": "actions", "block_id": "act", "elements": [button("go", "Approve", confirm=confirm)]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("dialog", name="High risk?").get_by_role("button", name="Wait").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("dialog").get_by_role("button", name="Do it").click()
    await clicked(slack, app)
    assert len(app.got) == 1


async def test_a_multi_select_answers_a_list(windows, slack, web, app):
    await post(web, card(regions=options("Europe")))
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.locator(".chip")).to_have_text(["Europe×"])
    await page.get_by_role("button", name="Regions Add").click()
    await page.get_by_role("combobox", name="Search").fill("jap")
    await page.keyboard.press("Enter")
    await expect(page.locator(".chip")).to_have_text(["Europe×", "Japan×"])
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Submit").click()
    chosen = (await clicked(slack, app)).payload["state"]["values"]["q.0"]["regions"]
    assert [option["value"] for option in chosen["selected_options"]] == ["0", "2"]


async def test_an_untouched_default_is_not_reported_and_a_cleared_one_is_an_empty_list(windows, slack, web, app):
    await post(web, card(regions=options("Europe")))
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Submit").click()
    await clicked(slack, app)
    await page.get_by_role("button", name="Remove Europe").click()
    await expect(page.locator(".chip")).to_have_count(0)
    await page.get_by_role("button", name="Submit").click()
    second = await clicked(slack, app, 2)
    reported = [got.payload["state"]["values"]["q.0"]["regions"]["selected_options"] for got in (app.got[0], second)]
    assert reported == [[], []]


async def test_a_repaint_keeps_what_is_typed_and_chosen_where_the_ids_stay(windows, slack, web):
    ts = await post(web, card())
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Regions").click()
    await page.get_by_role("option", name="India").click()
    await page.keyboard.press("Escape")
    note = page.get_by_label("Note")
    await note.press_sequentially("half a sen")
    await web.chat_update(
        channel=seed.REPORTS, ts=ts, text="fallback", blocks=card(mark="2", regions=options("Europe"))
    )
    await expect(page.locator("h3")).to_have_text("Report 2")
    await page.keyboard.type("tence")
    await expect(note).to_have_value("half a sentence")
    await expect(page.locator(".chip")).to_have_text(["India×"])


async def test_new_ids_reset_what_was_typed(windows, slack, web):
    ts = await post(web, card())
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_label("Note").fill("old words")
    blocks = card(mark="2")
    blocks[2]["block_id"] = "q.9"
    await web.chat_update(channel=seed.REPORTS, ts=ts, text="fallback", blocks=blocks)
    await expect(page.locator("h3")).to_have_text("Report 2")
    await expect(page.get_by_label("Note")).to_have_value("")
    await web.chat_update(channel=seed.REPORTS, ts=ts, text="fallback", blocks=card(mark="3"))
    await expect(page.locator("h3")).to_have_text("Report 3")
    await expect(page.get_by_label("Note")).to_have_value("")


async def opened_modal(windows: Windows, slack: Sandbox, web: AsyncWebClient, app: App) -> Page:
    await post(web, [{"type": "actions", "block_id": "act", "elements": [button("deny", "Deny with reason…")]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Deny with reason…").click()
    trigger = (await clicked(slack, app)).payload["trigger_id"]
    await web.views_open(trigger_id=trigger, view=modal())
    await expect(page.get_by_role("dialog", name="Deny")).to_be_visible()
    return page


async def test_a_modal_with_an_error_keeps_the_typed_text(windows, slack, web, app):
    page = await opened_modal(windows, slack, web, app)
    app.replies({"response_action": "errors", "errors": {"reason": "At least ten words."}})
    await expect(page.get_by_label("Reason")).to_be_focused()
    await page.keyboard.type("no")
    await page.get_by_role("dialog").get_by_role("button", name="Deny").click()
    await expect(page.get_by_role("alert").filter(has_text="At least ten words.")).to_be_visible()
    await expect(page.get_by_label("Reason")).to_have_value("no")
    app.replies("")
    await page.get_by_role("dialog").get_by_role("button", name="Deny").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert app.got[-1].payload["view"]["state"]["values"]["reason"]["text"]["value"] == "no"


async def test_a_required_field_left_empty_is_named_and_escape_closes_the_modal(windows, slack, web, app):
    page = await opened_modal(windows, slack, web, app)
    await page.get_by_role("dialog").get_by_role("button", name="Deny").click()
    await expect(page.locator("[data-error-for=reason]")).to_have_text("Please complete this required field.")
    await page.keyboard.type("x")
    await expect(page.locator("[data-error-for=reason]")).to_be_empty()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert slack.person(seed.ANA).modal is None
    assert [got.payload["type"] for got in app.got] == ["block_actions"]


async def test_two_people_at_once_see_the_same_card_and_only_their_own_notes(windows, slack, web):
    ts = await post(web, card())
    ana = await windows.open(seed.ANA, seed.REPORTS)
    ben = await windows.open(seed.BEN, seed.REPORTS)
    await web.chat_postEphemeral(channel=seed.REPORTS, user=seed.BEN, text="Already approved: nothing changed.")
    await expect(ben.locator(".ephemeral")).to_contain_text("Only visible to you")
    await web.chat_update(channel=seed.REPORTS, ts=ts, text="Closed", blocks=card(mark="2")[:1])
    for page in (ana, ben):
        await expect(page.locator(f'[data-ts="{ts}"] h3')).to_have_text("Report 2")
        await expect(page.locator(f'[data-ts="{ts}"]').get_by_role("button", name="Submit")).to_have_count(0)
    await expect(ana.locator(".ephemeral")).to_have_count(0)


async def test_one_window_can_be_somebody_else(windows, slack, web, app):
    await post(web, [{"type": "actions", "block_id": "act", "elements": [button("go", "Approve")]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="You are Ana Ruiz").click()
    await page.get_by_role("menuitem", name="Chidi Eze").click()
    await expect(page.locator(".switcher-name")).to_contain_text("Chidi Eze")
    await page.get_by_role("button", name="Approve").click()
    assert (await clicked(slack, app)).payload["user"]["id"] == seed.CHIDI


HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script> <!channel> </div>'


async def test_hostile_text_stays_text(windows, slack, web):
    escaped = HOSTILE.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    link = {"type": "link", "url": "javascript:document.title=3", "text": "click me"}
    blocks = [
        {"type": "header", "text": plain(HOSTILE)},
        {"type": "section", "text": {"type": "mrkdwn", "text": f"*{escaped}* `{escaped}`"}},
        {"type": "context", "elements": [plain(HOSTILE)]},
        {
            "type": "rich_text",
            "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": HOSTILE}, link]}],
        },
        {
            "type": "input",
            "label": plain(HOSTILE),
            "element": {"type": "checkboxes", "action_id": "c", "options": options(HOSTILE[:70])},
        },
        {
            "type": "actions",
            "elements": [
                button("b", HOSTILE[:70]),
                {"type": "overflow", "action_id": "o", "options": options(HOSTILE[:70])},
                {"type": "static_select", "action_id": "s", "options": options(HOSTILE[:70])},
            ],
        },
    ]
    slack.workspace.post(seed.REPORTS, seed.BEN, HOSTILE)
    ts = await post(web, blocks)
    page = await windows.open(seed.ANA, seed.REPORTS)
    message = page.locator(f'[data-ts="{ts}"]')
    await expect(message.locator("h3")).to_have_text(HOSTILE)
    await expect(message.locator(".block-context")).to_have_text(HOSTILE)
    await expect(message.locator(".block-section strong")).to_have_text(HOSTILE)
    await message.get_by_role("button", name="More actions").click()
    await expect(page.get_by_role("menuitem")).to_have_text(HOSTILE[:70])
    await message.get_by_role("button", name="Choose an option").click()
    await expect(page.get_by_role("option")).to_have_text(HOSTILE[:70])
    await expect(message.get_by_text("click me")).to_be_visible()
    assert await page.locator("#pane-body :is(img, script, iframe, svg), a[href^=javascript]").count() == 0
    assert "reports" in await page.title()


async def test_a_typed_command_is_offered_completed_and_delivered(windows, slack, app):
    app.replies({"text": "3 wait for you"})
    page = await windows.open(seed.ANA, seed.DEPLOYS)
    box = page.get_by_role("textbox", name="Message")
    await box.press_sequentially("/pen")
    await expect(page.get_by_role("option")).to_contain_text(["/pending"])
    await page.keyboard.press("Tab")
    await page.keyboard.type("all")
    await page.keyboard.press("Enter")
    await expect(page.locator(".ephemeral")).to_contain_text("3 wait for you")
    assert (app.got[0].payload["command"], app.got[0].payload["text"]) == ("/pending", "all")
    await box.press_sequentially("/nonsense")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(has_text="/nonsense")).to_be_visible()
    await box.fill("hello there")
    await page.keyboard.press("Enter")
    await expect(page.locator(".message").last).to_contain_text("hello there")


async def test_an_app_that_is_away_shows_a_warning_and_the_button_works_again(windows, slack, web, app):
    await post(web, [{"type": "actions", "block_id": "act", "elements": [button("go", "Approve")]}])
    page = await windows.open(seed.ANA, seed.REPORTS)
    app.replies("down", status=503)
    await page.get_by_role("button", name="Approve").click()
    await expect(page.locator(".toast")).to_have_count(1)
    app.replies("")
    await page.get_by_role("button", name="Approve").click()
    await clicked(slack, app, 2)
    await expect(page.get_by_role("button", name="Approve")).not_to_have_attribute("aria-busy", "true")


async def test_an_external_select_asks_the_app_and_keeps_the_choice(windows, slack, web, app):
    element = {"type": "external_select", "action_id": "who", "min_query_length": 1}
    act = {"type": "actions", "block_id": "act", "elements": [button("submit", "Submit")]}
    await post(web, [{"type": "input", "block_id": "q", "label": plain("Customer"), "element": element}, act])
    app.replies({"options": options("Northwind", "Contoso")})
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Customer").click()
    await expect(page.get_by_text("Type a letter to search.")).to_be_visible()
    await page.keyboard.type("c")
    await page.get_by_role("option", name="Contoso").click()
    await expect(page.locator(".select-value")).to_have_text("Contoso")
    await page.get_by_role("button", name="Submit").click()
    await slack.wait_for(lambda _: any(got.payload["type"] == "block_actions" for got in app.got))
    assert app.got[0].payload["value"] == "c"
    assert app.got[-1].payload["state"]["values"]["q"]["who"]["selected_option"]["value"] == "1"


async def test_the_home_tab_asks_the_app_and_shows_what_it_publishes(windows, slack, web, app):
    page = await windows.open(seed.ANA, "home")
    await slack.wait_for(
        lambda _: any(got.payload.get("event", {}).get("type") == "app_home_opened" for got in app.got)
    )
    blocks = [
        {"type": "header", "text": plain("Waiting for you: 1")},
        {"type": "actions", "elements": [button("go", "Answer…")]},
    ]
    await web.views_publish(user_id=seed.ANA, view={"type": "home", "blocks": blocks})
    await expect(page.locator(".home h3")).to_have_text("Waiting for you: 1")
    await page.get_by_role("button", name="Answer…").click()
    await slack.wait_for(lambda _: app.got[-1].payload["type"] == "block_actions")
    assert app.got[-1].payload["container"]["type"] == "view"


async def test_messages_elsewhere_are_counted_until_looked_at(windows, slack, web):
    page = await windows.open(seed.ANA, seed.DEPLOYS)
    await post(web, card())
    row = page.locator(f'[data-go="{seed.REPORTS}"]')
    await expect(row.locator(".unread")).to_have_text("1")
    await row.click()
    await expect(page.locator(".message h3")).to_have_text("Report 1")
    await expect(row.locator(".unread")).to_have_count(0)


async def test_a_link_to_a_message_leads_there_inside_the_page(windows, slack, web):
    ts = await post(web, card())
    link = (await web.chat_getPermalink(channel=seed.REPORTS, message_ts=ts))["permalink"]
    await post(
        web,
        [
            {
                "type": "rich_text",
                "elements": [
                    {"type": "rich_text_section", "elements": [{"type": "link", "url": link, "text": "open card"}]}
                ],
            }
        ],
        seed.DEPLOYS,
    )
    page = await windows.open(seed.ANA, seed.DEPLOYS)
    await page.get_by_role("link", name="open card").click()
    await expect(page.locator(f'.message.flash[data-ts="{ts}"]')).to_be_visible()
    assert len(page.context.pages) == 1
    await page.goto(link)
    await expect(page.locator(f'.message.flash[data-ts="{ts}"]')).to_be_visible()


async def test_a_narrow_window_keeps_everything_within_reach(windows, slack, web):
    await post(web, card())
    page = await windows.open(seed.ANA, seed.REPORTS, viewport={"width": 360, "height": 640})
    await expect(page.get_by_role("button", name="Submit")).to_be_in_viewport()
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert await page.evaluate("document.getElementById('pane').offsetWidth") == 360
    await page.get_by_role("button", name="Channels").click()
    await page.locator(f'[data-go="{seed.DEPLOYS}"]').click()
    await expect(page.locator(".pane-title")).to_have_text("deploys")
    await expect(page.locator(".row").first).not_to_be_visible()


async def test_hints_for_newcomers_stay_away_once_dismissed(windows):
    page = await windows.open(seed.ANA, seed.DEPLOYS, query="?hints")
    await expect(page.get_by_role("note")).to_contain_text("Click Approve in #deploys")
    await expect(page.get_by_role("note")).to_contain_text("Deny with reason… in #general")
    await page.get_by_role("note").get_by_role("button", name="Dismiss").click()
    await page.reload()
    await expect(page.locator(".switcher-name")).not_to_be_empty()
    await expect(page.get_by_role("note")).to_have_count(0)


async def test_hints_are_for_the_demo_alone(windows):
    page = await windows.open(seed.ANA, seed.DEPLOYS)
    await expect(page.locator(".pane-title")).to_have_text("deploys")
    await expect(page.get_by_role("note")).to_have_count(0)


async def test_an_app_opens_on_its_messages_and_says_when_it_has_no_home_tab(windows, slack, web):
    page = await windows.open(seed.ANA, "home")
    await expect(page.locator(".home")).to_contain_text("This app has no Home tab, or it is not running.")
    im = (await web.conversations_open(users=seed.ANA))["channel"]["id"]
    await post(web, [{"type": "section", "text": plain("For you")}], im)
    await page.locator(f'[data-go="{seed.DEPLOYS}"]').click()
    for _ in range(2):
        await page.locator('[data-go="home"]').click()
        await expect(page.locator(".message")).to_contain_text("For you")
    await page.locator('[data-tab="home"]').click()
    await expect(page.locator(".home")).to_be_visible()


async def test_the_sidebar_says_what_time_it_is_where_one_is(windows):
    page = await windows.open(seed.ANA, seed.DEPLOYS)
    zone = seed.users()[seed.ANA].tz.rpartition("/")[2].replace("_", " ")
    await expect(page.locator(".switcher-time")).to_have_text(re.compile(rf"\d\d:\d\d in {zone}"))


DATES = {
    "{date_num} {time_secs}": "2026-11-30 18:02:05",
    "{date}": "November 30th, 2026",
    "{date_short}": "Nov 30, 2026",
    "{date_long} at {time}": "Monday, November 30th, 2026 at 18:02",
    "{date_short_pretty} at {time}": "today at 18:02",
    "{no_such_token}": None,
}


async def test_date_tokens_read_as_slack_writes_them(windows):
    page = await windows.open(seed.ANA, seed.DEPLOYS)
    script = """async ([formats, at]) => {
        const { formatDate } = await import("/dates.js");
        return formats.map((format) => formatDate(at, format, { zone: "UTC", now: at * 1000 }));
    }"""
    assert await page.evaluate(script, [list(DATES), 1796061725]) == list(DATES.values())


async def test_the_page_finds_back_when_the_sandbox_was_restarted(browser):
    async with Sandbox() as before:
        page = await Windows(browser, before.url).open(seed.ANA, seed.REPORTS)
        port = int(before.url.rsplit(":", 1)[1])
    await expect(page.locator("#offline")).to_be_visible()
    async with Sandbox(port=port) as after:
        after.workspace.post(seed.REPORTS, seed.BEN, "back again")
        await expect(page.locator(".message")).to_contain_text("back again", timeout=15_000)
        await expect(page.locator("#offline")).to_be_hidden()
