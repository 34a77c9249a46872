"""Pictures of the cards, as the sandbox's page draws them, for `docs/cards.md`. `python -m tests.blocks.pictures` makes them anew.

Needs Chromium. What is drawn is the gallery: the same values whose JSON is reviewed as goldens.
"""

import asyncio
import base64
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, expect
from slack_sdk.web.async_client import AsyncWebClient

from sandbox.clock import ManualClock
from sandbox.model import Message, User, View
from sandbox.server import Sandbox
from tests.blocks.cases import ANA, ASKED, DECIDED, NAMES
from tests.blocks.gallery import gallery
from tests.browser import CHROMIUM, launched, missing

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
CHANNEL = "C07DEPLOYS1"
#: When the pictures are taken; those of cards that are over, a day later.
NOW = DECIDED + timedelta(hours=2)
LATER = DECIDED + timedelta(hours=25)
#: A window as wide as a card is read in. A form that is higher than it scrolls; messages and Home stand whole.
VIEWPORT = {"width": 940, "height": 800}
HIGH = {**VIEWPORT, "height": 1600}
#: Two columns of them then fit a page of documentation, and all pictures two megabytes.
SCALE = 0.72
#: Nothing of the page around a card shines through at its edges.
ALONE = """
.sidebar { visibility: hidden } body { background: #fff } dialog::backdrop { background: #eceaee }
.dialog { box-shadow: none } .toast { display: none } .home-blocks { padding: 12px 20px 20px }
"""
#: Forms of which the end is drawn, not the start.
AT_THE_END = frozenset({"modal_review_last"})

#: Each picture: the cards on it, by their names in the gallery, and what is written above each.
SHEETS: dict[str, dict[str, str]] = {
    "approvals_open": {
        "approval_open": "Open",
        "approval_partly_both": "Votes of both kinds: two of each are needed",
        "approval_expiring": "The deadline is near: more time, once",
        "approval_open_high_risk": "High risk: red, and asked twice",
        "approval_open_confirmation": "To confirm: nothing runs by itself",
    },
    "approvals_whole": {
        "approval_open_long": "A long action is reviewed page by page",
        "approval_open_replacing": "A changed ask shows what changed",
        "approval_open_body_cut": "Words of the run may be cut; the action never is",
        "approval_open_hostile": "Text that pretends to be more stays text",
    },
    "approvals_approved": {
        "approval_approved": "Approved",
        "approval_running": "Running",
        "approval_done": "Done",
        "approval_failed": "Failed",
        "approval_stuck": "Stuck: the run was told, and did not come",
    },
    "approvals_given": {
        "approval_open_facts": "With facts, links, and what changed since the last time",
        "approval_open_details_long": "Details are part of the action: read to their end first",
    },
    "approvals_silent": {
        "approval_unknown": "A run went silent: operators are asked",
        "approval_unknown_settled": "It happened",
        "approval_unknown_retry": "It did not, and may run once more",
        "approval_open_stopped": "Stopped while it waits",
        "approval_approved_stopped": "Stopped after the approval",
    },
    "approvals_closed": {
        "approval_denied_reason": "Denied, with the reason",
        "approval_taken_back": "Approved, and taken back in time",
        "approval_expired": "Expired",
        "approval_withdrawn": "Withdrawn",
        "approval_superseded": "Replaced",
        "approval_lapsed": "Not started in time",
    },
    "questions_short": {
        "question_open_buttons": "Few short options: buttons",
        "question_open_buttons_described": "Options with descriptions",
        "question_open_checkboxes": "Several of a few: checkboxes",
        "question_open_other": "Long options: whole above their menu",
    },
    "questions_long": {
        "question_open_select": "Many options: a menu",
        "question_open_multiselect": "Several of many",
        "question_open_text": "One's own words",
        "question_open_several": "Several questions on one card",
    },
    "questions_closed": {
        "question_answered": "Answered",
        "question_answered_several": "Several answers",
        "question_skipped": "Skipped",
        "question_expired": "Expired",
        "question_withdrawn": "Withdrawn",
        "question_stuck": "Stuck",
    },
    "pending": {"pending_list": "/pending", "pending_empty": "Nothing waits", "pending_help": "/signoff help"},
    "modals_deciding": {
        "modal_deny_reason": "Deny with a reason",
        "modal_review_first": "Review: the first page",
        "modal_review_last": "Review: the last page",
        "modal_too_late": "Too late: nothing typed is lost",
    },
    "modals_answering": {
        "modal_form": "All questions in one form",
        "modal_other": "Another answer",
        "modal_show_all": "Everything",
        "modal_show_all_questions": "Everything of a question set",
    },
    "notes": {
        "note_already_approved": "Somebody was faster",
        "note_not_allowed": "Not yours to decide",
        "note_own_request": "Your own request",
        "note_retired": "A button of an older version",
        "note_unconfirmed": "Nobody knows yet",
        "thread_outcome": "In the thread, once it is decided",
        "thread_reminder": "A reminder",
        "dm_requester": "To who asked",
    },
    "home": {"home": "Home", "home_empty": "Home, and nothing waits"},
}

MONTAGE = """<!doctype html><style>
body {{ margin: 0; padding: 20px; background: #eceaee; font: 700 15px sans-serif; color: #454447; width: max-content; }}
.columns {{ display: flex; gap: 20px; align-items: flex-start; }}
.column {{ display: flex; flex-direction: column; gap: 20px; }}
figure {{ margin: 0; }} figcaption {{ padding: 0 0 6px 2px; }}
img {{ display: block; border-radius: 8px; box-shadow: 0 1px 3px rgb(0 0 0 / 25%); }}
</style><div class="columns"><div class="column"></div><div class="column"></div></div>{figures}<script>
const columns = [...document.querySelectorAll(".column")];
for (const figure of document.querySelectorAll("body > figure")) {{
  columns.sort((a, b) => a.offsetHeight - b.offsetHeight)[0].append(figure);
}}
</script>"""


class Easel:
    """The page of one sandbox, in front of which each card is held up in turn."""

    def __init__(self, slack: Sandbox, page: Page) -> None:
        self._slack = slack
        self._page = page
        self._web = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)

    async def draw(self, name: str, payload: dict[str, Any]) -> bytes:
        if payload.get("type") == "home":
            return await self._home(name, payload)
        if "type" in payload:
            return await self._modal(name, payload)
        # The head of the channel stays where it is, and would cover what is higher than the window.
        await self._page.set_viewport_size({**VIEWPORT, "height": 1600})
        ts = await self._posted(name, payload)
        node = self._page.locator(f'.message[data-ts="{ts}"]')
        await self._page.set_viewport_size(HIGH)
        await expect(node).to_be_visible()
        picture = await node.screenshot(style=ALONE)
        await self._page.set_viewport_size(VIEWPORT)
        found = self._slack.workspace.message(CHANNEL, ts)
        assert isinstance(found, Message)
        self._slack.workspace.delete(found)
        await expect(node).to_have_count(0)
        await self._page.set_viewport_size(VIEWPORT)
        return picture

    async def _posted(self, name: str, payload: dict[str, Any]) -> str:
        if name.startswith(("note_", "pending_")):
            return str((await self._web.chat_postEphemeral(channel=CHANNEL, user=ANA, **payload))["message_ts"])
        return str((await self._web.chat_postMessage(channel=CHANNEL, **payload))["ts"])

    async def _modal(self, name: str, payload: dict[str, Any]) -> bytes:
        view = View(id=name, user=ANA, content=payload, hash="1", root_id=name)
        self._slack.workspace.set_stack(ANA, [view])
        dialog = self._page.locator("dialog.modal")
        await expect(dialog).to_be_visible()
        if name in AT_THE_END:
            await dialog.locator(".modal-body").evaluate("body => body.scrollTo(0, body.scrollHeight)")
        picture = await dialog.screenshot(style=ALONE)
        self._slack.workspace.set_stack(ANA, [])
        await expect(dialog).to_have_count(0)
        return picture

    async def _home(self, name: str, payload: dict[str, Any]) -> bytes:
        await self._page.set_viewport_size(HIGH)
        await self._page.goto(f"{self._slack.url}/#/{ANA}/home")
        self._slack.workspace.set_home(View(id=name, user=ANA, content=payload, hash="1", root_id=name))
        node = self._page.locator(".home-blocks")
        await expect(node).to_be_visible()
        picture = await node.screenshot(style=ALONE)
        del self._slack.workspace.homes[ANA]
        await self._page.set_viewport_size(VIEWPORT)
        await self._page.goto(f"{self._slack.url}/#/{ANA}/{CHANNEL}")
        return picture


async def drawn(browser: Browser, names: Sequence[str], *, at: datetime) -> dict[str, bytes]:
    """Each card as a PNG, on a page where it is `at`."""
    payloads = gallery()
    async with Sandbox(clock=ManualClock(ASKED.timestamp())) as slack:
        for id, name in NAMES.items():
            slack.workspace.users.setdefault(id, User(id=id, name=name.split()[0].lower(), real_name=name))
        context = await browser.new_context(viewport=VIEWPORT, device_scale_factor=SCALE, bypass_csp=True)
        page = await context.new_page()
        await page.clock.set_fixed_time(at)
        await page.goto(f"{slack.url}/#/{ANA}/{CHANNEL}")
        easel = Easel(slack, page)
        found = {name: await easel.draw(name, payloads[name]) for name in names}
        await context.close()
    return found


async def mounted(browser: Browser, pictures: dict[str, bytes]) -> bytes:
    """One picture of all, by their captions, in two columns."""
    figures = "".join(
        f'<figure><figcaption>{escape(caption)}</figcaption><img src="data:image/png;base64,{_base64(png)}"></figure>'
        for caption, png in pictures.items()
    )
    page = await browser.new_page(viewport={"width": 1600, "height": 200})
    await page.set_content(MONTAGE.format(figures=figures), wait_until="load")
    made = await page.locator("body").screenshot()
    await page.close()
    return made


def _base64(png: bytes) -> str:
    return base64.b64encode(png).decode()


async def main() -> None:
    reason = missing()
    if reason is not None:
        sys.exit(reason)
    PICTURES.mkdir(exist_ok=True)
    for old in PICTURES.glob("*.png"):
        old.unlink()
    async with launched(CHROMIUM) as browser:
        for title, sheet in SHEETS.items():
            cards = await drawn(browser, list(sheet), at=LATER if title.endswith("_closed") else NOW)
            picture = await mounted(browser, {caption: cards[name] for name, caption in sheet.items()})
            (PICTURES / f"{title}.png").write_bytes(picture)


if __name__ == "__main__":
    asyncio.run(main())
