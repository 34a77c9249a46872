"""Votes, taking back and more time at the page, in a real browser: what approvers see and press."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from tests.browser import Windows
from tests.e2e.house import ANA, BEN, CHIDI, DEPLOYS, Place, place
from tests.e2e.test_browser import card, press
from tests.e2e.test_votes import TWO, hurried


@pytest.fixture
def database(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'signoff.db'}"


@pytest.fixture
async def here(database: str) -> AsyncIterator[Place]:
    async with place(database) as found:
        yield found


@pytest.fixture
async def windows(browser: Browser, here: Place) -> AsyncIterator[Windows]:
    opened = Windows(browser, here.slack.url)
    yield opened
    assert opened.errors == []


async def test_two_approve_one_takes_the_vote_back_and_gives_it_again(here, windows) -> None:
    asked = await here.ask(approvers=TWO)
    ana, ben = [await windows.open(who, DEPLOYS) for who in (ANA, BEN)]
    of_ana, of_ben = await card(here, ana), await card(here, ben)
    await press(of_ana, "Approve").click()
    await expect(of_ben).to_contain_text("1 of 2 approvals. One more from @Ben Okafor or @Chidi Eze")

    await press(of_ana, "⋯").click()
    await ana.get_by_role("menuitem", name="Take back my approval").click()
    await expect(of_ben).to_contain_text("Needs 2 approvals from")
    await press(of_ana, "Approve").click()
    await press(of_ben, "Approve").click()

    await expect(of_ana).to_contain_text("Approved by @Ana Ruiz and @Ben Okafor")
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"


async def test_an_approval_is_taken_back_after_it_was_asked_about(here, windows) -> None:
    asked = await here.ask()
    page = await windows.open(ANA, DEPLOYS)
    shown = await card(here, page)
    await press(shown, "Approve").click()
    await press(shown, "Take back").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Take back the approval?")
    await press(dialog, "Keep it").click()
    assert (await here.read(asked["id"]))["state"] == "approved"

    await press(shown, "Take back").click()
    await press(dialog, "Take back").click()

    await expect(shown).to_contain_text("Denied: the approval was taken back by @Ana Ruiz")
    await expect(shown.get_by_role("button")).to_have_count(0)
    assert (await here.read(asked["id"], wait=5))["state"] == "denied"


async def test_the_deadline_comes_near_others_may_decide_and_more_time_is_given(here, windows, database) -> None:
    asked = await here.ask(expires_in=3600, escalation=[{"after": 600, "users": [CHIDI]}])
    page = await windows.open(ANA, DEPLOYS)
    shown = await card(here, page)
    await hurried(database, "escalate")
    await expect(shown).to_contain_text("@Chidi Eze may decide too.")
    await hurried(database, "warn")
    await expect(shown).to_contain_text("Expires soon, ")

    await press(shown, "Give me 1 more hour").click()

    await expect(shown).to_contain_text("@Ana Ruiz gave 1 more hour")
    await expect(press(shown, "Give me 1 more hour")).to_have_count(0)
    chidi = await windows.open(CHIDI, DEPLOYS)
    await press(await card(here, chidi), "Approve").click()
    await expect(shown).to_contain_text("Approved by @Chidi Eze")
    assert (await here.read(asked["id"], wait=5))["state"] == "approved"
