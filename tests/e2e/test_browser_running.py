"""Operators at the page, in a real browser: what they say of a silence, and what they stop."""

from datetime import timedelta

import pytest
from playwright.async_api import expect

from blocks import ids
from tests.browser import Windows
from tests.e2e.house import ANA, CHIDI, DEPLOYS, place
from tests.e2e.test_browser import card, press, typed


@pytest.fixture
async def here(tmp_path):
    async with place(f"sqlite:///{tmp_path / 'signoff.db'}", SIGNOFF_OPERATORS=CHIDI) as found:
        yield found


@pytest.fixture
async def windows(browser, here):
    opened = Windows(browser, here.slack.url)
    yield opened
    assert opened.errors == []


async def approve(here, page):
    asked = await here.ask()
    shown = await card(here, page)
    await here.slack.person(ANA).click(DEPLOYS, (await here.card(DEPLOYS)).ts, ids.APPROVE)
    await expect(shown).to_contain_text("Approved by @Ana Ruiz")
    return asked, shown


async def test_it_did_not_happen_is_asked_twice_and_go_back_says_nothing(here, windows) -> None:
    page = await windows.open(CHIDI, DEPLOYS)
    asked, shown = await approve(here, page)
    await here.claim(asked, claim_id="c1", worker="worker-3", report_within=1)
    await here.house.store.mark_unknown(now=await here.house.store.now() + timedelta(seconds=1.5))
    await expect(shown).to_contain_text("Did it happen? worker-3 started")
    await press(shown, "It did not happen").click()
    dialog = page.get_by_role("dialog", name="Let it run again?")

    await press(dialog, "Go back").click()

    await expect(dialog).to_have_count(0)
    assert (await here.read(asked["id"]))["execution"]["status"] == "unknown"
    await press(shown, "It did not happen").click()
    await press(dialog, "It did not happen").click()
    await expect(shown).to_contain_text("It did not happen, says @Chidi Eze")
    await expect(shown).to_contain_text("one new try is allowed")
    await expect(shown.get_by_role("button")).to_have_count(0)


async def test_a_stop_is_typed_and_the_card_says_so_until_it_goes_on(here, windows) -> None:
    page = await windows.open(CHIDI, DEPLOYS)
    asked, shown = await approve(here, page)

    await typed(page, "/signoff stop deploy.* error rate doubled")

    await expect(page.locator(".ephemeral").last).to_contain_text("Stopped: deploy.*")
    await expect(shown).to_contain_text("Stopped by @Chidi Eze")
    await expect(shown).to_contain_text("error rate doubled. Nothing starts until it goes on.")
    assert not (await here.claim(asked)).json["claimed"]
    await typed(page, "/signoff go")
    await expect(page.locator(".ephemeral").last).to_contain_text("Goes on: deploy.*")
    await expect(shown).not_to_contain_text("Stopped by")
    assert (await here.claim(asked)).json["execute"]
