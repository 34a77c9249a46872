"""A real browser on the sandbox's page: the fixtures, and windows that belong to somebody."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def missing(path: Path = CHROMIUM) -> str | None:
    """Why there is no browser to test with, if there is none."""
    return None if path.exists() else f"no browser at {path}: install Chromium or set CHROMIUM to its path"


@pytest.fixture
def chromium() -> Path:
    """A missing browser is a failure on CI, where nobody reads about skipped tests."""
    reason = missing()
    if reason is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return CHROMIUM


@pytest.fixture
async def browser(chromium: Path) -> AsyncIterator[Browser]:
    async with launched(chromium) as running:
        yield running


@asynccontextmanager
async def launched(path: Path) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=str(path), args=list(FLAGS))
        yield running
        await running.close()


class Windows:
    """Windows of the page; `errors` holds every script error in any of them: a test ends by looking that there is none."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser = browser
        self._url = url
        self.errors: list[str] = []

    async def open(self, user: str, place: str, *, query: str = "", **options: Any) -> Page:
        context = await self._browser.new_context(**options)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if "Content Security" in said.text else None)
        await page.goto(f"{self._url}/{query}#/{user}/{place}")
        await expect(page.locator(".switcher-name")).not_to_be_empty()
        return page
