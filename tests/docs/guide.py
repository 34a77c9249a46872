"""A reader of the guides: their samples as processes of their own, and people of the sandbox who answer them."""

import asyncio
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from blocks import ids
from sandbox.model import Message
from tests.docs.page import TOP, blocks, clean_environment
from tests.e2e.house import ANA, Place


@dataclass(kw_only=True)
class Reader:
    """Saves samples in `folder` and starts them there, with what the guide said to export."""

    folder: Path
    exported: dict[str, str]

    async def start(self, code: str, *, name: str = "sample.py", **more: str) -> asyncio.subprocess.Process:
        (self.folder / name).write_text(code, "utf-8")
        return await asyncio.create_subprocess_exec(
            sys.executable,
            name,
            cwd=self.folder,
            env=self.environment(**more),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    def environment(self, **more: str) -> dict[str, str]:
        path = os.pathsep.join([str(TOP / "sdk"), str(self.folder)])
        return {**clean_environment(self.folder), "PYTHONPATH": path, **self.exported, **more}


def reader(place: Place, folder: Path, *, token: str | None = None) -> Reader:
    exported = {"SIGNOFF_URL": str(place.house.url), "SIGNOFF_KEY": token or place.token}
    return Reader(folder=folder, exported=exported)


async def ended(process: asyncio.subprocess.Process, *, code: int = 0) -> str:
    """What it printed, or its last line of trouble where it is to fail."""
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == code, err.decode()
    return out.decode() if code == 0 else err.decode().strip().rpartition("\n")[2]


async def approve(place: Place, channel: str, *, count: int = 1) -> Message:
    """Ana approves the newest of so many cards in this channel."""
    card = await place.card(channel, count=count)
    clicked = await place.slack.person(ANA).click(channel, card.ts, ids.APPROVE)
    assert clicked.ok, clicked
    return card


async def deny(place: Place, channel: str, reason: str, *, count: int = 1) -> Message:
    """Ana denies the newest of so many cards with these words."""
    card = await place.card(channel, count=count)
    ana = place.slack.person(ANA)
    assert (await ana.click(channel, card.ts, ids.DENY_REASON)).ok
    await place.slack.wait_for(lambda _: ana.modal is not None)
    ana.fill_view(ids.TEXT, reason)
    assert (await ana.submit()).ok
    return card


def sample(text: str, marks: str, language: str = "python") -> str:
    """The one block of code in which these words stand."""
    found = [block for block in blocks(text, language) if marks in block]
    assert len(found) == 1, f"{len(found)} samples with {marks!r}"
    return found[0]


def headings(text: str, level: int) -> list[str]:
    return re.findall(rf"^{'#' * level} (.+)$", text, re.MULTILINE)
