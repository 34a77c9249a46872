"""The page by keyboard, on a narrow window, with long texts, as several people: what a person with no mouse needs."""

import re
from collections.abc import AsyncIterator

import pytest
from app_double import App
from every import MODAL
from kit import actions, button, confirm, header, input_block, modal, multi, option, plain, section, select, text_input
from playwright.async_api import Browser, Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from sandbox import seed
from sandbox.server import Sandbox
from tests.browser import Windows

PHONE = {"width": 390, "height": 844}
LONG = "A rather long label that says a great deal more than a label should, really"


@pytest.fixture
async def windows(browser: Browser, slack: Sandbox) -> AsyncIterator[Windows]:
    opened = Windows(browser, slack.url)
    yield opened
    assert opened.errors == []


async def post(web: AsyncWebClient, *blocks, channel: str = seed.REPORTS) -> str:
    return (await web.chat_postMessage(channel=channel, text="fallback", blocks=list(blocks)))["ts"]


async def focused(page: Page) -> str:
    words = "(node => node.getAttribute('aria-label') || node.innerText || node.tagName)(document.activeElement)"
    return str(await page.evaluate(words)).strip()


async def opened_modal(web: AsyncWebClient, slack: Sandbox, app: App, view: dict) -> None:
    await slack.person(seed.ANA).command(seed.REPORTS, "/pending")
    await web.views_open(trigger_id=app.got[-1].payload["trigger_id"], view=view)


async def test_tab_leads_from_the_skip_link_through_the_channels_to_a_button(windows, slack, web, app):
    await post(web, actions(button(text=plain("Approve"))))
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_role("button", name="Approve")).to_be_visible()
    seen = []
    while "Approve" not in seen:
        await page.keyboard.press("Tab")
        seen.append((await focused(page)).splitlines()[-1])
        assert len(seen) < 30, seen
    assert seen[0] == "Skip to the message box"
    assert seen.index("deploys") < seen.index("Messages") < seen.index("Approve")
    await page.keyboard.press("Enter")
    await slack.wait_for(lambda _: app.got)
    assert await focused(page) == "Approve"


async def test_the_skip_link_leads_to_the_message_box(windows):
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    assert "Ana" in await page.locator(".switcher-name").inner_text()


async def test_a_confirmation_stands_on_no_and_gives_the_focus_back(windows, slack, web, app):
    await post(web, actions(button(text=plain("Stop"), confirm=confirm())))
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.get_by_role("button", name="Stop").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog").get_by_role("button", name="No")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_role("button", name="Stop")).to_be_focused()
    assert app.got == []


async def test_enter_in_a_line_submits_a_modal_and_in_a_long_text_does_not(windows, slack, web, app):
    line = input_block(text_input("line"), block_id="line", label=plain("Line"))
    many = input_block(text_input("many", multiline=True), block_id="many", label=plain("Text"), optional=True)
    await opened_modal(web, slack, app, modal(line, many, submit=plain("Send")))
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_label("Line")).to_be_focused()
    await page.keyboard.press("Tab")
    await page.keyboard.type("one")
    await page.keyboard.press("Enter")
    await page.keyboard.type("two")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.type("done")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    values = app.got[-1].payload["view"]["state"]["values"]
    assert (values["line"]["line"]["value"], values["many"]["many"]["value"]) == ("done", "one\ntwo")


async def test_the_cross_closes_the_whole_stack_and_back_only_the_top(windows, slack, web, app):
    view = modal(actions(button("more", text=plain("More"))), title=plain("First"))
    await opened_modal(web, slack, app, view)
    page = await windows.open(seed.ANA, seed.REPORTS)

    async def push(count: int) -> None:
        await page.get_by_role("dialog").get_by_role("button", name="More").click()
        await slack.wait_for(lambda _: app.got[-1].payload["type"] == "block_actions" and len(app.got) == count)
        second = modal(title=plain("Second"), notify_on_close=True)
        await web.views_push(trigger_id=app.got[-1].payload["trigger_id"], view=second)
        await expect(page.get_by_role("dialog", name="Second")).to_be_visible()

    await push(2)
    await page.get_by_role("button", name="Back").click()
    await expect(page.get_by_role("dialog", name="First")).to_be_visible()
    assert app.got[-1].payload["is_cleared"] is False
    await push(4)
    await page.get_by_role("button", name="Close").first.click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    assert app.got[-1].payload["is_cleared"] is True


async def test_tab_stays_in_a_modal(windows, slack, web, app):
    await opened_modal(web, slack, app, MODAL | {"blocks": MODAL["blocks"][5:8]})
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(12):
        await page.keyboard.press("Tab")
        assert await page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )


async def test_a_list_under_a_select_closes_before_the_modal_does(windows, slack, web, app):
    block = input_block(select(), block_id="s", label=plain("Which"))
    await opened_modal(web, slack, app, modal(block, submit=plain()))
    page = await windows.open(seed.ANA, seed.REPORTS)
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("option")).to_have_count(3)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.locator(".select-value")).to_have_text("Option 1")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("option")).to_have_count(0)
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_the_menu_of_a_narrow_window_follows_the_keyboard(windows):
    page = await windows.open(seed.ANA, seed.REPORTS, viewport=PHONE)
    menu = page.get_by_role("button", name="Channels")
    await menu.focus()
    await page.keyboard.press("Enter")
    await expect(menu).to_have_attribute("aria-expanded", "true")
    await expect(page.locator(f'[data-go="{seed.REPORTS}"]')).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(menu).to_be_focused()
    await expect(menu).to_have_attribute("aria-expanded", "false")
    await expect(page.locator(".row").first).not_to_be_visible()


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, PHONE])
async def test_long_texts_stay_within_the_window(windows, slack, web, viewport):
    wide = option("1", text=plain(LONG[:75]), description=plain("y" * 75))
    await post(
        web,
        header("x" * 150),
        section(text=plain("z" * 900), accessory=button("acc", text=plain("y" * 75))),
        actions(button(text=plain(LONG[:75])), select(options=[wide], initial_option=wide)),
        input_block(multi(), label=plain("w" * 400), hint=plain("h" * 400)),
    )
    slack.workspace.post(seed.REPORTS, seed.BEN, "v" * 3000)
    page = await windows.open(seed.ANA, seed.REPORTS, viewport=viewport)
    await expect(page.locator(".message")).to_have_count(2)
    wider = """() => [document.documentElement, ...document.querySelectorAll('.scroller, .message, .block')]
        .filter(node => node.scrollWidth > node.clientWidth + 1).map(node => node.className || node.tagName)"""
    assert await page.evaluate(wider) == []


async def test_a_line_stands_over_what_was_not_read_yet(windows, slack, web):
    for text in ("old one", "old two"):
        slack.workspace.post(seed.REPORTS, seed.BEN, text)
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.locator(".message")).to_have_count(2)
    await page.locator(f'[data-go="{seed.DEPLOYS}"]').click()
    await expect(page.locator(".pane-title")).to_have_text("deploys")
    slack.workspace.post(seed.REPORTS, seed.ANA, "my own")
    slack.workspace.post(seed.REPORTS, seed.BEN, "new one")
    slack.workspace.post(seed.REPORTS, seed.BEN, "new two")
    await expect(page.locator(f'[data-go="{seed.REPORTS}"] .unread')).to_have_text("2")
    await page.locator(f'[data-go="{seed.REPORTS}"]').click()
    await expect(page.locator(".new-line + .message")).to_contain_text("new one")
    await expect(page.locator(".new-line")).to_have_count(1)
    slack.workspace.post(seed.REPORTS, seed.BEN, "while looking")
    await expect(page.locator(".message").last).to_contain_text("while looking")
    await expect(page.locator(".new-line + .message")).to_contain_text("new one")


async def test_what_one_person_typed_is_not_the_next_persons(windows):
    page = await windows.open(seed.ANA, seed.REPORTS)
    box = page.get_by_role("textbox", name="Message")
    await box.fill("half a thought of Ana")
    for person, expected in (("Ben Okafor", ""), ("Ana Ruiz", "half a thought of Ana")):
        await page.locator(".switcher").click()
        await page.get_by_role("menuitem", name=person).click()
        await expect(page.locator(".switcher-name")).to_contain_text(person)
        await expect(box).to_have_value(expected)


async def test_two_people_are_told_apart_in_everything_they_see(windows, slack, web, app):
    ana = await windows.open(seed.ANA, seed.REPORTS)
    ben = await windows.open(seed.BEN, seed.REPORTS)
    await opened_modal(web, slack, app, modal(section(text=plain("for Ana alone"))))
    await expect(ana.get_by_role("dialog")).to_contain_text("for Ana alone")
    slack.workspace.post(seed.REPORTS, seed.BEN, "from Ben")
    await expect(ben.get_by_role("article", name=re.compile("Ben Okafor, .*"))).to_contain_text("from Ben")
    await expect(ben.get_by_role("dialog")).to_have_count(0)
    slack.workspace.warn(seed.BEN, "a warning for Ben")
    await expect(ben.locator(".toast")).to_contain_text("a warning for Ben")
    await expect(ana.locator(".toast")).to_have_count(0)


@pytest.mark.parametrize(
    ("posting", "words"),
    [("read_only", "Nobody may write in this channel."), ("thread_only", "This channel takes replies only.")],
)
async def test_where_nobody_may_write_the_box_says_so(windows, slack, posting, words):
    page = await windows.open(seed.ANA, seed.REPORTS)
    await expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    slack.workspace.restrict(seed.REPORTS, posting)
    await expect(page.get_by_text(words)).to_be_visible()
    await expect(page.get_by_role("textbox", name="Message")).to_be_hidden()
