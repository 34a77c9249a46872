"""People at the page, with the real service behind it: what they see, type and press, in a real browser."""

import asyncio
import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser import Windows
from tests.e2e.house import ANA, BEN, DEPLOYS, GENERAL, REPORTS, Place, place

REASON = "Freeze until Monday."


@pytest.fixture
async def here(tmp_path) -> AsyncIterator[Place]:
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
async def windows(browser: Browser, here: Place) -> AsyncIterator[Windows]:
    opened = Windows(browser, here.slack.url)
    yield opened
    assert opened.errors == []


async def card(here: Place, page: Page, channel: str = DEPLOYS) -> Locator:
    """The newest card of a channel, as this window shows it."""
    message = await here.card(channel)
    return page.locator(f'.message[data-ts="{message.ts}"]')


def press(where: Locator | Page, words: str) -> Locator:
    """A button by the words on it; its spoken name says more."""
    return where.get_by_role("button").filter(has_text=re.compile(f"^{re.escape(words)}$"))


async def typed(page: Page, command: str) -> None:
    await page.get_by_role("textbox", name="Message").fill(command)
    await page.keyboard.press("Enter")


async def test_approve_is_one_press_and_the_card_says_who_did_it(here, windows) -> None:
    asked = await here.ask()
    page = await windows.open(ANA, DEPLOYS)
    shown = await card(here, page)

    await press(shown, "Approve").click()

    await expect(shown).to_contain_text("Approved by @Ana Ruiz")
    await expect(press(shown, "Approve")).to_have_count(0)
    await expect(press(shown, "Take back")).to_be_visible()
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_deny_with_a_reason_that_the_card_and_the_run_get_word_for_word(here, windows) -> None:
    asked = await here.ask()
    page = await windows.open(BEN, DEPLOYS)
    shown = await card(here, page)
    await press(shown, "Deny with reason…").click()
    form = page.get_by_role("dialog", name="Deny")
    await expect(form.get_by_label("Reason")).to_be_focused()

    await page.keyboard.type(REASON)
    await press(form, "Deny").click()

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(shown).to_contain_text(REASON)
    read = await here.read(asked["id"], wait=5)
    assert (read["state"], read["feedback"]) == ("denied", REASON)


async def test_keep_waiting_closes_the_form_and_decides_nothing(here, windows) -> None:
    asked = await here.ask()
    page = await windows.open(BEN, DEPLOYS)
    shown = await card(here, page)
    await press(shown, "Deny with reason…").click()
    await page.get_by_role("dialog", name="Deny").get_by_label("Reason").fill(REASON)

    await press(page.get_by_role("dialog"), "Keep waiting").click()

    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(press(shown, "Approve")).to_be_enabled()
    assert (await here.read(asked["id"]))["state"] == "pending"


async def test_several_of_a_multi_select_arrive_as_a_list(here, windows) -> None:
    asked = await here.ask_question(questions=[regions()])
    page = await windows.open(ANA, REPORTS)
    shown = await card(here, page, REPORTS)
    await shown.locator(".multi-open").click()
    for name in ("Europe", "Japan"):
        await page.get_by_role("option", name=name).click()
    await page.keyboard.press("Escape")
    await expect(shown.locator(".chip")).to_have_text(["Europe×", "Japan×"])

    await press(shown, "Submit").click()

    await expect(shown).to_contain_text("Europe")
    await expect(press(shown, "Submit")).to_have_count(0)
    answered = (await here.read(asked["id"], wait=5))["answers"]["regions"]
    assert answered["value"] == ["Europe", "Japan"]


async def test_a_reason_of_blanks_is_refused_at_its_field_and_the_form_stays(here, windows) -> None:
    asked = await here.ask()
    page = await windows.open(BEN, DEPLOYS)
    shown = await card(here, page)
    await press(shown, "Deny with reason…").click()
    form = page.get_by_role("dialog", name="Deny")
    reason = form.get_by_label("Reason")
    await reason.fill("   ")

    await press(form, "Deny").click()

    await expect(form.locator("[data-error-for=reason]")).to_contain_text("reason is needed")
    await expect(reason).to_have_value("   ")
    assert (await here.read(asked["id"]))["state"] == "pending"
    await reason.fill(REASON)
    await press(form, "Deny").click()
    await expect(shown).to_contain_text(REASON)


async def test_a_form_with_one_wrong_answer_keeps_all_the_others(here, windows) -> None:
    top, end = ({"id": id, "prompt": f"A sentence for the {id}?"} for id in ("top", "end"))
    asked = await here.ask_question(title="Weekly report", questions=[regions(), top, end])
    page = await windows.open(ANA, GENERAL)
    await typed(page, "/pending")
    await press(page.locator(".ephemeral").last, "Answer…").click()
    form = page.get_by_role("dialog", name="3 questions")
    await form.locator(".multi-open").click()
    await page.get_by_role("option", name="India").click()
    await page.keyboard.press("Escape")
    first, last = form.get_by_label(top["prompt"]), form.get_by_label(end["prompt"])
    await first.fill("Sales are up.")
    await last.fill("   ")

    await press(form, "Submit all").click()

    await expect(form.locator("[data-error-for]").filter(has_text=re.compile(r"\w"))).to_have_count(1)
    await expect(first).to_have_value("Sales are up.")
    await expect(form.locator(".chip")).to_have_text(["India×"])
    await last.fill("More next week.")
    await press(form, "Submit all").click()
    await expect(page.get_by_role("dialog")).to_have_count(0)
    answers = (await here.read(asked["id"], wait=5))["answers"]
    assert [answers[id]["value"] for id in ("regions", "top", "end")] == [["India"], "Sales are up.", "More next week."]


async def test_pending_has_pages_of_eight(here, windows) -> None:
    for number in range(11):
        await here.ask(title=f"Deploy {number:02}", operation_id=f"op-{number}", expires_in=3600 + number * 60)
    page = await windows.open(ANA, GENERAL)
    await typed(page, "/pending")
    shown = page.locator(".ephemeral").last
    await expect(shown).to_contain_text("11 wait for you")
    await expect(shown).to_contain_text("1 to 8 of 11")
    await expect(shown).to_contain_text("Deploy 07")
    await expect(shown).not_to_contain_text("Deploy 08")

    await press(shown, "Next page").click()

    await expect(shown).to_contain_text("9 to 11 of 11")
    await expect(shown).to_contain_text("Deploy 10")
    await press(shown, "Approve").first.click()
    await expect(shown).to_contain_text("10 wait for you")
    await expect(shown).to_contain_text("9 to 10 of 10")
    await press(shown, "Previous page").click()
    await expect(shown).to_contain_text("1 to 8 of 10")
    await expect(press(shown, "Previous page")).to_have_count(0)


async def test_of_two_people_at_one_card_the_second_is_told(here, windows) -> None:
    asked = await here.ask()
    ana, ben = await windows.open(ANA, DEPLOYS), await windows.open(BEN, DEPLOYS)
    of_ana, of_ben = await card(here, ana), await card(here, ben)
    await expect(press(of_ana, "Approve")).to_be_visible()
    await expect(press(of_ben, "Deny")).to_be_visible()

    # Neither window repaints between the two presses.
    await asyncio.gather(press(of_ana, "Approve").click(), press(of_ben, "Deny").click())

    read = await here.read(asked["id"], wait=5)
    won, lost = (of_ana, ben) if read["state"] == "approved" else (of_ben, ana)
    await expect(lost.locator(".ephemeral")).to_contain_text(f"Already {read['state']}")
    await expect(won).to_contain_text(read["state"].capitalize())
    for shown in (of_ana, of_ben):
        await expect(press(shown, "Approve")).to_have_count(0)
    winner = ana if lost is ben else ben
    await expect(winner.locator(".ephemeral")).to_have_count(0)
    assert len(read["votes"]) == 1


async def test_high_risk_is_asked_twice_and_keep_waiting_sends_nothing(here, windows) -> None:
    asked = await here.ask(risk="high")
    page = await windows.open(ANA, DEPLOYS)
    shown = await card(here, page)
    await press(shown, "Approve").click()
    dialog = page.get_by_role("dialog", name="High risk: approve?")
    before = len(here.slack.deliveries)

    await press(dialog, "Keep waiting").click()

    await expect(dialog).to_have_count(0)
    assert len(here.slack.deliveries) == before
    await press(shown, "Approve").click()
    await press(dialog, "Approve").click()
    await expect(shown).to_contain_text("Approved by @Ana Ruiz")
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_a_long_action_is_read_to_its_last_page_before_it_can_be_approved(here, windows) -> None:
    statements = [f"ALTER TABLE orders ADD COLUMN c{n:03} text" for n in range(120)]
    asked = await here.ask(tool_name="db.migrate", input={"statements": statements})
    page = await windows.open(ANA, DEPLOYS)
    shown = await card(here, page)
    await expect(press(shown, "Approve")).to_have_count(0)
    await press(shown, "Review and approve…").click()
    form = page.get_by_role("dialog", name="Review")
    await expect(form).to_contain_text("Page 1 of ")
    count = int(re.search(r"Page 1 of (\d+)", await form.inner_text())[1])
    assert count > 1
    seen = ""
    for number in range(1, count + 1):
        await expect(form).to_contain_text(f"Page {number} of {count}")
        seen += await form.inner_text()
        await expect(press(form, "Approve")).to_have_count(int(number == count))
        if number < count:
            await press(form, "Next page").click()

    await press(form, "Approve").click()

    assert [one for one in statements if one not in seen] == []
    await expect(shown).to_contain_text("Approved by @Ana Ruiz")
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_a_repaint_while_somebody_types_keeps_every_letter(here, windows) -> None:
    asked = await here.ask_question(
        questions=[{"id": "status", "prompt": "What should the status page say?"}, regions()], expires_in=3600
    )
    page = await windows.open(ANA, REPORTS)
    shown = await card(here, page, REPORTS)
    field = shown.locator("textarea.field, input.field").first
    await shown.locator(".multi-open").click()
    await page.get_by_role("option", name="India").click()
    await page.keyboard.press("Escape")
    await field.press_sequentially("We are look")

    message = await here.card(REPORTS)
    before = len(message.history)
    behind = {"tenant": "default", "interaction_id": asked["id"], "channel": REPORTS, "ts": message.ts}
    assert await here.house.store.mark_behind(**behind)
    await here.slack.wait_for(lambda _: len(message.history) > before, timeout=20)
    await page.keyboard.type("ing into it.")

    await expect(field).to_have_value("We are looking into it.")
    await expect(shown.locator(".chip")).to_have_text(["India×"])
    await press(shown, "Submit all").click()
    answers = (await here.read(asked["id"], wait=5))["answers"]
    assert (answers["status"]["value"], answers["regions"]["value"]) == ("We are looking into it.", ["India"])


async def test_a_newcomer_practises_from_an_empty_home_to_done(here, windows) -> None:
    page = await windows.open(ANA, "home")
    home = page.locator(".home-blocks")
    await press(home, "Send me a practice request").click()
    await expect(home).to_contain_text("Waiting for you: 1")
    await home.get_by_role("link", name="open card").click()
    shown = page.locator(".message").filter(has_text="Practice: say hello").first
    await expect(shown).to_contain_text("Asked by Signoff")

    await press(shown, "Approve").click()

    await expect(shown).to_contain_text("Done")
    await expect(shown).to_contain_text("Hello. That was the whole way")
    await expect(shown.get_by_role("button")).to_have_count(0)
    await page.goto(page.url.split("#")[0] + f"#/{ANA}/home")
    await expect(home).to_contain_text("Nothing waits for you")
    await expect(press(home, "Send me a practice request")).to_be_visible()


def regions() -> dict:
    """Six options: more than checkboxes show, so a multi-select."""
    names = ("Europe", "United States", "Latin America", "India", "Japan", "Southeast Asia")
    options = [{"id": f"o{number}", "label": name} for number, name in enumerate(names)]
    return {"id": "regions", "prompt": "Which regions?", "options": options, "multiple": True}
