"""At the page: a form that is closed before it is submitted, and opened again."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from blocks import ids
from tests.browser import Windows
from tests.e2e.house import ANA, BEN, DEPLOYS, REPORTS, Place, place

OPTIONS = [{"id": f"c{n}", "label": f"Customer {n}"} for n in range(200)]
CURRENCIES = [{"id": name, "label": name} for name in ("EUR", "USD")]
QUESTIONS = [
    {"id": "currency", "prompt": "Which currency?", "options": CURRENCIES, "allow_other": True},
    {"id": "customers", "prompt": "Which customers?", "options": OPTIONS, "multiple": True, "default": ["c7"]},
    {"id": "top", "prompt": "A sentence for the top?"},
]


@pytest.fixture
async def here(tmp_path) -> AsyncIterator[Place]:
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}") as found:
        yield found


@pytest.fixture
async def windows(browser: Browser, here: Place) -> AsyncIterator[Windows]:
    opened = Windows(browser, here.slack.url)
    yield opened
    assert opened.errors == []


def press(where: Locator | Page, words: str) -> Locator:
    return where.get_by_role("button").filter(has_text=re.compile(f"^{re.escape(words)}$"))


def heard(here: Place, block_id: str) -> list[object]:
    """What the app was told of an input, oldest first."""
    told = [sent.payload for sent in here.slack.deliveries if sent.payload.get("type") == "block_actions"]
    return [p["actions"][0] for p in told if p["actions"][0]["block_id"] == block_id]


async def test_a_form_that_is_closed_opens_as_it_was_left_and_is_submitted(here, windows) -> None:
    asked = await here.ask_question(title="Weekly report", questions=QUESTIONS, respondents={"users": [ANA, BEN]})
    message = await here.card(REPORTS)
    ana = await windows.open(ANA, REPORTS)
    card, form = ana.locator(f'.message[data-ts="{message.ts}"]'), ana.get_by_role("dialog", name="3 questions")
    await press(card, "Answer…").click()
    await form.get_by_role("button", name="Which currency?").click()
    await ana.get_by_role("option", name="USD").click()
    await form.locator(".multi-open").click()
    await ana.get_by_role("option", name="Customer 12", exact=True).click()
    await ana.keyboard.press("Escape")
    await expect(form.locator(".select-value")).to_have_text("USD")
    await expect(form.locator(".chip")).to_have_text(["Customer 7×", "Customer 12×"])
    await form.get_by_label("A sentence for the top?").press_sequentially("Sales are up.")
    # Told at a pause, and all of it.
    await here.slack.wait_for(lambda _: [one["value"] for one in heard(here, "q.2")][-1:] == ["Sales are up."])

    await press(form, "Keep waiting").click()
    await expect(ana.get_by_role("dialog")).to_have_count(0)
    await press(card, "Answer…").click()

    await expect(form).to_contain_text("Filled in as you left it.")
    await expect(form.locator(".select-value")).to_have_text("USD")
    await expect(form.locator(".chip")).to_have_text(["Customer 7×", "Customer 12×"])
    await expect(form.get_by_label("A sentence for the top?")).to_have_value("Sales are up.")
    assert len(heard(here, "q.2")) < len("Sales are up.")
    # A menu of a form is emptied by its cross, though it tells each change.
    await form.get_by_role("button", name="Clear the choice").click()
    await form.get_by_label("Or write your own").fill("INR")
    ben = await windows.open(BEN, REPORTS)
    await press(ben.locator(f'.message[data-ts="{message.ts}"]'), "Answer…").click()
    of_ben = ben.get_by_role("dialog", name="3 questions")
    await expect(of_ben.get_by_label("A sentence for the top?")).to_have_value("")
    await expect(of_ben).not_to_contain_text("Filled in as you left it.")
    await press(form, "Submit all").click()
    await expect(ana.get_by_role("dialog")).to_have_count(0)
    answers = (await here.read(asked["id"], wait=5))["answers"]
    assert [answers[name]["value"] for name in ("currency", "customers", "top")] == [
        "INR",
        ["Customer 7", "Customer 12"],
        "Sales are up.",
    ]


async def test_a_form_that_is_closed_in_mid_word_does_no_harm(here, windows) -> None:
    await here.ask()
    page = await windows.open(BEN, DEPLOYS)
    message = await here.card(DEPLOYS)
    card, form = page.locator(f'.message[data-ts="{message.ts}"]'), page.get_by_role("dialog", name="Deny")
    await press(card, "Deny with reason…").click()
    await form.get_by_label("Reason").press_sequentially("Freeze")
    await here.slack.wait_for(lambda _: heard(here, ids.REASON_BLOCK))
    await page.keyboard.type(" until")

    await page.keyboard.press("Escape")
    await press(card, "Deny with reason…").click()

    await expect(form.get_by_label("Reason")).to_have_value(re.compile("^Freeze"))
    await expect(page.locator(".toast")).to_have_count(0)
