"""Every sample of sdk/README.md is run as it stands there, against the service and the sandbox."""

import asyncio
import os
import re
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blocks import ids
from tests.e2e.house import ANA, DEPLOYS
from tests.sdk.test_sdk_webhook import BODY, NEW, signed

TOP = Path(__file__).parents[2]
SAMPLES = dict(
    re.findall(
        r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```",
        (TOP / "sdk" / "README.md").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


async def run(here, title: str, press: str) -> str:
    """What it prints, once Ana pressed this on its card."""
    environment = {**os.environ, "PYTHONPATH": str(TOP / "sdk"), "SIGNOFF_URL": here.house.url}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SAMPLES[title],
        env={**environment, "SIGNOFF_KEY": here.token},
        stdout=asyncio.subprocess.PIPE,
    )
    card = await here.card(DEPLOYS)
    await here.slack.person(ANA).click(DEPLOYS, card.ts, press)
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode().strip()


def test_no_sample_is_left_out() -> None:
    assert set(SAMPLES) == {
        "A tool of an agent",
        "A step of a pipeline",
        "A question",
        "Step by step, and on an event loop",
        "Webhooks",
    }


@pytest.mark.parametrize(
    ("title", "press", "printed"),
    [
        ("A tool of an agent", ids.APPROVE, "acme got 120 €"),
        ("A tool of an agent", ids.DENY, "Denied by @ana. No reason was given."),
        ("A step of a pipeline", ids.APPROVE, "deploying 1.4.2"),
        ("A question", ids.suffixed(ids.PICK, 1), "us-east"),
        ("Step by step, and on an event loop", ids.APPROVE, "deployed 1.4.3"),
    ],
)
async def test_a_sample_does_what_it_says(here, title, press, printed) -> None:
    assert await run(here, title, press) == printed


async def test_the_receiver_takes_what_signoff_sent_and_nothing_else() -> None:
    headers = signed(at=datetime.fromtimestamp(time.time(), UTC))
    calls = f"print(receive({BODY!r}, {headers!r}), receive({BODY!r} + b' ', {headers!r}), receive(b'', {{}}))"

    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        f"{SAMPLES['Webhooks']}\n{calls}",
        env={**os.environ, "PYTHONPATH": str(TOP / "sdk"), "SIGNOFF_WEBHOOK_SECRET": NEW},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()

    assert out.decode().splitlines() == ["apr_1 is approved", "204 401 401"]
